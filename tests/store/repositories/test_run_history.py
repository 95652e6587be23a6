"""The runs of a report as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import insert, select

from pagegrade.model.stored import PackedPicture, StoredReport
from pagegrade.report.codec import pack_report, unpack_detail
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import add_report, delete_report, load_report, mark_report
from pagegrade.store.repositories.run_history import (
    _LOAD_DETAILS,
    GREATEST_NUMBER,
    latest_completed,
    list_runs,
    load_detail,
    load_details,
    load_picture,
    load_run,
    save_detail,
)
from pagegrade.store.schema.tables import run_details, runs
from tests.queue_builders import Queue, completed, failed
from tests.report_builders import make_report
from tests.store_builders import NOW_MS, add_owner, make_database

PACKED = pack_report(make_report())


def add(tx: Transaction, slug: str, states: tuple[str, ...]) -> StoredReport:
    """A report with runs in these states; those that succeeded have results."""
    report = add_report(
        tx, account_id=1, url="https://example.com/", project="example.com", privacy=0, password_hash=None,
        slug=slug, now_ms=NOW_MS,
    )  # fmt: skip
    for number, state in enumerate(states, 1):
        run_id = tx.execute(
            insert(runs)
            .values(
                report_id=report.id, account_id=1, number=number, url=report.url, target="", priority=0, state=state,
                available_at_ms=NOW_MS, created_at_ms=NOW_MS + number,
            )
            .returning(runs.c.id)
        ).scalar_one()  # fmt: skip
        if state == "completed":
            save_detail(tx, run_id, PACKED.detail)
            mark_report(tx, report.id, state="completed", now_ms=NOW_MS, packed=PACKED, run_number=number)
    found = load_report(tx, 1, report.id)

    assert found is not None
    return found


def test_runs_come_newest_first_in_pages(tmp_path: Path) -> None:
    """With the number of all of them, and nothing behind the end."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        add(tx, "other", ("completed",))
        report = add(tx, "this", ("completed", "failed", "completed", "queued"))
        found, total = list_runs(tx, report.id, 1, 3)

        assert ([run.number for run in found], total) == ([4, 3, 2], 4)
        assert [run.number for run in list_runs(tx, report.id, 2, 3)[0]] == [1]
        assert list_runs(tx, report.id, 3, 3) == ((), 4)
        assert list_runs(tx, report.id, 10**30, 100) == ((), 4)

    database.write_here(work)
    database.close()


