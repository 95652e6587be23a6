"""Shared context of the pages about a report: their URLs, and everything around the report itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from pagegrade.model.monitors import Crossing
from pagegrade.model.report import CATEGORIES, Report
from pagegrade.model.stored import GRADES, UNFINISHED, StoredRun
from pagegrade.render.english import N_
from pagegrade.render.finding_list import ReportQuery, lists_findings
from pagegrade.render.history import RunPoint
from pagegrade.render.html import Extras, render_article, render_comparison
from pagegrade.render.i18n import Texts
from pagegrade.report.codec import has_rendering
from pagegrade.service.catalogue import catalogue_names
from pagegrade.service.reports.views import Two, Viewed, compare_two, shown_report
from pagegrade.web.pages.html import View
from pagegrade.web.report_files import OF_SEVERAL, PAPERS, ZIPPED, is_offered

FORMATS: Final[dict[str, tuple[str, str]]] = {
    "pdf": (N_("PDF, A4"), N_("to print or to send")),
    "pdf-letter": (N_("PDF, Letter"), N_("to print or to send")),
    "html": (N_("HTML"), N_("one file that needs nothing else")),
    "conformance": (N_("Conformance report"), N_("WCAG 2.2 and EN 301 549")),
    "conformance-pdf": (N_("Conformance report, PDF"), N_("WCAG 2.2 and EN 301 549")),
    "statement": (N_("Accessibility statement"), N_("a draft to complete")),
    "csv": (N_("CSV"), N_("for spreadsheets")),
    "criteria": (N_("CSV by criterion"), N_("for spreadsheets")),
    "json": (N_("JSON"), N_("as the API has it")),
    "md": (N_("Markdown"), N_("for tickets and wikis")),
    "prompt": (N_("Prompt"), N_("for coding agents")),
    "sarif": (N_("SARIF"), N_("for code scanning")),
    "earl": (N_("EARL"), N_("for accessibility tools")),
}
"""Last segment of an export's path -> (name, purpose), in the order of the menu."""
ZIP: Final = {f"zip-{name}": name for name in ZIPPED}
"""Action on ticked reports -> format of the files in the ZIP that it returns, one for each."""
JOINED: Final = "joined-pdf"
"""Action on ticked reports that returns one PDF of all."""
HAR: Final = "har"
"""Last segment of the path of the export that only reports from a browser have."""
FASTEST_S: Final = 3
SLOWEST_S: Final = 30
_PATIENCE: Final = 8
"""A page with work in progress reloads after an eighth of the time it has waited already."""


class _Error(msgspec.Struct):
    """Member of a run's error for the history."""

    code: str


class _Category(msgspec.Struct):
    """Member of a category for the history."""

    score: int | None = None


class _Summary(msgspec.Struct):
    """Member of a run's summary for the history."""

    uncapped_score: float | None = None
    categories: dict[str, _Category] = {}


_read_summary: Final = msgspec.json.Decoder(_Summary).decode
_read_error: Final = msgspec.json.Decoder(_Error).decode


