"""Fills databases for benches quickly: accounts, runs that wait, a million reports."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from psycopg import sql
from sqlalchemy import Table, func, insert, select, text

from pagegrade.model.stored import Priority
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.engine.postgresql import driver_of
from pagegrade.store.queue.admission import (
    AT_ACCOUNT,
    FIRST,
    FIRST_QUEUE,
    FURTHER,
    FURTHER_QUEUE,
    IN_LINE_MS,
    RUN_TASK,
    SHARE,
)
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.schema.tables import reports, runs
from tests.store_builders import recount

BATCH: Final = 10_000
FIRST_PRIORITY: Final = 2_000_000_000
"""Of a job of the most urgent kind, less its turn; the order is all that counts."""
BUSY_SITE: Final = "busy.example"
"""Target that runs stand in line at."""


def add_accounts(database: Database, count: int, *, now_ms: int) -> list[int]:
    """Ids of so many new accounts."""

    def work(tx: Transaction) -> list[int]:
        return [add_account(tx, name=f"Bench {n}", email=f"b{n}@example.org", now_ms=now_ms).id for n in range(count)]

    return database.write_here(work)


def put_rows(tx: Transaction, table: Table, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows that all have the same columns, as fast as the database takes them; how many."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return 0
    names = list(first)
    count = 0
    if not is_shared(tx):
        rest = itertools.chain([first], rows)
        while batch := list(itertools.islice(rest, BATCH)):
            tx.execute(insert(table), batch)
            count += len(batch)
        return count
    words = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with driver_of(tx).cursor() as cursor, cursor.copy(words) as copy:
        for row in itertools.chain([first], rows):
            copy.write_row([row[name] for name in names])
            count += 1
    return count


def fill_queue(database: Database, accounts: Sequence[int], count: int, *, now_ms: int, in_line: bool = False) -> None:
    """Put so many new reports with queued runs under these accounts, in turns.

    Args:
        database: Migrated.
        accounts: Ids.
        count: Runs.
        now_ms: The time.
        in_line: They stand in line at one site; else each may start, at a site of its own.
    """
    if count == 0:
        return

    def work(tx: Transaction) -> None:
        start = int(tx.execute(select(func.coalesce(func.max(reports.c.id), 0))).scalar_one()) + 1
        put_rows(tx, reports, _reports(accounts, start, count, now_ms))
        put_rows(tx, runs, _runs(accounts, start, count, now_ms, in_line=in_line, shared=is_shared(tx)))
        if not is_shared(tx):
            return
        for table in ("reports", "runs"):
            tx.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT MAX(id) FROM {table}))")  # noqa: S608 - our own words
        if not in_line:
            tx.execute(
                text(
                    "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, queueing_lock, args) "
                    "SELECT CASE share WHEN 1 THEN :queue ELSE :further END, :task, :first - turn, 'run-' || id, "
                    "jsonb_build_object('run_id', id, 'account_id', account_id) FROM runs "
                    "WHERE report_id >= :start AND share IN (1, 3)"
                ),
                {
                    "queue": FIRST_QUEUE,
                    "further": FURTHER_QUEUE,
                    "task": RUN_TASK,
                    "first": FIRST_PRIORITY,
                    "start": start,
                },
            )

    # Where a statement may take as long as it takes.
    database.change_schema(work)
    for account_id in accounts:
        database.change_schema(lambda tx, account_id=account_id: recount(tx, account_id))  # type: ignore[misc]
    refresh(database)


def refresh(database: Database) -> None:
    """Let the planner know what is there now, as it would after a while by itself."""
    database.change_schema(lambda tx: tx.exec_driver_sql("ANALYZE").close())


def _reports(accounts: Sequence[int], start: int, count: int, now_ms: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield {
            "id": start + number,
            "account_id": accounts[number % len(accounts)],
            "url": _url(number),
            "project": f"site-{number % 5_000}.example",
            "privacy": 0,
            "slug": f"{start + number:022d}",
            "state": "queued",
            "dated_at_ms": now_ms + number,
            "created_at_ms": now_ms + number,
            "updated_at_ms": now_ms + number,
        }


def _runs(
    accounts: Sequence[int], start: int, count: int, now_ms: int, *, in_line: bool, shared: bool
) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield {
            "report_id": start + number,
            "account_id": accounts[number % len(accounts)],
            "number": 1,
            "url": _url(number),
            "target": BUSY_SITE if in_line else f"site-{number}.example",
            "priority": int(Priority.INTERACTIVE),
            "state": "queued",
            "attempt": 0,
            "available_at_ms": IN_LINE_MS if in_line else now_ms,
            "created_at_ms": now_ms,
            "turn": number // len(accounts) + 1,
            "offered": int(shared and not in_line),
            "share": _share(number // len(accounts)) if shared and not in_line else 0,
        }


def _share(number: int) -> int:
    """Value of ``share`` of the run with this number of its account, from 0."""
    return FIRST if number == 0 else FURTHER if number <= SHARE else AT_ACCOUNT


def _url(number: int) -> str:
    return f"https://www.site-{number % 5_000}.example/queued/{number:07x}"
