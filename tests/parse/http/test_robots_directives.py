"""Tests of reading robots meta tags and X-Robots-Tag."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pagegrade.parse.http.robots_directives import (
    MAX_DIRECTIVES,
    MAX_SHOWN,
    RobotsRules,
    parse_robots_meta,
    parse_unavailable_after,
    parse_x_robots_tag,
)


def header(value: str) -> list[tuple[str, str, str]]:
    """Rules of a header line as plain tuples."""
    return [(rule.bot, rule.name, rule.value) for rule in parse_x_robots_tag(value).directives]


def meta(content: str, name: str = "robots") -> list[tuple[str, str]]:
    """Rules of a meta tag as plain tuples."""
    return [(rule.bot, rule.name) for rule in parse_robots_meta(name, content).directives]


@pytest.mark.parametrize(
    "content", ["noindex", " NoIndex ", "nofollow, noindex", "noindex,nofollow", "nofollow noindex", "none"]
)
def test_noindex_is_found_in_every_spelling(content: str) -> None:
    """Case, order, commas and ``none`` do not hide it."""
    assert ("*", "noindex") in meta(content)


@pytest.mark.parametrize(
    "content", ["", "index, follow", "all", "noindexing", "do not use noindex here", "max-snippet:-1"]
)
def test_other_content_is_not_noindex(content: str) -> None:
    """Permission, prose and other rules are not a ban."""
    assert ("*", "noindex") not in meta(content)


def test_meta_of_a_crawler_is_for_that_crawler() -> None:
    """The name of the tag is the crawler; names of other tags are not."""
    assert meta("noindex", name="GoogleBot") == [("googlebot", "noindex")]
    assert meta("noindex", name="bingbot") == [("bingbot", "noindex")]
    assert meta("noindex", name="description") == []


def test_none_comes_in_its_parts() -> None:
    """``none`` is not a third thing beside noindex and nofollow."""
    assert meta("none") == [("*", "noindex"), ("*", "nofollow")]


def test_header_prefix_names_the_crawler() -> None:
    """A prefix holds for the rules after it, until the next one."""
    assert header("googlebot: noindex, nofollow") == [("googlebot", "noindex", ""), ("googlebot", "nofollow", "")]
    assert header("noarchive, BingBot: noindex, otherbot: none") == [
        ("*", "noarchive", ""),
        ("bingbot", "noindex", ""),
    ]


def test_rules_for_programs_that_are_no_search_engine_are_left_out() -> None:
    """A header names any program, as a meta tag does, and only those of search engines matter."""
    assert header("otherbot: none, slurp: noindex") == [("slurp", "noindex", "")]
    assert parse_robots_meta("otherbot", "none") == RobotsRules()


def test_colon_of_a_rule_is_no_crawler() -> None:
    """``unavailable_after:`` and ``max-snippet:`` have a colon of their own, also behind a prefix."""
    assert header("unavailable_after: 25 Jun 2010 15:00:00 PST") == [
        ("*", "unavailable_after", "25 Jun 2010 15:00:00 PST"),
    ]
    assert header("max-snippet:0, googlebot: unavailable_after: 2030-01-01T10:00:00Z, noindex") == [
        ("*", "max-snippet", "0"),
        ("googlebot", "unavailable_after", "2030-01-01T10:00:00Z"),
        ("googlebot", "noindex", ""),
    ]


def test_comma_inside_a_date_belongs_to_it() -> None:
    """Dates with a weekday keep their comma, and what follows is read."""
    assert header("unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex") == [
        ("*", "unavailable_after", "Friday, 25-Jun-10 15:00:00 GMT"),
        ("*", "noindex", ""),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("25 Jun 2010 15:00:00 GMT", datetime(2010, 6, 25, 15, tzinfo=UTC)),
        ("25 Jun 2010 15:00:00 PST", datetime(2010, 6, 25, 23, tzinfo=UTC)),
        ("Friday, 25-Jun-10 15:00:00 GMT", datetime(2010, 6, 25, 15, tzinfo=UTC)),
        ("25-Aug-2007 15:00:00 EST", datetime(2007, 8, 25, 20, tzinfo=UTC)),
        ("25 Jun 2010", datetime(2010, 6, 25, tzinfo=UTC)),
        ("21-Sep-2020", datetime(2020, 9, 21, tzinfo=UTC)),
        ("2030-01-01", datetime(2030, 1, 1, tzinfo=UTC)),
        ("2030-01-01T12:00:00+02:00", datetime(2030, 1, 1, 10, tzinfo=UTC)),
        ("tomorrow", None),
        ("", None),
        ("99 Foo 99999 99:99:99", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("x" * 100_000, None),
    ],
)
def test_dates_of_unavailable_after(value: str, expected: datetime | None) -> None:
    """The three documented forms are read; others are none."""
    assert parse_unavailable_after(value) == expected


def test_endless_values_are_bounded() -> None:
    """A header of a hundred thousand rules yields a bounded list."""
    assert len(parse_x_robots_tag("none," * 100_000).directives) == MAX_DIRECTIVES
    assert len(parse_x_robots_tag("no-index," * 100_000).ignored) == MAX_DIRECTIVES
    assert [len(rule.text) for rule in parse_x_robots_tag(":" * 100_000).ignored] == [MAX_SHOWN]
    assert [len(rule.text) for rule in parse_x_robots_tag("a" * 100_000).ignored] == [MAX_SHOWN]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("no-index", "unknown"),
        ("noidex", "unknown"),
        ("noindex;nofollow", "unknown"),
        ("noindex|nofollow", "unknown"),
        ("noindex\uff0cnofollow", "unknown"),
        ("noindex\u3001nofollow", "unknown"),
        ("\u043d\u0435 \u0438\u043d\u0434\u0435\u043a\u0441", "unknown"),
        ("noindex=true", "unknown"),
        ("noindex: yes", "unknown"),
        ("please do not index", "unknown"),
        ("max-snippet", "value"),
        ("max-snippet: many", "value"),
        ("max-snippet: -2", "value"),
        ("max-image-preview: big", "value"),
        ("max-video-preview: 1.5", "value"),
        ("unavailable_after: some day", "value"),
    ],
)
def test_what_search_engines_skip_is_named(content: str, why: str) -> None:
    """With the reason, and without a rule that they would not see."""
    rules = parse_robots_meta("robots", content)

    assert not rules.directives
    assert [rule.why for rule in rules.ignored] == [why]


@pytest.mark.parametrize(
    "content",
    ["", ",", "archive, snippet", "index follow", "ALL", "noai, noimageai", "max-image-preview:Large", "none,"],
)
def test_what_is_known_or_says_what_holds_anyway_is_not_skipped(content: str) -> None:
    """Empty parts, defaults in words, and rules that other programs document."""
    assert not parse_robots_meta("robots", content).ignored


@pytest.mark.parametrize(
    ("name", "content", "ignored"),
    [
        ("robot", "noindex", 1),
        ("robotss", "noindex, nofollow", 1),
        ("google-bot", "nosnippet", 1),
        ("bingbot, googlebot", "noindex", 1),
        ("robot", "index, follow", 0),
        ("robot", "a machine", 0),
        ("adsbot-google", "noindex", 0),
        ("keywords", "noindex, nofollow", 0),
        ("googlebot", "noindex", 0),
    ],
)
def test_a_tag_that_no_crawler_reads_is_named(name: str, content: str, ignored: int) -> None:
    """It looks like one for crawlers, restricts them, and its name is nearly theirs or a list of theirs."""
    assert [rule.why for rule in parse_robots_meta(name, content).ignored] == ["name"] * ignored
