"""The query of the list: read as the API reads it, and written back."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from pagegrade.render.i18n import texts_for
from pagegrade.web.pages.reports.list_query import PATH, SORTS, Asked, choices, read_asked

TEXTS = texts_for("en")


def asked(**sent: str) -> Asked:
    """The filters of a query."""
    return read_asked(sent, TEXTS)


FULL = {
    "search": "a b&<c>%_\"'",
    "project": "example.com:8080",
    "result": "bad",
    "state": "completed",
    "sort_by": "url",
    "sort": "asc",
    "per_page": "25",
    "page": "3",
}


def test_every_value_survives_a_link() -> None:
    """An address says all that was asked for, and is read back as the same."""
    first = asked(**FULL)
    query = first.page_url(3).partition("?")[2]

    assert not first.problems
    assert dict(parse_qsl(query)) == FULL
    assert read_asked(dict(parse_qsl(query)), TEXTS).query == first.query


def test_what_is_so_anyway_is_not_said() -> None:
    """Empty values count as none."""
    assert asked(search="", result="", sort="desc", per_page="10", page="1").page_url(1) == PATH


def test_another_list_begins_with_its_first_page() -> None:
    """While the same list goes on."""
    third = asked(page="3", search="x")

    assert third.url(result="good") == f"{PATH}?search=x&result=good"
    assert third.page_url(4) == f"{PATH}?search=x&page=4"
    assert third.project_url("example.com:8080") == f"{PATH}?project=example.com%3A8080"
    assert third.following() == f"{PATH}?search=x&page=3&follow=1"
    assert asked().following() == f"{PATH}?follow=1"


def test_headings_sort_and_turn_round() -> None:
    """First in the direction people want, then in the other one."""
    assert asked().sort_url("result") == f"{PATH}?sort_by=result&sort=asc"
    assert asked(sort_by="result", sort="asc").sort_url("result") == f"{PATH}?sort_by=result"
    assert asked().sort_url("generated_at") == f"{PATH}?sort_by=generated_at"
    assert [asked(sort_by="url", sort=sort).aria_sort("url") for sort in ("asc", "desc")] == ["ascending", "descending"]
    assert asked().aria_sort("url") == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("result", "best"),
        ("state", "done"),
        ("sort_by", "id;drop"),
        ("sort", "up"),
        ("per_page", "11"),
        ("search", "x" * 101),
        ("project", "x" * 2_049),
    ],
)
def test_what_cannot_be_used_is_reported_and_left_out(name: str, value: str) -> None:
    """The list is shown all the same."""
    wrong = asked(**{name: value})

    assert list(wrong.problems) == [name]
    assert wrong.query == asked().query
    assert not wrong.is_filtered


@pytest.mark.parametrize("page", ["0", "-1", "x", "1" * 30, "²"])
def test_a_page_that_cannot_be_is_the_first(page: str) -> None:
    """Its sentence is about no field: there is none for it."""
    wrong = asked(page=page)

    assert list(wrong.problems) == [""]
    assert wrong.query.page == 1


def test_lists_offer_any_first() -> None:
    """In fields whose choice may stay open."""
    assert choices(TEXTS, {"a": "A"}, any_of=True) == [("", "Any"), ("a", "A")]
    assert [value for value, _ in choices(TEXTS, SORTS)] == ["id", "generated_at", "url", "result"]
