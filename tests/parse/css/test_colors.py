from __future__ import annotations

import pytest

from pagegrade.parse.css.colors import is_css_color


@pytest.mark.parametrize(
    "text",
    [
        "#fff", "#FFFA", "#123456", "#12345678", " red ", "RebeccaPurple", "transparent", "currentColor", "CanvasText",
        "rgb(1,2,3)", "rgb(1 2 3)", "rgba(1, 2, 3, .5)", "rgb(1 2 3 / 50%)", "hsl(120deg 50% 50%)",
        "hsl(120, 50%, 50%)", "oklch(40% 0.2 none)", "color(display-p3 1 0.5 0)", "color-mix(in srgb, red 20%, blue)",
        "light-dark(#fff, #000)", "rgb(10% 20 none / none)", "rgb(calc(1 + 2) 3 4)", "hsl(120 50 50)", "hwb(60 3% 60%)",
        "rgb(1 2 3/.5)", "rgb(from red r g b / alpha)", "oklch(from blue calc(l + 0.1) c h)",
        "color(from red srgb r g b)",
        "color-mix(in hsl longer hue, red, 30% blue)", "color-mix(red, color-mix(in lab, #fff, blue))",
        "contrast-color(red)", "ButtonShadow", "rgb(1\t2\n3)",
    ],
)  # fmt: skip
def test_colours(text: str) -> None:
    """Names, hexadecimal, and functions old and new."""
    assert is_css_color(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "fff", "#ff", "#fffff", "#ggg", "redd", "rgb(1,2)", "rgb(1 2 3 4)", "rgb(1, 2 3)", "rgb(1,,2,3)",
        "rgb(10, 20%, 30%)", "rgb(1deg 2 3)", "rgb(none, none, none)", "hsl(120, 50, 50)", "hwb(60, 3%, 60%)",
        "rgb(5. 1 2)",
        "rgb(1 2 3 /)", "rgb(from red 1 2)", "rgb(from redd r g b)", "rgb(r g b)", "color(hsl 1 0 0)", "color()",
        "color(srgb, 1, 0, 0)", "color-mix(in srgb, red)", "color-mix(in rgb, red, blue)",
        "color-mix(in lab longer hue, red, blue)",
        "color-mix(in srgb, red 120%, blue)", "color-mix(in srgb, red 1% 2%, blue)", "light-dark(red)",
        "rgb()", "rgb(1)2)",
        "light-dark(" * 40 + "red,red)" * 40, "rgb (1 2 3)", "'red'",
        "rgb(a,b,c)", "var(--x)", "#fff;", "url(x)", "rgb(1,2,3", "inherit", "color(1 2 3)", "rgb(" + "1" * 600 + ")",
    ],
)  # fmt: skip
def test_other_texts(text: str) -> None:
    """Variables have no value outside of a stylesheet."""
    assert not is_css_color(text)
