from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pagegrade.store.schema.migrate import NEEDS
from tests.fault.next_version import LAST, NEW, NEXT, Version, ended, make_next, this_version
from tests.postgres import databases, execute
from tests.server import Server, start_server
from tests.site.serve import serve_site
from tests.waiting import wait_until

pytestmark = pytest.mark.backend("postgresql", reason="versions work side by side where processes do")
KEY = "mixed-versions-key-0123456789"
SOON_S = 60.0
PROBE_S = 0.1


class Mixed:
    """Processes of two versions on one database."""

    def __init__(self, folder: Path, *, works_from: str = LAST) -> None:
        self.url = databases().make()
        self.this = this_version()
        self.next = make_next(folder / "next", works_from=works_from)
        self.members: list[Server] = []
        self.accepted: list[int] = []
        self.trouble: list[str] = []
        self._folder = folder
        self._stop = threading.Event()

    def serve(self, version: Version, *arguments: str, **settings: str) -> Server:
        """A process that answers requests, and only that unless something else is said."""
        return self._start(version, "serve", arguments or ("--no-worker",), settings)

    def work(self, version: Version, **settings: str) -> Server:
        """A process that only works."""
        return self._start(version, "worker", (), settings)

    def start_old(self) -> tuple[Server, Server]:
        """One of each of this version, at the same time."""
        with ThreadPoolExecutor() as both:
            serving, working = both.submit(self.serve, self.this), both.submit(self.work, self.this)
            return serving.result(), working.result()

    def _start(self, version: Version, verb: str, arguments: tuple[str, ...], settings: dict[str, Any]) -> Server:
        member = start_server(
            self._folder / f"{verb}-{time.monotonic_ns()}",
            *arguments,
            key=KEY,
            command=version.command,
            temporary=None,
            verb=verb,
            DATABASE_URL=self.url,
            LEASE_SECONDS=5,
            BASE_URL="http://127.0.0.1:8080",
            **settings,
        )
        self.members.append(member)
        return member

    def post(self, server: Server) -> int:
        """A new report; its analysis fails at once, because the connection is refused."""
        number: int = server.create(f"http://127.0.0.1:1/{time.monotonic_ns()}", key=KEY)["id"]
        self.accepted.append(number)
        return number

    @contextlib.contextmanager
    def traffic(self, server: Server) -> Iterator[None]:
        """People who ask for reports, read them and look whether the process is ready, for the length of a block."""

        def ask() -> None:
            while not self._stop.is_set():
                try:
                    number = self.post(server)
                    read = server.call("GET", f"/api/v1/reports/{number}", key=KEY)
                    ready = server.call("GET", "/readyz", key=None)
                    if (read.status, ready.status) != (200, 200):
                        self.trouble.append(f"{read.status} {ready.status} {ready.body!r}")
                except (AssertionError, OSError) as error:
                    self.trouble.append(repr(error))
                self._stop.wait(PROBE_S)

        self._stop.clear()
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            yield
        finally:
            self._stop.set()
            asking.join()

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something is so."""
        wait_until(holds)

    def unfinished(self) -> int:
        """Runs that are not at an end."""
        ((count,),) = execute(self.url, "SELECT count(*) FROM runs WHERE state IN ('queued', 'running')")
        return int(count)

    def check(self) -> None:
        """Every report that was accepted is there, with one run that has ended."""
        self.until(lambda: self.unfinished() == 0)
        rows = execute(
            self.url,
            "SELECT report_id, count(*), min(attempt), max(attempt), min(runs.state), max(reports.state) FROM runs "
            "JOIN reports ON reports.id = report_id GROUP BY report_id",
        )
        assert {row[0] for row in rows} == set(self.accepted)
        assert {tuple(row[1:]) for row in rows} == {(1, 1, 1, "failed", "failed")}

    def revision(self) -> str:
        """Of the tables now."""
        ((found,),) = execute(self.url, "SELECT version_num FROM alembic_version")
        return str(found)

    def close(self) -> None:
        """Leave nothing running."""
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.process.wait(SOON_S)


@contextlib.contextmanager
def mixed(folder: Path, *, works_from: str = LAST) -> Iterator[Mixed]:
    """The two versions, and a database of this one."""
    made = Mixed(folder, works_from=works_from)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def a_long_reader(url: str, seconds: float) -> Iterator[None]:
    """A reader of a table whose transaction does not end for a while, as in a backup."""
    connection = psycopg.connect(url.replace("+psycopg", ""))
    connection.execute("SELECT count(*) FROM reports")
    timer = threading.Timer(seconds, connection.close)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def test_an_upgrade_without_interruption(tmp_path: Path) -> None:
    """Tables first, under way and with a backup in the way; then old and new processes do each other's work."""
    with mixed(tmp_path) as both:
        old, old_worker = both.start_old()
        with both.traffic(old):
            both.until(lambda: len(both.accepted) > 3)
            with a_long_reader(both.url, 3.0):
                migrated = both.next.run(both.url, "migrate")
            both.until(lambda: both.unfinished() <= 1)
            # Asked for here, analyzed there: by the new one, then by the old one again, started on the new tables.
            new_worker = both.work(both.next)
            stopped = [old_worker.stop()]
            before = len(both.accepted)
            both.until(lambda: len(both.accepted) > before + 3)
        with both.traffic(both.serve(both.next)):
            again = both.work(both.this)
            stopped += [new_worker.stop(), old.stop()]
            before = len(both.accepted)
            both.until(lambda: len(both.accepted) > before + 3)
            restarted = both.serve(both.this)
            both.post(restarted)
        both.check()
        checks = [version.run(both.url, "migrate", "--check")[0] for version in (both.this, both.next)]

    assert migrated[0] == 0, migrated[1]
    assert both.trouble == []
    assert stopped == [0, 0, 0]
    assert both.revision() == NEW
    assert f"The database has schema {NEW} (Pagegrade {NEXT}), this version has {LAST}; it works with it." in again.log
    assert "it works with it" in restarted.log
    assert checks == [0, 0]


