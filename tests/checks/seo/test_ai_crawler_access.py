"""The traps of ``ai-crawler-access``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import make_artifacts, make_well_known, outcome, run


def found(rules: str, *, url: str = "https://example.com/a", status: int = 200) -> Outcome:
    """The finding of the check with that robots.txt."""
    robots = make_well_known(rules, url="https://example.com/robots.txt", status=status)
    return outcome("ai-crawler-access", make_artifacts(url=url, robots_txt=robots))


def test_each_crawler_is_decided_by_its_own_group() -> None:
    """Kinds are distinguished, with the line that bars."""
    result = found("User-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n")

    assert (result.state, [entry.value for entry in result.evidence]) == ("some_barred", ["GPTBot", "PerplexityBot"])
    assert result.evidence[0].line == 3
    assert result.evidence[0].reason != result.evidence[1].reason


def test_a_ban_for_all_bars_these_too() -> None:
    """Only a group of its own lets a crawler in."""
    result = found("User-agent: *\nDisallow: /\n\nUser-agent: ClaudeBot\nDisallow:\n")

    assert result.value == 10
    assert "ClaudeBot" not in result.message


def test_further_crawlers_are_shown_where_the_file_names_them() -> None:
    """A ban for all is shown for the well-known ones only."""
    named = found("User-agent: bytespider\nUser-agent: meta-externalagent\nDisallow: /\n")
    all_of_them = found("User-agent: *\nDisallow: /\n")

    assert [entry.value for entry in named.evidence] == ["Bytespider", "meta-externalagent"]
    assert {entry.reason for entry in named.evidence} == {"Reads pages for an AI service."}
    assert all_of_them.value == 11
    assert found("User-agent: Bytespider\nDisallow: /private\n").state == "open"


def test_other_pages_and_commented_groups_do_not_count() -> None:
    """Only this page is asked for."""
    assert found("User-agent: GPTBot\nDisallow: /private").state == "open"
    assert found("#User-agent: GPTBot\n#Disallow: /").state == "open"
    assert found("<!doctype html><p>User-agent: *").state == "open"


def test_no_file_and_an_error() -> None:
    """A missing file bars no crawler; an error keeps crawlers away at first; not fetched is not evaluated."""
    assert found("", status=404).state == "open"
    assert found("", status=503).state == "unavailable"
    assert isinstance(run("ai-crawler-access", make_artifacts()), NotRun)