class ReportURLs(msgspec.Struct, frozen=True):
    """Paths of the pages of one report, for its owner or behind its share link."""

    base: str
    """Path of the report itself: ``/reports/7`` or ``/r/...``."""

    def run(self, number: int) -> str:
        """Return the path of one of its runs."""
        return f"{self.base}/runs/{number}"

    def compare(self, before: int, after: int) -> str:
        """Return the path of the comparison of two runs."""
        return f"{self.base}/compare?from={before}&to={after}"

    def picture(self, name: str) -> str:
        """Return the path of a picture of the page, for the run that the report shows."""
        return f"{self.base}/pictures/{name}"

    def export(self, name: str, number: int | None = None) -> str:
        """Return the path of an export in one of ``FORMATS``, of the report or of one of its runs."""
        return f"{self.base}/export/{name}" + ("" if number is None else f"?run={number}")

    def finding_file(self, name: str, check: str, number: int | None = None) -> str:
        """Return the path of one finding in a format of ``FINDING_FORMATS``."""
        return f"{self.base}/export/{name}?check={quote(check)}" + ("" if number is None else f"&run={number}")

    def ignore(self, check: str) -> str:
        """Return the path of the form that ignores the finding of a check, for the owner."""
        return f"{self.base}/ignore?check={quote(check)}"

    def criterion(self, number: str) -> str:
        """Return the path of the form that records the result of a success criterion, for the owner."""
        return f"{self.base}/criterion?number={quote(number)}"


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A rendered report."""

    report: Report
    article: Markup
    lists_findings: bool
    """True if there are findings, and the page lists them."""


def point_of(run: StoredRun, crossings: Sequence[Crossing] = ()) -> RunPoint:
    """Return a run as a point of the history of its report; ``crossings`` may be those of any run."""
    summary = _Summary() if run.summary is None else _read_summary(run.summary)
    return RunPoint(
        number=run.number,
        state=run.state,
        result=GRADES.get(run.rating or 0),
        score=run.score,
        exact=summary.uncapped_score,
        categories={
            name: known.score
            for name in CATEGORIES
            if (known := summary.categories.get(name)) is not None and known.score is not None
        },
        ruleset=run.ruleset,
        device=run.device,
        engine=run.engine,
        at_ms=run.created_at_ms if run.finished_at_ms is None else run.finished_at_ms,
        error_code=None if run.error is None else _read_error(run.error).code,
        crossings=tuple(crossing for crossing in crossings if crossing.run_number == run.number),
    )


def points_of(viewed: Viewed) -> tuple[RunPoint, ...]:
    """Return the runs of the report as points of its history, newest first."""
    return tuple(point_of(run, viewed.crossings) for run in viewed.runs)


def timezone_of(view: View) -> str:
    """Return the time zone of the user; UTC if anonymous."""
    return "UTC" if view.caller is None else view.caller.person.timezone


async def draw(view: View, viewed: Viewed, urls: ReportURLs, query: ReportQuery) -> Drawn | None:
    """Render the report as the query of its page selects; ``None`` before its first analysis has ended."""
    return await asyncio.to_thread(_draw, view, viewed, urls, query)


def _draw(view: View, viewed: Viewed, urls: ReportURLs, query: ReportQuery) -> Drawn | None:
    shown = shown_report(viewed)
    if shown is None:
        return None
    return Drawn(
        report=shown,
        article=render_article(shown, view.texts, _extras(view, viewed, urls, query)),
        lists_findings=lists_findings(shown, query),
    )


async def draw_comparison(view: View, viewed: Viewed, two: Two, urls: ReportURLs) -> Markup:
    """Render the comparison of two runs."""
    return await asyncio.to_thread(_draw_comparison, view, viewed, two, urls)


def _draw_comparison(view: View, viewed: Viewed, two: Two, urls: ReportURLs) -> Markup:
    comparison = compare_two(two, masked=viewed.masked)
    extras = _extras(view, viewed, urls)
    return render_comparison(comparison, point_of(two.before), point_of(two.after), view.texts, extras)


def _extras(view: View, viewed: Viewed, urls: ReportURLs, query: ReportQuery | None = None) -> Extras:
    is_newest = not viewed.masked and viewed.run is None
    return Extras(
        query=query,
        history=points_of(viewed),
        shown_number=viewed.shown_number,
        timezone=timezone_of(view),
        run_url=urls.run,
        compare_url=urls.compare,
        check_url=check_url,
        # Only the run that the report shows has pictures.
        finding_file=partial(urls.finding_file, number=None if viewed.run is None else viewed.run.number),
        ignore_url=urls.ignore if is_newest and view.may("ask_to_ignore") else None,
        criterion_url=urls.criterion if is_newest and view.may("ask_for_result") else None,
        picture_url=urls.picture if viewed.shown_number == viewed.report.run_number else None,
        # Other clients may cache the page until the report changes, and relative ages would become wrong.
        now_ms=None if viewed.masked else view.now_ms,
    )


def check_url(check: str) -> str | None:
    """Return the path of the page about a check; ``None`` if the catalogue no longer has it."""
    return f"/checks/{check}" if check in catalogue_names() else None


def export_links(texts: Texts, viewed: Viewed, urls: ReportURLs) -> tuple[tuple[str, str, str], ...]:
    """Return (name, purpose, path) of the exports of the report on the page."""
    number = None if viewed.run is None else viewed.run.number
    found = [
        (texts.gettext(name), texts.gettext(purpose), urls.export(key, number))
        for key, (name, purpose) in FORMATS.items()
        if is_offered(key) and (key not in PAPERS or _has_results(viewed))
    ]
    if viewed.detail is not None and has_rendering(viewed.detail):
        found.append((texts.gettext("HAR"), texts.gettext("the browser's requests"), urls.export(HAR, number)))
    return tuple(found)


def menus_of_several(texts: Texts) -> tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]:
    """Menus of files about several reports: (name, (action, name, purpose) of each file); one file is no menu."""

    def offered(formats: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
        return tuple(
            (action, texts.gettext(FORMATS[key][0]), texts.gettext(FORMATS[key][1]))
            for action, key in formats.items()
            if is_offered(key)
        )

    return (
        (texts.gettext("Accessibility documents"), offered(dict(zip(OF_SEVERAL, OF_SEVERAL, strict=True)))),
        (texts.gettext("Files as ZIP"), offered(ZIP)),
        *([(texts.gettext("One PDF"), ((JOINED, "", ""),))] if is_offered("pdf") else []),
    )


def _has_results(viewed: Viewed) -> bool:
    return viewed.has_results if viewed.run is None else viewed.run.state == "completed"


def waiting_header(viewed: Viewed, urls: ReportURLs, now_ms: int) -> tuple[str, str]:
    """Return the header that makes a browser reload the report, without scripts, until its analysis has ended.

    It is a header and not a ``<meta>`` element, which accessibility tests report as a time limit.
    """
    asked_ms = max((run.created_at_ms for run in viewed.runs if run.state in UNFINISHED), default=now_ms)
    return refresh_header(urls.base, now_ms - asked_ms)


def refresh_header(url: str, waited_ms: int) -> tuple[str, str]:
    """Return the header that makes a browser reload a page whose work has been waited for so long."""
    seconds = min(SLOWEST_S, max(FASTEST_S, max(0, waited_ms) // 1000 // _PATIENCE))
    # The URL is explicit, so that the message about the previous action in the query is dropped.
    return ("Refresh", f"{seconds};url={url}")


def about(view: View, viewed: Viewed, urls: ReportURLs) -> dict[str, Any]:
    """Return the values that every template about a report needs."""
    return {
        "stored": viewed.report,
        "viewed": viewed,
        "urls": urls,
        "exports": export_links(view.texts, viewed, urls),
        "timezone": timezone_of(view),
        "unfinished": viewed.report.state in UNFINISHED,
        "newest": viewed.runs[0] if viewed.runs else None,
    }
