"""What is collected while the tree is open: labels by reference, lists with a limit, items of vocabularies."""

from __future__ import annotations

import pytest

from pagegrade.parse import collect
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


def test_labels_beyond_the_limit_are_never_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has too many references is read no further, and not blamed."""
    monkeypatch.setattr(collect, "MAX_LABEL_LOOKUPS", 1)
    document = make_document(HEAD + "<p id=a>Name</p>" + "<a href=x aria-labelledby=a></a>" * 2)

    assert [anchor.name for anchor in document.anchors] == ["Name", "…"]


def test_deeply_nested_names_cost_linear_time() -> None:
    """Beyond eight open names an element is named by its attributes alone."""
    document = make_document(HEAD + "<div role=button>" * 500 + "x")

    assert len(document.named) == 500
    assert [named.name for named in document.named].count("x") == collect.MAX_OPEN_NAMES


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
