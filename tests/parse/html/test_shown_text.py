"""Text as the eye sees it."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.shown_text import MAX_CELLS, MAX_NODES, short_texts, shown_text, text_length
from tests.builders import make_document


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
