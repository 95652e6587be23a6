from __future__ import annotations

import pytest

from pagegrade.parse.html.concealed_text import find_concealed_text
from tests.builders import make_document


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("<p style='color:#fff'>One two</p>", "ground"),
        ("<p style='color:transparent'>One two</p>", "transparent"),
        ("<p style='font-size:0'>One two</p>", "tiny"),
        ("<style>body{display:none}</style><p>One two</p>", "page"),
    ],
)
def test_text_is_found_with_its_reason(page: str, why: str) -> None:
    """And its words are counted."""
    found = find_concealed_text(make_document("<!doctype html><title>x</title>" + page))

    assert (found.words, found.share, [one[1] for one in found.places]) == (2, 1.0, [why])


def test_share_is_that_of_all_text() -> None:
    """By characters, blanks between paragraphs included."""
    found = find_concealed_text(make_document("<p>abcd</p><p style='color:#fff'>efgh</p>"))

    assert found.share == pytest.approx(4 / 9)
