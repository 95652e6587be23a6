"""A page that shows anything at all is not empty."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.visible_content import MAX_NODES, shows_nothing
from tests.builders import make_document


@pytest.mark.parametrize(
    "html",
    [
        "word",
        "<img src=/a.png>",
        "<svg><circle r=1 /></svg>",
        "<canvas></canvas>",
        "<iframe src=/a></iframe>",
        "<form><input name=q></form>",
        "<button>x</button>",
        "<video src=/a.mp4></video>",
        "<div style='background:url(/a.png)'></div>",
        "<input type=image src=/a.png alt=go>",
        "<div>" * (MAX_NODES + 1),
    ],
)
def test_something_is_shown(html: str) -> None:
    """Text, pictures, frames, fields and drawings."""
    assert not shows_nothing(make_document(f"<!doctype html><title>x</title><body>{html}"))


@pytest.mark.parametrize(
    "html",
    [
        "",
        "   ",
        "<!-- x -->",
        "<div></div><p></p>",
        "<script>var a = 1;</script>",
        "<p hidden>x</p>",
        "<style>p{}</style>",
    ],
)
def test_nothing_is_shown(html: str) -> None:
    """Empty elements, comments, scripts and what is hidden."""
    assert shows_nothing(make_document(f"<!doctype html><title>x</title><body>{html}"))
