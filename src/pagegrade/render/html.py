"""A report as HTML: the ``<article>`` of a page, two of its runs beside each other, and one self-contained file.

The file has no scripts and loads nothing; it is light and dark, and made for paper, too. A page adds what only a server
knows: earlier runs, addresses of its own, the reader's language and time zone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from pagegrade.model.account import Brand
from pagegrade.model.report import Report
from pagegrade.render import view
from pagegrade.render.brand import NO_BRAND, brand_css, logo_url, shown_name
from pagegrade.render.escape import visible
from pagegrade.render.finding_list import ReportQuery
from pagegrade.render.finding_texts import comparison_in_language, in_language
from pagegrade.render.history import RunPoint, finished
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.templating import ENGLISH_TAG, environment
from pagegrade.report.compare import Comparison


def _no_check_url(check: str) -> str | None:  # noqa: ARG001 - of nothing, whatever is asked
    return None


class Extras(msgspec.Struct, frozen=True, kw_only=True):
    """Context of a page beside the report."""

    history: tuple[RunPoint, ...] = ()
    """Runs of the same report, newest first."""
    shown_number: int | None = None
    """The run whose report this is; ``None`` where runs have no numbers."""
    timezone: str = "UTC"
    """IANA name, for every time that is shown."""
    run_url: Callable[[int], str] | None = None
    """Number of a run -> where it is shown; ``None``: nowhere."""
    compare_url: Callable[[int, int], str] | None = None
    """(older, newer) -> where they are compared; ``None``: nowhere."""
    check_url: Callable[[str], str | None] = _no_check_url
    """Id of a check -> our page about it; ``None``: there is none, and its source is named instead."""
    picture_url: Callable[[str], str] | None = None
    """Name of a picture of the page -> its address; ``None``: it is not to be had."""
    finding_file: Callable[[str, str], str] | None = None
    """(``md`` or ``prompt``, id of a check) -> one finding as a file; ``None``: not to be had."""
    ignore_url: Callable[[str], str] | None = None
    """Id of a check -> the page where its finding is ignored; ``None``: not for this reader."""
    criterion_url: Callable[[str], str] | None = None
    """Number of a criterion -> the page where a person records its result; ``None``: not for this reader."""
    query: ReportQuery | None = None
    """State of the page; ``None``: everything stands on one page, below each other."""
    now_ms: int | None = None
    """The time now; ``None``: ages are not shown."""


NOTHING: Final = Extras()


def render_article(report: Report, texts: Texts, extras: Extras = NOTHING) -> Markup:
    """The whole report as an ``<article>`` with the page's ``<h1>``: completed, failed or blocked."""
    shown = in_language(report, texts.tag)
    return _macro(texts, "article.html.jinja", "article")(shown, _with_known_view(shown, extras))


def render_comparison(
    comparison: Comparison, before: RunPoint, after: RunPoint, texts: Texts, extras: Extras = NOTHING
) -> Markup:
    """Render the changes between two runs of a report as an ``<article>`` with the page's ``<h1>``."""
    shown = comparison_in_language(comparison, texts.tag)
    return _macro(texts, "comparison.html.jinja", "compared")(shown, before, after, extras)


def _with_known_view(report: Report, extras: Extras) -> Extras:
    """Return the findings in place of a view that has no tab here."""
    query = extras.query
    if query is None:
        return extras
    has_history = len(finished(extras.history)) > 1
    missing = (query.view == "score" and report.score is None) or (query.view == "history" and not has_history)
    return replace(extras, query=replace(query, view="findings")) if missing else extras


def _macro(texts: Texts, template: str, name: str) -> Callable[..., Markup]:
    macro: Callable[..., Markup] = getattr(environment(texts.tag).get_template(template).module, name)
    return macro


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
