from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import ORDERS, ListQuery, Position, SortBy, parts_of
from pagegrade.web.http.fields import UnreadableError
from pagegrade.web.paging import MAX_CHARACTERS, Page, page_body, position_in, read_cursor, write_cursor

integers = st.integers(-(2**63) + 1, 2**63 - 1)
urls = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=2048)


def values_of(column: str) -> st.SearchStrategy[int | str]:
    """The values that a column can hold."""
    return urls if column == "url" else integers


sorts: st.SearchStrategy[SortBy] = st.sampled_from(tuple(ORDERS))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def encoded(members: Any) -> str:
    """Anything in the clothes of a cursor."""
    return base64.urlsafe_b64encode(json.dumps(members).encode()).decode().rstrip("=")


def outcome(text: str, query: ListQuery) -> Position | str:
    """The position a cursor gives, or the code of its refusal; any other exception fails the test."""
    try:
        return position_in(read_cursor(text), query)
    except UnreadableError as error:
        return error.code
    except ValidationFailed as error:
        return error.violations[0].code


@given(
    data=st.data(), sort_by=sorts, descending=st.booleans(), backward=st.booleans(), rating=st.sampled_from([None, 2])
)
def test_every_position_survives(
    data: st.DataObject, sort_by: SortBy, *, descending: bool, backward: bool, rating: int | None
) -> None:
    """Whatever is compared, there and back again."""
    query = ListQuery(account_id=1, sort_by=sort_by, descending=descending, rating=rating)
    part = data.draw(st.integers(0, len(parts_of(query)) - 1))
    values: tuple[int | str, ...] = tuple(data.draw(values_of(name)) for name in parts_of(query)[part].compared)
    position = Position(part=part, values=values, backward=backward)
    text = write_cursor(query, position)

    assert len(text) <= MAX_CHARACTERS
    assert outcome(text, query) == position


@given(st.text() | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()) | json_values.map(encoded))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    """Noise of every kind, and nothing of it is an error of ours."""
    assert outcome(text, ListQuery(account_id=1)) == "invalid"


@given(
    st.tuples(
        st.sampled_from([1, 2, True]),
        st.sampled_from(["id", "url", "score", 7]),
        st.booleans(),
        st.booleans(),
        integers,
    ),
    st.lists(json_values, max_size=4),
    sorts,
)
def test_a_forged_cursor_is_a_position_or_refused(head: tuple[Any, ...], values: list[Any], sort_by: SortBy) -> None:
    """With what is compared in that order, and with nothing that a database could choke on."""
    query = ListQuery(account_id=1, sort_by=sort_by)
    found = outcome(encoded([*head, *values]), query)
    if isinstance(found, str):
        assert found in {"invalid", "other_order"}
    else:
        kinds = [str if name == "url" else int for name in parts_of(query)[found.part].compared]

        assert [type(value) for value in found.values] == kinds


@pytest.mark.parametrize(
    "text", ["x" * (MAX_CHARACTERS + 1), "W10", encoded([[[]] * 1000]), encoded([1, "id"]), "=", "é"]
)
def test_odd_cursors_are_refused(text: str) -> None:
    """Too long, too short, nested, padded."""
    assert outcome(text, ListQuery(account_id=1)) == "invalid"


@pytest.mark.parametrize("url", ["https://x\x00y/", "https://\ud800/", "https://é/", "a\nb"])
def test_a_url_no_database_takes_is_refused(url: str) -> None:
    """NUL, half a character, and whatever no canonical URL has."""
    assert outcome(encoded([1, "url", True, False, 0, url, 1]), ListQuery(account_id=1, sort_by="url")) == "invalid"


def test_a_cursor_of_another_order_says_so() -> None:
    """Rather than begin somewhere."""
    text = write_cursor(ListQuery(account_id=1), Position(part=0, values=(7,)))

    assert outcome(text, ListQuery(account_id=1, descending=False)) == "other_order"
    assert outcome(text, ListQuery(account_id=1, sort_by="score")) == "other_order"


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
