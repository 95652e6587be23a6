"""The traps of ``duplicate-paragraphs``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

LONG = "<p>This chair is made of teak and lasts for many years.</p>"


def test_three_times_is_too_often() -> None:
    """Twice may be chance; markup inside does not matter."""
    found = outcome("duplicate-paragraphs", LONG * 2 + LONG.replace("teak", "<b>teak</b>"))

    assert (found.state, found.value) == ("repeated", 1)
    assert outcome("duplicate-paragraphs", LONG * 2).state == "unique"


def test_labels_menus_and_hidden_texts_do_not_count() -> None:
    """Short ones, those of navigation, and text that is not shown."""
    page = "<p>Read more</p>" * 5 + f"<nav>{LONG * 3}</nav><div hidden>{LONG * 3}</div>"

    assert isinstance(run("duplicate-paragraphs", page), NotApplicable)
