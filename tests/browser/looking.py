"""Opening a page in the state that a visit names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Error, Response

from tests.browser.browsing import Window
from tests.browser.instance import Instance
from tests.browser.recipes import Visit

PICTURES: Final = os.environ.get("PAGEGRADE_PICTURES", "")
"""Folder for a picture of every page; empty: none are taken."""


def open_visit(window: Window, instance: Instance, visit: Visit) -> Response:
    """The page, with the status it should have.

    Raises:
        AssertionError: It has another one, or never gets ready.
    """
    path = instance.fill(visit.path)
    fields = instance.fields(visit.form)
    answer = window.go(path) if fields is None else window.send(path, fields)
    if visit.ready:
        try:
            window.page.wait_for_selector(visit.ready)
        except Error as late:
            shown = window.page.inner_text("body")[:300]
            raise AssertionError(f"{visit.id}: no {visit.ready}, but {shown!r}; {window.misdeeds}") from late
    if answer.status != visit.status:
        raise AssertionError(f"{visit.id}: {answer.status} instead of {visit.status} at {window.place()}")
    return answer


def take_picture(window: Window, visit: Visit, mode: str) -> None:
    """Keep a picture of the page, if pictures were requested."""
    if PICTURES:
        folder = Path(PICTURES)
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^a-z0-9]+", "-", f"{visit.id}-{mode}".lower())
        window.page.screenshot(path=folder / f"{name}.png", full_page=True)
