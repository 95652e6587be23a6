"""Runs that wait ahead of another, and how long runs take."""

from __future__ import annotations

import itertools
from pathlib import Path

from sqlalchemy import insert

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import add_report
from pagegrade.store.repositories.waiting import LAST_RUNS, count_ahead, usual_duration_ms
from pagegrade.store.schema.tables import runs
from tests.store_builders import NOW_MS, add_owner, make_database

_numbers = itertools.count(1)


def add_run(tx: Transaction, account_id: int, state: str, *, priority: int = 0, took_ms: int | None = None) -> int:
    """A run of a report of its own; ``took_ms``: from its start to its end."""
    slug = f"slug-{next(_numbers)}"
    report = add_report(
        tx, account_id=account_id, url="https://example.com/", project="example.com", privacy=0, password_hash=None,
        slug=slug, now_ms=NOW_MS,
    )  # fmt: skip
    ended = None if took_ms is None else NOW_MS + took_ms
    found: int = tx.execute(
        insert(runs)
        .values(
            report_id=report.id, account_id=account_id, number=1, url=report.url, target="", priority=priority,
            state=state, available_at_ms=NOW_MS, created_at_ms=NOW_MS, finished_at_ms=ended,
            started_at_ms=None if took_ms is None else NOW_MS,
        )
        .returning(runs.c.id)
    ).scalar_one()  # fmt: skip
    return found


def test_only_own_runs_that_start_before_are_ahead(tmp_path: Path) -> None:
    """The more urgent ones, and of the equally urgent ones the older; not those under way, nor those of others."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]

        def work(tx: Transaction) -> tuple[list[int], int]:
            add_run(tx, bob.id, "queued")
            add_run(tx, alice.id, "running")
            add_run(tx, alice.id, "completed", took_ms=10)
            rows = [add_run(tx, alice.id, "queued", priority=priority) for priority in (1, 0, 1, 2, 0)]
            return [count_ahead(tx, row) for row in rows], count_ahead(tx, 99_999)

        ahead, unknown = database.write_here(work)

        assert ahead == [2, 0, 3, 4, 1]
        assert unknown == 0
    finally:
        database.close()


def test_the_usual_time_is_the_median_of_the_last_results(tmp_path: Path) -> None:
    """Failures and the results of others do not count, nor what is older than the last ``LAST_RUNS``."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]

        def work(tx: Transaction) -> list[int | None]:
            add_run(tx, bob.id, "completed", took_ms=1)
            add_run(tx, alice.id, "failed", took_ms=90_000)
            found = [usual_duration_ms(tx, alice.id)]
            for took_ms in (2_000, 1_000, 50_000):
                add_run(tx, alice.id, "completed", took_ms=took_ms)
            found.append(usual_duration_ms(tx, alice.id))
            for _ in range(LAST_RUNS):
                add_run(tx, alice.id, "completed", took_ms=60_000)
            return [*found, usual_duration_ms(tx, alice.id)]

        assert database.write_here(work) == [None, 2_000, 60_000]
    finally:
        database.close()
