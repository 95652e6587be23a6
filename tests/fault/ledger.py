"""Promises to clients, and whether they were kept."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

from pagegrade.model.stored import MAX_ATTEMPTS
from pagegrade.store.engine.data_dir import DATABASE_NAME
from tests.fault.batch_ledger import BatchLedger, check_all_or_none
from tests.server import Server
from tests.waiting import wait_until

ORPHANS_S: Final = 120.0
"""A parser that is computing ends when its CPU time does, after 10 s."""


@dataclass(slots=True)
class Ledger:
    """Reports that were accepted, as a client outside of the system wrote them down."""

    accepted: dict[int, str] = field(default_factory=dict)
    """Id -> URL of every report that was answered with 201."""
    unanswered: list[str] = field(default_factory=list)
    """URLs of requests whose answer never came."""
    batches: BatchLedger = field(default_factory=BatchLedger)
    asked_together: list[tuple[str, ...]] = field(default_factory=list)
    """URLs of each batch, accepted or not."""
    monitored: dict[int, str] = field(default_factory=dict)
    """Id -> URL of reports that monitors run again and again."""

    def post(self, server: Server, url: str, *, key: str | None = None) -> int | None:
        """Ask for a report and write down what was promised; its id, ``None`` when no answer came."""
        headers = {"Prefer": "respond-async"} | ({} if key is None else {"Idempotency-Key": key})
        try:
            reply = server.call("POST", "/api/v1/reports", form={"url": url}, headers=headers, timeout_s=15)
        except (OSError, HTTPException):
            self.unanswered.append(url)
            return None
        if reply.status != 201:
            self.unanswered.append(url)
            return None
        number: int = reply.data["id"]
        self.accepted[number] = url
        return number

    def post_batch(self, server: Server, urls: tuple[str, ...], *, key: str) -> int | None:
        """Ask for a batch and write down what was promised; its id, ``None`` when no answer came."""
        self.asked_together.append(urls)
        promise = self.batches.post(server, urls, key=key)
        if promise is None:
            self.unanswered.extend(urls)
            return None
        self.accepted.update(promise.reports)
        return promise.number

    def check(self, server: Server, *, within_s: float = 120.0) -> dict[int, dict[str, Any]]:
        """Hold every promise against the API; the reports.

        Raises:
            AssertionError: A report is gone, is another one, or never ends.
        """
        found = {number: server.finished(number, within_s=within_s) for number in self.accepted}
        for number, url in self.accepted.items():
            assert found[number]["url"] == url
        self.batches.check(server)
        return found


def check_database(folder: Path, ledger: Ledger) -> None:
    """Hold the promises against the database of a server that has ended.

    Raises:
        AssertionError: Something is lost, doubled, half written or left behind.
    """
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as database:
        rows = database.execute(
            "SELECT reports.id, reports.url, reports.state, runs.number, runs.state, runs.attempt, "
            "run_details.run_id IS NOT NULL, runs.lease_until_ms IS NULL AND runs.worker IS NULL "
            "FROM reports LEFT JOIN runs ON runs.report_id = reports.id LEFT JOIN run_details ON run_id = runs.id"
        ).fetchall()
        integrity = database.execute("PRAGMA integrity_check").fetchall()
        foreign = database.execute("PRAGMA foreign_key_check").fetchall()
        visits = database.execute("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL").fetchone()
        counts = database.execute(
            "SELECT state, SUM(count) FROM report_counts WHERE project = '' GROUP BY state"
        ).fetchall()
        total = database.execute("SELECT SUM(analyses_total) FROM accounts").fetchone()
    assert integrity == [("ok",)]
    assert foreign == []
    assert visits == (0,)
    stored = {row[0]: row[1] for row in rows}
    assert {number: stored.get(number) for number in ledger.accepted} == ledger.accepted
    check_all_or_none(list(stored.values()), ledger.asked_together)
    # What is there without a promise was asked for by a request whose answer got lost.
    promised = {**ledger.accepted, **ledger.monitored}
    assert {url for number, url in stored.items() if number not in promised} <= set(ledger.unanswered)
    for number, url, report_state, run_number, state, attempt, has_detail, is_free in rows:
        assert run_number == 1 or number in ledger.monitored, (number, url)
        assert state in {"completed", "failed"}, (number, url)
        assert report_state == state or number in ledger.monitored, (number, url)
        assert attempt <= MAX_ATTEMPTS
        assert has_detail
        assert is_free
    assert len(rows) == len({(row[0], row[3]) for row in rows})
    ended = list({row[0]: row[2] for row in rows}.values())
    assert dict(counts) == {state: ended.count(state) for state in set(ended)}
    assert total[0] == len(rows)


def processes_of(temporary: Path) -> list[int]:
    """Processes that were started with this ``TMPDIR``, by whomever."""
    mark = f"TMPDIR={temporary}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def check_no_orphans(temporary: Path) -> None:
    """Wait until nothing of a server that is gone is left.

    Raises:
        AssertionError: Some of it does not go away.
    """
    wait_until(lambda: not processes_of(temporary), "the end of all processes", within_s=ORPHANS_S)
