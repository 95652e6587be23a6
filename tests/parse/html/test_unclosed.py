"""Constructs that take the rest of a page for their own text."""

from __future__ import annotations

import pytest
from turbohtml import Element

from pagegrade.parse.html.unclosed import MIN_LOST, find_swallowing
from tests.builders import make_document

REST = "<p>कविता</p><footer>२०२६</footer></body></html>"


def swallowing(body: str) -> str | None:
    """The tag of what swallows the rest, or of what the comment that does so stands in."""
    document = make_document(f"<!doctype html><title>कविता</title><body><h1>कविता</h1>{body}")
    assert document.body is not None
    assert isinstance(document.body.node, Element)
    found = find_swallowing(document, document.body.node)
    return None if found is None else found.tag


@pytest.mark.parametrize("tag", ["textarea", "xmp", "style", "script", "title", "iframe", "noembed", "noframes"])
def test_element_without_an_end_is_found(tag: str) -> None:
    """Whatever it stands in; with an end it is not."""
    assert swallowing(f"<section><div><{tag}>{REST}") == tag
    assert swallowing(f"<section><div><{tag}></{tag}></div></section>{REST}") is None


def test_script_that_writes_the_end_of_a_page_has_an_end() -> None:
    """As one for a window of its own does."""
    assert swallowing("<script>w.document.write('<b>1</b></body></html>')</script></body></html>") is None


@pytest.mark.parametrize(("length", "tag"), [(MIN_LOST, "section"), (MIN_LOST - 1, None)])
def test_comment_without_an_end_is_found_if_it_is_long(length: int, tag: str | None) -> None:
    """A short one at the end of a page is a remark."""
    assert swallowing("<section><!--" + "क" * length) == tag
    assert swallowing("<section><!--" + "क" * length + "-->" + REST) is None
