"""The table of attributes and the types of their values."""

from __future__ import annotations

import pytest

from pagegrade.parse.aria.attributes import ATTRIBUTES, GLOBAL, value_problem


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("aria-hidden", "true"),
        ("aria-hidden", " FALSE "),
        ("aria-hidden", ""),
        ("aria-pressed", "mixed"),
        ("aria-relevant", "text  additions"),
        ("aria-level", "3"),
        ("aria-level", "+3"),
        ("aria-colcount", "-1"),
        ("aria-valuenow", "-1.5"),
        ("aria-valuenow", ".5"),
        ("aria-valuenow", "1e5"),
        ("aria-labelledby", "anything at all"),
        ("aria-label", "anything"),
        ("aria-level", "99999999999999999999"),
    ],
)
def test_value_of_the_right_kind_has_no_problem(name: str, value: str) -> None:
    """Case, blanks and emptiness are no problem."""
    assert value_problem(name, value) == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("aria-hidden", "yes"),
        ("aria-busy", "undefined"),
        ("aria-relevant", "text foo"),
        ("aria-level", "0"),
        ("aria-level", "1.5"),
        ("aria-level", "-"),
        ("aria-level", "٣"),
        ("aria-colcount", "-2"),
        ("aria-valuenow", "half"),
        ("aria-valuenow", "1e"),
        ("aria-valuenow", "."),
        ("aria-valuenow", "1.2.3"),
        ("aria-activedescendant", "a b"),
    ],
)
def test_value_of_another_kind_is_reported(name: str, value: str) -> None:
    """Digits of other scripts are no numbers to a browser."""
    assert value_problem(name, value).startswith(("not ", "less "))


def test_table_is_whole() -> None:
    """48 attributes of version 1.2, and those of the next that browsers have."""
    assert len(ATTRIBUTES) >= 51
    assert {"aria-label", "aria-live", "aria-hidden", "aria-current", "aria-description"} <= GLOBAL
    assert not GLOBAL & {"aria-checked", "aria-expanded", "aria-level", "aria-modal"}