def test_runs_under_way_outlive_an_upgrade(tmp_path: Path) -> None:
    """The run of an old worker that is stopped ends there, that of one that is killed is taken over, others follow."""
    slow = {"RUN_BUDGET_SECONDS": "6"}
    with serve_site() as site, mixed(tmp_path) as both:
        old = both.serve(both.this)
        stopped, killed = (both.work(both.this, WORKERS="1", **slow) for _ in range(2))
        numbers = [old.create(f"{site.http}/slow?{number}", key=KEY)["id"] for number in range(5)]
        states = partial(execute, both.url, "SELECT report_id FROM runs WHERE state = 'running'")
        both.until(lambda: len(states()) >= 2)
        migrated = both.next.run(both.url, "migrate")
        under_way = {number for (number,) in states()}
        killed.process.kill()
        both.work(both.next, **slow)
        code = stopped.stop()
        both.until(lambda: both.unfinished() == 0)
        rows = execute(
            both.url,
            "SELECT report_id, number, attempt, reports.state FROM runs JOIN reports ON reports.id = report_id",
        )

    assert migrated[0] == 0, migrated[1]
    # Those that wait for their site have given up their slots, so a worker with one may have several.
    assert len(under_way) >= 2
    assert code == 0
    assert {number for number, *_ in rows} == set(numbers)
    assert {(number, state) for _, number, _, state in rows} == {(1, "completed")}
    assert {attempt for _, _, attempt, _ in rows} == {1, 2}
    assert {number for number, _, attempt, _ in rows if attempt == 2} <= under_way


def test_new_code_on_old_tables(tmp_path: Path) -> None:
    """If another role changes the tables: it starts, works, says that they are behind, and goes on afterwards."""
    with mixed(tmp_path) as both:
        new = both.serve(both.next, "--workers", "2", MIGRATE="never")
        with both.traffic(new):
            before = both.next.run(both.url, "migrate", "--check")
            unchanged = both.revision()
            migrated = both.next.run(both.url, "migrate")
            after = both.next.run(both.url, "migrate", "--check")
            count = len(both.accepted)
            both.until(lambda: len(both.accepted) > count + 2)
        both.check()

    assert NEEDS == LAST  # or there are tables that the next version would have to refuse
    assert (before[0], "which works with it. Run pagegrade migrate" in before[1]) == (1, True)
    assert unchanged == LAST
    assert f"The database has schema {LAST}" in new.log
    assert "Run pagegrade migrate to change it" in new.log
    assert (migrated[0], after[0]) == (0, 0)
    assert both.trouble == []


def test_a_version_that_the_old_one_cannot_work_beside(tmp_path: Path) -> None:
    """Running processes stop working and touch nothing; a starting one says what to do; accepted runs are done."""
    with mixed(tmp_path, works_from=NEW) as both:
        old, old_worker = both.start_old()
        both.post(old)
        both.until(lambda: both.unfinished() == 0)
        migrated = both.next.run(both.url, "migrate")
        both.until(lambda: old.call("GET", "/readyz", key=None).status == 503)
        unready = [member.call("GET", "/readyz", key=None).json for member in (old, old_worker)]
        late = both.post(old)
        both.until(lambda: "schema_changed" in old.log and "schema_changed" in old_worker.log)
        waiting = execute(both.url, "SELECT state, attempt FROM runs WHERE report_id = %s", late)
        started = [both.this.start(both.url, *words) for words in (["serve"], ["worker"], ["migrate", "--check"])]
        *refused, checked = [ended(each) for each in started]
        new = both.work(both.next)
        both.check()
        stopped = [member.stop() for member in (old, old_worker, new)]

    assert migrated[0] == 0, migrated[1]
    assert [body["checks"]["schema"] for body in unready] == ["changed", "changed"]
    assert waiting == [("queued", 0)]
    assert stopped == [0, 0, 0]
    for code, words in (*refused, checked):
        assert code == 2
        assert f"was changed by Pagegrade {NEXT} (schema {NEW})" in words
        assert "Install that version or a later one" in words


def test_a_migration_happens_once_or_not_at_all(tmp_path: Path) -> None:
    """Killed in the middle it has changed nothing; of two at the same moment one does it."""
    with mixed(tmp_path) as both:
        killed = both.next.run(both.url, "migrate", DIE_IN_MIGRATION="1")
        tables = partial(execute, both.url, "SELECT to_regclass('notes') IS NOT NULL")
        between = (both.revision(), tables())
        codes = [ended(each)[0] for each in [both.next.start(both.url, "migrate") for _ in range(2)]]
        rows = execute(both.url, "SELECT count(*) FROM notes")

    assert killed[0] == -9
    assert between == (LAST, [(False,)])
    assert codes == [0, 0]
    assert both.revision() == NEW
    assert rows == [(1,)]
