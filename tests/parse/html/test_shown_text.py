"""Text as the eye sees it."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.shown_text import MAX_NODES, shown_text
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
