"""Tests of popups that say that they are closed."""

from __future__ import annotations

import pytest

from pagegrade.model.accessibility import Accessibility
from tests.builders import make_document


def reached(html: str) -> int:
    """The number of elements that the keyboard reaches inside ``aria-hidden``."""
    found = make_document(f"<!doctype html><title>Shop</title>{html}").accessibility
    assert isinstance(found, Accessibility)
    return len(found.hidden_focusables)


@pytest.mark.parametrize(
    "html",
    [
        "<div role=dialog aria-hidden=true><p><button>Close</button></p></div>",
        "<div role=' MENU ' aria-hidden=' True '><a href=/chairs>Chairs</a></div>",
        "<div role=dialog aria-hidden=true><button aria-hidden=true>x</button><a href=/>y</a></div>",
        "<a aria-expanded=false aria-controls='other m'>Menu</a><ul id=m aria-hidden=true><li><a href=/>x</a></ul>",
        "<ul id=m aria-hidden=true><li><a href=/>x</a></ul><a href=#m aria-controls=m aria-expanded=FALSE>Menu</a>",
    ],
)
def test_what_says_that_it_is_closed_is_not_reached(html: str) -> None:
    """A stylesheet hides it from all visitors until it is opened."""
    assert reached(html) == 0


@pytest.mark.parametrize(
    "html",
    [
        "<div role=region aria-hidden=true><a href=/>x</a></div>",
        "<div aria-hidden=true><div role=dialog><a href=/>x</a></div></div>",
        "<button aria-expanded=true aria-controls=m>Menu</button><div id=m aria-hidden=true><a href=/>x</a></div>",
        "<button aria-expanded=false aria-controls=n>Menu</button><div id=m aria-hidden=true><a href=/>x</a></div>",
        "<button aria-controls=m>Menu</button><div id=m aria-hidden=true><a href=/>x</a></div>",
        "<a href=/ role=menu aria-hidden=true>x</a>",
    ],
)
def test_everything_else_is_reached(html: str) -> None:
    """A part that hides its content from screen readers alone stops the tab key on nothing."""
    assert reached(html) == 1


def test_each_popup_decides_for_its_own_content() -> None:
    """An open part beside a closed one stays a finding."""
    closed = "<div role=dialog aria-hidden=true><a href=/>a</a><a href=/>b</a></div>"

    assert reached(f"<div aria-hidden=true><a href=/>c</a><a href=/>d</a></div>{closed}") == 2
