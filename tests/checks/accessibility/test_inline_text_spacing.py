from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.inline_text_spacing import inline_text_spacing
from tests.builders import outcome

LONG = "Chairs and tables made of teak for every garden."


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
        "<p style='letter-spacing:unset!important'>x",
        "<p style='letter-spacing:.05em!important'></p>",
        "<div style='letter-spacing:.05em!important'><p>x</div>",
        "<div style='letter-spacing:.05em!important'><p style='letter-spacing:.2em!important'>x</div>",
        "<p style='position:absolute;top:-999em;letter-spacing:.05em!important'>x",
        "<p style='line-height:1!important'>Short",
        f"<p style='line-height:20px!important;font-size:1em'>{LONG}",
        f"<p style='line-height:24px!important;font-size:16px'>{LONG}",
        "<p style='word-spacing:2pt!important;font-size:10pt'>x",
        f"<p style='line-height:1!important;white-space:nowrap'>{LONG}",
        f"<p style='line-height:1!important;width:1000px'>{LONG}",
        "<style>p{font-size:25px}</style><p style='letter-spacing:3px!important'>x",
        "<style>b{font-size:20px}</style><p style='letter-spacing:2px!important'>x",
        "<style>p{font-size:20px}p{font-size:9px}</style><p style='letter-spacing:2px!important'>x",
        "<style>@media print{p{font-size:20px}}</style><p style='letter-spacing:2px!important'>x",
        "<style>p{font:20px x}</style><p style='letter-spacing:2px!important'>x",
        "<link rel=stylesheet href=a><style>p{font-size:20px}</style><p style='letter-spacing:2px!important'>x",
        "<p style='letter-spacing:--1em!important'>x",
        "<svg><text style='letter-spacing:.05em'>x</text></svg>",
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
        f"<p style='line-height:120% !important'>{LONG}",
        f"<p style='line-height:initial!important'>{LONG}",
        f"<p style='line-height:20px!important;font-size:16px'>{LONG}",
        "<p style='letter-spacing:initial!important'>x",
        f"<p style='line-height:1!important;width:200px'>{LONG}",
        "<style>b{top:0} P {color:red; font-size : 20px; left:0}</style><p style='letter-spacing:2px!important'>x",
        "<style>p{font-size:99px}</style><p style='letter-spacing:1px!important;font-size:10px'>x",
        "<p style='letter-spacing:-1px!important'>x",
        "<p style='letter-spacing:0rem!important'>x",
        "<p style='word-spacing:-.4ch!important'>x",
        "<p style='word-spacing:1pt!important;font-size:10pt'>x",
        "<p style='position:absolute;top:-9px;letter-spacing:.05em!important'>x",
        "<p style='top:-999em;letter-spacing:.05em!important'>x",
        "<p style='letter-spacing:1px!important;font-size:10px'>x",
        "<p style='letter-spacing:.05em!important;letter-spacing:1em'>x",
        f"<p style='line-height:normal!important'>{LONG}",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """An important declaration overrules a later one."""
    found = outcome(inline_text_spacing, html)

    assert found.state == "fixed"
    assert found.evidence[0].selector
    assert found.evidence[0].reason
