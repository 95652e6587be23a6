from __future__ import annotations

from typing import Annotated

import msgspec

from pagegrade.model.schema import LATER, Points, about


class Score(msgspec.Struct):
    """A score."""

    score: Annotated[Points | None, about("Score.", 81, None, later=True, default=None)]


def test_a_description_has_its_examples_and_keywords() -> None:
    """Nothing is said of what is not given."""
    described, plain = about("Score.", 81, None, later=True, default=None), about("Score.")

    assert (described.description, described.examples) == ("Score.", [81, None])
    assert (described.extra_json_schema, described.extra) == ({"default": None}, {LATER: True})
    assert (plain.examples, plain.extra_json_schema, plain.extra) == (None, None, None)


def test_bounds_are_not_tested_when_an_object_is_read() -> None:
    """A stored report must stay readable."""
    assert msgspec.json.decode(b'{"score":101}', type=Score).score == 101
