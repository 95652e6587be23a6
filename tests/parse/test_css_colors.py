from __future__ import annotations

import pytest

from pagegrade.parse.css_colors import is_css_color


@pytest.mark.parametrize(
    "text",
    [
        "#fff", "#FFFA", "#123456", "#12345678", " red ", "RebeccaPurple", "transparent", "currentColor", "CanvasText",
        "rgb(1,2,3)", "rgb(1 2 3)", "rgba(1, 2, 3, .5)", "rgb(1 2 3 / 50%)", "hsl(120deg 50% 50%)",
        "hsl(120, 50%, 50%)", "oklch(40% 0.2 none)", "color(display-p3 1 0.5 0)", "color-mix(in srgb, red 20%, blue)",
        "light-dark(#fff, #000)",
    ],
)  # fmt: skip
def test_colours(text: str) -> None:
    """Names, hexadecimal, and functions old and new."""
    assert is_css_color(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "fff", "#ff", "#fffff", "#ggg", "redd", "rgb(1,2)", "rgb(1 2 3 4)", "rgb(1, 2 3)", "rgb(1,,2,3)",
        "rgb(a,b,c)", "var(--x)", "#fff;", "url(x)", "rgb(1,2,3", "inherit", "color(1 2 3)", "rgb(" + "1" * 600 + ")",
    ],
)  # fmt: skip
def test_other_texts(text: str) -> None:
    """Variables have no value outside of a stylesheet."""
    assert not is_css_color(text)
