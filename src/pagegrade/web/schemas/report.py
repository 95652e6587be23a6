"""Reports and their runs, and the comparison of two runs."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from pagegrade.model.outcome import Evidence, Importance
from pagegrade.model.rendering import RenderedPage
from pagegrade.model.report import (
    REPORT_VERSION,
    AppliedCap,
    Category,
    CategoryScore,
    Counts,
    Failure,
    Grade,
    IgnoredTotal,
    PageFacts,
    RunFacts,
    Withheld,
)
from pagegrade.model.schema import URL, Amount, Points, Timestamp, about
from pagegrade.model.stored import GRADES, State, StoredReport, StoredRun
from pagegrade.render.history import why_not_compared
from pagegrade.report.codec import Summary, detail_members, read_summary
from pagegrade.report.compare import Change as FoundChange
from pagegrade.report.serialize import Analysis, CheckResult, timestamp
from pagegrade.service.reports.views import ComparedRuns, RunResults
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted, numbered_list
from pagegrade.web.schemas.shape import Document, example_of

RESULTS: Final[dict[int | None, bytes]] = {rating: f'"{grade}"'.encode() for rating, grade in GRADES.items()}
"""Rating of a report or run -> its result in JSON; ratings that are not in it are null."""
_NULL: Final = msgspec.Raw(b"null")
NO_SUMMARY: Final = Summary(
    version=msgspec.Raw(str(REPORT_VERSION).encode()),
    final_url=_NULL,
    uncapped_score=_NULL,
    coverage=_NULL,
    caps=msgspec.Raw(b"[]"),
    counts=_NULL,
    categories=msgspec.Raw(b"{}"),
    run=_NULL,
)
"""Members of what has no results yet."""
_NO_DETAIL: Final = b'"results":null,"page":null,"rendered":null'


class Absent(Enum):
    """Not asked for, as opposed to not there."""

    ABSENT = 0


ABSENT: Final = Absent.ABSENT
DetailBytes = bytes | Absent | None
"""JSON object with ``results`` and ``page``; ``None``: there are none, ``ABSENT``: leave the members out."""
Part = bytes | memoryview | msgspec.Raw
"""A piece of a JSON document."""


_STATIC: Final = b',"rendered":null'


def result_members(
    summary: Summary, detail: DetailBytes, number: int | None, pending_run: int | None = None
) -> tuple[Part, ...]:
    """From ``uncapped_score`` to ``run``: what reports and runs have in common.

    Args:
        pending_run: Number of the run in a browser that follows it by itself; ``None``: none does.
    """
    whole: tuple[Part, ...] = ()
    if not isinstance(detail, Absent):
        whole = (b",", _NO_DETAIL if detail is None else detail_members(detail))
    if pending_run is not None:
        # A run that another one follows is static: its detail ends like this.
        static = whole and bytes(whole[1][-len(_STATIC) :]) == _STATIC
        whole = (*whole[:1], whole[1][: -len(_STATIC)]) if static else ()
        whole = (*whole, b',"rendered":{"state":"pending","run":%d}' % pending_run)
    run = bytes(summary.run)
    if number is not None and run != b"null":
        run = b'{"number":%d,' % number + run[1:]
    return (
        b',"uncapped_score":',
        summary.uncapped_score,
        b',"coverage":',
        summary.coverage,
        b',"withheld":',
        summary.withheld,
        b',"analysis":',
        summary.analysis,
        b',"ignored":',
        summary.ignored,
        b',"caps":',
        summary.caps,
        b',"counts":',
        summary.counts,
        b',"categories":',
        summary.categories,
        *whole,
        b',"run":',
        run,
    )


def integer(number: int | None) -> bytes:
    """Return a number in JSON."""
    return b"null" if number is None else b"%d" % number


@lru_cache(maxsize=4_096)
def moment(at_ms: int | None) -> bytes:
    """Return a point in time in JSON."""
    return b"null" if at_ms is None else f'"{timestamp(at_ms)}"'.encode()


_REPORT: Final = "https://reports.example.org"
_DEVICE: Final = {None: b"null", "mobile": b'"mobile"', "desktop": b'"desktop"'}
_encode: Final = msgspec.json.Encoder().encode


class RenderedPending(Document, frozen=True, kw_only=True):
    """A run in a browser that follows the static one by itself, and has not ended."""

    state: Annotated[Literal["pending"], about("The run waits or is under way.", "pending")]
    run: Annotated[int, about("Number of the run.", 2, minimum=1)]


class ReportItem(Document, frozen=True, kw_only=True):
    """A report as an item of a list.

    `state` describes the last analysis; `result`, `score` and their details describe the last successful one and are
    null until there is one. A failed re-run keeps the old results and sets `error`.
    """

    id: Annotated[int, about("Unique number; increases with every new report.", 1042, minimum=1)]
    object: Annotated[Literal["report"], about("The kind of object.", "report")]
    version: Annotated[int, about("Version of the report's format.", 1)]
    url: Annotated[URL, about("URL to analyze, in canonical form.", "https://example.com/pricing")]
    final_url: Annotated[str | None, about("URL after redirects.", "https://example.com/pricing/")]
    project: Annotated[str, about("Host of the URL, without `www.`.", "example.com")]
    privacy: Annotated[
        Literal[0, 1, 2],
        about("Readers of the share page: 0 anyone with the link, 1 the account only, 2 by password.", 2),
    ]
    password: Annotated[bool, about("True if a password is set.", True)]  # noqa: FBT003
    render: Annotated[
        Literal[0, 1] | None,
        about("1: a browser draws the page, 0: none does; null: as the installation decides.", None),
    ]
    device: Annotated[
        Literal["mobile", "desktop"] | None,
        about("Device that a browser is to imitate; null: the default, `mobile`.", None),
    ]
    state: Annotated[State, about("State of the last analysis.", "completed")]
    result: Annotated[Grade | None, about("Good, decent or bad; null without a score.", "decent")]
    score: Annotated[Points | None, about("0 to 100; null if withheld or without results.", 74)]
    uncapped_score: Annotated[
        float | None, about("100 minus the points lost in all categories, before caps and rounding.", 74.3)
    ]
    coverage: Annotated[
        float | None,
        about("Share of the possible penalties of what applies that could be evaluated.", 0.98, minimum=0, maximum=1),
    ]
    withheld: Annotated[Withheld | None, about("Reason why a completed report has no score; null if it has one.", None)]
    analysis: Annotated[Analysis, about("The engine that produced the results.")]
    ignored: Annotated[
        IgnoredTotal | None, about("Effect of ignore rules on the score; null if no finding is ignored.", None)
    ]
    caps: Annotated[list[AppliedCap], about("Findings that limit the score.")]
    counts: Annotated[Counts | None, about("Number of checks by outcome.")]
    categories: Annotated[
        dict[Category, CategoryScore], about("Category → how the page does in it; empty before there are results.")
    ]
    run: Annotated[RunFacts | None, about("The analysis that the results come from.")]
    error: Annotated[Failure | None, about("Reason why the last analysis failed; null if it did not.", None)]
    share_url: Annotated[URL, about("URL of the share page.", f"{_REPORT}/r/9fK2vQ7xLmB3dT0aYw5cZg")]
    generated_at: Annotated[Timestamp | None, about("Time of the results.", "2026-01-05T12:34:56.789Z")]
    created_at: Annotated[Timestamp, about("Time of creation.", "2026-01-02T08:00:00.000Z")]
    updated_at: Annotated[Timestamp, about("Time of the last change.", "2026-01-05T12:34:56.789Z")]


class ListedReport(ReportItem, frozen=True, kw_only=True):
    """A report as an item of a list; complete with `include=results`."""

    results: (
        Annotated[dict[str, CheckResult] | None, about("Only with `include=results`: check id → what it says.")]
        | UnsetType
    ) = UNSET
    page: Annotated[PageFacts | None, about("Only with `include=results`: figures of the page.")] | UnsetType = UNSET
    rendered: (
        Annotated[
            RenderedPage | RenderedPending | None,
            about(
                "While a run in a browser follows by itself: its number. Else only with `include=results`: the page "
                "in it."
            ),
        ]
        | UnsetType
    ) = UNSET


class Report(ReportItem, frozen=True, kw_only=True):
    """A complete report."""

    results: Annotated[
        dict[str, CheckResult] | None,
        about("Check id → what it says; null until there are results.", {"title-length": example_of(CheckResult)}),
    ]
    page: Annotated[PageFacts | None, about("Figures of the page; null until it was loaded.")]
    rendered: Annotated[
        RenderedPage | RenderedPending | None,
        about("The page in a browser; null if none was used. While a run in a browser follows by itself: its number."),
    ]


def unfinished(report: dict[str, Any]) -> dict[str, Any]:
    """Return the example ``report`` in its state before the first analysis has ended."""
    nothing = dict.fromkeys(
        (
            "final_url",
            "result",
            "score",
            "uncapped_score",
            "coverage",
            "withheld",
            "ignored",
            "counts",
            "run",
            "generated_at",
        )
    )
    absent = {name: None for name in ("results", "page", "rendered") if name in report}
    return report | nothing | absent | {"state": "queued", "caps": [], "categories": {}, "error": None}


ReportAnswer: Final = answer_with("ReportAnswer", Report, "One report.", "The report.")
ReportList: Final = cursor_list("ReportList", ListedReport, "Reports.", "The reports of this page.")
DeletedReport: Final = deleted("DeletedReport", "report", "a report was deleted", "The deleted report.", 1042)


def share_url(base_url: str, slug: str) -> str:
    """URL of the share page."""
    return f"{base_url}/r/{slug}"


_items: Final[dict[tuple[str, str], tuple[StoredReport, bytes]]] = {}
"""Slug and base URL -> a report as it was, and its JSON object without results."""
ITEMS: Final = 2_000
"""Number of items that are kept: a few megabytes."""


def report_item(stored: StoredReport, *, base_url: str) -> bytes:
    """The JSON object of a report as an item of a list; the latest ones are kept."""
    key = (stored.slug, base_url)
    kept = _items.get(key)
    if kept is not None and kept[0] == stored:
        return kept[1]
    if len(_items) >= ITEMS:
        _items.clear()
    item = report_object(stored, base_url=base_url, detail=ABSENT)
    _items[key] = stored, item
    return item


def report_object(stored: StoredReport, *, base_url: str, detail: DetailBytes) -> bytes:
    """The JSON object of a report; see ``report_parts``."""
    return b"".join(report_parts(stored, base_url=base_url, detail=detail))


def report_parts(stored: StoredReport, *, base_url: str, detail: DetailBytes) -> tuple[Part, ...]:
    """The JSON object of a report in parts: to copy a long one takes as long as everything else about showing it.

    Args:
        base_url: Public origin, without a slash at the end.
        detail: Of the run it shows.
    """
    summary = NO_SUMMARY if stored.summary is None else read_summary(stored.summary)
    return (
        b'{"id":%d,"object":"report","version":' % stored.id,
        summary.version,
        b',"url":',
        _encode(stored.url),
        b',"final_url":',
        summary.final_url,
        b',"project":',
        _encode(stored.project),
        b',"privacy":%d,"password":' % stored.privacy,
        b"false" if stored.password_hash is None else b"true",
        b',"render":',
        integer(stored.render),
        b',"device":',
        _DEVICE[stored.device],
        b',"state":"',
        stored.state.encode(),
        b'","result":',
        RESULTS.get(stored.rating, b"null"),
        b',"score":',
        integer(stored.score),
        *result_members(summary, detail, stored.run_number, stored.pending_run),
        b',"error":',
        stored.error or b"null",
        b',"share_url":',
        _encode(share_url(base_url, stored.slug)),
        b',"generated_at":',
        moment(stored.generated_at_ms),
        b',"created_at":',
        moment(stored.created_at_ms),
        b',"updated_at":',
        moment(stored.updated_at_ms),
        b"}",
    )


class RunItem(Document, frozen=True, kw_only=True):
    """One analysis of a report as an item of a list. A finished run never changes."""

    object: Annotated[Literal["run"], about("The kind of object.", "run")]
    report_id: Annotated[int, about("The report it belongs to.", 1042, minimum=1)]
    number: Annotated[int, about("Number of the run within the report, from 1.", 3, minimum=1)]
    state: Annotated[State, about("State of the run.", "completed")]
    final_url: Annotated[str | None, about("URL after redirects.", "https://example.com/pricing/")]
    result: Annotated[Grade | None, about("Good, decent or bad; null without results.", "decent")]
    score: Annotated[Points | None, about("0 to 100.", 74)]
    uncapped_score: Annotated[
        float | None, about("100 minus the points lost in all categories, before caps and rounding.", 74.3)
    ]
    coverage: Annotated[
        float | None, about("Share of the possible penalties that could be evaluated.", 0.98, minimum=0, maximum=1)
    ]
    withheld: Annotated[Withheld | None, about("Reason why a completed run has no score; null if it has one.", None)]
    analysis: Annotated[Analysis, about("The engine that produced the results.")]
    ignored: Annotated[
        IgnoredTotal | None, about("Effect of ignore rules on the score; null if no finding is ignored.", None)
    ]
    caps: Annotated[list[AppliedCap], about("Findings that limit the score.")]
    counts: Annotated[Counts | None, about("Number of checks by outcome.")]
    categories: Annotated[dict[Category, CategoryScore], about("Scores by category.")]
    run: Annotated[RunFacts | None, about("Version, ruleset and duration of the analysis; null until it has ended.")]
    error: Annotated[Failure | None, about("Reason why the run failed; null if it did not.", None)]
    created_at: Annotated[Timestamp, about("Time of creation.", "2026-01-05T12:34:54.900Z")]
    started_at: Annotated[
        Timestamp | None, about("Time of the last start; null while queued.", "2026-01-05T12:34:54.949Z")
    ]
    finished_at: Annotated[Timestamp | None, about("Time of the end; null before it.", "2026-01-05T12:34:56.789Z")]


class Run(RunItem, frozen=True, kw_only=True):
    """One complete analysis of a report."""

    results: Annotated[
        dict[str, CheckResult] | None,
        about("Check id → what it says; null without results.", {"title-length": example_of(CheckResult)}),
    ]
    page: Annotated[PageFacts | None, about("Figures of the page; null if it was not loaded.")]
    rendered: Annotated[RenderedPage | None, about("The page in a browser; null if none was used.")]


class Change(Document, frozen=True, kw_only=True):
    """A new, fixed or remaining finding."""

    check: Annotated[str, about("Id of the check.", "title-length")]
    title: Annotated[str, about("The finding or its fix as a heading.", "Title is too long for search results")]
    category: Annotated[Category, about("Category of the check.", "seo")]
    importance: Annotated[Importance, about("Importance of the finding; of the check where nothing was found.", "high")]
    state: Annotated[str | None, about("State defined by the check.", "too_long")]
    lost: Annotated[Amount, about("Points lost.", 1.55)]
    counted_in: Annotated[
        str | None, about("Check whose finding this one is counted in; null: it is one of its own.", None)
    ]
    message: Annotated[
        str, about("The finding in one sentence.", "The title has 79 characters; search cuts it near 60.")
    ]
    evidence: Annotated[Evidence | None, about("Location of the finding; null: the page as a whole.")]


class NotComparable(Document, frozen=True, kw_only=True):
    """A check whose outcomes cannot be compared."""

    check: Annotated[str, about("Id of the check.", "sitemap")]
    reason: Annotated[str, about("Reason in one sentence.", "The check could not be evaluated in the older report.")]


class Comparison(Document, frozen=True, kw_only=True):
    """Comparison of two runs of a report."""

    object: Annotated[Literal["comparison"], about("The kind of object.", "comparison")]
    report_id: Annotated[int, about("The report whose runs are compared.", 1042, minimum=1)]
    from_: Annotated[int, about("Number of the older run.", 2, minimum=1)] = field(name="from")
    to: Annotated[int, about("Number of the newer run.", 3, minimum=1)]
    score_before: Annotated[Points | None, about("Score of the older run.", 71)]
    score_after: Annotated[Points | None, about("Score of the newer run.", 74)]
    uncapped_score_before: Annotated[
        float | None,
        about(
            "Score of the older run before caps and rounding, in tenths: it differs where the whole scores hide a "
            "change.",
            71.3,
        ),
    ]
    uncapped_score_after: Annotated[float | None, about("The same of the newer run.", 74.0)]
    comparable: Annotated[
        bool,
        about(
            "True if the same engine, device and rules made both runs; if not, nothing is compared: all lists are "
            "empty.",
            True,  # noqa: FBT003
        ),
    ]
    differs_in: Annotated[
        list[Literal["engine", "device", "ruleset"]],
        about("What keeps the runs from being compared; empty if they are.", []),
    ]
    reason: Annotated[str | None, about("The same in words; null if they are compared.", None)]
    same_ruleset: Annotated[bool, about("True if both runs were evaluated by the same rules.", True)]  # noqa: FBT003
    same_final_url: Annotated[bool, about("True if the URL led to the same page both times.", True)]  # noqa: FBT003
    new: Annotated[list[Change], about("Findings of the newer run only.")]
    fixed: Annotated[list[Change], about("Findings of the older run only.", [])]
    still: Annotated[list[Change], about("Findings of both runs.", [])]
    worse: Annotated[
        list[str],
        about(
            "Checks whose finding is more severe now, or whose list was too long to be kept whole and is longer now.",
            [],
        ),
    ]
    not_comparable: Annotated[
        list[NotComparable],
        about("Checks that one of the two cannot speak for, as a whole or for some of their places."),
    ]


RunAnswer: Final = answer_with("RunAnswer", Run, "One run.", "The run.")
RunList: Final = numbered_list("RunList", RunItem, "The runs of a report.", "The runs of this page.")
ComparisonAnswer: Final = answer_with("ComparisonAnswer", Comparison, "Comparison of two runs.", "The comparison.")


def run_item(run: StoredRun) -> bytes:
    """The JSON object of a run as an item of a list."""
    return _run_object(run, ABSENT)


def run_object(found: RunResults) -> bytes:
    """The JSON object of a run, whole."""
    return _run_object(found.run, found.detail)


def _run_object(run: StoredRun, detail: DetailBytes) -> bytes:
    summary = NO_SUMMARY if run.summary is None else read_summary(run.summary)
    return b"".join((
        b'{"object":"run","report_id":%d,"number":%d,"state":"' % (run.report_id, run.number),
        run.state.encode(),
        b'","final_url":',
        summary.final_url,
        b',"result":',
        RESULTS.get(run.rating, b"null"),
        b',"score":',
        integer(run.score),
        *result_members(summary, detail, run.number),
        b',"error":',
        run.error or b"null",
        b',"created_at":',
        moment(run.created_at_ms),
        b',"started_at":',
        moment(run.started_at_ms),
        b',"finished_at":',
        moment(run.finished_at_ms),
        b"}",
    ))  # fmt: skip


def comparison_object(compared: ComparedRuns) -> bytes:
    """The JSON object of what changed from one run to another."""
    comparison = compared.comparison
    return msgspec.json.encode(
        Comparison(
            object="comparison",
            report_id=compared.report_id,
            from_=compared.before,
            to=compared.after,
            score_before=comparison.score_before,
            score_after=comparison.score_after,
            uncapped_score_before=_tenths(comparison.exact_before),
            uncapped_score_after=_tenths(comparison.exact_after),
            comparable=comparison.is_comparable,
            differs_in=list(comparison.differs_in),
            reason=why_not_compared(*comparison.bases) or None,
            same_ruleset="ruleset" not in comparison.differs_in,
            same_final_url=comparison.same_final_url,
            new=[_change(change) for change in comparison.new],
            fixed=[_change(change) for change in comparison.fixed],
            still=[_change(change) for change in comparison.still],
            worse=[result.check for result in comparison.worse],
            not_comparable=[NotComparable(check=one.check, reason=one.reason) for one in comparison.not_comparable],
        )
    )


def _tenths(points: float | None) -> float | None:
    """A score with one decimal; reports of ruleset 2026.1 have more."""
    return None if points is None else round(points, 1)


def _change(change: FoundChange) -> Change:
    result = change.result
    return Change(
        check=result.check,
        title=result.title,
        category=result.category,
        importance=result.importance,
        state=result.state,
        counted_in=result.counted_in,
        lost=result.lost,
        message=result.message,
        evidence=change.evidence,
    )
