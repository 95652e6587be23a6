"""The pages of the comparison with Lighthouse, and how its rows are made."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from devtools.bench_render import proportional_bytes
from devtools.rendering_oracle import PAGES, answer, compare_page
from pagegrade.model.rendering import AxeResult, Coverage, RenderedRequest
from tests.rendering_builders import make_rendering

SCRIPT = "http://127.0.0.1/unused.js"


def test_every_page_and_file_is_served() -> None:
    """A number in the query delays it, and for the page of elements it is theirs."""
    assert all(answer(f"/{name}/")[0].startswith("text/html") for name in PAGES)
    assert len(PAGES) >= 12
    assert answer("/a.png?600")[::2] == ("image/png", 0.6)
    assert answer("/none") == ("", b"", 0.0)
    assert answer("/elements?100")[1].count(b"<p>") == 50


@pytest.mark.parametrize(("theirs", "agree"), [(61_200, True), (62_300, False)])
def test_unused_bytes_may_differ_by_a_fiftieth(theirs: int, agree: bool) -> None:  # noqa: FBT001
    """Ours are 60,000 of 90,000 bytes, as transferred."""
    rendering = make_rendering(
        coverage=(Coverage(url=SCRIPT, kind="script", total_bytes=90_000, unused_bytes=60_000),),
        requests=(RenderedRequest(url=SCRIPT, wire_bytes=90_000),),
    )
    found = list(compare_page(rendering, report(theirs), {}))

    assert found == [("unused script", 60_000, theirs, agree)]


def test_rules_must_find_the_same_number_of_elements() -> None:
    """One that only one of the two reports differs, too; what axe-core cannot decide is left out."""
    usual = AxeResult(rule="list", impact="", help="", help_url="", outcome="violation", node_count=2)
    undecided = replace(usual, rule="region", outcome="incomplete")
    results = (usual, replace(usual, rule="label", node_count=1), undecided)
    found = list(compare_page(make_rendering(axe=results), report(None), {"list": 2, "image-alt": 1}))

    assert found == [("image-alt", 0, 1, False), ("label", 1, 0, False), ("list", 2, 2, True)]


def report(unused: int | None) -> dict[str, Any]:
    """Lighthouse's audits of unused bytes."""
    items = [] if unused is None else [{"url": SCRIPT, "wastedBytes": unused}]
    return {
        "audits": {
            "unused-javascript": {"details": {"items": items}},
            "unused-css-rules": {"details": {"items": []}},
        }
    }


def test_the_memory_of_a_process_that_is_gone_is_nothing() -> None:
    """It ended between two looks."""
    assert proportional_bytes(2**22 + 1) == 0