def test_a_run_is_found_by_its_number_within_the_report(tmp_path: Path) -> None:
    """Numbers that the column could not hold are unknown."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        report = add(tx, "this", ("completed", "failed", "completed", "queued"))
        run = load_run(tx, report.id, 2)
        latest, earlier = latest_completed(tx, report.id), latest_completed(tx, report.id, before=3)

        assert run is not None
        assert (run.number, run.state, run.report_id) == (2, "failed", report.id)
        assert latest is not None
        assert latest.number == 3
        assert earlier is not None
        assert earlier.number == 1
        assert latest_completed(tx, report.id, before=1) is None
        for number in (0, -1, 5, GREATEST_NUMBER + 1, 10**30):
            assert load_run(tx, report.id, number) is None

    database.write_here(work)
    database.close()


def test_results_are_kept_packed_and_read_whole(tmp_path: Path) -> None:
    """Of one run, of many reports at once, and of none that has no results; they go with their report."""
    database = make_database(tmp_path)
    add_owner(database)
    plain = unpack_detail(PACKED.detail)

    def work(tx: Transaction) -> None:
        done, failed = add(tx, "done", ("completed", "failed")), add(tx, "failed", ("failed",))

        assert load_detail(tx, done.id, 1) == plain
        assert load_detail(tx, done.id, 2) is None
        assert load_details(tx, (done, failed)) == {done.id: plain}
        assert load_details(tx, (failed,)) == {}
        assert tx.execute(select(run_details.c.plain_bytes)).scalar() == len(plain)
        delete_report(tx, 1, done.id)

        assert load_detail(tx, done.id, 1) is None
        assert tx.execute(select(run_details)).all() == []

    database.write_here(work)
    database.close()


@pytest.mark.backend("sqlite", reason="asks how it means to find them")
def test_results_are_found_by_key_however_many_runs_there_are(tmp_path: Path) -> None:
    """No table is read from end to end."""
    database = make_database(tmp_path)
    statement = _LOAD_DETAILS.params(reports=[1, 2, 3])

    def work(tx: Transaction) -> list[str]:
        compiled = statement.compile(tx, compile_kwargs={"literal_binds": True})
        return [row[3] for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}")]

    plan = database.read_here(work)
    database.close()

    assert len(plan) == 3
    assert [step for step in plan if not step.startswith("SEARCH")] == []


@pytest.mark.backend("postgresql", reason="asks how it could find them")
def test_results_can_be_found_without_reading_a_table(tmp_path: Path) -> None:
    """Every step goes through an index where reading a table would be expensive."""
    database = make_database(tmp_path)
    statement = _LOAD_DETAILS.params(reports=[1, 2, 3])

    def work(tx: Transaction) -> str:
        tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
        compiled = statement.compile(tx, compile_kwargs={"literal_binds": True})
        return "\n".join(row[0] for row in tx.exec_driver_sql(f"EXPLAIN (COSTS OFF) {compiled}"))

    plan = database.read_here(work)
    database.close()

    assert "Index" in plan
    assert "Seq Scan" not in plan


TWO = (PackedPicture(name="viewport", body=b"RIFF1"), PackedPicture(name="frame-1", body=b"RIFF\x00\xff"))


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def draw(queue: Queue, report_id: int | None = None) -> int:
    """Finish a run with two pictures; the id of its report."""
    report = queue.add().report_id if report_id is None else report_id
    if report_id is not None:
        queue.again(report_id)
    (run,) = queue.claim()
    queue.finish(run, replace(completed(), pictures=TWO))
    return report


def load(queue: Queue, report_id: int, number: int, name: str) -> bytes | None:
    """A picture."""
    return queue.database.read_here(lambda tx: load_picture(tx, report_id, number, name))


def test_a_picture_is_found_by_its_run_and_its_name(queue: Queue) -> None:
    """Byte for byte, and no other."""
    report = draw(queue)

    assert load(queue, report, 1, "viewport") == b"RIFF1"
    assert load(queue, report, 1, "frame-1") == b"RIFF\x00\xff"
    assert load(queue, report, 2, "viewport") is None
    assert load(queue, report + 1, 1, "viewport") is None
    assert load(queue, report, 1, "full-page") is None


def test_only_the_run_that_is_shown_keeps_its_pictures(queue: Queue) -> None:
    """The next good run replaces them; a failed one leaves them. What the account has stored follows."""
    report = draw(queue)
    draw(queue, report)
    queue.again(report)
    (run,) = queue.claim()
    queue.finish(run, failed())

    assert (load(queue, report, 1, "viewport"), load(queue, report, 2, "viewport")) == (None, b"RIFF1")
    assert queue.rows("SELECT SUM(LENGTH(body)) FROM run_pictures") == [(11,)]
    assert queue.rows("SELECT stored_bytes FROM accounts") == [
        (queue.rows("SELECT SUM(LENGTH(body)) FROM run_details")[0][0] + 11,)
    ]


def test_they_go_with_their_report(queue: Queue) -> None:
    """And are no longer counted."""
    report = draw(queue)
    queue.write(lambda tx: delete_report(tx, queue.account_id, report))

    assert queue.rows("SELECT COUNT(*) FROM run_pictures") == [(0,)]
    assert queue.rows("SELECT stored_bytes FROM accounts") == [(0,)]


def test_followers_have_pictures_of_their_own(queue: Queue) -> None:
    """Deleting the leader's report leaves theirs."""
    leader, follower = queue.add(), queue.add()
    (run,) = queue.claim()
    queue.finish(run, replace(completed(), pictures=TWO))
    queue.write(lambda tx: delete_report(tx, queue.account_id, leader.report_id))

    assert load(queue, follower.report_id, 1, "viewport") == b"RIFF1"
