"""Answers of both servers of tools to arguments that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.mcp.server import explain_check, list_checks
from tests.gather.sites import Site
from tests.mcp.test_local_server import text_of, with_agent


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("analyze_url", {}, "url: this argument is missing."),
        ("analyze_url", {"url": 5}, "url: 5 cannot be used. Input should be a valid string."),
        (
            "get_report",
            {"report": "r1", "view": "all"},
            "view: 'all' cannot be used. Input should be 'summary', 'prompt' or 'full'.",
        ),
        (
            "analyze_url",
            {"url": "https://a.example/", "Render": 1},
            "'Render': the tool has no such argument. It has url",
        ),
        ("analyze_url", {"urls": "https://a.example/"}, "'urls': the tool has no such argument. Did you mean url?"),
        ("list_checks", {"catgory": "seo"}, "'catgory': the tool has no such argument. Did you mean category?"),
        ("analyze_url", {"url": "https://a.example/", "engine": "rendered"}, "engine: this server has no browser."),
        ("explain_check", {"check": "x" * 120}, f"check: '{'x' * 99}… cannot be used."),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(tool: str, arguments: dict[str, Any], says: str) -> None:
    """With its value, cut where it is long, and what is allowed; without texts for developers."""

    async def use(client: Client, _: Site) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    answer = with_agent(use)

    assert answer.is_error
    assert text_of(answer).removeprefix(f"Error executing tool {tool}: ").startswith(says)
    assert "pydantic" not in text_of(answer)


def test_all_checks_are_listed_or_those_of_a_category() -> None:
    """With the most that each can cost."""
    found = list_checks("seo")

    assert {line.check for line in list_checks()} == set(all_checks())
    assert {line.category for line in found} == {"seo"}
    assert max(line.points for line in found) > 0
    assert {line.check for line in list_checks("site")} == set(all_site_checks())


@pytest.mark.parametrize("typed", ["image-alt", " Image_Alt ", "image alt"])
def test_a_check_is_explained_in_any_spelling(typed: str) -> None:
    """With its sections, states and sources."""
    explained = explain_check(typed)

    assert explained.check == "image-alt"
    assert explained.documentation
    assert explained.states
    assert explained.sources


def test_a_check_of_a_site_is_explained_as_well() -> None:
    """Findings of audits name them."""
    explained = explain_check("orphan-pages")

    assert (explained.category, bool(explained.documentation), bool(explained.states)) == ("site", True, True)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("orphan-page", "Did you mean orphan-pages"),
        ("image-alts", "Did you mean image-alt"),
        ("\x00" * 80, "list_checks"),
    ],
)
def test_an_unknown_check_has_suggestions(typed: str, expected: str) -> None:
    """An agent can correct itself."""
    with pytest.raises(ToolError, match=expected):
        explain_check(typed)
