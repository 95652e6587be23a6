"""Runs, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from pydantic import Field

from pagegrade.model.outcome import Importance
from pagegrade.model.report import Category
from pagegrade.model.stored import State, StoredRun
from pagegrade.render.comparison_notes import why_not_compared
from pagegrade.report.codec import read_summary
from pagegrade.report.compare import Change as FoundChange
from pagegrade.report.serialize import evidence_to_dict
from pagegrade.service.reports.history import ComparedRuns, RunResults
from pagegrade.web.schemas.envelope import Answer, ListAnswer
from pagegrade.web.schemas.rendered import Analysis, RenderedPage
from pagegrade.web.schemas.results import (
    ABSENT,
    NO_SUMMARY,
    RESULTS,
    Cap,
    CategoryScore,
    CheckResult,
    Counts,
    DetailBytes,
    Evidence,
    Failure,
    IgnoredTotal,
    Page,
    RunFacts,
    Withheld,
    integer,
    moment,
    result_members,
)
from pagegrade.web.schemas.shape import Amount, Document, Points, Result, Timestamp, about, example_of


class RunItem(Document):
    """One analysis of a report as an item of a list. A finished run never changes."""

    object: Literal["run"] = about("The kind of object.", "run")
    report_id: int = about("The report it belongs to.", 1042, ge=1)
    number: int = about("Number of the run within the report, from 1.", 3, ge=1)
    state: State = about("State of the run.", "completed")
    final_url: str | None = about("URL after redirects.", "https://example.com/pricing/")
    result: Result | None = about("Good, decent or bad; null without results.", "decent")
    score: Points | None = about("0 to 100.", 74)
    uncapped_score: float | None = about("100 minus the points lost in all categories, before caps and rounding.", 74.3)
    coverage: float | None = about("Share of the possible penalties that could be evaluated.", 0.98, ge=0, le=1)
    withheld: Withheld | None = about("Reason why a completed run has no score; null if it has one.", None)
    analysis: Analysis = about("The engine that produced the results.")
    ignored: IgnoredTotal | None = about("Effect of ignore rules on the score; null if no finding is ignored.", None)
    caps: list[Cap] = about("Findings that limit the score.")
    counts: Counts | None = about("Number of checks by outcome.")
    categories: dict[Category, CategoryScore] = about("Scores by category.")
    run: RunFacts | None = about("Version, ruleset and duration of the analysis; null until it has ended.")
    error: Failure | None = about("Reason why the run failed; null if it did not.", None)
    created_at: Timestamp = about("Time of creation.", "2026-01-05T12:34:54.900Z")
    started_at: Timestamp | None = about("Time of the last start; null while queued.", "2026-01-05T12:34:54.949Z")
    finished_at: Timestamp | None = about("Time of the end; null before it.", "2026-01-05T12:34:56.789Z")


class Run(RunItem):
    """One complete analysis of a report."""

    results: dict[str, CheckResult] | None = about(
        "Check id → what it says; null without results.", {"title-length": example_of(CheckResult)}
    )
    page: Page | None = about("Figures of the page; null if it was not loaded.")
    rendered: RenderedPage | None = about("The page in a browser; null if none was used.")


class Change(Document):
    """A new, fixed or remaining finding."""

    check: str = about("Id of the check.", "title-length")
    title: str = about("The finding or its fix as a heading.", "Title is too long for search results")
    category: Category = about("Category of the check.", "seo")
    importance: Importance = about("Importance of the finding; of the check where nothing was found.", "high")
    state: str | None = about("State defined by the check.", "too_long")
    lost: Amount = about("Points lost.", 1.55)
    message: str = about("The finding in one sentence.", "The title has 79 characters; search cuts it near 60.")
    evidence: Evidence | None = about("Location of the finding; null: the page as a whole.")


class NotComparable(Document):
    """A check whose outcomes cannot be compared."""

    check: str = about("Id of the check.", "sitemap")
    reason: str = about("Reason in one sentence.", "The check could not be evaluated in the older report.")


class Comparison(Document):
    """Comparison of two runs of a report."""

    object: Literal["comparison"] = about("The kind of object.", "comparison")
    report_id: int = about("The report whose runs are compared.", 1042, ge=1)
    from_: int = Field(alias="from", description="Number of the older run.", examples=[2], ge=1)
    to: int = about("Number of the newer run.", 3, ge=1)
    score_before: Points | None = about("Score of the older run.", 71)
    score_after: Points | None = about("Score of the newer run.", 74)
    uncapped_score_before: float | None = about(
        "Score of the older run before caps and rounding, in tenths: it differs where the whole scores hide a change.",
        71.3,
    )
    uncapped_score_after: float | None = about("The same of the newer run.", 74.0)
    comparable: bool = about(
        "True if the same engine, device and rules made both runs; if not, nothing is compared: all lists are empty.",
        True,  # noqa: FBT003
    )
    differs_in: list[Literal["engine", "device", "ruleset"]] = about(
        "What keeps the runs from being compared; empty if they are.", []
    )
    reason: str | None = about("The same in words; null if they are compared.", None)
    same_ruleset: bool = about("True if both runs were evaluated by the same rules.", True)  # noqa: FBT003
    same_final_url: bool = about("True if the URL led to the same page both times.", True)  # noqa: FBT003
    new: list[Change] = about("Findings of the newer run only.")
    fixed: list[Change] = about("Findings of the older run only.", [])
    still: list[Change] = about("Findings of both runs.", [])
    worse: list[str] = about(
        "Checks whose finding is more severe now, or whose list was too long to be kept whole and is longer now.",
        [],
    )
    not_comparable: list[NotComparable] = about(
        "Checks that one of the two cannot speak for, as a whole or for some of their places."
    )


class RunAnswer(Answer):
    """One run."""

    data: Run = about("The run.")


class RunList(ListAnswer):
    """The runs of a report."""

    data: list[RunItem] = about("The runs of this page.")


class ComparisonAnswer(Answer):
    """Comparison of two runs."""

    data: Comparison = about("The comparison.")


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
        {
            "object": "comparison",
            "report_id": compared.report_id,
            "from": compared.before,
            "to": compared.after,
            "score_before": comparison.score_before,
            "score_after": comparison.score_after,
            "uncapped_score_before": _tenths(comparison.exact_before),
            "uncapped_score_after": _tenths(comparison.exact_after),
            "comparable": comparison.is_comparable,
            "differs_in": comparison.differs_in,
            "reason": why_not_compared(*comparison.bases) or None,
            "same_ruleset": "ruleset" not in comparison.differs_in,
            "same_final_url": comparison.same_final_url,
            "new": [_change(change) for change in comparison.new],
            "fixed": [_change(change) for change in comparison.fixed],
            "still": [_change(change) for change in comparison.still],
            "worse": [result.check for result in comparison.worse],
            "not_comparable": [{"check": one.check, "reason": one.reason} for one in comparison.not_comparable],
        }
    )


def _tenths(points: float | None) -> float | None:
    """A score with one decimal; reports of ruleset 2026.1 have more."""
    return None if points is None else round(points, 1)


def _change(change: FoundChange) -> Mapping[str, Any]:
    result = change.result
    evidence = change.evidence
    return {
        "check": result.check,
        "title": result.title,
        "category": result.category,
        "importance": result.importance,
        "state": result.state,
        "lost": result.lost,
        "message": result.message,
        "evidence": None if evidence is None else evidence_to_dict(evidence),
    }
