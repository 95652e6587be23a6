"""Look of an account in pages and documents: its color, corrected until it can be read, and its logo.

Grades, scores and what evaluated the page never take it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from typing import Final

from pagegrade.model.account import Brand
from pagegrade.parse.css.contrast import color_of, readable

PRODUCT_NAME: Final = "Pagegrade"
PRODUCT_COLOR: Final = "#214e44"
"""On paper."""
NO_BRAND: Final = Brand()
LIGHT_GROUND: Final = (233, 237, 235)
"""Darkest ground that text in the color stands on in light pages (``--none-wash`` of report.css)."""
DARK_GROUND: Final = (48, 56, 54)
"""Lightest such ground in dark pages (``--track``)."""


def shown_name(brand: Brand) -> str:
    """Return the name that stands where Pagegrade would."""
    return brand.name or PRODUCT_NAME


def color_on(brand: Brand, ground: tuple[int, int, int]) -> str:
    """Return the color as ``#rrggbb``, with a contrast of 4.5 to 1 on the ground at least; empty without one."""
    color = color_of(brand.color)
    if not isinstance(color, tuple):
        return ""
    return "#{:02x}{:02x}{:02x}".format(*readable(color, ground))


@lru_cache(maxsize=256)
def brand_css(color: str) -> str:
    """Rules that follow report.css for a color ``#rrggbb``; none for an empty one."""
    brand = Brand(color=color)
    light, dark = color_on(brand, LIGHT_GROUND), color_on(brand, DARK_GROUND)
    if not light:
        return ""
    return (
        f":root{{--brand:{light};--link:{light}}}"
        f"@media(prefers-color-scheme:dark){{:root{{--brand:{dark};--link:{dark}}}}}"
    )


def logo_url(brand: Brand) -> str:
    """Return the logo as a URL that holds it; empty without one."""
    return f"data:image/png;base64,{b64encode(brand.logo).decode('ascii')}" if brand.logo else ""
