from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from pagegrade.web.pages.html import PLAIN, page


def test_a_page_escapes_what_it_shows() -> None:
    """Whatever it was told."""
    answer = page("home.html.jinja", base_url='"><script>alert(1)</script>')

    assert b"<script" not in answer.body
    assert b"&lt;script&gt;" in answer.body


def test_a_page_lets_nothing_run() -> None:
    """Its policy allows style sheets and the icon only."""
    answer = page("home.html.jinja", base_url="https://reports.example.org")

    assert dict(answer.headers)["Content-Security-Policy"] == PLAIN
    assert "script" not in PLAIN
    assert answer.media_type == "text/html; charset=utf-8"


def test_a_page_that_misses_a_value_is_not_shown() -> None:
    """A hole in a sentence is a mistake of ours."""
    with pytest.raises(UndefinedError):
        page("home.html.jinja")
