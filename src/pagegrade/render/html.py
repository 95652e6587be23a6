"""Reports as one self-contained HTML file: no scripts, nothing loaded, light and dark, on paper too."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

from pagegrade.model.report import Report
from pagegrade.render import view
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
) -> str:
    """The reports as a document that needs nothing but itself.

    Args:
        reports: At least one.
        comparisons: To the report at the same place, the difference from an older one.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    css = stylesheet()
    padded = [*comparisons, *[None] * (len(reports) - len(comparisons))]
    return (
        environment(tag)
        .get_template("report.html.jinja")
        .render(
            reports=[
                (in_language(report, tag), one and comparison_in_language(one, tag))
                for report, one in zip(reports, padded, strict=True)
            ],
            # Both are ours and hold no page text.
            css=Markup(css),  # noqa: S704
            policy=report_policy(),
            title=_title(reports, texts_for(tag)),
            extras=NOTHING,
        )
    )


@cache
def report_policy() -> str:
    """The content security policy of ``render_html``'s documents, for those who send them as an answer."""
    return content_policy(stylesheet())


def content_policy(css: str) -> str:
    """A policy for a document that has one style sheet inside it and loads nothing.

    The style sheet is named by its hash: no style that a page smuggled in could ever apply.
    """
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return _POLICY.format(digest=digest)


def _title(reports: Sequence[Report], texts: Texts) -> str:
    if len(reports) != 1:
        return f"Pagegrade: {texts.ngettext('%(num)s page', '%(num)s pages', len(reports))}"
    report = reports[0]
    score = texts.gettext(view.grade_word(report))
    if report.score is not None:
        score = texts.gettext("%(score)s of 100", score=report.score)
    return f"{visible(report.url, 100)}: {score} · Pagegrade"


@cache
def stylesheet() -> str:
    """The style sheet of reports."""
    return files("pagegrade.render").joinpath("templates/report.css").read_text(encoding="utf-8")
