"""What the pages around a report have in common: where they are, and what stands on them besides the report."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from pagegrade.model.report import CATEGORIES, Report
from pagegrade.model.stored import GRADES, UNFINISHED, StoredRun
from pagegrade.render.english import N_
from pagegrade.render.finding_list import ReportQuery
from pagegrade.render.i18n import Texts
from pagegrade.render.page import Extras, RunPoint, render_article, render_comparison
from pagegrade.render.pdf import is_installed
from pagegrade.report.codec import has_rendering
from pagegrade.service.catalogue import catalogue_names
from pagegrade.service.reports.history import Two
from pagegrade.service.reports.views import Viewed, compare_two, shown_report
from pagegrade.web.pages.html import View

FORMATS: Final[dict[str, str]] = {
    "pdf": N_("PDF, to print or to send"),
    "html": N_("HTML, a file that needs nothing else"),
    "csv": N_("CSV, for spreadsheets"),
    "json": N_("JSON, as the API has it"),
    "md": N_("Markdown, for tickets and wikis"),
    "prompt": N_("Prompt, for coding agents"),
    "sarif": N_("SARIF, for code scanning"),
}
"""Last segment of an export's address -> what it is, in the order of the menu."""
HAR: Final = "har"
"""Last segment of the export that only reports from a browser have."""
FASTEST_S: Final = 3
SLOWEST_S: Final = 30
_HAR: Final = N_("HAR, the browser's requests")
_PATIENCE: Final = 8
"""A page about work in progress asks again after an eighth of the time it has waited already."""


class _Error(msgspec.Struct):
    """The member of a run's error that its history shows."""

    code: str


class _Category(msgspec.Struct):
    """The member of a category that the history shows."""

    score: int | None = None


class _Summary(msgspec.Struct):
    """The member of a run's summary that its history shows."""

    uncapped_score: float | None = None
    categories: dict[str, _Category] = {}


_read_summary: Final = msgspec.json.Decoder(_Summary).decode
_read_error: Final = msgspec.json.Decoder(_Error).decode


@dataclass(frozen=True, slots=True)
class Addresses:
    """The pages of one report, for its owner or behind its link."""

    base: str
    """Of the report itself: ``/reports/7`` or ``/r/...``."""

    def run(self, number: int) -> str:
        """Of one of its runs."""
        return f"{self.base}/runs/{number}"

    def compare(self, before: int, after: int) -> str:
        """Of what changed between two runs."""
        return f"{self.base}/compare?from={before}&to={after}"

    def picture(self, name: str) -> str:
        """Of a picture of the page, of the run that the report shows."""
        return f"{self.base}/pictures/{name}"

    def export(self, name: str, number: int | None = None) -> str:
        """Of one of ``FORMATS``, of the report or of one of its runs."""
        return f"{self.base}/export/{name}" + ("" if number is None else f"?run={number}")

    def finding_file(self, name: str, check: str, number: int | None = None) -> str:
        """Of one finding in a format of ``FINDING_FORMATS``."""
        return f"{self.base}/export/{name}?check={quote(check)}" + ("" if number is None else f"&run={number}")

    def ignore(self, check: str) -> str:
        """Of the form that ignores the finding of a check, for its owner."""
        return f"{self.base}/ignore?check={quote(check)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A report as it stands on a page."""

    report: Report
    article: Markup


def point_of(run: StoredRun) -> RunPoint:
    """A run as the history of its report shows it."""
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
        engine=run.engine,
        at_ms=run.created_at_ms if run.finished_at_ms is None else run.finished_at_ms,
        error_code=None if run.error is None else _read_error(run.error).code,
    )


def timezone_of(view: View) -> str:
    """Of whoever looks, as far as that is known."""
    return "UTC" if view.caller is None else view.caller.account.timezone


async def draw(view: View, viewed: Viewed, addresses: Addresses, query: ReportQuery) -> Drawn | None:
    """The report that is shown, as the query of its page asks; ``None`` while its first analysis is under way."""
    return await asyncio.to_thread(_draw, view, viewed, addresses, query)


def _draw(view: View, viewed: Viewed, addresses: Addresses, query: ReportQuery) -> Drawn | None:
    shown = shown_report(viewed)
    if shown is None:
        return None
    return Drawn(report=shown, article=render_article(shown, view.texts, _extras(view, viewed, addresses, query)))


async def draw_comparison(view: View, viewed: Viewed, two: Two, addresses: Addresses) -> Markup:
    """What changed between two runs."""
    return await asyncio.to_thread(_draw_comparison, view, viewed, two, addresses)


def _draw_comparison(view: View, viewed: Viewed, two: Two, addresses: Addresses) -> Markup:
    comparison = compare_two(two, masked=viewed.masked)
    extras = _extras(view, viewed, addresses)
    return render_comparison(comparison, point_of(two.before), point_of(two.after), view.texts, extras)


def _extras(view: View, viewed: Viewed, addresses: Addresses, query: ReportQuery | None = None) -> Extras:
    return Extras(
        query=query,
        history=tuple(point_of(run) for run in viewed.runs),
        shown_number=viewed.shown_number,
        timezone=timezone_of(view),
        run_address=addresses.run,
        compare_address=addresses.compare,
        check_address=check_address,
        # Only the run that the report shows has pictures.
        finding_file=partial(addresses.finding_file, number=None if viewed.run is None else viewed.run.number),
        ignore_address=None if viewed.masked or viewed.run is not None else addresses.ignore,
        picture_address=addresses.picture if viewed.shown_number == viewed.report.run_number else None,
        # Others may keep the page until the report changes, and ages would not stay true.
        now_ms=None if viewed.masked else view.now_ms,
    )


def check_address(check: str) -> str | None:
    """Our page about a check; ``None`` for one that the catalogue does not have any more."""
    return f"/checks/{check}" if check in catalogue_names() else None


def export_links(texts: Texts, viewed: Viewed, addresses: Addresses) -> tuple[tuple[str, str], ...]:
    """(name, address) of what the report on the page can be taken away as."""
    number = None if viewed.run is None else viewed.run.number
    found = [
        (texts.gettext(name), addresses.export(key, number))
        for key, name in FORMATS.items()
        if key != "pdf" or (_has_results(viewed) and is_installed())
    ]
    if viewed.detail is not None and has_rendering(viewed.detail):
        found.append((texts.gettext(_HAR), addresses.export(HAR, number)))
    return tuple(found)


def _has_results(viewed: Viewed) -> bool:
    return viewed.has_results if viewed.run is None else viewed.run.state == "completed"


def waiting_header(viewed: Viewed, addresses: Addresses, now_ms: int) -> tuple[str, str]:
    """The header that makes a browser ask for the report again, without scripts, until there is something to show.

    It is a header and no ``<meta>``, which assistive technology and its tests take for a time limit.
    """
    asked_ms = max((run.created_at_ms for run in viewed.runs if run.state in UNFINISHED), default=now_ms)
    waited_s = max(0, now_ms - asked_ms) // 1000
    seconds = min(SLOWEST_S, max(FASTEST_S, waited_s // _PATIENCE))
    # The address says where to, or a query that tells what had been done before would stay.
    return ("Refresh", f"{seconds};url={addresses.base}")


def about(view: View, viewed: Viewed, addresses: Addresses) -> dict[str, Any]:
    """What every template about a report is told."""
    return {
        "stored": viewed.report,
        "viewed": viewed,
        "addresses": addresses,
        "exports": export_links(view.texts, viewed, addresses),
        "timezone": timezone_of(view),
        "unfinished": viewed.report.state in UNFINISHED,
        "newest": viewed.runs[0] if viewed.runs else None,
    }
