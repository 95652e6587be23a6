"""Kinds of attributes that the walk looks for."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.attribute_kinds import ARIA, ID, ITEM, PLAIN_ATTRIBUTES, SHOWING, TOUCHED, kinds_of


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        ("", 0),
        ("class href data-id", 0),
        ("id", ID),
        ("class hidden", SHOWING),
        ("style inert", SHOWING),
        ("role", ARIA),
        ("aria-unknown", ARIA),
        ("data-aria-x", ARIA),
        ("lang", TOUCHED),
        ("tabindex accesskey", TOUCHED),
        ("itemtype", 0),
        ("itemscope itemtype", ITEM),
        ("typeof", ITEM),
        ("typeof id role style lang", SHOWING | ARIA | ID | TOUCHED | ITEM),
    ],
)
def test_attributes_are_distinguished(names: str, kinds: int) -> None:
    """Each kind is found among any others, whatever their order."""
    found = kinds_of(names.split())

    assert found == kinds
    assert kinds_of(names.split()[::-1]) == found


def test_attributes_that_are_passed_by_mean_nothing() -> None:
    """Otherwise an element with nothing else would lose its meaning."""
    assert kinds_of(PLAIN_ATTRIBUTES) == 0
