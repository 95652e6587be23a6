"""Batches: many reports from one call."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.stored import State
from pagegrade.web.schemas.shape import URL, Count, Document, Points, Result, Timestamp, about


class BatchItem(Document):
    """How far a batch is."""

    id: int = about("Grows with every new batch; never used again.", 7, ge=1)
    object: Literal["batch"] = about("The kind of object.", "batch")
    total: Count = about("Reports of it that are there.", 2)
    queued: Count = about("Those of them whose analysis has not ended.", 1)
    completed: Count = about("Those that were analyzed.", 1)
    failed: Count = about("Those that could not be analyzed.", 0)
    created_at: Timestamp = about("When it was created.", "2026-01-05T12:34:56.789Z")


class RefusedURL(Document):
    """A URL that got no report."""

    url: str = about("As it was sent, cut after 200 characters.", "ftp://example.com/")
    code: str = about("Why, as a stable word.", "scheme_not_allowed")
    message: str = about("Why, in a sentence.", "Only http and https can be analyzed.")


class BatchReport(Document):
    """Where a report of a batch stands."""

    id: int = about("Number of the report.", 1042, ge=1)
    object: Literal["report"] = about("The kind of object.", "report")
    url: URL = about("Its URL, in its canonical form.", "https://example.com/pricing")
    state: State = about("Where its last analysis stands.", "completed")
    result: Result | None = about("Good, decent or bad; null before there is one.", "decent")
    score: Points | None = about("0 to 100; null before there is one.", 74)


class Batch(BatchItem):
    """A batch, whole."""

    refused: list[RefusedURL] = about("URLs that could not be used, or came more than once.")
    reports: list[BatchReport] = about("Its reports, in the order of the URLs.")
