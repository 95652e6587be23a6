"""A report as the ``<article>`` of a page, and two of its runs beside each other.

The same templates make the document that needs nothing but itself (``render.html``); a page adds what only a server
knows: earlier runs, addresses of its own, the reader's language and time zone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from pagegrade.model.report import Report
from pagegrade.render.finding_list import ReportQuery
from pagegrade.render.finding_texts import comparison_in_language, in_language
from pagegrade.render.history import RunPoint, finished
from pagegrade.render.i18n import Texts
from pagegrade.render.templating import environment
from pagegrade.report.compare import Comparison

__all__ = ["NOTHING", "Extras", "RunPoint", "render_article", "render_comparison"]


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
