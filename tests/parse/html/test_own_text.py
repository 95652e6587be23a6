"""Tests of the text directly in an element."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pagegrade.model.document import Node
from pagegrade.parse.html.own_text import MAX_CHILDREN, own_text
from tests.builders import make_document


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("One <b>two</b> three", "One three"),
        ("<b>two</b>", ""),
        ("<!-- no -->yes", "yes"),
        (" \n ", ""),
        ("a<br>b", "a b"),
    ],
)
def test_only_text_that_is_a_child_counts(inside: str, text: str) -> None:
    """Text in another element belongs to that one."""
    document = make_document(f"<!doctype html><p id=a>{inside}</p>")

    assert own_text(document.ids["a"].node) == text


def test_children_beyond_the_bound_are_left_out() -> None:
    """An element with very many children is read as far as it goes."""
    document = make_document(f"<!doctype html><p id=a>first{'<i></i>' * MAX_CHILDREN}last</p>")

    assert own_text(document.ids["a"].node) == "first"


def test_what_is_no_element_has_no_text() -> None:
    """A stand-in for a node says nothing."""
    assert not own_text(cast("Node", SimpleNamespace(tag="p", source_line=None, source_col=None)))
