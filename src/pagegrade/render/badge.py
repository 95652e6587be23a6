"""A badge for a README: a small SVG picture with the verdict and nothing else, above all no text of the page."""

from __future__ import annotations

import html
from typing import Final

from pagegrade.model.report import Grade
from pagegrade.render.escape import visible

LABEL: Final = "pagegrade"
HEIGHT: Final = 20
"""Pixels, like the badges it stands beside."""
UNKNOWN: Final = "unknown"
"""In place of a state: there is no report, or no public one."""
COLORS: Final = {"good": "#1a7a4a", "decent": "#946000", "bad": "#b8322a", "none": "#59635e"}
"""White text on each has a contrast of more than 4.5 to 1 (WCAG 2.2, success criterion 1.4.3)."""
LABEL_COLOR: Final = "#363f3b"
_WITHOUT_SCORE: Final = {"completed": "no grade", "failed": "not analyzed", UNKNOWN: "unknown"}
_FONT_SIZE: Final = 11
_PADDING: Final = 6
_WIDTHS: Final = {
    **dict.fromkeys("0123456789", 1302),
    **dict.fromkeys("bdgpq", 1276),
    **dict.fromkeys("hnu", 1296),
    **dict.fromkeys("kvxy", 1212),
    **dict.fromkeys("cs", 1067),
    **dict.fromkeys("il", 562),
    **dict.fromkeys(" f", 720),
    "a": 1230,
    "e": 1220,
    "j": 705,
    "m": 1992,
    "o": 1243,
    "r": 874,
    "t": 807,
    "w": 1676,
    "z": 1076,
}
"""Advance of each letter we use in Verdana, in units of which 2048 are the size of the font. Where another font is
used, ``textLength`` brings it to the same width."""
_OTHER: Final = 1_500
"""Of any other letter, about; capitals are as wide."""
_MAX_LABEL: Final = 30
_UNITS: Final = 2048
_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" role="img" \
aria-label="{label}: {value}">
<title>{label}: {value}</title>
<rect width="{width}" height="20" rx="3" fill="{color}"/>
<path d="M{left} 0v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="{label_color}"/>
<g fill="#fff" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="11" text-rendering="geometricPrecision">
<text x="{padding}" y="14" textLength="{label_length}">{label}</text>
<text x="{value_x}" y="14" textLength="{value_length}">{value}</text>
</g>
</svg>
"""


def render_badge(state: str, *, result: Grade | None = None, score: int | None = None, label: str = LABEL) -> str:
    """The badge of a report as SVG.

    A report that has a score keeps its badge while it is analyzed again, and when that fails.

    Args:
        state: Of the report: ``queued``, ``running``, ``completed`` or ``failed``; or ``UNKNOWN``.
        result: Its grade; ``None``: none yet, or it is withheld.
        score: From 0 to 100; ``None``: none yet, or it is withheld.
        label: Before the verdict: the name of who publishes it.
    """
    value = _value(state, result, score)
    label = visible(label, _MAX_LABEL)
    label_length, value_length = _length(label), _length(value)
    left, right = _box(label), _box(value)
    return _SVG.format(
        width=left + right,
        left=left,
        label=html.escape(label),
        value=value,
        label_color=LABEL_COLOR,
        color=COLORS[result or "none"] if score is not None else COLORS["none"],
        padding=_PADDING,
        value_x=left + _PADDING,
        label_length=f"{label_length:.1f}",
        value_length=f"{value_length:.1f}",
    )


def badge_width(state: str, *, result: Grade | None = None, score: int | None = None, label: str = LABEL) -> int:
    """Return the width of the badge in pixels, so that a page can reserve it; arguments as for ``render_badge``."""
    return _box(visible(label, _MAX_LABEL)) + _box(_value(state, result, score))


def _value(state: str, result: Grade | None, score: int | None) -> str:
    if score is not None and result is not None:
        return f"{result} {max(0, min(int(score), 100))}"
    return _WITHOUT_SCORE.get(state, "pending")


def _box(text: str) -> int:
    """Return the width of the text with its padding."""
    return round(_length(text)) + 2 * _PADDING


def _length(text: str) -> float:
    """Width of the text in pixels."""
    return sum(_WIDTHS.get(letter, _OTHER) for letter in text) * _FONT_SIZE / _UNITS
