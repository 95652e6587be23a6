from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from pagegrade.web.http.fields import names_of, read_fields


class Input(BaseModel):
    """One field of every kind."""

    url: str = Field(max_length=10)
    level: Literal[0, 1, 2] | None = None
    word: Literal["up", "down"] = "up"
    only: Literal["this"] = "this"
    count: int = Field(5, ge=1, le=9)
    rate: float | None = Field(None, ge=0.5, le=2)
    from_: int | None = Field(None, alias="from")


def read(sent: dict[str, Any], *, lenient: bool = False) -> tuple[dict[str, Any], dict[str, str]]:
    """(values, field -> code of what is wrong)."""
    fields, violations = read_fields(Input, {"url": "x", **sent}, "body", lenient=lenient)
    return vars(fields), {violation.field: violation.code for violation in violations}


def test_names_are_those_that_are_sent() -> None:
    """An alias is what the outside knows."""
    assert names_of(Input) == ("url", "level", "word", "only", "count", "rate", "from")


@pytest.mark.parametrize(
    ("sent", "names"),
    [({}, {"url"}), ({"level": None, "word": ""}, {"url"}), ({"word": "up", "from": "7"}, {"url", "word", "from_"})],
)
def test_what_was_sent_is_known(sent: dict[str, Any], names: set[str]) -> None:
    """A default that was sent is another thing than one that was not; an empty value is absent."""
    fields, _ = read_fields(Input, {"url": "x", **sent}, "body")

    assert fields.model_fields_set == names


@pytest.mark.parametrize(
    ("sent", "attribute", "expected"),
    [
        ({}, "level", None),
        ({"level": ""}, "level", None),
        ({"level": None}, "level", None),
        ({"level": "  "}, "level", None),
        ({"level": "2"}, "level", 2),
        ({"level": " 2 "}, "level", 2),
        ({"level": 2}, "level", 2),
        ({"word": "down"}, "word", "down"),
        ({"word": ""}, "word", "up"),
        ({"count": "9"}, "count", 9),
        ({"count": 1}, "count", 1),
        ({"rate": "0.5"}, "rate", 0.5),
        ({"rate": 1}, "rate", 1.0),
        ({"from": "7"}, "from_", 7),
        ({"url": " x "}, "url", " x "),
        ({"unknown": {"a": [1]}}, "count", 5),
    ],
)
def test_values_are_read(sent: dict[str, Any], attribute: str, expected: object) -> None:
    """Text from forms or values of JSON; empty is absent, and only text keeps its blanks."""
    values, wrong = read(sent)

    assert values[attribute] == expected
    assert wrong == {}


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"url": ""}, {"url": "required"}),
        ({"url": None}, {"url": "required"}),
        ({"url": 5}, {"url": "type"}),
        ({"count": "9" * 30}, {"count": "too_large"}),
        ({"count": 10**29}, {"count": "too_large"}),
        ({"count": "-" + "9" * 30}, {"count": "too_small"}),
        ({"url": ["x"]}, {"url": "type"}),
        ({"url": {}}, {"url": "type"}),
        ({"url": "x" * 11}, {"url": "too_long"}),
        ({"level": "3"}, {"level": "not_in"}),
        ({"level": "02"}, {"level": "not_in"}),
        ({"level": True}, {"level": "not_in"}),
        ({"level": 1.0}, {"level": "not_in"}),
        ({"level": [1]}, {"level": "not_in"}),
        ({"word": "DOWN"}, {"word": "not_in"}),
        ({"word": 1}, {"word": "not_in"}),
        ({"count": "0"}, {"count": "too_small"}),
        ({"count": "10"}, {"count": "too_large"}),
        ({"count": "-1"}, {"count": "too_small"}),
        ({"count": "1e3"}, {"count": "type"}),
        ({"count": "٣"}, {"count": "type"}),
        ({"count": "9" * 101}, {"count": "type"}),
        ({"count": False}, {"count": "type"}),
        ({"rate": 0.25}, {"rate": "too_small"}),
        ({"rate": "2.5"}, {"rate": "too_large"}),
        ({"rate": "1e0"}, {"rate": "type"}),
        ({"rate": "nan"}, {"rate": "type"}),
        ({"rate": True}, {"rate": "type"}),
        (
            {"url": "", "level": "x", "word": "y", "count": "z"},
            dict.fromkeys(("level", "word"), "not_in") | {"url": "required", "count": "type"},
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_everything_wrong_is_named_at_once(sent: dict[str, Any], code: dict[str, str]) -> None:
    """No value outside the list is taken for another one."""
    _, wrong = read(sent)

    assert wrong == code


def test_violations_say_what_is_valid() -> None:
    """For people in a sentence, for programs as values."""
    _, found = read_fields(Input, {"level": "9", "only": "that", "count": 99}, "query")
    described = {each.field: (each.place, each.message, each.allowed, each.limit) for each in found}

    assert described == {
        "url": ("query", "Required.", (), None),
        "level": ("query", "Must be one of 0, 1, 2.", (0, 1, 2), None),
        "only": ("query", "Must be this.", ("this",), None),
        "count": ("query", "Must be at most 9.", (), 9),
    }


def test_lenient_reading_takes_defaults() -> None:
    """Silently, because that is what was asked for."""
    values, wrong = read({"level": "9", "count": "x", "word": "down"}, lenient=True)

    assert (values["level"], values["count"], values["word"]) == (None, 5, "down")
    assert wrong == {}


def test_a_model_that_no_form_can_fill_is_refused() -> None:
    """A mistake of ours shows at the first use, and not as a field that is never read."""

    class Odd(BaseModel):
        names: list[str] = []

    class Unheard(BaseModel):
        number: int = Field(1, lt=9)

    with pytest.raises(TypeError, match="names"):
        read_fields(Odd, {}, "body")
    with pytest.raises(TypeError, match="lt is not read"):
        read_fields(Unheard, {}, "body")


def test_a_single_text_is_the_lines_of_a_list_that_is_not_strict() -> None:
    """A strict one is only a list, as it is described."""

    class Listed(BaseModel):
        """One list of each kind."""

        lines: tuple[str, ...] = ()
        items: tuple[str, ...] = Field((), strict=True)

    split, refused = read_fields(Listed, {"lines": "a\nb", "items": "a\nb"}, "body")
    listed, accepted = read_fields(Listed, {"lines": ["a"], "items": ["a", "b"]}, "body")
    of_json = [read_fields(Listed, {"lines": text, "items": None}, "body", is_json=True)[1] for text in ("", "a\nb")]
    empty = read_fields(Listed, {"lines": "", "items": ""}, "body")

    assert split.lines == ("a", "b")
    assert [(one.field, one.code) for one in refused] == [("items", "type")]
    assert (listed.lines, listed.items, accepted) == (("a",), ("a", "b"), [])
    assert [[(one.field, one.code) for one in some] for some in of_json] == [[("lines", "type")]] * 2
    assert (empty[0].lines, empty[1]) == ((), [])


@pytest.mark.parametrize("blank", [None, "", " ", "\t \u00a0"])
def test_a_choice_that_is_required_is_never_blank(blank: str | None) -> None:
    """It has no default that could stand in for it."""

    class Chosen(BaseModel):
        """One choice without a default."""

        word: Literal["up", "down"]

    _, violations = read_fields(Chosen, {"word": blank}, "body")

    assert [(one.field, one.code) for one in violations] == [("word", "required")]
