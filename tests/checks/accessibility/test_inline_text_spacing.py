from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.inline_text_spacing import inline_text_spacing
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p style='letter-spacing:.05em'>x",
        "<p style='letter-spacing:.12em!important'>x",
        "<p style='letter-spacing:inherit !important'>x",
        "<p style='line-height:1.5 !important'>x",
        "<p style='letter-spacing:1px!important'>x",
        "<p style='letter-spacing:2px!important;font-size:10px'>x",
        "<p style='line-height:12px!important'>x",
        "<p style='letter-spacing:0!important' hidden>x",
        "<p style='color:red!important'>x",
        "<p style='letter-spacing:1rem!important'>x",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Enough space, or a size that cannot be known."""
    assert outcome(inline_text_spacing, html).state == "free"


@pytest.mark.parametrize(
    "html",
    [
        "<p style='letter-spacing:.05em!important'>x",
        "<p style='LETTER-SPACING: 0 ! IMPORTANT'>x",
        "<p style='word-spacing:normal!important'>x",
        "<p style='line-height:120% !important'>x",
        "<p style='letter-spacing:1px!important;font-size:10px'>x",
        "<p style='letter-spacing:.05em!important;letter-spacing:1em'>x",
        "<p style='line-height:normal!important'>x",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An important declaration overrules a later one."""
    found = outcome(inline_text_spacing, html)

    assert found.state == "fixed"
    assert found.evidence[0].selector
    assert found.evidence[0].reason
