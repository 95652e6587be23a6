from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.font_count import font_count
from pagegrade.model.artifacts import FontFace
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_resources, outcome, run


def fonts(count: int, **more: Any) -> Any:
    """Weights of one family."""
    return make_resources(
        font_faces=tuple(FontFace(family="Lato", weight=str(n), formats=("woff2",), **more) for n in range(count))
    )


@pytest.mark.parametrize(("count", "loss"), [(1, 0), (4, 0), (5, 0.25), (8, 0.25), (9, 0.5), (60, 0.5)])
def test_five_are_many_and_nine_very_many(count: int, loss: float) -> None:
    """The number of used ones is not known, so half is the most."""
    assert evaluated(font_count, resources=fonts(count)).loss == loss


def test_alphabets_of_one_font_are_one_font() -> None:
    """Font services cut each weight into files for Latin, Greek and others."""
    face = FontFace(family="Lato", weight="bold", formats=("woff2",))

    assert outcome(font_count, resources=make_resources(font_faces=(face,) * 12)).value == 1


def test_faces_of_the_page_itself_count() -> None:
    """With those of its stylesheets; 400 and normal are the same weight."""
    css = "@font-face{font-family:Lato;src:url(/a.woff2);font-weight:400}"
    html = f"<style>{css}{css.replace('400', 'normal')}{css.replace('400', '700')}</style>"

    assert outcome(font_count, html, resources=make_resources()).value == 2


def test_fonts_of_the_device_are_none() -> None:
    """``local()`` fetches nothing."""
    html = "<style>@font-face{font-family:x;src:local('Arial')}</style>"

    assert isinstance(run(font_count, html, resources=make_resources()), NotApplicable)
    assert isinstance(run(font_count, html), NotRun)
