"""Tests of the check noindex."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.seo.noindex import noindex
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import (
    evaluated,
    make_artifacts,
    make_resource,
    make_resources,
    make_response,
    make_well_known,
    outcome,
    run,
)

HTML = ("Content-Type", "text/html; charset=utf-8")


def page(head: str = "", body: str = "<p>x", **more: Any) -> Artifacts:
    """A page with that head and body."""
    return make_artifacts(f"<!doctype html><html><head><title>T</title>{head}</head><body>{body}", **more)


def with_header(*values: str) -> Artifacts:
    """A page with these X-Robots-Tag lines."""
    return page(headers=[HTML, *(("x-robots-tag", value) for value in values)])


@pytest.mark.parametrize(
    "content", ["noindex", "NOINDEX", "none", "nofollow,noindex", "index, noindex", "noindex nofollow"]
)
def test_noindex_for_all_fails(content: str) -> None:
    """Case, order and companions do not matter, and the stricter of two rules counts."""
    assert outcome(noindex, page(f'<meta name="Robots" content="{content}">')).state == "noindex"


@pytest.mark.parametrize("content", ["", "all", "index, follow", "nofollow", "noarchive", "max-snippet:-1"])
def test_other_rules_pass(content: str) -> None:
    """Only rules about indexing count here."""
    assert outcome(noindex, page(f'<meta name="robots" content="{content}">')).state == "indexable"


def test_header_counts() -> None:
    """A header is as good as a tag, and shown as evidence."""
    found = outcome(noindex, with_header("noarchive", "noindex"))

    assert found.state == "noindex"
    assert [(entry.header, entry.snippet) for entry in found.evidence] == [("X-Robots-Tag", "noindex")]


def test_rule_for_one_crawler_is_a_warning() -> None:
    """A crawler's own tag and a header with a prefix bar only that crawler."""
    by_tag = outcome(noindex, page('<meta name="bingbot" content="noindex">'))
    by_header = outcome(noindex, with_header("slurp: noindex"))

    assert by_tag.state == by_header.state == "one_bot"
    assert "bingbot" in by_tag.message
    assert evaluated(noindex, page('<meta name="bingbot" content="noindex">')).loss == 0.5
    assert evaluated(noindex, page('<meta name="googlebot" content="noindex">')).loss == 1.0
    assert evaluated(noindex, with_header("googlebot: noindex")).loss == 1.0


@pytest.mark.parametrize("bot", ["googlebot-news", "Googlebot-Image", "googlebot-video"])
def test_rule_for_one_service_is_listed_only(bot: str) -> None:
    """Web search is not affected; a rule for the whole engine beside it decides."""
    tag = f'<meta name="{bot}" content="noindex">'

    assert outcome(noindex, page(tag)).state == "one_product"
    assert evaluated(noindex, page(tag)).loss == 0
    assert outcome(noindex, with_header(f"{bot}: noindex")).state == "one_product"
    assert outcome(noindex, page(tag + '<meta name="googlebot" content="noindex">')).state == "one_bot"


def test_rule_for_an_unknown_program_is_no_finding() -> None:
    """Neither in a header nor in a tag: no search engine obeys it."""
    assert outcome(noindex, page('<meta name="otherbot" content="noindex">')).state == "indexable"
    assert outcome(noindex, with_header("otherbot: noindex")).state == "indexable"


def test_crawler_rule_beside_a_rule_for_all_fails() -> None:
    """The worst rule decides."""
    assert outcome(noindex, with_header("bingbot: noindex", "none")).state == "noindex"


@pytest.mark.parametrize(
    ("date", "state"),
    [
        ("2026-01-05T11:59:59Z", "expired"),
        ("2026-01-05T12:00:00Z", "expired"),
        ("2026-01-05T12:00:01Z", "expires_soon"),
        ("2026-02-04T12:00:00Z", "expires_soon"),
        ("2026-02-04T12:00:01Z", "indexable"),
        ("Friday, 25-Jun-10 15:00:00 GMT", "expired"),
        ("some day", "indexable"),
    ],
)
def test_unavailable_after_is_evaluated_at_the_time_of_the_run(date: str, state: str) -> None:
    """The colons of a date name no crawler, and the time is that of the artifacts, not of the clock."""
    assert outcome(noindex, with_header(f"unavailable_after: {date}")).state == state


