from __future__ import annotations

import pytest

from pagegrade.checks.seo.content_signals import content_signals
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_well_known, outcome, run

URL = "https://example.com/robots.txt"
HTML = ("Content-Type", "text/html; charset=utf-8")


def file(body: str) -> dict[str, object]:
    """A robots.txt as an artifact."""
    return {"robots_txt": make_well_known(body, url=URL, headers=(("Content-Type", "text/plain"),))}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /", "declared"),
        ("User-agent: *\ncontent-signal: AI-TRAIN=NO", "declared"),
        ("Content-Signal: search=yes\nUser-agent: *\nAllow: /", "declared"),
        ("User-agent: *\nContent-Usage: train-ai=n", "declared"),
        ("User-agent: *\nContent-Usage: /pub/ train-ai=y", "declared"),
        ("User-agent: *\nContent-Signal: ai_train=no", "unreadable"),
        ("User-agent: *\nContent-Usage: train-ai=no", "unreadable"),
        ("User-agent: *\nContent-Signal: search=yes\nContent-Signal: none", "unreadable"),
    ],
)
def test_lines_of_robots_txt(body: str, expected: str) -> None:
    """One line that cannot be read is enough to say so."""
    assert outcome(content_signals, "<p>", **file(body)).state == expected


@pytest.mark.parametrize("body", ["", "User-agent: *\nDisallow: /", "# Content-Signal: search=yes"])
def test_a_site_that_states_nothing_is_not_evaluated(body: str) -> None:
    """Comments state nothing."""
    assert isinstance(run(content_signals, "<p>", **file(body)), NotApplicable)


def test_header_of_the_page_counts() -> None:
    """Also where robots.txt is not known."""
    found = outcome(content_signals, "<p>", headers=(HTML, ("content-usage", "train-ai=n")))

    assert (found.state, found.value) == ("declared", "train-ai not allowed")
    assert isinstance(run(content_signals, "<p>"), NotRun)


def test_evidence_names_the_crawlers_and_the_mistake() -> None:
    """The line is quoted with its number."""
    good = outcome(content_signals, "<p>", **file("User-agent: A\nUser-agent: B\nContent-Signal: search=yes"))
    bad = outcome(content_signals, "<p>", **file("User-agent: *\nContent-Signal: search=perhaps"))

    assert [(one.line, one.reason) for one in good.evidence] == [(3, "addressed to A, B")]
    assert [(one.snippet, one.reason) for one in bad.evidence] == [
        ("Content-Signal: search=perhaps", "search: neither yes nor no")
    ]


def test_it_costs_nothing() -> None:
    """Any choice is fine."""
    assert evaluated(content_signals, "<p>", **file("Content-Signal: x")).outcome == "informative"
