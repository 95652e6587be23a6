"""Pseudo-classes without an argument."""

from __future__ import annotations

import pytest

from pagegrade.parse.cascade.states import is_closed
from tests.parse.cascade.test_selectors import found


@pytest.mark.parametrize(
    ("selector", "target", "expected"),
    [
        (":root", "html", True),
        (":root .item", ".first", True),
        ("input:checked", "#f", True),
        ("input:checked", "#t", False),
        ("option:checked", "#o", True),
        ("input:checked ~ .panel", ".panel", True),
        ("input:not(:checked) ~ .panel", ".panel", False),
        (":required", "#t", True),
        (":optional", "#f", True),
        (":placeholder-shown", "#t", True),
        (":disabled", "#b", True),
        (":enabled", "#t", True),
        (":any-link", "#a", True),
        (":open", "#d", True),
        ("a:hover", "#a", False),
        ("p:target", "#p", False),
        ("p:defined", "#p", True),
        ("x-card:not(:defined)", "#x", None),
        ("p:empty", "#e", True),
        ("p:empty", "#p", False),
        (".item:first-child", ".first", True),
        (".item:last-child", ".first", False),
        ("i:only-child", "#i", True),
        ("x-card:only-of-type", "#x", True),
    ],
)
def test_state_of_a_page_at_rest(selector: str, target: str, expected: bool | None) -> None:  # noqa: FBT001
    """As the HTML says; what scripts or typing decide is unknown."""
    assert found(selector, target) is expected


@pytest.mark.parametrize(
    ("tag", "attrs", "closed"),
    [
        ("dialog", {}, True),
        ("dialog", {"open": ""}, False),
        ("dialog", {"open": "", "popover": ""}, False),
        ("dialog", {"open": "", "hidden": ""}, True),
        ("div", {"popover": ""}, True),
        ("p", {"hidden": ""}, True),
        ("p", {"hidden": None}, True),
        ("p", {"hidden": "Until-Found"}, False),
        ("p", {}, False),
    ],
)
def test_browsers_hide_some_elements_themselves(tag: str, attrs: dict[str, str | None], *, closed: bool) -> None:
    """Closed dialogs, popovers, and what is marked as hidden."""
    assert is_closed(tag, attrs) is closed