def test_noindex_of_a_subresource_does_not_count() -> None:
    """An image that may not be indexed says nothing of the page."""
    image = make_resource("https://example.com/a.png", headers=[("X-Robots-Tag", "noindex")])

    assert outcome(noindex, page(resources=make_resources(image))).state == "indexable"


def test_noindex_of_a_redirect_does_not_count() -> None:
    """Only the last answer speaks for the page."""
    hop = make_response(url="http://example.com/", status=301, headers=[("X-Robots-Tag", "noindex")])

    assert outcome(noindex, page(hops=[hop])).state == "indexable"


def test_blocked_page_hides_its_noindex() -> None:
    """When robots.txt forbids the page, the message says that the rule is not seen."""
    robots = make_well_known("User-agent: *\nDisallow: /", url="https://example.com/robots.txt")
    found = outcome(noindex, page('<meta name="robots" content="noindex">', robots_txt=robots))

    assert found.state == "noindex"
    assert "robots.txt" in found.message


def test_noindex_in_the_body_is_a_warning() -> None:
    """A tag that slipped into the body may or may not be obeyed."""
    assert outcome(noindex, page(body='<p>x<meta name="robots" content="noindex">')).state == "in_body"


def test_text_about_noindex_does_not_count() -> None:
    """Comments, scripts and prose are not tags."""
    tag = '<meta name="robots" content="noindex">'
    body = f"<!-- {tag} --><script>var a = '{tag}'</script>"

    assert outcome(noindex, page(body=body)).state == "indexable"


def test_many_rules_are_bounded_and_counted() -> None:
    """Thousands of tags give at most a hundred entries and the true number."""
    found = outcome(noindex, page('<meta name="robots" content="noindex">' * 3_000))

    assert (len(found.evidence), found.total) == (100, 3_000)


CLOSED = VisitorView(status=401, url="https://example.com/", is_elsewhere=False, indexable=None)
SIGN_IN = VisitorView(status=200, url="https://example.com/login", is_elsewhere=True, indexable=False)
OPEN = VisitorView(status=200, url="https://example.com/", is_elsewhere=False, indexable=True)
BARRED = VisitorView(status=200, url="https://example.com/", is_elsewhere=False, indexable=False)
RULE = '<meta name="robots" content="noindex">'


@pytest.mark.parametrize(
    ("head", "view", "expected"),
    [
        (RULE, CLOSED, "not_for_visitors"),
        (RULE, SIGN_IN, "not_for_visitors"),
        (RULE, OPEN, "not_for_visitors"),
        (RULE, BARRED, "noindex"),
        ("", BARRED, "for_visitors"),
        ('<meta name="bingbot" content="noindex">', BARRED, "for_visitors"),
        ('<meta name="bingbot" content="noindex">', OPEN, "one_bot"),
        ("", OPEN, "indexable"),
    ],
)
def test_what_everybody_gets_decides(head: str, view: VisitorView, expected: str) -> None:
    """A rule that only those get who are let in costs nothing, and one that visitors get costs everything."""
    found = evaluated(noindex, page(head, visitor_view=view))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == expected
    assert (found.loss or 0.0) == {"noindex": 1.0, "for_visitors": 1.0, "one_bot": 0.5}.get(expected, 0.0)


@pytest.mark.parametrize("view", [CLOSED, SIGN_IN])
def test_page_that_no_search_engine_gets_has_nothing_to_index(view: VisitorView) -> None:
    """Saying that it may be indexed would not be true."""
    assert isinstance(run(noindex, page(visitor_view=view)), NotApplicable)
