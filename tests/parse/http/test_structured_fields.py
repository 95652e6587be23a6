from __future__ import annotations

import pytest

from pagegrade.parse.http.structured_fields import MAX_CHARS, Item, parse_dictionary, parse_item, parse_list


def test_dictionaries_hold_items_and_inner_lists() -> None:
    """Parameters are read and dropped; of a repeated key the last counts."""
    found = parse_dictionary(['camera=(), geolocation=(self "https://a.example");report-to=x', "camera=*, bare"])

    assert found == {
        "geolocation": (Item("token", "self"), Item("string", "https://a.example")),
        "camera": (Item("token", "*"),),
        "bare": (),
    }


@pytest.mark.parametrize(
    "text",
    [
        "geolocation 'none'",
        "geolocation 'none'; camera 'self'",
        "geolocation='none'",
        "geolocation=(self",
        "geolocation=(), ",
        "Geolocation=()",
        "geolocation=(),,camera=()",
        'a=("b"c)',
        'a="b',
        "a=é",
        "a=()b",
        "a=1.2.3",
    ],
)
def test_one_mistake_spoils_the_whole_field(text: str) -> None:
    """As in browsers."""
    assert parse_dictionary([text]) is None


@pytest.mark.parametrize(
    ("values", "item"),
    [
        (["same-origin"], Item("token", "same-origin")),
        ([' same-origin; report-to="coop" '], Item("token", "same-origin")),
        (['"same-origin"'], Item("string", "same-origin")),
        (['"a\\"b"'], Item("string", 'a"b')),
        (["?1"], Item("other", "True")),
        (["@99999999999999"], None),
        (['%"a%20%c3%bc"'], Item("other", "a ü")),
        (['%"%C3%BC"'], None),
        (['%"%c3"'], None),
        (['%"a'], None),
        (["same-origin", "same-origin"], None),
        (["same-origin x"], None),
        ([""], None),
        ([], None),
        (["same-origin; Report=1"], None),
    ],
)
def test_single_items(values: list[str], item: Item | None) -> None:
    """Two lines are two items, which is one too many."""
    assert parse_item(values) == item


@pytest.mark.parametrize("text", ["(" * 50_000, "a=(" * 20_000, '"' + "\\" * 50_000, ";" * 50_000, "a=1;" * 20_000])
def test_hostile_fields_are_read_in_one_pass(text: str) -> None:
    """None of them is well formed."""
    assert parse_dictionary([text]) is None
    assert parse_item([text]) is None


def test_length_is_bounded() -> None:
    """Longer values do not occur in practice."""
    assert parse_dictionary([",".join(["a=1"] * MAX_CHARS)]) is None
    assert parse_dictionary([]) == {}


@pytest.mark.parametrize(
    ("values", "items"),
    [
        (['"/a.json"'], (Item("string", "/a.json"),)),
        (['"/a", b', "c"], (Item("string", "/a"), Item("token", "b"), Item("token", "c"))),
        (["(a b), c"], (Item("token", "a"), Item("token", "b"), Item("token", "c"))),
        (["/a.json,"], None),
        ([], ()),
    ],
)
def test_lists(values: list[str], items: tuple[Item, ...] | None) -> None:
    """Lines add up; a comma at the end is a mistake."""
    assert parse_list(values) == items
