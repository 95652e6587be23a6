from __future__ import annotations

from typing import Any

from devtools.refresh_crawlers import module, names
from pagegrade.parse.data.ai_crawlers import AI_CRAWLERS

ENTRIES: list[dict[str, Any]] = [
    {"pattern": "GPTBot", "tags": ["ai-crawler"]},
    {"pattern": "[cC]laude[bB]ot", "tags": ["ai-crawler"]},
    {"pattern": "PerplexityBot\\/", "tags": ["search-engine", "ai-crawler"]},
    {"pattern": "Spider[\\s\\S]*spider\\.com", "tags": ["ai-crawler"]},
    {"pattern": "Kangaroo Bot", "tags": ["ai-crawler"]},
    {"pattern": "Googlebot\\/", "tags": ["search-engine"]},
    {"pattern": "curl"},
]


def test_plain_names_of_ai_crawlers_are_taken() -> None:
    """A slash before the version and both cases of a letter are no part of a name; other patterns are left out."""
    assert names(ENTRIES) == ("ClaudeBot", "GPTBot", "PerplexityBot")


def test_module_names_its_source() -> None:
    """And can be run."""
    found: dict[str, Any] = {}
    exec(compile(module("1.2.3", ENTRIES, "2026-11-23"), "ai_crawlers", "exec"), found)  # noqa: S102 - made a line above

    assert found["AI_CRAWLERS"] == ("ClaudeBot", "GPTBot", "PerplexityBot")
    assert (found["DATE"], found["LICENSE"]) == ("2026-11-23", "MIT")
    assert "1.2.3" in found["__doc__"]


def test_the_committed_list_has_the_well_known_crawlers_once() -> None:
    """In alphabetical order, whatever the case."""
    assert {"GPTBot", "ClaudeBot", "CCBot", "Google-Extended", "Bytespider", "meta-externalagent"} <= set(AI_CRAWLERS)
    assert list(AI_CRAWLERS) == sorted(set(AI_CRAWLERS), key=str.lower)
