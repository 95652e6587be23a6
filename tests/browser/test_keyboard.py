"""Everything can be reached and used without a mouse."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.browser.browsing import Window
from tests.browser.conftest import Tabs
from tests.browser.instance import Instance
from tests.browser.looking import open_visit
from tests.browser.recipes import Visit
from tests.browser.visits import one_visit_each

MOST: Final = 400
"""Stops of the Tab key on one page, more than any has."""
_NUMBER: Final = """() => {
  const usable = ['a[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'summary', '[tabindex="0"]']
    .map(each => `${each}:not([tabindex="-1"])`).join(', ');
  const groups = new Set(), names = [];
  window.stops = new Map();
  for (const element of document.querySelectorAll(usable)) {
    if (!element.checkVisibility({visibilityProperty: true}) || element.disabled) continue;
    if (element.type === 'radio') {
      const group = `${element.form?.action} ${element.name}`;
      const chosen = document.querySelector(`input[type=radio][name="${CSS.escape(element.name)}"]:checked`);
      if (groups.has(group) || (chosen && chosen !== element)) continue;
      groups.add(group);
    }
    window.stops.set(element, names.length);
    names.push(`${element.tagName.toLowerCase()} ${(element.innerText || element.name || '').trim().slice(0, 30)}`);
  }
  return names;
}"""
_START: Final = """async () => {
  // A field with autofocus gets the focus when the page is first drawn, which may be after it has loaded.
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  document.activeElement?.blur?.();
  getSelection().removeAllRanges();
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
}"""
_STOP: Final = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  const ring = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
  const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 1;
  const middle = document.elementFromPoint(
    Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1),
    Math.min(Math.max(box.top + 2, 1), innerHeight - 1));
  const free = !middle || element.contains(middle) || middle.contains(element) || !!middle.closest('svg');
  return [window.stops.get(element) ?? -1, ring, inside, free, element.outerHTML.slice(0, 80)];
}"""


def start_at_the_top(window: Window) -> None:
    """Let the next Tab go to the first element of the page."""
    window.page.evaluate(_START)


def walk(window: Window) -> tuple[list[str], list[list[Any]]]:
    """(names of all that can be used, the stops of the Tab key until it leaves the page)."""
    names: list[str] = window.page.evaluate(_NUMBER)
    stops: list[list[Any]] = []
    for _ in range(MOST):
        window.page.keyboard.press("Tab")
        stop = window.page.evaluate(_STOP)
        # Behind the last one the browser's own parts have their turn, or it begins anew.
        if stop is None or (len(stops) > 1 and stop[0] == stops[0][0]):
            return names, stops
        stops.append(stop)
    raise AssertionError("the Tab key never leaves the page")


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_the_tab_key_reaches_everything_in_order(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """From the first to the last without a trap, each with a ring around it, in sight and not covered."""
    window = tabs(visit.person)
    open_visit(window, instance, visit)
    start_at_the_top(window)
    names, stops = walk(window)
    reached = [number for number, *_ in stops if number >= 0]

    assert [name for number, name in enumerate(names) if number not in reached] == []
    assert reached == sorted(reached)
    assert [where for _, ring, _, _, where in stops if not ring] == []
    assert [where for _, _, inside, free, where in stops if not (inside and free)] == []


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_the_first_stop_skips_to_the_content(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """It shows when it has the focus, and takes it to the main part."""
    window = tabs(visit.person)
    open_visit(window, instance, visit)
    start_at_the_top(window)
    window.page.keyboard.press("Tab")
    focused = window.page.locator(":focus")
    seen = focused.bounding_box()
    kind = focused.get_attribute("class")
    window.page.keyboard.press("Enter")

    assert kind == "skip"
    assert seen is not None
    assert (seen["x"] >= 0, seen["y"] >= 0, seen["width"] > 40, seen["height"] > 20) == (True, True, True, True)
    assert window.page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("visit", one_visit_each(), ids=lambda visit: visit.id)
def test_what_is_folded_opens_with_the_enter_key(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """And closes again."""
    window = tabs(visit.person)
    open_visit(window, instance, visit)
    summaries = window.page.locator("summary:visible")
    wrong = []
    for number in range(min(summaries.count(), 12)):
        summary = summaries.nth(number)
        was = summary.evaluate("element => element.parentElement.open")
        summary.focus()
        window.page.keyboard.press("Enter")
        toggled = summary.evaluate("element => element.parentElement.open")
        window.page.keyboard.press("Enter")
        if toggled == was or summary.evaluate("element => element.parentElement.open") != was:
            wrong.append(summary.inner_text())

    assert wrong == []
