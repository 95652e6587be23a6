"""Headings, regions, dialogs and obsolete elements."""

from __future__ import annotations

import pytest

from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


@pytest.mark.parametrize(
    ("html", "level", "text", "hidden"),
    [
        ("<h1>One</h1>", 1, "One", False),
        ("<h2><a href=x>Two <b>bold</b></a></h2>", 2, "Two bold", False),
        ("<h1><img src=logo alt='The Shop'></h1>", 1, "The Shop", False),
        ("<h1></h1>", 1, "", False),
        ("<h1 hidden>x</h1>", 1, "", True),
        ("<p role=heading aria-level=3>x</p>", 3, "x", False),
        ("<p role=heading>x</p>", 2, "x", False),
        ("<h3 role=none aria-label=''>x</h3>", 3, "x", False),
        ("<h3 role=presentation tabindex=0>x</h3>", 3, "x", False),
        ("<h3><b style='display:block'>x</b><b>y</b></h3>", 3, "x y", False),
        ("<p role=heading aria-level=abc>x</p>", 2, "x", False),
        ("<h1 aria-label=Named></h1>", 1, "Named", False),
    ],
)
def test_heading_has_a_level_and_a_name(html: str, level: int, text: str, hidden: bool) -> None:  # noqa: FBT001
    """By element or by role, with the alternatives of images inside."""
    heading = make_document(HEAD + html).headings[0]

    assert (heading.level, heading.text, heading.hidden) == (level, text, hidden)


def test_header_of_an_article_is_content() -> None:
    """Only the page's own header and footer are boilerplate."""
    document = make_document(
        HEAD + "<header>site</header><article><header>by me</header>text</article><aside>ads</aside>"
    )

    assert document.main_text == "by me text"
    assert document.text == "site by me text ads"


def test_open_dialog_is_text_but_no_main_text() -> None:
    """Cookie banners do not make a page long."""
    document = make_document(HEAD + "<main>text</main><dialog open>cookies</dialog><div role=dialog>more</div>")

    assert document.text == "text cookies more"
    assert document.main_text == "text"


def test_obsolete_elements_are_those_of_html() -> None:
    """Conforming ones, and namesakes in drawings, are not."""
    document = make_document(
        HEAD + "<center>a</center><font>b</font><s>c</s><u>d</u><svg><font></font></svg><tt>e</tt>"
    )

    assert [fact.node.tag for fact in document.obsolete] == ["center", "font", "tt"]


def test_silent_parts_of_a_drawing_name_nothing() -> None:
    """Descriptions, definitions and styles are neither text nor names."""
    document = make_document(
        HEAD + "<a href=x><svg><defs><text>no</text></defs><desc>no</desc><text>yes</text></svg></a>"
    )

    assert document.anchors[0].name == "yes"


def test_paragraphs_are_those_of_the_main_content() -> None:
    """With their text; those without, of navigation, hidden ones and those that are something else are left out."""
    document = make_document(
        HEAD
        + "<p>One <b>bold</b>  word</p><p></p><nav><p>Menu</p></nav><p hidden>Gone</p><p role=heading>Title</p>"
        + "<object><p>Fallback</p></object><p>Two<p>Three"
    )

    assert [paragraph.text for paragraph in document.paragraphs] == ["One bold word", "Two", "Three"]
    assert [heading.text for heading in document.headings] == ["Title"]


def test_nested_paragraphs_stay_linear() -> None:
    """Of paragraphs inside each other, which only markup made for it has, the innermost counts: no text is twice."""
    document = make_document(HEAD + "<p>x<button>" * 500 + "word " * 1_000)

    assert sum(len(paragraph.text) for paragraph in document.paragraphs) <= 5_001
