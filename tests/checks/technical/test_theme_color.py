from __future__ import annotations

import pytest

from pagegrade.checks.technical.theme_color import theme_color
from tests.builders import evaluated, outcome

LIGHT = "<meta name=theme-color content='#fff' media='(prefers-color-scheme: light)'>"
DARK = "<meta name=theme-color content=black media='(prefers-color-scheme: dark)'>"


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<meta name=theme-color content='#336699'>", "set"),
        ("<meta name='Theme-Color' content=' RGB(1,2,3) '>", "set"),
        (LIGHT + DARK, "set"),
        (LIGHT + LIGHT.replace(": light", ":  LIGHT"), "repeated"),
        ("<meta name=theme-color content=red><meta name=theme-color content=blue>", "repeated"),
        ("<meta name=theme-color content=336699>", "unreadable"),
        ("<meta name=theme-color>", "unreadable"),
        ("<meta name=theme-color content='var(--brand)'>", "unreadable"),
        (LIGHT + "<meta name=theme-color content=x>", "unreadable"),
        ("<meta name=msapplication-TileColor content=x>", "absent"),
        ("", "absent"),
    ],
)
def test_theme_colours(html: str, state: str) -> None:
    """One readable colour for each case."""
    assert outcome(theme_color, "<!doctype html>" + html).state == state
    assert evaluated(theme_color, "<!doctype html>" + html).outcome == "informative"
