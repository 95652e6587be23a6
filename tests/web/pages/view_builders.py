"""The facts that are read of a report for its page, without a database."""

from __future__ import annotations

from typing import Any

from pagegrade.model.stored import StoredReport, StoredRun
from pagegrade.service.reports.views import Viewed


def make_run(number: int, **more: Any) -> StoredRun:
    """A run that ended well."""
    values: dict[str, Any] = {
        "id": number,
        "report_id": 1,
        "number": number,
        "state": "completed",
        "attempt": 1,
        "rating": 3,
        "score": 92,
        "engine": "0.1.0",
        "ruleset": "2026.1",
        "summary": None,
        "error": None,
        "created_at_ms": 1_000,
        "started_at_ms": 1_500,
        "finished_at_ms": 2_000,
    }
    return StoredRun(**{**values, **more})


def make_viewed(**more: Any) -> Viewed:
    """A public report with one run."""
    report = StoredReport(
        id=1,
        account_id=1,
        url="https://example.com/",
        project="example.com",
        privacy=0,
        password_hash=None,
        password_version=0,
        slug="slug",
        state="completed",
        rating=3,
        score=92,
        run_number=1,
        summary=None,
        error=None,
        generated_at_ms=2_000,
        created_at_ms=1_000,
        updated_at_ms=2_000,
        revision=1,
    )
    values: dict[str, Any] = {"report": report, "masked": True, "runs": (make_run(1),), "total_runs": 1}
    return Viewed(**{**values, **more})
