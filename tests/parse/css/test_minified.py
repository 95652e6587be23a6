"""Stylesheets without white space and comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.css.minified import minified_stylesheet_bytes


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a  >  b { color : red ; }", "a>b{color :red}"),
        ("/* gone */ p { margin: 0; }", " p{margin:0}"),
        ("/*! kept */ p { margin: 0 }", "/*! kept */ p{margin:0}"),
        ("p::before { content: '  /* x */  ' }", "p::before{content:'  /* x */  '}"),
        ("p { margin: 0 auto 0 0 }", "p{margin:0 auto 0 0}"),
        ("/* never closed p { margin: 0 }", "/* never closed p { margin: 0 }"),
    ],
)
def test_white_space_and_comments_go_and_texts_stay(text: str, left: str) -> None:
    """Spaces that matter are kept."""
    assert abs(minified_stylesheet_bytes(text.encode()) - len(left)) <= 1


def test_a_sheet_with_little_white_space_is_taken_as_minified() -> None:
    """A readable one is not."""
    packed = b".card,.box{margin:0;padding:1px}" * 200
    readable = b"/* The card. */\n.card {\n    margin: 0;\n    padding: 1px;\n}\n\n" * 200

    assert minified_stylesheet_bytes(packed) == len(packed)
    assert minified_stylesheet_bytes(readable) < 0.6 * len(readable)


@pytest.mark.parametrize("text", ["/*" * 200_000, "/**/ " * 60_000, '" ' * 100_000, "\\ " * 100_000, "{ " * 200_000])
def test_hostile_sheets_end(text: str) -> None:
    """In time linear in their length."""
    assert 0 <= minified_stylesheet_bytes(text.encode()) <= len(text)


@given(st.text(alphabet="ab /*\"'{};:,>\\\n", max_size=60))
def test_never_raises_and_never_grows(text: str) -> None:
    """Any text has a size."""
    assert 0 <= minified_stylesheet_bytes(text.encode()) <= len(text)
