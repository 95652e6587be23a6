"""Pictures of a verdict in other places: the badge of a README, and the score card of a shared link.

A badge is a small SVG with the verdict and nothing else, above all no text of the page; the card is what networks and
messengers show for a link to a public report.
"""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from pagegrade.model.account import Brand
from pagegrade.model.report import CATEGORIES, Grade, Report
from pagegrade.parse.url import host
from pagegrade.render import view
from pagegrade.render.account import LIGHT_GROUND, NO_BRAND, PRODUCT_COLOR, color_on, shown_name
from pagegrade.render.escape import unicode_host, visible
from pagegrade.render.i18n import texts_for
from pagegrade.render.pdf import compile_template
from pagegrade.report.serialize import report_from_dict

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
WIDTH_PX: Final = 1200
HEIGHT_PX: Final = 630
"""Size that networks show whole (https://ogp.me/, and the documentation of each)."""
TEMPLATE: Final = Path(str(files("pagegrade.render"))) / "templates" / "card.typ"
_MAX_HOST: Final = 48
_POINTS_PER_INCH: Final = 72.0


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


def render_card(report_json: bytes, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
    """The card as PNG, from the JSON object of the HTTP interface.

    Like ``render_pdf`` a function of plain values, for a child process. Of the page it shows the host alone.

    Args:
        report_json: A completed report with a score.
        tag: Language of its words, one of ``i18n.LOCALES``.

    Raises:
        PDFNotInstalled: Typst is not installed.
        InvalidInput: It is no report.
        ValueError: It has no score.
    """
    report = report_from_dict(json.loads(report_json))
    if report.score is None:
        raise ValueError("a card shows a score")
    values = json.dumps(_values(report, report.score, tag, brand), ensure_ascii=False, allow_nan=False)
    return compile_template(TEMPLATE, {"card": values}, format="png", ppi=_POINTS_PER_INCH)


def _values(report: Report, score: int, tag: str, brand: Brand = NO_BRAND) -> dict[str, object]:
    texts = texts_for(tag)
    name = unicode_host(report.url) or host(report.url)
    return {
        "language": tag,
        "brand": {"name": visible(shown_name(brand), 60), "color": color_on(brand, LIGHT_GROUND) or PRODUCT_COLOR},
        "score": score,
        "grade": report.result or "none",
        "word": texts.gettext(view.grade_word(report)),
        "of_100": texts.gettext("of 100"),
        "title": view.verdict(report, texts),
        "host": visible(name, _MAX_HOST),
        "categories": [
            {
                "name": texts.gettext(view.CATEGORY_NAMES[category]),
                "score": "–" if known.score is None else texts.number(known.score),
                "grade": known.result or "none",
            }
            for category in CATEGORIES
            if (known := report.categories.get(category)) is not None
        ],
    }
