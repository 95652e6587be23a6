from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.mouse_only import MANY, mouse_only
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

DIV = "<div onclick=go()>Page</div>"


def test_many_plain_elements_that_react_to_clicks() -> None:
    """At the limit and below it; the worse the fewer other ways the page has."""
    links = "<a href=/x>Page</a>" * MANY

    assert outcome(mouse_only, links + DIV * (MANY - 1)).state == "few"
    assert outcome(mouse_only, links + DIV * MANY).state == "some"
    assert outcome(mouse_only, links + DIV * (MANY + 1)).state == "most"
    assert isinstance(run(mouse_only, "<p>Text"), NotApplicable)


def test_few_are_shown_and_cost_nothing() -> None:
    """They may have another way, but nothing says that they have."""
    found = outcome(mouse_only, "<a href=/x>Page</a>" + DIV)

    assert (found.state, found.total) == ("few", 1)
    assert found.evidence[0].selector


@pytest.mark.parametrize(
    "element",
    [
        "<a href=/x onclick=track()>x</a>",
        "<button onclick=go()>x</button>",
        "<label onclick=go()>x</label>",
        "<div onclick=go() tabindex=0 role=button>x</div>",
        "<li onclick=track()><a href=/x>x</a></li>",
        "<div onclick='' >x</div>",
        "<div onclick='event.stopPropagation(); e.preventDefault(); return false'>x</div>",
        "<div role=option onclick=go() tabindex=-1>x</div>",
        "<div onclick=go() hidden>x</div>",
    ],
)
def test_what_can_be_reached_otherwise(element: str) -> None:
    """Links, buttons, what takes the focus, and what only watches clicks."""
    assert outcome(mouse_only, element * 9 + "<a href=/>x</a>").state == "operable"


@pytest.mark.parametrize("tag", ["span", "div", "td", "img", "a", "li", "p tabindex=-1"])
def test_plain_elements(tag: str) -> None:
    """Also links that lead nowhere."""
    assert outcome(mouse_only, f"<table><tr><td><{tag} onclick=go()>x</table>" * 20).state == "most"


@pytest.mark.parametrize("inside", ["<b tabindex=-1>x</b>", "stopPropagation()"])
def test_what_the_tab_key_passes_over_helps_no_one(inside: str) -> None:
    """Inside as well; and a handler that stops an event may do more."""
    assert outcome(mouse_only, f"<div onclick='stopPropagation(); go()'>{inside}</div>" * 20).state == "most"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("document.addEventListener('keydown', function (e) { e.preventDefault(); return false; }, true)", "cancelled"),
        ("window.addEventListener('keypress', (e) => { e.preventDefault(); })", "cancelled"),
        ("document.onkeydown = function () { return false; }", "cancelled"),
        ("document.addEventListener('keydown', e => { if (e.key === 'Escape') { e.preventDefault(); } })", "operable"),
        ("document.addEventListener('keydown', e => { keys[e.code] = true; e.preventDefault(); })", "operable"),
        ("document.addEventListener('keydown', e => { e.ctrlKey && e.preventDefault(); })", "operable"),
        ("field.addEventListener('keydown', function (e) { e.preventDefault(); })", "operable"),
        ("document.addEventListener('keydown', function (e) { seen = true; })", "operable"),
        ("document.addEventListener('keydown', function (e) { return false; })", "operable"),
        ("function lock() { document.addEventListener('keydown', (e) => { e.preventDefault(); }); }", "operable"),
        ("(function () { document.addEventListener('keydown', (e) => { e.preventDefault(); }); })()", "cancelled"),
    ],
)
def test_script_that_takes_every_key(script: str, state: str) -> None:
    """On no condition, and for the whole page."""
    assert outcome(mouse_only, f"<a href=/x>Page</a><script>{script}</script>").state == state


def test_attribute_that_takes_every_key() -> None:
    """Of the body."""
    assert outcome(mouse_only, "<body onkeydown='return false;'><a href=/x>Page</a>").state == "cancelled"
    assert outcome(mouse_only, "<body onkeydown='return handle(event)'><a href=/x>Page</a>").state == "operable"
