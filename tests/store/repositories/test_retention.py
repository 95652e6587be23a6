from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.account import IdempotentRequest
from pagegrade.model.stored import PackedReport
from pagegrade.store.repositories.counts import load_counts
from pagegrade.store.repositories.idempotency import KEPT_MS, add_request
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.repositories.retention import (
    DAY_MS,
    Expired,
    Pruned,
    count_expired,
    expired_before_ms,
    find_expired,
    measure,
    prune,
)
from tests.queue_builders import Queue, failed
from tests.store_builders import NOW_MS, add_owner, make_database

LATER_MS = NOW_MS + 100 * DAY_MS


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's reports."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    yield Queue(database, account.id)
    database.close()


def finish_all(queue: Queue, packed: PackedReport | None = None) -> None:
    """Let everything that waits come to an end."""
    while claimed := queue.claim(100, now_ms=NOW_MS):
        for run in claimed:
            queue.finish(run, packed, now_ms=NOW_MS)


def date_report(queue: Queue, report_id: int, at_ms: int) -> None:
    """Make its results as old as that."""
    queue.change("UPDATE reports SET dated_at_ms = :at, generated_at_ms = :at WHERE id = :id", at=at_ms, id=report_id)


def look(
    queue: Queue, *, days: int | None = None, runs: int | None = None, after: int = 0, batch: int = 100
) -> Expired:
    """The expired rows, 100 days later."""
    return queue.database.read_here(
        partial(
            find_expired,
            retention_days=days,
            retention_runs=runs,
            age=AgeMs(LATER_MS),
            after_report_id=after,
            batch=batch,
        )
    )


def delete(queue: Queue, found: Expired, *, days: int | None = None) -> Pruned:
    """Delete it."""
    return queue.write(
        partial(prune, found=found, retention_days=days, age=AgeMs(LATER_MS), now_ms=LATER_MS), now_ms=LATER_MS
    )


def numbers(queue: Queue, report_id: int) -> list[int]:
    """The runs that a report still has."""
    return [
        number
        for (number,) in queue.rows("SELECT number FROM runs WHERE report_id = :id ORDER BY number", id=report_id)
    ]


def test_without_a_limit_nothing_expires(queue: Queue) -> None:
    """However old it is."""
    queue.add()
    finish_all(queue)

    assert look(queue) == Expired()
    assert expired_before_ms(None, AgeMs(LATER_MS)) is None


def test_a_report_expires_after_its_days(queue: Queue) -> None:
    """To the millisecond; its runs and details go with it, and the counts stay right."""
    old, edge = queue.add("https://example.com/old"), queue.add("https://example.com/edge")
    finish_all(queue)
    before_ms = LATER_MS - 30 * DAY_MS
    date_report(queue, old.report_id, before_ms - 1)
    date_report(queue, edge.report_id, before_ms)
    found = look(queue, days=30)
    deleted = delete(queue, found, days=30)

    assert expired_before_ms(30, AgeMs(LATER_MS)) == before_ms
    assert found.reports == (old.report_id,)
    assert deleted == Pruned(reports=1, visits=2)
    assert queue.rows("SELECT id FROM reports") == [(edge.report_id,)]
    assert queue.rows("SELECT run_id FROM run_details") == [(edge.id,)]
    counts = queue.database.read_here(lambda tx: load_counts(tx, queue.account_id))

    assert sum(counts.values()) == 1


def test_an_unfinished_report_does_not_expire(queue: Queue) -> None:
    """Not while it waits for years, and not when it is analyzed again after it was found."""
    waiting, old = queue.add("https://example.com/w"), queue.add("https://example.com/o")
    claimed = queue.claim(2)
    queue.finish(claimed[1])
    queue.change("UPDATE reports SET dated_at_ms = 0")
    found = look(queue, days=1)
    queue.again(old.report_id)
    deleted = delete(queue, found, days=1)

    assert found.reports == (old.report_id,)
    assert deleted.reports == 0
    assert len(queue.rows("SELECT id FROM reports")) == 2
    assert waiting.report_id != old.report_id


