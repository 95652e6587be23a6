"""Tests of the parameters of objects."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pagegrade.model.document import Node
from pagegrade.parse.html.object_parameters import MAX_CHILDREN, parameters
from tests.builders import make_document


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("", {}),
        ("<param name=Movie value=' a.swf '>", {"movie": "a.swf"}),
        ("<param name=a value=1><p>x</p><param name=a value=2><param>", {"a": "1", "": ""}),
        ("<object><param name=a value=1></object>", {}),
        ("<i></i>" * MAX_CHILDREN + "<param name=a value=1>", {}),
    ],
)
def test_parameters_directly_inside_are_read(inside: str, found: dict[str, str]) -> None:
    """Not those of an object in the object, and only a plausible number of children."""
    document = make_document(f"<!doctype html><object id=a>{inside}</object>")

    assert parameters(document.ids["a"].node) == found


def test_what_is_no_element_has_none() -> None:
    """A stand-in for a node says nothing."""
    assert parameters(cast("Node", SimpleNamespace(tag="object", source_line=None, source_col=None))) == {}
