"""Runs, and the comparison of two runs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import field

from pagegrade.model.outcome import Evidence, Importance
from pagegrade.model.rendering import RenderedPage
from pagegrade.model.report import (
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
from pagegrade.model.schema import Amount, Points, Timestamp, about
from pagegrade.model.stored import State, StoredRun
from pagegrade.render.history import why_not_compared
from pagegrade.report.codec import read_summary
from pagegrade.report.compare import Change as FoundChange
from pagegrade.report.serialize import Analysis, CheckResult
from pagegrade.service.reports.views import ComparedRuns, RunResults
from pagegrade.web.schemas.envelope import Answer, ListAnswer
from pagegrade.web.schemas.report import (
    ABSENT,
    NO_SUMMARY,
    RESULTS,
    DetailBytes,
    integer,
    moment,
    result_members,
)
from pagegrade.web.schemas.shape import Document, example_of


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


class RunAnswer(Answer, frozen=True, kw_only=True):
    """One run."""

    data: Annotated[Run, about("The run.")]


class RunList(ListAnswer, frozen=True, kw_only=True):
    """The runs of a report."""

    data: Annotated[list[RunItem], about("The runs of this page.")]


class ComparisonAnswer(Answer, frozen=True, kw_only=True):
    """Comparison of two runs."""

    data: Annotated[Comparison, about("The comparison.")]


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
