"""The service, its world and the browser of all tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from tests.browser.browsing import NAMES, WIDE, Window, find_chromium, launch, open_window
from tests.browser.instance import Instance, open_instance

IN_CI: Final = os.environ.get("CI", "").lower() in {"1", "true"}
REASON: Final = f"real browser: none of {', '.join(NAMES)} is installed"
Open = Callable[..., AbstractContextManager[Window]]
Tabs = Callable[[str], Window]


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A service with people and reports of every kind."""
    with open_instance(tmp_path_factory.mktemp("instance")) as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium, while tests of this folder run: Playwright leaves an event loop in the thread, which others mind."""
    if find_chromium() is None:
        if IN_CI:
            pytest.fail(f"The pages must be tried in a {REASON}.")
        pytest.skip(REASON)
    with launch() as running:
        yield running


@pytest.fixture
def window_of(browser: Browser, instance: Instance) -> Open:
    """Opens a tab of its own for one person; takes the options of ``open_window``."""

    def opened(person: str = "Charlie", **options: Any) -> AbstractContextManager[Window]:
        return partial(open_window, browser, instance.origin, token=instance.world.tokens.get(person))(**options)

    return opened


@pytest.fixture(scope="package")
def tabs(browser: Browser, instance: Instance) -> Iterator[Tabs]:
    """One tab for each person, kept over many tests that only look: a profile takes longer to make than a page."""
    with ExitStack() as open_tabs:
        made: dict[str, Window] = {}

        def tab_of(person: str) -> Window:
            if person not in made:
                token = instance.world.tokens.get(person)
                made[person] = open_tabs.enter_context(open_window(browser, instance.origin, token=token))
            window = made[person]
            window.page.set_viewport_size(WIDE)
            # Without motion, so that nothing is looked at on its way from one colour to another.
            window.page.emulate_media(
                media="screen", color_scheme="light", forced_colors="none", reduced_motion="reduce"
            )
            window.forget()
            return window

        yield tab_of
