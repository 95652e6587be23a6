from __future__ import annotations

import pytest

from pagegrade.checks.seo.markdown_for_agents import markdown_for_agents
from pagegrade.model.outcome import NotRun
from tests.builders import URL, evaluated, make_well_known, outcome, run

LINK = "<link rel=alternate type=text/markdown href=/a.md>"


def probe(
    body: str = "# Chairs", *, content_type: str = "text/markdown", vary: str = "Accept", status: int = 200
) -> dict[str, object]:
    """The answer to the request for Markdown."""
    headers = (("Content-Type", content_type), *((("Vary", vary),) if vary else ()))
    return {"markdown_probe": make_well_known(body, url=URL, headers=headers, status=status)}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (probe(), "negotiated"),
        (probe(content_type="Text/Markdown; charset=utf-8; variant=GFM"), "negotiated"),
        (probe(vary="Accept-Encoding, accept"), "negotiated"),
        (probe(vary="*"), "negotiated"),
        (probe(vary=""), "unvaried"),
        (probe(vary="Accept-Encoding"), "unvaried"),
        (probe(content_type="text/plain"), "mislabeled"),
        (probe("<!doctype html>", content_type="text/plain"), "none"),
        (probe("<p>", content_type="text/html"), "none"),
        (probe("<p>", content_type="text/html", status=406), "none"),
        (probe(status=404), "none"),
    ],
)
def test_type_and_caching_decide(answer: dict[str, object], expected: str) -> None:
    """A page without Markdown is fine."""
    assert outcome(markdown_for_agents, "<p>", **answer).state == expected


def test_link_to_a_markdown_version_counts() -> None:
    """Of a server that does not negotiate."""
    found = outcome(markdown_for_agents, LINK, **probe("<p>", content_type="text/html"))

    assert (found.state, found.value) == ("linked", URL + "a.md")
    assert outcome(markdown_for_agents, LINK, **probe()).state == "negotiated"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_errors_show_nothing(status: int) -> None:
    """And without the request nothing is known."""
    assert isinstance(run(markdown_for_agents, "<p>", **probe(status=status)), NotRun)
    assert isinstance(run(markdown_for_agents, LINK), NotRun)


def test_it_costs_nothing() -> None:
    """Few agents ask for it."""
    assert evaluated(markdown_for_agents, "<p>", **probe(vary="")).outcome == "informative"
