from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from pagegrade.model.document import Node
from pagegrade.parse.html.single_elements import (
    MAX_CELLS,
    MAX_CHILDREN,
    MAX_LEVELS,
    MAX_NODES,
    MAX_PARAMETERS,
    fills_item,
    is_cited,
    is_in_menu,
    own_text,
    parameters,
    short_texts,
    shown_text,
    text_length,
    words_before,
)
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


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a>Read <b>on</b></a>", "Read on"),
        ("<a><p>One</p><p>Two</p></a>", "One Two"),
        ("<a>Read<b hidden>this</b></a>", "Read"),
        ("<a>Read<b style='display:none'>this</b></a>", "Read"),
        ("<a>Read <b aria-hidden=true>this</b></a>", "Read this"),
        ("<a>Read <b class='x visually-hidden'>about boats</b></a>", "Read"),
        ("<a><i class=material-icons>close</i> Close</a>", "Close"),
        ("<a><i class=material-symbols-outlined>close</i></a>", ""),
        ("<a><img alt=Logo><svg><title>Logo</title></svg><script>x</script></a>", ""),
        ("<a> </a>", ""),
        ("<style>.v{position:absolute;left:-9999px}</style><a>Read <b class=v>about boats</b></a>", "Read"),
        ("<style>.v{clip:rect(0 0 0 0)}</style><a>Read <b class=v>about boats</b></a>", "Read"),
        ("<style>.v{display:none}</style><a>Read <b class=v>about boats</b></a>", "Read"),
    ],
)
def test_text_is_what_is_seen(html: str, text: str) -> None:
    """Classes of well-known frameworks count like the attributes that hide."""
    document = make_document(html)

    assert shown_text(document.anchors[0].node, document.visibility) == text


def test_too_much_is_not_read() -> None:
    """A label is short; what is longer is no label."""
    document = make_document("<a>" + "<b>x</b>" * MAX_NODES + "</a>")

    assert shown_text(document.anchors[0].node, document.visibility) is None


def test_texts_of_cells_are_short_and_bounded() -> None:
    """Without code, up to so many elements, and no more than so many characters of each."""
    cells = "<td>x<code>1</code></td><td>Chair  and table</td>" + "<td>1</td>" * (MAX_CELLS - 1)
    body = make_document(f"<table><tr>{cells}</table>").body
    found = list(short_texts(body.node, "td", 7)) if body is not None else []

    assert len(found) == MAX_CELLS - 1
    assert [text for _, text in found[:2]] == ["Chair", "1"]


def test_length_of_text_counts_all_inside() -> None:
    """With what is nested."""
    document = make_document("<p>ab<b>cd</b><i hidden>e</i></p>")

    assert text_length(document.paragraphs[0].node) == 5


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("", {}),
        ("<param name=Movie value=' a.swf '>", {"movie": "a.swf"}),
        ("<param name=a value=1><p>x</p><param name=a value=2><param>", {"a": "1", "": ""}),
        ("<object><param name=a value=1></object>", {}),
        ("<i></i>" * MAX_PARAMETERS + "<param name=a value=1>", {}),
    ],
)
def test_parameters_directly_inside_are_read(inside: str, found: dict[str, str]) -> None:
    """Not those of an object in the object, and only a plausible number of children."""
    document = make_document(f"<!doctype html><object id=a>{inside}</object>")

    assert parameters(document.ids["a"].node) == found


def test_what_is_no_element_has_none() -> None:
    """A stand-in for a node says nothing."""
    assert parameters(cast("Node", SimpleNamespace(tag="object", source_line=None, source_col=None))) == {}


def cited(html: str) -> bool:
    """Return whether the only link of the page is cited."""
    return is_cited(make_document(html).anchors[0].node)


@pytest.mark.parametrize("tag", ["cite", "p id=references", "ol class='small CSL-entry'", "p role=doc-endnote"])
def test_tag_id_class_or_role_makes_a_citation(tag: str) -> None:
    """Any one of them is enough."""
    assert cited(f"<{tag}><a href=/>x</a>")


@pytest.mark.parametrize("tag", ["p", "p class=reference-price", "blockquote", "ol id=list"])
def test_other_elements_are_none(tag: str) -> None:
    """A word within a longer name does not count."""
    assert not cited(f"<{tag}><a href=/>x</a>")


def test_only_the_nearest_levels_are_read() -> None:
    """The last one counts, the next one does not."""
    inside = "<span>" * (MAX_LEVELS - 1)

    assert cited(f"<cite>{inside}<a href=/>x</a>")
    assert not cited(f"<cite>{inside}<span><a href=/>x</a>")


@pytest.mark.parametrize(
    ("html", "fills"),
    [
        ("<ul><li> <p id=a>x</p> </li></ul>", True),
        ("<table><tr><td><div><p id=a>x</p></div>", True),
        ("<dl><dt>y<dd><!-- z --><p id=a>x</p>", True),
        ("<ul><li><h2>y</h2><p id=a>x</p>", False),
        ("<ul><li>y <p id=a>x</p>", False),
        ("<table><tr><td><p>y</p><p id=a>x</p>", False),
        ("<div><p id=a>x</p></div>", False),
        (f"<ul><li>{'<div>' * (MAX_LEVELS - 1)}<p id=a>x</p>", True),
        (f"<ul><li>{'<div>' * MAX_LEVELS}<p id=a>x</p>", False),
    ],
)
def test_item_that_holds_one_element(html: str, *, fills: bool) -> None:
    """At any level up to the limit, and one past it."""
    assert fills_item(make_document(f"<!doctype html>{html}").ids["a"].node) is fills


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>See – it <a href=/>here</a>", ["See", "it"]),
        ("<p>詳細は<a href=/>こちら</a>", ["詳細は"]),
        ("<p>2<a href=/>here</a>", ["2"]),
        ("<p><a href=/>here</a> is more", []),
        ("<p> – <a href=/>here</a>", []),
        ("<p>See<p><a href=/>here</a>", []),
        ("<p>See <b>it</b> <a href=/>here</a>", []),
    ],
)
def test_words_right_before_an_element(html: str, words: list[str]) -> None:
    """In the same element; signs and spaces are none."""
    assert words_before(make_document(html).anchors[0].node) == words
