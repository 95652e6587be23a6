"""The traps of ``js-dependent-content``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from tests.builders import outcome


def test_a_shell_is_seen() -> None:
    """An empty root and scripts."""
    page = '<title>T</title><div id="app"></div><script src="/a.js"></script>'

    assert outcome("js-dependent-content", page).state == "shell"


def test_a_short_page_without_scripts_is_no_shell() -> None:
    """Nothing will fill it, and a rendered root is filled already."""
    page = '<title>T</title><div id="app"><p>Hello</div><script src="/a.js"></script>'

    assert outcome("js-dependent-content", "<title>T</title><p>Hello").state == "served"
    assert outcome("js-dependent-content", page).state == "served"
