"""axe-core finds nothing on any page: light and dark, on a phone and on a desk."""

from __future__ import annotations

from typing import Final

import pytest

from tests.browser.axe import violations
from tests.browser.browsing import NARROW
from tests.browser.conftest import Tabs
from tests.browser.instance import Instance
from tests.browser.looking import open_visit, take_picture
from tests.browser.recipes import Visit
from tests.browser.visits import all_visits

OF_COLOURS: Final = ("color-contrast", "link-in-text-block")
"""The rules whose verdict depends on the colour scheme; all others look at structure, names and sizes."""


@pytest.mark.parametrize("visit", all_visits(), ids=lambda visit: visit.id)
def test_axe_finds_nothing(visit: Visit, instance: Instance, tabs: Tabs) -> None:
    """All rules at both widths, those of colours in both schemes as well."""
    found: dict[str, list[str]] = {}
    window = tabs(visit.person)
    open_visit(window, instance, visit)
    take_picture(window, visit, "wide-light")
    found["1280 light"] = violations(window.page)
    window.page.emulate_media(color_scheme="dark")
    found["1280 dark"] = violations(window.page, *OF_COLOURS)
    window.page.set_viewport_size(NARROW)
    take_picture(window, visit, "narrow-dark")
    found["320 dark"] = violations(window.page, *OF_COLOURS)
    window.page.emulate_media(color_scheme="light")
    found["320 light"] = violations(window.page)

    assert {mode: lines for mode, lines in found.items() if lines} == {}
    assert window.misdeeds == []
