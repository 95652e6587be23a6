"""The score card of a public report: the picture that networks and messengers show for a link to it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from pagegrade.model.account import Brand
from pagegrade.model.report import CATEGORIES, Report
from pagegrade.parse.url import host
from pagegrade.render import view
from pagegrade.render.brand import LIGHT_GROUND, NO_BRAND, PRODUCT_COLOR, color_on, shown_name
from pagegrade.render.escape import unicode_host, visible
from pagegrade.render.i18n import texts_for
from pagegrade.render.pdf import compile_template
from pagegrade.report.serialize import report_from_dict

WIDTH_PX: Final = 1200
HEIGHT_PX: Final = 630
"""Size that networks show whole (https://ogp.me/, and the documentation of each)."""
TEMPLATE: Final = Path(str(files("pagegrade.render"))) / "templates" / "card.typ"
_MAX_HOST: Final = 48
_POINTS_PER_INCH: Final = 72.0


def render_card(report_json: bytes, tag: str = "en", brand: Brand = NO_BRAND) -> bytes:
    """The card as PNG, from the JSON object of the HTTP interface.

    Like ``render_pdf`` a function of plain values, for a child process. Of the page it shows the host alone.

    Args:
        report_json: A completed report with a score.
        tag: Language of its words, one of ``i18n.LOCALES``.
        brand: Look of whose report it is.

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
