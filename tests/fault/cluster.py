"""An installation of many processes on one PostgreSQL, each of which a test can stop, kill, pause or cut off."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from pagegrade.clock import now_ms
from pagegrade.store.engine.factory import open_database
from pagegrade.store.schema.migrate import migrate
from tests.fault.ledger import check_no_orphans
from tests.fault.relay import Relay
from tests.fault.shared_ledger import WATCH, SharedLedger
from tests.postgres import ADMIN, SMALL, Databases, Postgres, execute
from tests.server import Server, start_server
from tests.store_builders import add_owner
from tests.waiting import pause, wait_until

DEATH_S: Final = 60.0
LEASE_S: Final = 5
DURABLE: Final = {**SMALL, "fsync": "on", "full_page_writes": "on"}
"""Everything that was promised must be there whatever happens to the server."""
PRODUCT: Final = (sys.executable, "-m", "pagegrade")


class Cluster:
    """One database, and the processes that work on it."""

    def __init__(self, folder: Path, postgres: Postgres, *, tablespace: str | None = None) -> None:
        """Make the database and two accounts in it; no process runs yet.

        Args:
            folder: For logs, temporary files and the ledger.
            postgres: A server that runs.
            tablespace: Where the files of the database lie; ``None``: where all others do.
        """
        self.postgres = postgres
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._folder = folder
        self._databases = Databases(postgres.url("postgres"), tablespace=tablespace)
        self.url = self._databases.make_empty()
        self.name = self.url.rpartition("/")[2]
        self.ledger = SharedLedger(folder / "promises.jsonl")
        self.members: list[Server] = []
        self.relays: list[Relay] = []
        database = open_database(self.url)
        migrate(database)
        self.secrets = tuple(add_owner(database, name, now_ms=now_ms())[1] for name in ("Alice", "Bob"))
        database.close()
        for statement in WATCH:
            execute(self.url, statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def alice(self) -> str:
        """The key of the account that most tests are about."""
        return self.secrets[0]

    @property
    def bob(self) -> str:
        """The key of another account."""
        return self.secrets[1]

    @property
    def admin_url(self) -> str:
        """The database, for who may look into everything."""
        return self.postgres.url(self.name, user=ADMIN)

    def serve(self, *point: str, relay: Relay | None = None, **settings: object) -> Server:
        """A process that only answers requests, perhaps one that dies at a point, perhaps behind a relay."""
        return self._start("serve", ("--no-worker",), point, relay, settings)

    def work(self, *point: str, relay: Relay | None = None, **settings: object) -> Server:
        """A process that only works."""
        return self._start("worker", (), point, relay, {"WORKERS": 2, **settings})

    def work_to_die(self, *point: str, **settings: object) -> None:
        """A process that dies while it works, perhaps before it announced that it was ready."""
        with contextlib.suppress(AssertionError):
            died(self.work(*point, **settings))  # type: ignore[arg-type]

    def only(self, *kept: Server) -> None:
        """Let no process go on but these, which may have been standing still."""
        for member in self.members:
            if member not in kept and member.process.poll() is None:
                kill(member)
        self.resume(*kept)

    def relay(self) -> Relay:
        """One more way to the database, which can be broken."""
        relay = Relay(self.postgres.port)
        relay.start()
        self.relays.append(relay)
        return relay

    def _start(
        self,
        verb: str,
        arguments: tuple[str, ...],
        point: tuple[str, ...],
        relay: Relay | None,
        settings: dict[str, Any],
    ) -> Server:
        command = (sys.executable, "-m", "tests.fault.crashing", *point) if point else PRODUCT
        url = self.url if relay is None else self.url.replace(f":{self.postgres.port}/", f":{relay.port}/")
        given: dict[str, Any] = {
            "DATABASE_URL": url,
            "LEASE_SECONDS": LEASE_S,
            "BASE_URL": "http://127.0.0.1:8080",
            "TARGET_RUNS": 10,
            **settings,
        }
        member = start_server(
            self._folder / f"{verb}-{len(self.members)}",
            *arguments,
            key="",
            command=command,
            temporary=self.temporary,
            verb=verb,
            **given,
        )
        self.members.append(member)
        return member

    def post(self, server: Server, url: str, *, secret: str | None = None, key: str | None = None) -> int | None:
        """Ask for a report; written down in the ledger."""
        return self.ledger.post(server, url, secret=secret or self.alice, key=key)

    def states(self) -> Counter[str]:
        """The number of runs in each state."""
        found = execute(self.url, "SELECT state, COUNT(*) FROM runs GROUP BY state")
        return Counter({str(state): int(count) for state, count in found})

    def holder(self, number: int) -> Server:
        """The worker that has the run of a report now.

        Raises:
            AssertionError: No process takes it.
        """
        asked = (
            "SELECT processes.pid FROM runs JOIN processes ON processes.name = runs.worker "
            "WHERE runs.report_id = %s AND runs.state = 'running'"
        )
        ((pid,),) = wait_until(lambda: execute(self.url, asked, number), f"report {number} taken")
        return next(member for member in self.members if member.process.pid == pid)

    def pause(self, *members: Server) -> None:
        """Let processes stand still in a moment in which none of them is in the middle of a transaction."""
        busy = (
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND state <> 'idle' AND backend_type = 'client backend'"
        )

        def are_paused() -> bool:
            for member in members:
                member.process.send_signal(signal.SIGSTOP)
            pause(0.1, "statements that the server still works on")
            if not execute(self.admin_url, busy):
                return True
            self.resume(*members)
            return False

        wait_until(are_paused, "processes that are idle")

    def resume(self, *members: Server) -> None:
        """Let them go on."""
        for member in members:
            member.process.send_signal(signal.SIGCONT)

    def wait_for(self, wanted: Callable[[], bool], what: str, *, within_s: float = DEATH_S) -> None:
        """Wait until something is so.

        Raises:
            AssertionError: It never is.
        """
        wait_until(wanted, what, within_s=within_s)

    def check(self, server: Server, asked: Counter[str], origin: str) -> None:
        """Hold every promise against what there is; the processes go on."""
        self.ledger.check(server, self.url, asked, origin)

    def end(self) -> None:
        """Stop every process as an operator does, and look at what is left of them."""
        codes = [member.stop() for member in self.members if member.process.poll() is None]
        assert set(codes) <= {0}
        check_no_orphans(self.temporary)
        self.check_files()

    def check_files(self) -> None:
        """Let the database check every index and every row of its own."""
        execute(self.admin_url, "CREATE EXTENSION IF NOT EXISTS amcheck")
        execute(
            self.admin_url,
            "SELECT bt_index_check(pg_index.indexrelid, true) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
            "JOIN pg_am ON pg_am.oid = relam WHERE amname = 'btree' AND relnamespace = 'public'::regnamespace "
            "AND relpersistence = 'p'",
        )
        damage = execute(
            self.admin_url,
            "SELECT relname, found.msg FROM pg_class, verify_heapam(pg_class.oid) AS found "
            "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relpersistence = 'p'",
        )
        assert damage == []

    def close(self) -> None:
        """Leave nothing running, whatever became of the test."""
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.process.wait(DEATH_S)
        for relay in self.relays:
            relay.close()
        if not self.postgres.pid:
            self.postgres.start()
        self.postgres.resume()
        self._databases.drop_all()


def died(member: Server) -> None:
    """Wait until a process has killed itself."""
    assert member.process.wait(DEATH_S) == -signal.SIGKILL, member.log[-3000:]


def kill(member: Server) -> None:
    """``kill -9``."""
    member.process.kill()
    member.process.wait(DEATH_S)
