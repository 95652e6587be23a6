"""Runs, and the comparison of two of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pagegrade.model.outcome import Importance
from pagegrade.model.report import Category
from pagegrade.model.stored import State
from pagegrade.web.schemas.rendered import Analysis, RenderedPage
from pagegrade.web.schemas.report import (
    Cap,
    CategoryScore,
    CheckResult,
    Counts,
    Evidence,
    Failure,
    IgnoredTotal,
    Page,
    RunFacts,
    Withheld,
)
from pagegrade.web.schemas.shape import Amount, Document, Points, Result, Timestamp, about, example_of


class RunItem(Document):
    """One analysis of a report, as it stands in a list. Once finished it never changes."""

    object: Literal["run"] = about("The kind of object.", "run")
    report_id: int = about("The report it belongs to.", 1042, ge=1)
    number: int = about("Its number within the report, from 1.", 3, ge=1)
    state: State = about("Where it stands.", "completed")
    final_url: str | None = about("Where the URL led.", "https://example.com/pricing/")
    result: Result | None = about("Good, decent or bad; null without results.", "decent")
    score: Points | None = about("0 to 100.", 74)
    uncapped_score: float | None = about("100 minus what the categories took, before caps and rounding.", 74.3)
    coverage: float | None = about("Share of the possible penalties that could be evaluated.", 0.98, ge=0, le=1)
    withheld: Withheld | None = about("Why a completed run has no score and no result; null when it has.", None)
    analysis: Analysis = about("The engine the results come from.")
    ignored: IgnoredTotal | None = about("What ignore rules do to the score; null: no finding is ignored.", None)
    caps: list[Cap] = about("Findings that limit the score.")
    counts: Counts | None = about("How many checks ended how.")
    categories: dict[Category, CategoryScore] = about("Category → how the page does in it.")
    run: RunFacts | None = about("Who judged, and by which rules; null before the end.")
    error: Failure | None = about("Why it failed; null when it did not.", None)
    created_at: Timestamp = about("When it was asked for.", "2026-01-05T12:34:54.900Z")
    started_at: Timestamp | None = about("When it was started last; null while it waits.", "2026-01-05T12:34:54.949Z")
    finished_at: Timestamp | None = about("When it ended; null before.", "2026-01-05T12:34:56.789Z")


class Run(RunItem):
    """One analysis of a report, whole."""

    results: dict[str, CheckResult] | None = about(
        "Check id → what it says; null without results.", {"title-length": example_of(CheckResult)}
    )
    page: Page | None = about("Figures of the page; null when it was not seen.")
    rendered: RenderedPage | None = about("The page in a browser; null when none was used.")


class Change(Document):
    """A finding that came, went or stayed."""

    check: str = about("Id of the check.", "title-length")
    title: str = about("What was found or what to do.", "Title is too long for search results")
    category: Category = about("What it counts for.", "seo")
    importance: Importance = about("How much it matters.", "high")
    state: str | None = about("The check's own word for what it saw.", "too_long")
    lost: Amount = about("What the check costs, in points of the score.", 1.55)
    message: str = about("The finding in one sentence.", "The title has 79 characters; search cuts it near 60.")
    evidence: Evidence | None = about("The place; null: the page as a whole.")


class NotComparable(Document):
    """A check that says nothing about what changed."""

    check: str = about("Id of the check.", "sitemap")
    reason: str = about("Why.", "The check could not be evaluated in the older report.")


class Comparison(Document):
    """What changed between two runs of a report."""

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
    same_ruleset: bool = about(
        "Whether both were judged by the same rules; if not, nothing is called new or fixed.",
        True,  # noqa: FBT003
    )
    same_final_url: bool = about("Whether the address led to the same page both times.", True)  # noqa: FBT003
    new: list[Change] = about("Found now and not before.")
    fixed: list[Change] = about("Found before and not now.", [])
    still: list[Change] = about("Found both times.", [])
    worse: list[str] = about(
        "Checks whose finding is more severe now, or whose list was too long to be kept whole and is longer now.",
        [],
    )
    not_comparable: list[NotComparable] = about(
        "Checks that one of the two cannot speak for, as a whole or for some of their places."
    )
