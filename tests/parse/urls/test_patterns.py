"""Addresses of one shape have one pattern, told apart again after a stop."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.urls import patterns as module
from pagegrade.parse.urls.patterns import MAX_LITERALS, OTHERS, Patterns, excluding, is_far_date
from pagegrade.parse.urls.scope import Scope

ROOT = "https://example.com"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/a/12", "/a/{n}"),
        ("/a/12.html", "/a/{n}.html"),
        ("/2026/03/07/title", "/{d}/{d}/{d}/title"),
        ("/2026-03-07", "/{d}"),
        ("/a/3f2a9c1b77", "/a/{x}"),
        ("/a/0b2f8c1e-1111-4222-8333-abcdefabcdef", "/a/{x}"),
        ("/facade", "/facade"),
        ("/a?b=2&a=1&b=3", "/a?a&b"),
        ("/", "/"),
    ],
)
def test_segments_are_told_apart_by_their_class(path: str, text: str) -> None:
    """Numbers, dates and ids stand for each other; names stand for themselves."""
    shapes = Patterns()

    assert shapes.text(shapes.number(ROOT + path)) == f"example.com{text}"


def test_many_names_in_one_place_are_one_pattern() -> None:
    """Fifty are folders, the next is one of many."""
    shapes = Patterns()
    numbers = [shapes.number(f"{ROOT}/shop/thing-{'x' * index}") for index in range(MAX_LITERALS + 5)]

    assert len(set(numbers)) == MAX_LITERALS + 1
    assert shapes.text(numbers[-1]) == "example.com/shop/{s}"
    assert shapes.number(f"{ROOT}/shop/thing-") == numbers[0]


@pytest.mark.parametrize(
    ("path", "rule", "others"),
    [
        ("/blog/2026/03/title", "/blog/*/*/title", ["/blog/2025/12/title"]),
        ("/about.html", "/about.html$", []),
        ("/tag/12", "/tag/*", ["/tag/13/rest"]),
        ("/12", None, []),
        ("/", None, []),
        ("/price$", None, []),
        ("/list?sort$=2", None, []),
        ("/?page=2", "/?page", ["/?page=9"]),
        ("/12?page=2", "/*?page", ["/13?page=3"]),
        ("/list?b=1&a=2", "/list?*&", ["/list?a=1&b=2"]),
    ],
)
def test_a_pattern_is_excluded_by_a_rule_of_robots(path: str, rule: str | None, others: list[str]) -> None:
    """It fits the addresses of the pattern, and none is offered that would fit most of a site."""
    shapes = Patterns()
    found = excluding(shapes.text(shapes.number(ROOT + path)))

    assert found == rule
    if rule is not None:
        scope = Scope(f"{ROOT}/", exclude=(rule,))
        assert [scope.holds(ROOT + each) for each in (path, *others)] == [False] * (1 + len(others))
        assert scope.holds(f"{ROOT}/another")

    assert excluding("") is None


@given(st.lists(st.sampled_from([f"/{a}/{b}" for a in "abc" for b in (*"xyz", *map(str, range(60)))]), max_size=80))
def test_patterns_that_were_stored_go_on_as_before(paths: list[str]) -> None:
    """Wherever the crawl was stopped."""
    whole = Patterns()
    numbers = [whole.number(ROOT + path) for path in paths]
    first = Patterns()
    half = [first.number(ROOT + path) for path in paths[: len(paths) // 2]]
    second = Patterns([(number, first.text(number)) for number in range(1, len(first) + 1)])

    assert half + [second.number(ROOT + path) for path in paths[len(paths) // 2 :]] == numbers


def test_the_number_of_patterns_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes beyond it share one."""
    monkeypatch.setattr(module, "MAX_PATTERNS", 3)
    shapes = Patterns()
    numbers = [shapes.number(f"{ROOT}/{name}/") for name in "abcde"]

    assert numbers == [1, 2, 3, OTHERS, OTHERS]


@pytest.mark.parametrize(
    ("path", "far"),
    [
        ("/calendar/2029/12/", False),
        ("/calendar/2030/01/", True),
        ("/calendar/2016-01-01", False),
        ("/calendar/2015-12-31", True),
        ("/events?date=2040-02", True),
        ("/events?year=2040", True),
        ("/products?id=2040", False),
        ("/about", False),
    ],
)
def test_dates_far_away_are_recognized(path: str, *, far: bool) -> None:
    """Ten years back and three ahead are near; a number that is no date says nothing."""
    assert is_far_date(ROOT + path, date(2026, 6, 1)) is far
