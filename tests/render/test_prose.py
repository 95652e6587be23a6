from __future__ import annotations

import pytest

from pagegrade.render.prose import Block, Span, parse_prose


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", ()),
        ("One\ntwo.\n\nThree.", (Block("paragraph", (Span("One two."),)), Block("paragraph", (Span("Three."),)))),
        ("- a\n- b\n  more", (Block("item", (Span("a"),)), Block("item", (Span("b more"),)))),
        ("1. first", (Block("item", (Span("first"),)),)),
        ("Say `<b>` twice.", (Block("paragraph", (Span("Say "), Span("<b>", code=True), Span(" twice."))),)),
        ("one ` only", (Block("paragraph", (Span("one ` only"),)),)),
        ("`a` and ` b", (Block("paragraph", (Span("a", code=True), Span(" and ` b"))),)),
        (
            "Do:\n```html\n<p>\n  x\n```",
            (Block("paragraph", (Span("Do:"),)), Block("code", (Span("<p>\n  x", code=True),), "html")),
        ),
        ("```\nnever closed", (Block("code", (Span("never closed", code=True),)),)),
        ("a\x1b[0m", (Block("paragraph", (Span(r"a\x1b[0m"),)),)),
    ],
)
def test_the_small_markdown_of_the_documentation_is_read(text: str, blocks: tuple[Block, ...]) -> None:
    """Paragraphs, items, code; all else is text."""
    assert parse_prose(text) == blocks


def test_endless_text_is_bounded() -> None:
    """A report from elsewhere cannot make a renderer work for ever."""
    assert len(parse_prose("- x\n" * 100_000)) == 100
    assert sum(len(span.text) for block in parse_prose("`" * 1_000_000) for span in block.spans) <= 8000
