from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.paste_blocked import paste_blocked
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<input>",
        "<input onpaste='return true'>",
        "<input onpaste='log()'>",
        "<p onpaste='return false'>x",
        "<input onpaste='return false' hidden>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Only fields, and only what refuses."""
    assert outcome(paste_blocked, "<input>" + html).state == "allowed"


@pytest.mark.parametrize(
    "html",
    [
        "<input onpaste='return false'>",
        "<input onpaste='return false;'>",
        "<textarea onpaste='event.preventDefault()'></textarea>",
        "<input ONPASTE='e.preventDefault( )'>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Both ways to refuse."""
    found = outcome(paste_blocked, html)

    assert found.state == "blocked"
    assert found.evidence[0].selector
    assert found.evidence[0].reason
