"""Facts that are collected while the tree is open: labels by reference, lists with a limit, items of vocabularies."""

from __future__ import annotations

import pytest

from pagegrade.parse.html import collect
from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


def test_list_at_its_limit_is_whole_and_one_more_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts are bounded, and a cut list says so."""
    monkeypatch.setattr(collect, "MAX_ITEMS", 3)
    whole = make_document(HEAD + "<img src=a alt=''>" * 3)
    cut = make_document(HEAD + "<img src=a alt=''>" * 4)

    assert (len(whole.images), whole.limits_hit) == (3, ())
    assert len(cut.images) == 3
    assert "images" in cut.limits_hit


def test_deeply_nested_names_cost_linear_time() -> None:
    """Every one of them is named, within one budget."""
    document = make_document(HEAD + "<div role=button>" * 500 + "x")

    assert len(document.named) == 500
    assert all(named.name for named in document.named)


def test_long_texts_are_joined_once_only() -> None:
    """Nested elements with thousands of pieces of text are read within the budget of names, and never called empty."""
    document = make_document(HEAD + "<div role=button>" * 200 + "<b>word</b> " * 3_000)

    assert len(document.named) == 200
    assert all(named.name for named in document.named)


@pytest.mark.parametrize(
    ("html", "format_", "types", "schema"),
    [
        ("<div itemscope itemtype='https://schema.org/Product'>", "microdata", ("https://schema.org/Product",), True),
        ("<div itemscope itemtype='http://other.example/Thing'>", "microdata", ("http://other.example/Thing",), False),
        ("<div vocab='https://schema.org' typeof='Person Thing'>", "rdfa", ("Person", "Thing"), True),
        ("<div typeof='schema:Person'>", "rdfa", ("schema:Person",), True),
        ("<div typeof='foaf:Person'>", "rdfa", ("foaf:Person",), False),
    ],
)
def test_items_of_vocabularies_are_noted(html: str, format_: str, types: tuple[str, ...], schema: bool) -> None:  # noqa: FBT001
    """Microdata and RDFa with their types, and whether they are schema.org's."""
    item = make_document(HEAD + html).structured_items[0]

    assert (item.format, item.types, item.schema_org) == (format_, types, schema)


def test_style_attribute_names_what_it_loads_and_hides() -> None:
    """Background images are references; invisible elements are hidden."""
    document = make_document(HEAD + "<p style='background: URL(\"/a.png\")'>x</p><p style='visibility:hidden'>y</p>")

    assert [reference.url for reference in document.references] == ["https://example.com/a.png"]
    assert document.text == "x"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<label>One <input id=f></label><label for=f>two</label>", "One two"),
        ("<label for=f>One</label> <label>two <input id=f></label>", "One two"),
    ],
)
def test_labels_are_read_in_document_order(html: str, name: str) -> None:
    """Some stand around the field, others refer to it."""
    assert make_document(HEAD + html).controls[0].name == name


def test_labels_of_a_button_are_read_in_document_order() -> None:
    """A button is a field to its labels."""
    document = make_document(HEAD + "<label>One <button id=f></button></label><label for=f>two</label>")

    assert document.named[0].name == "One two"
