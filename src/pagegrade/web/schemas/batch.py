"""Batches: many reports from one request."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.stored import State
from pagegrade.web.schemas.shape import URL, Count, Document, Points, Result, Timestamp, about


class BatchItem(Document):
    """Progress of a batch."""

    id: int = about("Unique number; increases with every new batch.", 7, ge=1)
    object: Literal["batch"] = about("The kind of object.", "batch")
    total: Count = about("Reports of the batch that still exist.", 2)
    queued: Count = about("Reports whose analysis has not ended.", 1)
    completed: Count = about("Reports that were analyzed.", 1)
    failed: Count = about("Reports that could not be analyzed.", 0)
    created_at: Timestamp = about("Time of creation.", "2026-01-05T12:34:56.789Z")


class RefusedURL(Document):
    """A URL that got no report."""

    url: str = about("The URL as sent, cut after 200 characters.", "ftp://example.com/")
    code: str = about("Stable code of the reason.", "scheme_not_allowed")
    message: str = about("The reason in one sentence.", "Only http and https can be analyzed.")


class BatchReport(Document):
    """State of a report of a batch."""

    id: int = about("Number of the report.", 1042, ge=1)
    object: Literal["report"] = about("The kind of object.", "report")
    url: URL = about("URL of the report in canonical form.", "https://example.com/pricing")
    state: State = about("State of the last analysis.", "completed")
    result: Result | None = about("Good, decent or bad; null without a result.", "decent")
    score: Points | None = about("0 to 100; null without a result.", 74)


class Batch(BatchItem):
    """A batch with its reports."""

    refused: list[RefusedURL] = about("URLs that are not valid, or occurred more than once.")
    reports: list[BatchReport] = about("Reports of the batch, in the order of the URLs.")
