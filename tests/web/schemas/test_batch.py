"""The JSON object of a batch."""

from __future__ import annotations

import msgspec

from pagegrade.service.reports.batches import BatchState
from pagegrade.store.repositories.batches import BatchReport
from pagegrade.web.schemas.batch import Batch, BatchItem, batch_item, batch_object

BATCH = BatchState(
    id=7,
    created_at_ms=1,
    refused=b'[{"url":"ftp://example.com/","code":"scheme_not_allowed","message":"No."}]',
    reports=(
        BatchReport(id=1, url="https://example.com/", state="completed", rating=2, score=74),
        BatchReport(id=2, url="https://example.com/b", state="queued", rating=None, score=None),
        BatchReport(id=3, url="https://example.com/c", state="failed", rating=None, score=None),
    ),
)


def test_an_item_counts_the_reports_by_state() -> None:
    """Every member of the description is there, in its order."""
    members = msgspec.json.decode(batch_item(BATCH))

    assert list(members) == list(BatchItem.model_fields)
    assert [members[name] for name in ("total", "queued", "completed", "failed")] == [3, 1, 1, 1]


def test_a_whole_batch_has_its_reports_and_what_was_refused() -> None:
    """A report without a result has null in place of it."""
    members = msgspec.json.decode(batch_object(BATCH))

    assert set(members) == set(Batch.model_fields)
    assert [report["result"] for report in members["reports"]] == ["decent", None, None]
    assert members["refused"][0]["code"] == "scheme_not_allowed"
