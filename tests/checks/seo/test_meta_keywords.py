"""The traps of ``meta-keywords``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from tests.builders import outcome


def test_present_in_any_case() -> None:
    """The name is case-insensitive, and the content is shown."""
    found = outcome("meta-keywords", '<title>T</title><meta name="KeyWords" content="a, b">')

    assert (found.state, found.value) == ("present", "a, b")


def test_empty_and_others_are_none() -> None:
    """An empty tag says nothing, and news keywords are another tag."""
    page = '<title>T</title><meta name="keywords" content=" "><meta name="news_keywords" content="a">'

    assert outcome("meta-keywords", page).state == "absent"
