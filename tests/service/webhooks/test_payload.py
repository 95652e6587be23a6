from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pagegrade.model.stored import PackedReport
from pagegrade.model.webhooks import MAX_PAYLOAD_BYTES
from pagegrade.report.codec import pack_report
from pagegrade.service.webhooks.payload import make_key, prepare
from pagegrade.store.repositories.deliveries import claim_webhooks
from pagegrade.store.repositories.webhooks import add_webhook
from tests.queue_builders import Queue
from tests.report_builders import make_report
from tests.store_builders import NOW_MS, add_owner, make_database

BASE_URL = "https://reports.example.org"


def outcome(score: int) -> PackedReport:
    """A run that found nothing."""
    return pack_report(make_report(score=score, results=()))


def payloads(tmp_path: Path, *outcomes: PackedReport, url: str = "https://example.com/", sql: str = "") -> list[Any]:
    """The payloads of runs of one report, in their order."""
    database = make_database(tmp_path)
    queue = Queue(database, add_owner(database)[0].id)
    database.write_here(
        lambda tx: add_webhook(
            tx, 1, kind="slack", url="https://h.example/", events=("report.completed",), project="", now_ms=1
        )
    )
    made = queue.add(url)
    for number, packed in enumerate(outcomes):
        if number:
            queue.again(made.report_id)
        (run,) = queue.claim()
        queue.finish(run, packed)
    if sql:
        queue.change(sql)
    key = database.write_here(make_key)
    later = NOW_MS + 60_000
    (claimed,) = queue.write(lambda tx: claim_webhooks(tx, worker="w", count=1, now_ms=later, lease_ms=1), now_ms=later)
    prepared = database.read_here(lambda tx: prepare(tx, claimed, key=key, base_url=BASE_URL))
    assert prepared is not None
    found = [msgspec.json.decode(msgspec.json.encode(each)) for each in prepared.payloads]
    database.close()
    return found


def test_a_payload_says_what_changed(tmp_path: Path) -> None:
    """Type, time, report, run, change and links; no content of the page."""
    first, second = payloads(tmp_path, outcome(81), outcome(77))

    assert first["timestamp"] == "2026-01-01T00:00:00.000Z"
    assert first["data"]["change"] == {"score": None, "new": None, "fixed": None}
    assert second["data"]["change"] == {"score": -4, "since": 1, "new": 0, "fixed": 0}
    assert second["data"]["run"]["number"] == 2
    assert set(second["data"]) == {"report", "run", "analysis", "change", "links"}


def test_a_private_report_has_no_share_page(tmp_path: Path) -> None:
    """Neither has one that became private after the event."""
    (payload,) = payloads(tmp_path, outcome(81), sql="UPDATE reports SET privacy = 1")

    assert "share_url" not in payload["data"]["report"]
    assert payload["data"]["links"]["report"].startswith(f"{BASE_URL}/reports/")


def test_the_longest_url_fits(tmp_path: Path) -> None:
    """With everything around it."""
    (payload,) = payloads(tmp_path, outcome(81), url="https://example.com/" + "x" * 2_028)

    assert len(msgspec.json.encode(payload)) < MAX_PAYLOAD_BYTES
