from __future__ import annotations

import pytest

from pagegrade.checks.content.invisible_text import MIN_WORDS, invisible_text
from tests.builders import outcome
from tests.rendering_builders import make_rendering

WORDS = "Our chairs are made of teak and stay outside in every season of the year, rain or shine. "
SEEN = f"<main><p>{WORDS * 8}</main>"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div style='color:#fff;background:#fff'>{}</div>",
        "<div style='color:white'>{}</div>",
        "<div style='color:#fefefe'><p><b>{}</b></div>",
        "<div style='font-size:1px'>{}</div>",
        "<div style='color:transparent'>{}</div>",
        "<font color=#ffffff>{}</font>",
        "<table><td bgcolor=#000000 style='color:rgb(0, 0, 0)'>{}</table>",
        "<style>.k{{transform:rotateY(180deg)}}</style><div class=k>{}</div>",
        "<style>.k{{transform:rotatex(90deg)}}</style><div class=k>{}</div>",
        "<style>.k{{zoom:.05}}</style><div class=k>{}</div>",
        "<style>.k{{transform:scale(.1)}}</style><div class=k>{}</div>",
        "<style>.k{{filter:opacity(0)}}</style><div class=k>{}</div>",
        "<style>.k{{color:#111}} #d{{background-color:#111111}}</style><div id=d><p class=k>{}</div>",
    ],
)
def test_text_that_cannot_be_seen(hidden: str) -> None:
    """However it is done; the more of it, the worse."""
    assert outcome(invisible_text, SEEN + hidden.format(WORDS)).state == "some"
    assert outcome(invisible_text, SEEN + hidden.format(WORDS * 4)).state == "much"
    assert outcome(invisible_text, SEEN + hidden.format(WORDS * 9)).state == "most"


@pytest.mark.parametrize(
    "shown",
    [
        "<div style='color:#fff;background:#000'>{}</div>",
        "<div style='color:#fff;background:#fff url(x.png)'>{}</div>",
        "<div style='color:#fff;background-image:url(x.png)'>{}</div>",
        "<div style='color:#fff;background:linear-gradient(red, blue)'>{}</div>",
        "<div style='font-size:0'><p style='font-size:16px'>{}</div>",
        "<div style='color:var(--ink)'>{}</div>",
        "<div style='display:none;color:#fff'>{}</div>",
        "<style>.dark .k{{color:#fff}} .k{{background:#fff}}</style><p class=k>{}",
        "<style>@media print{{p{{color:#fff}}}} .h:hover{{color:#fff}}</style><p class=h>{}",
        "<style>body{{background:#123}} p{{color:#fff}}</style><p>{}",
        "<style>.k{{transform:rotateY(180deg)}}.c{{transform-style:preserve-3d}}</style><b class=c><p class=k>{}",
        "<style>.k{{transform:rotateY(180deg)}}</style><script>flip()</script><p class=k>{}",
        "<style>.k{{zoom:.5;transform:scale(.9);filter:opacity(.6)}}</style><p class=k>{}",
        "<style>section{{background:#123}}</style><section><p style='color:#fff'>{}</section>",
        "<link rel=stylesheet href=/s.css><section><p style='color:#fff'>{}</section>",
        "<link rel=stylesheet href=/s.css><div style='background:#fff'><p style='color:#fff' hidden>{}</div>",
        "<link rel=stylesheet href=/s.css><div style='background:#fff'><div class=a><p style='color:#fff'>{}</div>",
    ],
)
def test_text_that_can_be_seen(shown: str) -> None:
    """Or of which it is not known: pictures, gradients, variables, conditions, other sheets."""
    assert outcome(invisible_text, SEEN + shown.format(WORDS * 9)).state == "visible"


def test_a_few_words_are_labels() -> None:
    """At the limit and below it."""
    page = "<p>" + WORDS * 9 + "<p style='color:#fff'>"

    assert outcome(invisible_text, page + "word " * (MIN_WORDS - 1)).state == "visible"
    assert outcome(invisible_text, page + "word " * MIN_WORDS).state == "some"


def test_a_page_that_hides_itself() -> None:
    """Without a script nothing shows it; with one it is not known."""
    page = "<style>body{display:none}</style>" + SEEN

    assert outcome(invisible_text, page).state == "most"
    assert outcome(invisible_text, page + "<script>show()</script>").state == "visible"


@pytest.mark.parametrize(
    ("css", "state"),
    [
        ("main{color:#a0a0a0}", "pale"),
        ("body{background:#222;color:#555}", "pale"),
        ("main{color:#949494}", "visible"),
        ("main{color:#a0a0a0;background:url(a.png)}", "visible"),
        ("h1{color:#a0a0a0}", "visible"),
    ],
)
def test_page_that_is_pale_as_a_whole_costs_as_a_serious_fault(css: str, state: str) -> None:
    """The heading alone is too little, and a picture behind it leaves it open."""
    page = f"<style>{css}</style><main><h1>ბაღი</h1><p>{'წვიმს დილით ბაღში ' * 40}</main>"

    assert outcome(invisible_text, page).state == state


def test_browser_that_measures_contrasts_is_asked_first() -> None:
    """One cause is not charged by two checks."""
    page = f"<style>main{{color:#a0a0a0}}</style><main><p>{WORDS * 8}</main>"

    assert outcome(invisible_text, page, rendering=make_rendering()).state == "visible"
