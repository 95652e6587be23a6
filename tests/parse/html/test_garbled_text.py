from __future__ import annotations

import pytest

from pagegrade.parse.html.garbled_text import find_garbled_text
from tests.builders import make_document


def tags(page: str) -> list[str]:
    """The elements that hold text in the wrong encoding."""
    return [node.tag for node, _ in find_garbled_text(make_document(page)).places]


def test_element_of_each_place_is_known() -> None:
    """Title and description first."""
    page = "<title>MÃ¼nchen</title><meta name=description content='MÃ¼nchen'><p>a<b>MÃ¼nchen</b> MÃ¼nchen"

    assert tags(page) == ["title", "meta", "b", "p"]


@pytest.mark.parametrize("tag", ["pre", "code", "samp", "kbd", "blockquote", "textarea", "script", "style", "template"])
def test_examples_and_what_is_not_seen_are_left_out(tag: str) -> None:
    """Also beside a place that counts."""
    assert tags(f"<p>MÃ¼nchen</p><{tag}>Ã¤ Ã¼</{tag}>") == ["p"]


def test_hidden_text_alone_is_not_seen() -> None:
    """And a page without such text has none."""
    assert tags("<p hidden>MÃ¼nchen</p><p>Oak.") == []
    assert tags("<p>München") == []
