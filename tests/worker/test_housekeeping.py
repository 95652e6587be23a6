from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import IdempotentRequest
from pagegrade.model.errors import Unavailable
from pagegrade.model.webhooks import Event
from pagegrade.service.accounts.quotas import set_quotas
from pagegrade.service.accounts.sessions import IDLE_MS, LASTS_MS, start_session
from pagegrade.service.administration import begin_erasure
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.sign_in import HOUR_MS, make_link
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.credentials import list_keys
from pagegrade.store.repositories.idempotency import KEPT_MS, add_request
from pagegrade.store.repositories.installation import KEPT_MS as KEPT_SILENT_MS
from pagegrade.store.repositories.installation import Process, beat, list_live, trust_clock
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.rate_limit import bucket_name, take_token
from pagegrade.store.repositories.webhooks import KEPT_MS as EVENTS_KEPT_MS
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.worker import housekeeping
from pagegrade.worker.housekeeping import CHORES, move_lines, run_housekeeping
from tests.database_clock import make_clock, show
from tests.queue_builders import Queue, completed
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

DAY_MS = 24 * 3_600_000
COUNTS = ("SELECT count(*) FROM sessions", "SELECT count(*) FROM sign_in_links")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of a process that keeps reports for a day."""
    made = Services(database=make_database(tmp_path), options=ServiceOptions(retention_days=1))
    # It has been running, so its clock is known.
    made.database.write_here(lambda tx: trust_clock(tx, now_ms()))
    yield made
    made.database.close()


def do_all(services: Services) -> None:
    """Every chore once."""

    async def main() -> None:
        for chore in CHORES:
            await chore(services)

    asyncio.run(main())


def test_what_no_longer_counts_is_forgotten(services: Services) -> None:
    """Old visits, old answers and expired reports go; what is younger stays."""
    queue = Queue(services.database, add_owner(services.database)[0].id)
    now = now_ms()
    for url, at_ms in (("https://old.example/", now - 3 * DAY_MS), ("https://new.example/", now)):
        queue.add(url, now_ms=at_ms)
        (claimed,) = queue.claim(now_ms=at_ms)
        services.database.write_here(partial(finish_run, run=claimed, packed=completed(), now_ms=at_ms))
    queue.change("UPDATE reports SET dated_at_ms = created_at_ms, generated_at_ms = created_at_ms")
    for name, at_ms in (("old", now - KEPT_MS - 1_000), ("new", now)):
        _begin(services, name, at_ms)

    do_all(services)

    assert queue.rows("SELECT url FROM reports") == [("https://new.example/",)]
    assert queue.rows("SELECT target FROM visits") == [("new.example",)]
    assert queue.rows("SELECT created_at_ms FROM idempotency") == [(now,)]


def test_more_than_fits_one_transaction_is_forgotten_at_once(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old events and old answers go part by part, until none is left."""
    monkeypatch.setattr(housekeeping, "AT_A_TIME", 2)
    alice = add_owner(services.database)[0].id
    now = now_ms()
    services.database.write_here(
        lambda tx: add_webhook(
            tx, alice, kind="webhook", url="https://h.example/", events=("report.completed",), project="", now_ms=1
        )
    )
    for number in range(5):
        event = Event("report.completed", alice, "example.com", None, None, now - EVENTS_KEPT_MS - 1_000, {})
        services.database.write_here(partial(add_event, event=event))
        _begin(services, f"old {number}", now - KEPT_MS - 1_000)
    before = _rows_of(services, "events", "idempotency")

    do_all(services)

    assert before == [5, 5]
    assert _rows_of(services, "events", "idempotency") == [0, 0]


def test_an_erasure_that_was_interrupted_is_finished(services: Services) -> None:
    """Of an account that was marked by a process that did not get further; others stay."""
    queue = Queue(services.database, add_owner(services.database, "Alice")[0].id)
    bob = add_owner(services.database, "Bob")[0].id
    queue.add("https://a.example/")
    queue.add("https://b.example/", account_id=bob)
    services.database.write_here(lambda tx: begin_erasure(tx, bob, now_ms(), by=None))

    do_all(services)

    assert queue.rows("SELECT url FROM reports") == [("https://a.example/",)]
    assert queue.rows("SELECT name FROM accounts") == [("Alice",)]