def test_the_newest_runs_are_kept(queue: Queue) -> None:
    """Of each report so many; other reports and unfinished runs are left alone."""
    many, few = queue.add("https://example.com/many"), queue.add("https://example.com/few")
    finish_all(queue)
    for _ in range(4):
        queue.again(many.report_id)
        finish_all(queue)
    queue.again(many.report_id)
    found = look(queue, runs=2)
    deleted = delete(queue, found)

    assert deleted.runs == 3
    assert numbers(queue, many.report_id) == [4, 5, 6]
    assert numbers(queue, few.report_id) == [1]
    assert len(queue.rows("SELECT run_id FROM run_details")) == 3
    assert queue.rows("SELECT stored_bytes FROM accounts") == queue.rows("SELECT SUM(LENGTH(body)) FROM run_details")
    assert look(queue, runs=2).runs == ()


def test_the_run_whose_results_are_shown_is_kept(queue: Queue) -> None:
    """However many failed after it, before and after it became the one that is shown."""
    run = queue.add()
    finish_all(queue)
    for _ in range(3):
        queue.again(run.report_id)
        finish_all(queue, failed())
    deleted = delete(queue, look(queue, runs=1))
    kept = numbers(queue, run.report_id)
    queue.again(run.report_id)
    finish_all(queue)
    found = look(queue, runs=1)
    queue.change("UPDATE reports SET run_number = 4")
    raced = delete(queue, found)

    assert (deleted.runs, kept) == (2, [1, 4])
    assert len(found.runs) == 2
    assert raced.runs == 1
    assert numbers(queue, run.report_id) == [4, 5]


def test_pruning_goes_on_where_it_stopped(queue: Queue) -> None:
    """In small pieces, each of which ends; together they find everything."""
    for number in range(5):
        run = queue.add(f"https://example.com/{number}")
        finish_all(queue)
        queue.again(run.report_id)
        finish_all(queue)
    for report_id in (1, 2, 3):
        date_report(queue, report_id, 0)
    total, pieces, after, more = Pruned(), 0, 0, True
    while more:
        found = look(queue, days=98, runs=1, after=after, batch=2)
        total += delete(queue, found, days=98)
        after, more, pieces = found.after_report_id, found.more, pieces + 1

    assert total == Pruned(reports=3, runs=2, visits=10)
    assert pieces < 10
    assert [numbers(queue, report_id) for report_id in range(1, 6)] == [[], [], [], [2], [2]]


def test_a_dry_run_lists_what_would_go(queue: Queue) -> None:
    """The same as pruning then does; a run of a report that goes is not counted twice."""
    for number in range(3):
        run = queue.add(f"https://example.com/{number}")
        finish_all(queue)
        queue.again(run.report_id)
        finish_all(queue)
    date_report(queue, 1, 0)
    counted = queue.database.read_here(
        partial(count_expired, retention_days=1, retention_runs=1, age=AgeMs(NOW_MS + 1))
    )
    nothing = queue.database.read_here(
        partial(count_expired, retention_days=None, retention_runs=None, age=AgeMs(NOW_MS + 1))
    )

    assert counted == Pruned(reports=1, runs=2)
    assert nothing == Pruned()
    assert len(queue.rows("SELECT id FROM runs")) == 6


def test_kept_answers_and_visits_go_after_their_time(queue: Queue) -> None:
    """With every pruning, whatever the settings."""
    queue.add()
    finish_all(queue)
    for report_id, at_ms in enumerate((LATER_MS - KEPT_MS - 1, LATER_MS - 1)):
        request = IdempotentRequest(
            key_id=1, method="POST", path="/", idempotency_key=str(report_id), request_sha256=b"s" * 32
        )
        queue.database.write_here(partial(add_request, request=request, report_id=report_id, now_ms=at_ms))
    deleted = delete(queue, Expired())

    assert deleted == Pruned(visits=1, answers=1)
    assert queue.rows("SELECT report_id FROM idempotency") == [(1,)]


def test_sizes_are_measured(queue: Queue) -> None:
    """The file, the room inside it, the log beside it, and what the details take in it."""
    empty = queue.database.read_here(measure)
    queue.add()
    finish_all(queue)
    full = queue.database.read_here(measure)
    queue.change("DELETE FROM reports")
    emptied = queue.database.read_here(measure)

    assert (empty.reports, empty.runs, empty.details_bytes, empty.details_plain_bytes) == (0, 0, 0, 0)
    assert (full.reports, full.runs) == (1, 1)
    assert 0 < full.details_bytes < full.details_plain_bytes
    assert (full.log_bytes > 0) != queue.database.shared
    assert empty.database_bytes <= full.database_bytes == emptied.database_bytes
    assert (emptied.reports, emptied.details_bytes) == (0, 0)
