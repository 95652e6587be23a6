"""Tests of what stands in a menu."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pagegrade.model.document import Node
from pagegrade.parse.html.menus import is_in_menu
from tests.builders import make_document


@pytest.mark.parametrize(
    ("html", "inside"),
    [
        ("<nav><ul><li id=a>", True),
        ("<div role=NAVIGATION><p id=a>", True),
        ("<nav></nav><p id=a>", False),
        ("<header><p id=a>", False),
    ],
)
def test_navigation_is_looked_for_around_an_element(html: str, *, inside: bool) -> None:
    """By its element or its role."""
    assert is_in_menu(make_document(f"<!doctype html>{html}").ids["a"].node) is inside


def test_what_is_no_element_stands_in_no_menu() -> None:
    """A stand-in for a node has nothing around it."""
    assert not is_in_menu(cast("Node", SimpleNamespace(tag="p", source_line=None, source_col=None)))
