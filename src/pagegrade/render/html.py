"""Reports as one self-contained HTML file: no scripts, nothing loaded, light and dark, on paper too."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

from pagegrade.model.account import Brand
from pagegrade.model.report import Report
from pagegrade.render import view
from pagegrade.render.brand import NO_BRAND, brand_css, logo_url, shown_name
from pagegrade.render.escape import visible
from pagegrade.render.finding_texts import comparison_in_language, in_language
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.page import NOTHING
from pagegrade.render.templating import ENGLISH_TAG, environment
from pagegrade.report.compare import Comparison

_POLICY: Final = "default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


def render_html(
    reports: Sequence[Report],
    *,
    comparisons: Sequence[Comparison | None] = (),
    tag: str = ENGLISH_TAG,
    brand: Brand = NO_BRAND,
) -> str:
    """The reports as a document that needs nothing but itself.

    Args:
        reports: At least one.
        comparisons: To the report at the same place, the difference from an older one.
        tag: Language of the document, one of ``i18n.LOCALES``.
        brand: Look of whose document it is.
    """
    padded = [*comparisons, *[None] * (len(reports) - len(comparisons))]
    return (
        environment(tag)
        .get_template("report.html.jinja")
        .render(
            reports=[
                (in_language(report, tag), one and comparison_in_language(one, tag))
                for report, one in zip(reports, padded, strict=True)
            ],
            title=_title(reports, texts_for(tag), shown_name(brand)),
            extras=NOTHING,
            **look(brand),
        )
    )


def look(brand: Brand) -> dict[str, object]:
    """Values for the templates of documents that need nothing but themselves: style sheet, policy, name and logo."""
    css = stylesheet() + brand_css(brand.color)
    # Ours, and without text of a page.
    return {"css": Markup(css), "policy": content_policy(css), "brand": brand, "logo": logo_url(brand)}  # noqa: S704


def content_policy(css: str) -> str:
    """A policy for a document that has one style sheet inside it and loads nothing.

    The style sheet is named by its hash: no style that a page smuggled in could ever apply.
    """
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return _POLICY.format(digest=digest)


def _title(reports: Sequence[Report], texts: Texts, name: str) -> str:
    if len(reports) != 1:
        return f"{name}: {texts.ngettext('%(num)s page', '%(num)s pages', len(reports))}"
    report = reports[0]
    score = texts.gettext(view.grade_word(report))
    if report.score is not None:
        score = texts.gettext("%(score)s of 100", score=report.score)
    return f"{visible(report.url, 100)}: {score} · {name}"


@cache
def stylesheet() -> str:
    """The style sheet of reports."""
    return files("pagegrade.render").joinpath("templates/report.css").read_text(encoding="utf-8")
