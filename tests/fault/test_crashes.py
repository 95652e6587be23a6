"""The real server is killed at each point where it could lose something, and started again.

Rows O01 to O17 and B01 to B04 of the crash table; each holds the clients' ledger against the API and the database
afterwards.
"""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from pagegrade.store.engine.data_dir import DATABASE_NAME
from tests.fault.crashing import POISON
from tests.fault.instance import DEATH_S, Instance, died
from tests.server import Server
from tests.site.serve import Site, serve_site
from tests.waiting import pause, wait_until

SLOW: Final = {"RUN_BUDGET_SECONDS": 4}
"""For pages that take 2 s for every answer."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running:
        yield running


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty one."""
    made = Instance(tmp_path)
    yield made
    made.close()


def attempts(instance: Instance) -> dict[str, int]:
    """URL -> how often its run was started."""
    with closing(sqlite3.connect(instance.folder / DATABASE_NAME)) as database:
        return dict(database.execute("SELECT url, attempt FROM runs").fetchall())


@pytest.mark.parametrize("point", ["O01", "O03"])
def test_death_before_the_commit_leaves_no_trace(instance: Instance, site: Site, point: str) -> None:
    """O01, O03: nothing was promised, nothing is there, and asking again makes one report."""
    server = instance.start(point, "2")
    instance.ledger.post(server, f"{site.http}/?first", key="one")

    assert instance.ledger.post(server, f"{site.http}/?second", key="two") is None
    died(server)

    server = instance.start()
    again = instance.ledger.post(server, f"{site.http}/?second", key="two")

    assert again is not None
    instance.end(server)

    assert len(attempts(instance)) == 2


def test_death_before_the_answer_keeps_the_report(instance: Instance, site: Site) -> None:
    """O02: what was committed is there, and the same Idempotency-Key finds it instead of making another."""
    server = instance.start("O02", "1")

    assert instance.ledger.post(server, f"{site.http}/?x", key="same") is None
    died(server)

    server = instance.start()

    assert instance.ledger.post(server, f"{site.http}/?x", key="same") == 1
    assert instance.ledger.post(server, f"{site.http}/?x", key="same") == 1

    instance.end(server)

    assert len(attempts(instance)) == 1


@pytest.mark.parametrize(("point", "nth", "committed"), [("B01", "2", False), ("B02", "1", False), ("B03", "1", True)])
def test_death_while_a_batch_is_made_leaves_all_of_it_or_nothing(
    instance: Instance, site: Site, point: str, nth: str, *, committed: bool
) -> None:
    """B01 to B03: between two reports, before the commit, before the answer; the same key then gives one batch."""
    urls = tuple(f"{site.http}/?{number}" for number in range(3))
    server = instance.start(point, nth)

    assert instance.ledger.post_batch(server, urls, key="same") is None
    died(server)
    with closing(sqlite3.connect(instance.folder / DATABASE_NAME)) as database:
        stored = database.execute("SELECT count(*), count(DISTINCT url) FROM reports").fetchone()

    assert stored == ((3, 3) if committed else (0, 0))

    server = instance.start()
    numbers = [instance.ledger.post_batch(server, urls, key="same") for _ in range(2)]

    assert numbers == [1, 1]

    instance.end(server)

    assert sorted(attempts(instance)) == sorted(urls)


def test_a_batch_survives_the_death_of_its_worker(instance: Instance, site: Site) -> None:
    """B04: killed in the middle of its second report; each report ends once, in a named state."""
    urls = tuple(f"{site.http}/?{number}" for number in range(4))
    server = instance.start("O09", "2", WORKERS=1)
    instance.ledger.post_batch(server, urls, key="one")
    died(server)
    server = instance.start()

    instance.end(server)

    assert sorted(attempts(instance)) == sorted(urls)


@pytest.mark.parametrize(
    ("point", "started"),
    [("O04", 1), ("O05", 2), ("O06", 2), ("O09", 2), ("O10", 2), ("O10-detail", 2), ("O11", 1)],
)
def test_death_of_the_worker_loses_no_run(instance: Instance, site: Site, point: str, started: int) -> None:
    """O04 to O11: whatever the worker was doing, each report ends once, and is started at most once more."""
    server = instance.start(point, "1")
    instance.ledger.post(server, f"{site.http}/?1")
    died(server)
    server = instance.start()
    for number in (2, 3):
        instance.ledger.post(server, f"{site.http}/?{number}")

    instance.end(server)

    assert attempts(instance)[f"{site.http}/?1"] == started


def test_death_of_a_parser_is_no_death_of_a_run(instance: Instance, site: Site) -> None:
    """O07: only the child dies; the report ends in the same attempt, and those after it are fine."""
    server = instance.start("O07", "2", WORKERS=1)
    for number in range(3):
        instance.ledger.post(server, f"{site.http}/?{number}")
    reports = instance.ledger.check(server)

    instance.end(server)

    assert set(attempts(instance).values()) == {1}
    assert [report["state"] for report in reports.values()].count("completed") >= 2


def test_death_of_the_reaper_requeues_nothing_twice(instance: Instance, site: Site) -> None:
    """O14: the sweep that was cut off in the middle is made by the next process, whole."""
    server = instance.start("O05", "3", WORKERS=3, TARGET_RUNS=10, **SLOW)
    for number in range(3):
        instance.ledger.post(server, f"{site.http}/slow?{number}")
    died(server)
    held = attempts(instance)
    instance.start_to_die("O14", "2")

    server = instance.start(**SLOW)
    instance.end(server)

    assert len(held) == len(attempts(instance))
    assert max(attempts(instance).values()) <= 2


