"""Every page fits: a narrow phone, twice the size, wide-set text, German words, forced colours, no motion."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import pytest
from playwright.sync_api import Browser

from tests.browser.browsing import NARROW, Window, open_window
from tests.browser.conftest import Open, Tabs
from tests.browser.instance import Instance
from tests.browser.looking import open_visit
from tests.browser.recipes import Visit
from tests.browser.visits import all_visits, one_visit_each
from tests.browser.world import set_language

_TOO_WIDE: Final = """() => {
  const width = document.documentElement.clientWidth, found = [];
  const held = element => {
    for (let each = element.parentElement; each && each !== document.body; each = each.parentElement)
      if (getComputedStyle(each).overflowX !== 'visible') return true;
    return false;
  };
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > width + 1 && element.checkVisibility({visibilityProperty: true}) && !held(element))
      found.push(`${element.tagName} ${element.className.baseVal ?? element.className} ${Math.round(box.right)}`);
  }
  if (document.scrollingElement.scrollWidth > width) found.push(`page ${document.scrollingElement.scrollWidth}`);
  return found.slice(0, 8);
}"""
_SPACED: Final = """() => { for (const element of document.body.querySelectorAll('*:not(svg *)')) {
  element.style.setProperty('letter-spacing', '0.12em', 'important');
  element.style.setProperty('word-spacing', '0.16em', 'important');
  element.style.setProperty('line-height', '1.5', 'important');
} }"""
"""WCAG 2.2, 1.4.12: what readers may set, and lose nothing."""
_LARGE: Final = "() => document.documentElement.style.setProperty('font-size', '200%')"
_MOVING: Final = """() => {
  const longest = text => Math.max(...text.split(',').map(parseFloat));
  return [...document.querySelectorAll('*')].filter(each => {
    const style = getComputedStyle(each);
    const runs = style.animationName !== 'none' && longest(style.animationDuration) > 0.01;
    return runs || longest(style.transitionDuration) > 0.01;
  }).map(each => `${each.tagName} ${each.className}`).slice(0, 8);
}"""
_INVISIBLE: Final = """() => {
  const found = [], behind = element => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return getComputedStyle(document.documentElement).backgroundColor;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest('svg')) continue;
    if (getComputedStyle(element).color === behind(element)) found.push(walker.currentNode.data.trim().slice(0, 40));
  }
  return found.slice(0, 8);
}"""


def text_of(window: Window) -> str:
    """The text of the page as it is shown now, in one line."""
    return " ".join(window.page.inner_text("body").split())


def too_wide(window: Window) -> list[str]:
    """Elements that stick out, and the page itself where it can be moved sideways."""
    found: list[str] = window.page.evaluate(_TOO_WIDE)
    return found


@pytest.mark.parametrize("visit", all_visits(), ids=lambda visit: visit.id)
def test_nothing_sticks_out(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """At 320 px, at 200 % zoom of a desk, with text twice as large, and with wide-set text."""
    window = tabs(visit.person)
    open_visit(window, instance, visit)
    found = {"1280 px": too_wide(window)}
    window.page.set_viewport_size({"width": 640, "height": 450})
    found["zoom 200 %"] = too_wide(window)
    window.page.set_viewport_size(NARROW)
    found["320 px"] = too_wide(window)
    window.page.evaluate(_SPACED)
    found["320 px, wide-set"] = too_wide(window)
    window.page.set_viewport_size({"width": 640, "height": 450})
    window.page.evaluate(_LARGE)
    found["640 px, large text"] = too_wide(window)

    assert {mode: lines for mode, lines in found.items() if lines} == {}


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_modes_of_the_system_hide_nothing(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """Forced colours show the same text, none in the colour of its ground; who wants no motion sees none."""
    window = tabs(visit.person)
    window.page.emulate_media(reduced_motion="reduce")
    open_visit(window, instance, visit)
    usual = text_of(window)
    moving = window.page.evaluate(_MOVING)
    window.page.emulate_media(forced_colors="active", color_scheme="dark")
    invisible = window.page.evaluate(_INVISIBLE)

    assert text_of(window) == usual
    assert invisible == []
    assert moving == []


@pytest.fixture(scope="module")
def german(browser: Browser, instance: Instance) -> Iterator[Tabs]:
    """Tabs of people who read German, by their account or by their browser, kept as long as this module runs."""
    with ExitStack() as stack:
        set_language(instance.world, "de")
        stack.callback(set_language, instance.world, "en")
        made: dict[str, Window] = {}

        def tab_of(person: str) -> Window:
            if person not in made:
                made[person] = stack.enter_context(
                    open_window(
                        browser,
                        instance.origin,
                        token=instance.world.tokens.get(person),
                        locale="de-DE",
                        viewport=NARROW,
                    )
                )
            return made[person]

        yield tab_of


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_long_german_words_fit(visit: Visit, instance: Instance, german: Tabs) -> None:
    """At 320 px, where English has short words."""
    window = german(visit.person)
    open_visit(window, instance, visit)

    assert window.page.locator("html").get_attribute("lang") == "de"
    assert too_wide(window) == []


def test_a_page_that_sticks_out_is_noticed(window_of: Open) -> None:
    """The measure itself measures."""
    with window_of(viewport=NARROW) as window:
        window.go("/problems")
        window.page.evaluate("document.querySelector('main').style.width = '400px'")
        found = too_wide(window)

    assert found != []
