"""Tests of the check blocked-page-resources."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.blocked_page_resources import blocked_page_resources
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_artifacts, make_well_known, outcome, run

FILES = '<link rel="stylesheet" href="/assets/a.css"><script src="/assets/a.js"></script>'


def page(rules: str, html: str = FILES, *, status: int = 200) -> Artifacts:
    """A page with these files, and rules for all crawlers."""
    robots = make_well_known(f"User-agent: *\n{rules}", url="https://example.com/robots.txt", status=status)
    return make_artifacts(f"<!doctype html><title>T</title>{html}", robots_txt=robots)


def test_blocked_files_are_named_with_the_line() -> None:
    """Line and rule decide which change helps."""
    found = outcome(blocked_page_resources, page("Disallow: /assets/"))

    assert found.state == "blocked"
    assert [(entry.url, entry.snippet) for entry in found.evidence] == [
        ("https://example.com/assets/a.css", "Disallow: /assets/"),
        ("https://example.com/assets/a.js", "Disallow: /assets/"),
    ]
    assert "line 2" in found.evidence[0].reason


def test_more_blocked_files_cost_more() -> None:
    """From half for one to everything."""
    scripts = "".join(f'<script src="/assets/{number}.js"></script>' for number in range(60))

    assert evaluated(blocked_page_resources, page("Disallow: /assets/a.css")).loss == 0.5
    assert evaluated(blocked_page_resources, page("Disallow: /assets/", scripts)).loss == 1


@pytest.mark.parametrize(
    "rules", ["Disallow: /cart/", "Disallow: /assets/\nAllow: /assets/*.css\nAllow: /assets/*.js", "Disallow:"]
)
def test_open_files_pass(rules: str) -> None:
    """The longest rule decides."""
    assert outcome(blocked_page_resources, page(rules)).state == "open"


@pytest.mark.parametrize(
    "html",
    [
        "",
        '<script src="https://cdn.example.net/assets/a.js"></script>',
        '<script src="/cdn-cgi/scripts/x.js"></script>',
        '<img src="/assets/a.png">',
    ],
)
def test_a_page_without_files_of_its_own_is_not_evaluated(html: str) -> None:
    """Files of other hosts have another robots.txt, and images draw no layout."""
    assert isinstance(run(blocked_page_resources, page("Disallow: /assets/\nDisallow: /cdn-cgi/", html)), NotApplicable)


@pytest.mark.parametrize(("rules", "status"), [("Disallow: /", 200), ("Disallow: /assets/", 503)])
def test_a_blocked_page_is_the_finding_of_another_check(rules: str, status: int) -> None:
    """It is reported once."""
    assert isinstance(run(blocked_page_resources, page(rules, status=status)), NotApplicable)


def test_a_missing_file_blocks_nothing() -> None:
    """Status 404 means no restrictions."""
    assert outcome(blocked_page_resources, page("Disallow: /", status=404)).state == "open"