def test_a_page_that_kills_every_worker_fails(instance: Instance, site: Site) -> None:
    """O15: after three deaths it is given up with a reason, and the pages around it are fine."""
    poison = f"{site.http}/?{POISON}"
    server = instance.start("O15", "1")
    instance.ledger.post(server, f"{site.http}/?before")
    instance.ledger.post(server, poison)
    died(server)
    for _ in range(2):
        instance.start_to_die("O15", "1")

    server = instance.start("O15", "1")
    instance.ledger.post(server, f"{site.http}/?after")
    # The first death can come before the answer, which is why the ledger need not know the report.
    listed = server.call("GET", "/api/v1/reports").json["data"]
    (deadly,) = [server.finished(report["id"]) for report in listed if report["url"] == poison]
    reports = {report["url"]: report for report in instance.ledger.check(server).values()}

    instance.end(server)

    assert (deadly["error"]["code"], deadly["error"]["reason"]) == ("internal", "retries_exhausted")
    assert [report["state"] for url, report in reports.items() if url != poison] == ["completed", "completed"]


def test_a_polite_word_finishes_what_is_under_way(instance: Instance, site: Site) -> None:
    """O12: nothing new is begun, what is under way is finished, and the exit code is 0."""
    server = instance.start(WORKERS=1)
    for number in range(4):
        instance.ledger.post(server, f"{site.http}/?{number}")

    assert server.stop() == 0
    started = attempts(instance)

    server = instance.start()
    instance.end(server)

    assert len(started) == 4
    assert max(attempts(instance).values()) == 1


def test_runs_that_outlast_the_grace_are_given_back(instance: Instance, site: Site) -> None:
    """O12: they count as never started, and the next server takes them at once."""
    server = instance.start(GRACE_SECONDS=0.1, WORKERS=2, **SLOW)
    for number in range(2):
        instance.ledger.post(server, f"{site.http}/slow?{number}")
    _wait_for_runs(instance, "running")

    assert server.stop() == 0
    assert set(attempts(instance).values()) == {0}

    server = instance.start(**SLOW)
    instance.end(server)

    assert set(attempts(instance).values()) == {1}


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_second_word_ends_at_once(instance: Instance, site: Site, second: signal.Signals) -> None:
    """O13: asked twice, or killed in the middle of stopping: the next server brings everything to its end."""
    server = instance.start(GRACE_SECONDS=60, WORKERS=2, **SLOW)
    for number in range(2):
        instance.ledger.post(server, f"{site.http}/slow?{number}")
    _wait_for_runs(instance, "running")
    server.process.send_signal(signal.SIGTERM)
    code = server.stop(second)

    assert code == (-signal.SIGKILL if second == signal.SIGKILL else 0)
    server = instance.start(**SLOW)
    instance.end(server)


def test_copies_of_a_moment_hold_what_was_promised(instance: Instance, site: Site) -> None:
    """O17: the files as they are in a random instant, the log's end torn, are a whole database with every promise."""
    chance = random.Random(17)  # noqa: S311 - any numbers, the same ones every time
    server = instance.start(WORKERS=2, ACCOUNT_QUEUE=10_000)
    ended = threading.Event()

    def post() -> None:
        number = 0
        while not ended.is_set():
            instance.ledger.post(server, f"{site.http}/?{number % 50}")
            number += 1

    clients = [threading.Thread(target=post) for _ in range(2)]
    for client in clients:
        client.start()
    copies: list[tuple[Path, frozenset[int]]] = []
    try:
        for number in range(8):
            _wait_for_promises(instance, number)
            pause(chance.uniform(0.05, 0.4), "some more of the work in which it is interrupted")
            promised = frozenset(instance.ledger.accepted.copy())
            copies.append((_copy_instant(instance, server, number, chance), promised))
    finally:
        ended.set()
        for client in clients:
            client.join()

    assert len(copies[-1][1]) > 6
    for copy, promised in copies:
        with closing(sqlite3.connect(copy)) as database:
            there = {row[0] for row in database.execute("SELECT report_id FROM runs")}
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert promised <= there
    instance.end(server)


def _copy_instant(instance: Instance, server: Server, number: int, chance: random.Random) -> Path:
    """Database and log as a power failure would leave them: the process stands still, and the log ends in rubbish."""
    copy = instance.temporary.parent / f"copy-{number}.db"
    source = instance.folder / DATABASE_NAME
    server.process.send_signal(signal.SIGSTOP)
    try:
        shutil.copy(source, copy)
        log = source.with_name(f"{source.name}-wal")
        if log.exists():
            torn = log.read_bytes() + chance.randbytes(chance.randrange(9_000))
            copy.with_name(f"{copy.name}-wal").write_bytes(torn)
    finally:
        server.process.send_signal(signal.SIGCONT)
    return copy


def _wait_for_promises(instance: Instance, count: int) -> None:
    wait_until(lambda: len(instance.ledger.accepted) >= count)


def _wait_for_runs(instance: Instance, state: str) -> None:
    def are_in_it() -> bool:
        with closing(sqlite3.connect(instance.folder / DATABASE_NAME)) as database:
            count: tuple[int] = database.execute("SELECT COUNT(*) FROM runs WHERE state <> ?", (state,)).fetchone()
            return count == (0,)

    wait_until(are_in_it, f"all runs {state}")


def test_two_servers_do_not_share_a_folder(instance: Instance) -> None:
    """The second one says who is there, and changes nothing."""
    server = instance.start()

    second = subprocess.run(
        [sys.executable, "-m", "pagegrade", "serve", "--port", "0"],
        env=dict(server.environment),
        capture_output=True,
        encoding="utf-8",
        timeout=DEATH_S,
        check=False,
    )

    assert second.returncode == 2
    assert f"process {server.process.pid}" in second.stderr
    assert server.stop() == 0
