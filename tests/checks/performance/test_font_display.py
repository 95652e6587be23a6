from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.font_display import font_display
from pagegrade.model.artifacts import FontFace
from pagegrade.model.outcome import NotApplicable, NotRun
from pagegrade.model.rendering import UsedFont
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run
from tests.rendering_builders import make_rendering


def offered(display: str, *, url: str = URL + "a.css", own: bool = True, family: str = "Lato", **more: Any) -> Any:
    """A face of a stylesheet."""
    face = FontFace(family=family, formats=("woff2",), display=display, stylesheet_url=url, **more)
    return make_resources(make_resource(url, kind="stylesheet", first_party=own), font_faces=(face,))


@pytest.mark.parametrize(
    ("display", "loss"),
    [("swap", 0), ("optional", 0), ("fallback", 0), ("block", 0), ("auto", 0.25), ("", 0.25), ("initial", 0.25)],
)
def test_four_words_say_something(display: str, loss: float) -> None:
    """``auto`` lets the browser hide the text."""
    assert evaluated(font_display, resources=offered(display)).loss == loss


@pytest.mark.parametrize("family", ["FontAwesome", "Material Icons", "Glyphicons Halflings", "dashicons"])
def test_fonts_of_icons_are_left_out(family: str) -> None:
    """Their fallback would be wrong letters."""
    assert isinstance(run(font_display, resources=offered("", family=family)), NotApplicable)


def test_inline_fonts_are_not_waited_for() -> None:
    """They come with the stylesheet."""
    assert isinstance(run(font_display, resources=offered("", inline=True)), NotApplicable)


def test_other_services_decide_themselves_but_google_lets_the_page_decide() -> None:
    """By its address."""
    kit = offered("", url="https://use.typekit.net/a.css", own=False)
    google = offered("", url="https://fonts.googleapis.com/css2?family=Lato", own=False)

    assert isinstance(run(font_display, resources=kit), NotApplicable)
    assert outcome(font_display, resources=google).state == "unstated"


def test_rules_of_the_page_are_read_with_their_traps() -> None:
    """Comments say nothing, any case does, and half is the most."""
    good = "@FONT-FACE{font-family:a;src:url(/a.woff2);FONT-DISPLAY : Swap}"
    bad = "@font-face{font-family:b;src:url(/b.woff2);/* font-display:swap */}"

    assert outcome(font_display, f"<style>{good}</style>", resources=make_resources()).state == "stated"
    assert evaluated(font_display, f"<style>{bad * 9}</style>", resources=make_resources()).loss == 0.5
    assert isinstance(run(font_display, f"<style>{bad}</style>"), NotRun)


def test_faces_that_the_browser_did_not_use_are_left_out() -> None:
    """A stylesheet may declare many."""
    used = make_rendering(fonts=(UsedFont(family='"lato"', weight="400", display="auto"),))

    assert outcome(font_display, resources=offered(""), rendering=used).state == "unstated"
    assert isinstance(run(font_display, resources=offered(""), rendering=make_rendering()), NotApplicable)


@pytest.mark.parametrize(
    ("family", "display", "state"),
    [("Late", "auto", "unstated"), ("Late", "swap", "stated"), ("Material Icons", "auto", None)],
)
def test_faces_that_only_the_browser_found_count(family: str, display: str, state: str | None) -> None:
    """They come from a stylesheet or a script that was not read."""
    late = make_rendering(fonts=(UsedFont(family=family, display=display),))
    verdict = run(font_display, resources=make_resources(), rendering=late)

    assert getattr(verdict, "state", None) == state
