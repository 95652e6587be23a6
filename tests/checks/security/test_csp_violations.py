from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.security.csp_violations import csp_violations
from pagegrade.model.outcome import NotApplicable, Outcome
from pagegrade.model.rendering import BrowserIssue
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

WITH_POLICY = (
    '<!doctype html><head><meta http-equiv="Content-Security-Policy" content="script-src \'self\'"><title>t</title>'
)


def violation(url: str = "https://ads.example/a.js", **more: Any) -> BrowserIssue:
    """Something that the policy blocked."""
    usual = {"kind": "csp", "subject": "script-src-elem", "detail": "kURLViolation", "url": "https://example.com/"}
    return BrowserIssue(**{**usual, "blocked_url": url, **more})


def evaluate(*issues: BrowserIssue, html: str = WITH_POLICY) -> Evaluated:
    """The verdict on a page with these violations."""
    return evaluated(csp_violations, html, rendering=make_rendering(issues=issues))


@pytest.mark.parametrize(("count", "loss"), [(0, 0), (1, 0.02), (5, 0.04), (20, 0.04)])
def test_each_blocked_source_counts(count: int, loss: float) -> None:
    """Up to five."""
    assert evaluate(*(violation(f"https://ads.example/{number}.js") for number in range(count))).loss == loss


def test_a_source_counts_once_for_each_directive() -> None:
    """However often the page tries; the line of the page is shown for inline code only."""
    found = evaluate(violation(line=3), violation(line=8), violation("", detail="kInlineViolation", line=8)).verdict

    assert isinstance(found, Outcome)
    assert [(one.url, one.line, one.reason) for one in found.evidence] == [
        ("https://ads.example/a.js", None, "a URL"),
        ("https://example.com/", 9, "inline code"),
    ]


def test_a_policy_in_report_only_mode_blocks_nothing() -> None:
    """Its violations are listed, and cost nothing."""
    found = evaluate(violation(report_only=True))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("reported", 0)


def test_a_page_without_a_policy_cannot_violate_it() -> None:
    """That it has none is said elsewhere."""
    assert isinstance(evaluate(html="<!doctype html><title>t</title>").verdict, NotApplicable)


@pytest.mark.parametrize(
    ("files", "refused", "subject", "state"),
    [
        (["a.js", "b.js"], ["a.js"], "script-src-elem", "stopped"),
        (["a.js", "b.js", "c.js"], ["a.js"], "script-src-elem", "blocked"),
        (["a.css"], ["a.css"], "style-src-elem", "stopped"),
        (["a.js"], ["ad.js"], "script-src-elem", "blocked"),
        (["a.js"], ["a.js"], "img-src", "blocked"),
    ],
)
def test_policy_that_blocks_most_of_the_files_stops_the_page(
    files: list[str], refused: list[str], subject: str, state: str
) -> None:
    """Of any host: without its libraries a page does not work."""
    tags = "".join(
        f"<script src=https://cdn.example/{one}></script>"
        if one.endswith(".js")
        else f"<link rel=stylesheet href=https://cdn.example/{one}>"
        for one in files
    )
    issues = [violation(f"https://cdn.example/{one}", subject=subject) for one in refused]
    found = evaluate(*issues, html=WITH_POLICY + tags)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
