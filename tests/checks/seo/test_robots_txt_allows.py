"""Tests of the check robots-txt-allows."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.robots_txt_allows import robots_txt_allows
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, make_well_known, outcome, run

PAGE = "https://example.com/shop/shoes?size=9"


def site(robots: str | bytes, *, url: str = PAGE, status: int = 200) -> Artifacts:
    """A page on a site with that robots.txt."""
    return make_artifacts(
        url=url, robots_txt=make_well_known(robots, url="https://example.com/robots.txt", status=status)
    )


def state(robots: str | bytes, *, url: str = PAGE, status: int = 200) -> str:
    """The state for a page on a site with that robots.txt."""
    return outcome(robots_txt_allows, site(robots, url=url, status=status)).state


@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        ("", "allowed"),
        ("User-agent: *\nDisallow:", "allowed"),
        ("User-agent: *\nDisallow: /", "blocked"),
        ("User-agent: *\nDisallow: /shop/*?size=", "blocked"),
        ("User-agent: *\nDisallow: /*.php$", "allowed"),
        ("User-agent: *\nDisallow: /shop\nAllow: /shop/shoes", "allowed"),
        ("User-agent: *\nDisallow: /shop\nAllow: /shop", "allowed"),
        ("User-agent: Googlebot\nDisallow: /", "blocked"),
        ("User-agent: bingbot\nDisallow: /", "one_bot_blocked"),
        ("User-agent: GPTBot\nUser-agent: AhrefsBot\nDisallow: /", "allowed"),
        ("User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /", "allowed"),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n", "blocked"),
        ("#User-agent: *\n#Disallow: /", "allowed"),
        ("\ufeffUser-agent: *\nDisallow: /", "blocked"),
    ],
)
def test_rules_decide(robots: str, expected: str) -> None:
    """Only the most specific groups count, the longest rule decides, and ties go to Allow."""
    assert state(robots) == expected


def test_percent_encoding_is_compared_by_meaning() -> None:
    """A rule in plain letters bars the encoded address."""
    assert state("User-agent: *\nDisallow: /caf\u00e9", url="https://example.com/caf%C3%A9") == "blocked"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_missing_file_allows_everything(status: int) -> None:
    """No file, no restrictions, whatever text comes with the error."""
    assert state("User-agent: *\nDisallow: /", status=status) == "allowed"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_error_of_the_server_is_a_warning(status: int) -> None:
    """A passing error does not cap the score."""
    assert state("", status=status) == "unavailable"


def test_page_in_place_of_the_file_allows_everything() -> None:
    """An application that answers every request with its own page bars no crawler."""
    assert state("<!doctype html><title>Shop</title>\n<p>Disallow: /\n") == "allowed"


def test_rules_within_a_page_count() -> None:
    """Crawlers skip the lines that they cannot read, and obey the others."""
    assert state("<!doctype html><pre>\nUser-agent: *\nDisallow: /\n</pre>") == "blocked"


def test_unreachable_file_is_not_evaluated() -> None:
    """A file that was not gathered is not evaluated."""
    assert isinstance(run(robots_txt_allows, make_artifacts(url=PAGE)), NotRun)


def test_evidence_names_line_rule_and_group() -> None:
    """The owner sees what to change."""
    found = outcome(robots_txt_allows, site("User-agent: *\nAllow: /\nDisallow: /shop"))
    entry = found.evidence[0]

    assert (entry.line, entry.snippet, entry.url) == (3, "Disallow: /shop", "https://example.com/robots.txt")
    assert "group for *" in entry.reason
    assert "Line 3" in found.message