def test_sessions_that_are_over_are_forgotten(services: Services) -> None:
    """And links to sign in; a session in use stays."""
    alice, _ = add_owner(services.database)
    now = now_ms()
    for at_ms in (now - LASTS_MS, now - IDLE_MS - 1_000, now):
        services.database.write_here(partial(start_session, account=alice, agent="", now_ms=at_ms))
    for at_ms in (now - 2 * HOUR_MS, now):
        services.database.write_here(partial(make_link, account_id=alice.id, hours=1, now_ms=at_ms))

    do_all(services)
    left = services.database.read_here(lambda tx: [tx.exec_driver_sql(count).scalar() for count in COUNTS])

    assert left == [1, 1]


def _rows_of(services: Services, *tables: str) -> list[int]:
    rows = [f"SELECT count(*) FROM {table}" for table in tables]  # noqa: S608 - ours
    return services.database.read_here(lambda tx: [int(tx.exec_driver_sql(row).scalar_one()) for row in rows])


def _begin(services: Services, name: str, at_ms: int) -> None:
    request = IdempotentRequest(
        key_id=1, method="POST", path="/api/v1/reports", idempotency_key=name, request_sha256=b"\0" * 32
    )
    services.database.write_here(lambda tx: add_request(tx, request, 1, at_ms))


def test_a_quota_that_is_nearly_used_is_told(services: Services) -> None:
    """Once, to who wants it."""
    alice, _ = add_owner(services.database)
    hook = {"kind": "slack", "url": "https://h.example/", "events": ("quota.low",), "project": "", "now_ms": 1}
    services.database.write_here(lambda tx: add_webhook(tx, alice.id, **hook))  # type: ignore[arg-type]
    services.database.write_here(partial(set_quotas, account_id=alice.id, plan=None, quotas={"reports": 1}, plans=()))
    Queue(services.database, alice.id).add("https://a.example/", now_ms=now_ms())

    do_all(services)
    do_all(services)

    assert _rows_of(services, "events") == [1]


def test_the_use_of_keys_is_written_down(services: Services) -> None:
    """Requests only note it in memory."""
    add_owner(services.database)
    services.key_uses.note(1, now_ms())

    do_all(services)

    (key,) = services.database.read_here(lambda tx: list_keys(tx, None))

    assert key.last_used_at_ms is not None


def test_without_retention_nothing_is_deleted(services: Services) -> None:
    """Reports live for ever unless the operator says otherwise."""
    services.options = ServiceOptions()
    queue = Queue(services.database, add_owner(services.database)[0].id)
    queue.add(now_ms=1)
    (claimed,) = queue.claim(now_ms=1)
    services.database.write_here(lambda tx: finish_run(tx, claimed, completed(), 1))

    do_all(services)

    assert queue.rows("SELECT COUNT(*) FROM reports") == [(1,)]


