"""Batches: many reports from one request."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.stored import GRADES, State
from pagegrade.report.serialize import timestamp
from pagegrade.service.reports.batches import BatchState
from pagegrade.web.schemas.envelope import Answer, Deleted, ListAnswer
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


class BatchAnswer(Answer):
    """One batch."""

    data: Batch = about("The batch.")


class BatchList(ListAnswer):
    """Batches."""

    data: list[BatchItem] = about("The batches of this page.")


class DeletedBatch(Deleted):
    """Confirmation that a batch was deleted; its reports are kept."""

    id: int = about("The deleted batch.", 7, ge=1)
    object: Literal["batch"] = about("The kind of object.", "batch")


def batch_item(batch: BatchState) -> bytes:
    """The JSON object of a batch as an item of a list."""
    return msgspec.json.encode(_batch(batch))


def batch_object(batch: BatchState) -> bytes:
    """The JSON object of a batch, whole."""
    reports = [
        {
            "id": report.id,
            "object": "report",
            "url": report.url,
            "state": report.state,
            "result": None if report.rating is None else GRADES[report.rating],
            "score": report.score,
        }
        for report in batch.reports
    ]
    return msgspec.json.encode({**_batch(batch), "refused": msgspec.Raw(batch.refused), "reports": reports})


def _batch(batch: BatchState) -> dict[str, Any]:
    return {
        "id": batch.id,
        "object": "batch",
        "total": len(batch.reports),
        "queued": batch.unfinished,
        "completed": batch.count("completed"),
        "failed": batch.count("failed"),
        "created_at": timestamp(batch.created_at_ms),
    }
