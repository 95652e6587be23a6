from __future__ import annotations

import json

import pytest
from msgspec import to_builtins

from pagegrade.web.paging import Page, page_body

PATH = "https://reports.example.org/api/v1/reports"


def a_page(**changes: object) -> Page:
    """Page 2 of 4."""
    members = {"path": PATH, "query": {}, "page": 2, "per_page": 10, "total": 37, "count": 10} | changes
    return Page(**members)  # type: ignore[arg-type]  # a builder


def test_links_lead_to_all_ends() -> None:
    """First, previous, next and last, each with the whole query."""
    page = a_page(query={"search": "a b&c=d/é", "sort": "asc"})
    query = "search=a%20b%26c%3Dd%2F%C3%A9&sort=asc&per_page=10"

    assert to_builtins(page.links()) == {
        "first": f"{PATH}?{query}&page=1",
        "last": f"{PATH}?{query}&page=4",
        "prev": f"{PATH}?{query}&page=1",
        "next": f"{PATH}?{query}&page=3",
    }


@pytest.mark.parametrize(
    ("changes", "prev", "next_", "meta"),
    [
        ({"page": 1}, None, 2, {"from": 1, "to": 10, "current_page": 1, "last_page": 4}),
        ({"page": 4, "count": 7}, 3, None, {"from": 31, "to": 37, "current_page": 4, "last_page": 4}),
        ({"page": 9, "count": 0}, 4, None, {"from": None, "to": None, "current_page": 9, "last_page": 4}),
        (
            {"page": 1, "count": 0, "total": 0},
            None,
            None,
            {"from": None, "to": None, "current_page": 1, "last_page": 1},
        ),
        ({"page": 1, "total": 10}, None, None, {"from": 1, "to": 10, "current_page": 1, "last_page": 1}),
    ],
)
def test_the_ends_of_a_list(
    changes: dict[str, int], prev: int | None, next_: int | None, meta: dict[str, int | None]
) -> None:
    """There is nothing before the first page and after the last one, and a way back from behind the end."""
    page = a_page(**changes)
    links = page.links()

    assert links.prev == (None if prev is None else f"{PATH}?per_page=10&page={prev}")
    assert links.next == (None if next_ is None else f"{PATH}?per_page=10&page={next_}")
    assert to_builtins(page.meta()) == {"path": PATH, "per_page": 10, "total": changes.get("total", 37), **meta}


def test_an_answer_says_the_links_twice() -> None:
    """In the body for people and in the header for programs (RFC 8288)."""
    encoded, link = page_body([b'{"id":1}', b'{"id":2}'], a_page(page=1))
    body = json.loads(encoded)

    assert body["data"] == [{"id": 1}, {"id": 2}]
    assert list(body) == ["data", "links", "meta", "status"]
    assert link == (
        f'<{PATH}?per_page=10&page=1>; rel="first", <{PATH}?per_page=10&page=2>; rel="next", '
        f'<{PATH}?per_page=10&page=4>; rel="last"'
    )