def test_a_chore_that_fails_leaves_the_others_alone(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Both kinds of failure are logged, and the next chore and the next minute come."""
    done = asyncio.Event()
    calls: list[str] = []

    async def put_off(_: Services) -> None:
        calls.append("put_off")
        raise Unavailable

    async def broken(_: Services) -> None:
        calls.append("broken")
        raise RuntimeError

    async def last(_: Services) -> None:
        calls.append("last")
        if calls.count("last") == 2:
            done.set()

    monkeypatch.setattr(housekeeping, "CHORES", (put_off, broken, last))
    monkeypatch.setattr(housekeeping, "FIRST_S", 0.0)
    monkeypatch.setattr(housekeeping, "EVERY_S", 0.0)

    async def main() -> None:
        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            task = group.create_task(run_housekeeping(services))
            await done.wait()
            task.cancel()

    asyncio.run(main())

    assert calls[:6] == ["put_off", "broken", "last"] * 2
    assert "chore_put_off" in caplog.text
    assert "chore_failed" in caplog.text


def test_no_task_ends_housekeeping_while_the_database_is_away(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each of them is put off, by its name, and comes again."""
    monkeypatch.setattr(housekeeping, "FIRST_S", 0.0)
    monkeypatch.setattr(housekeeping, "_is_our_turn", lambda _: True)
    services.database.close()

    async def script() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(3.0):
                await run_housekeeping(services)

    asyncio.run(script())
    named = [record.chore for record in caplog.records if hasattr(record, "chore")]

    assert {"forget_requests", "forget_events", "forget_actions"} <= set(named)


@pytest.mark.backend("postgresql", reason="SQLite's rows are claimed as they are")
def test_a_run_whose_time_has_come_is_offered(services: Services) -> None:
    """Workers are notified; not if none is."""
    queue = Queue(services.database, add_owner(services.database)[0].id)
    queue.add(now_ms=now_ms())
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET offered = 0, available_at_ms = 0")
    woken: list[None] = []
    services.wake = lambda: woken.append(None)
    before = services.database.read_here(has_jobs)
    for _ in range(2):
        asyncio.run(move_lines(services))

    assert not before
    assert services.database.read_here(has_jobs)
    assert woken == [None]


shared_only = pytest.mark.backend("postgresql", reason="one process keeps this in its memory")


def _buckets(services: Services) -> int:
    count = "SELECT count(*) FROM buckets"
    return int(services.database.read_here(lambda tx: tx.exec_driver_sql(count).scalar_one()))


def _fill(services: Services, full_at: str, number: int) -> None:
    make_clock(services.database)
    show(services.database, NOW_MS)
    services.database.write_here(
        lambda tx: tx.exec_driver_sql(
            f"INSERT INTO buckets SELECT decode(md5(number::text), 'hex'), {full_at} "  # noqa: S608
            f"FROM generate_series(1, {number}) AS number"
        )
    )


@shared_only
def test_buckets_that_are_full_are_forgotten(services: Services) -> None:
    """More than go at a time."""
    _fill(services, "clock_timestamp()", housekeeping.BUCKETS_AT_A_TIME + 1)
    for window_s in (60, 3600):
        name = bucket_name(window_s)
        services.database.write_here(partial(take_token, name=name, step_s=window_s, window_s=window_s))
    show(services.database, NOW_MS + 60_000)

    do_all(services)

    assert _buckets(services) == 1


@shared_only
def test_of_too_many_buckets_those_that_are_full_the_soonest_go(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though they count; the table does not grow for ever, however many clients come."""
    monkeypatch.setattr(housekeeping, "BUCKETS", 15_000)
    _fill(services, "clock_timestamp() + number * interval '1 s'", 30_000)

    do_all(services)
    soonest = "SELECT min(full_at) FROM buckets"
    full_at_s = services.database.read_here(lambda tx: tx.exec_driver_sql(soonest).scalar_one()).timestamp()

    assert _buckets(services) == 15_000
    assert full_at_s == NOW_MS / 1000 + 15_001


@shared_only
def test_processes_that_were_silent_for_long_are_forgotten(services: Services) -> None:
    """Those that might only sleep are not."""
    make_clock(services.database)
    for name, at_ms in (("old", NOW_MS), ("new", NOW_MS + KEPT_SILENT_MS)):
        show(services.database, at_ms)
        process = Process(name=name, kind="serve", version="1", host="ant.example", pid=1)
        services.database.write_here(partial(beat, process=process, now_ms=at_ms))

    do_all(services)
    left = services.database.read_here(lambda tx: list_live(tx, now_ms(), KEPT_SILENT_MS * 2))

    assert [process.name for process in left] == ["new"]


@pytest.mark.backend("sqlite", reason="the others are about the other kind")
def test_where_there_is_one_process_there_is_nothing_of_this(services: Services) -> None:
    """Its chores leave the tables of many alone."""
    process = Process(name="old", kind="serve", version="1", host="ant.example", pid=1)
    services.database.write_here(lambda tx: beat(tx, process, 1))

    do_all(services)

    assert services.database.read_here(lambda tx: list_live(tx, 1, 1))


def test_what_is_erased_leaves_the_log(tmp_path: Path) -> None:
    """Within one round of the chores: the write-ahead log of a file holds pages from before."""
    database = make_file(tmp_path)
    services = Services(database=database)
    queue = Queue(database, add_owner(database)[0].id)
    # The connection of the writer stays open, as in a server, so the log is not emptied by closing the last one.
    database.submit(lambda _: None).result()
    queue.add("https://erased.example/")
    (run,) = queue.claim()
    queue.finish(run)
    bob = add_owner(database, "Bob")[0].id
    queue.add("https://kept.example/", account_id=bob)
    files = [database.path, database.path.with_name(f"{database.path.name}-wal")]
    before = b"erased.example" in files[1].read_bytes()
    database.write_here(lambda tx: begin_erasure(tx, 1, now_ms(), by=None))

    do_all(services)
    after = b"".join(each.read_bytes() for each in files if each.exists())

    assert before
    assert b"kept.example" in after
    assert b"erased.example" not in after
    database.close()
