"""Input of a person who uses a page: with a mouse or a finger, or with a keyboard only."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from playwright.sync_api import Download, Locator

from tests.browser.browsing import Window

MOST: Final = 200
"""Presses of the Tab key after which something counts as out of reach."""
_HAS_FOCUS: Final = "element => element === document.activeElement"


class Hands:
    """Finds things by what people see or hear of them, and uses them."""

    def __init__(self, window: Window, *, keyboard: bool = False) -> None:
        self.window = window
        self.page = window.page
        self._keyboard = keyboard

    def press(self, role: str, name: str) -> None:
        """Use a link, a button or something folded, and wait for the page it leads to."""
        with self.page.expect_navigation(wait_until="load"):
            self._use(self._find(role, name))

    def open_menu(self) -> None:
        """Open the main menu where the screen is too narrow to show it always."""
        button = self.page.get_by_role("button", name="Menu", exact=True)
        if button.is_visible():
            self._use(button)

    def open(self, summary: str) -> None:
        """Unfold what has this heading."""
        found = self.page.locator("summary", has_text=re.compile(rf"\b{re.escape(summary)}")).first
        self._use(found)
        if not found.evaluate("element => element.parentElement.open"):
            raise AssertionError(f"{summary} stays folded")

    def write(self, label: str, text: str) -> None:
        """Fill in a field."""
        field = self.page.get_by_label(label, exact=True).first
        if self._keyboard:
            self._reach(field)
            self.page.keyboard.type(text)
        else:
            field.fill(text)

    def choose(self, label: str) -> None:
        """Take one of several."""
        option = self.page.get_by_role("radio", name=label, exact=True)
        if not self._keyboard:
            option.check()
            return
        group = option.get_attribute("name")
        self._reach(self.page.locator(f"input[name={group}]:checked"))
        for _ in range(10):
            if option.is_checked():
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{label} cannot be chosen with the arrow keys")

    def download(self, name: str) -> Download:
        """Take a file away."""
        link = self._find("link", name)
        with self.page.expect_download() as waited:
            self._use(link)
        return waited.value

    def _find(self, role: str, name: str) -> Locator:
        return self.page.get_by_role(role, name=name).first  # type: ignore[arg-type]

    def _use(self, thing: Locator) -> None:
        if self._keyboard:
            self._reach(thing)
            self.page.keyboard.press("Enter")
        else:
            thing.click()

    def _reach(self, thing: Locator) -> None:
        thing.wait_for(state="visible")
        for _ in range(MOST):
            if thing.evaluate(_HAS_FOCUS):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not reach {thing}")


def wait_until(window: Window, seen: Callable[[], bool], *, seconds: float = 40.0) -> None:
    """Wait while a page brings itself up to date, as a visitor would.

    Raises:
        AssertionError: It does not.
    """
    for _ in range(int(seconds * 10)):
        if seen():
            return
        window.page.wait_for_timeout(100)
    raise AssertionError(f"nothing new at {window.place()} after {seconds} s")
