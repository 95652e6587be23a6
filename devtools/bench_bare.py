"""Baseline of the API benchmark: a bare ASGI handler that runs the same SQL on the same database, and nothing else.

``record`` runs requests through the application in this process and writes down every statement with its parameters,
the look at the key and the totals included. ``python -m devtools.bench_bare FILE`` serves a recording: every request
runs its statements with ``sqlite3`` in threads (as many as the server has) and sends the recorded body. Writes go
through one thread that puts those which wait into one commit, as the server does: without, they would be slower.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import secrets
import sqlite3
import sys
import threading
from collections.abc import Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import uvicorn
from sqlalchemy import event

from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.sqlite import BUSY_MS
from pagegrade.store.engine.sqlite_database import GROUP, SQLiteDatabase
from pagegrade.web.app import make_app

READERS: Final = 4
CREATED_URL: Final = "https://bench.example/recorded"
FIRST_RUN_ID: Final = 7_000_000_000
"""Runs are numbered from here before the recording, so that their ids differ from all other numbers."""
UNLIMITED: Final = 1_000_000_000
_BRACKETS: Final = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA")
Call = tuple[str, str, bytes]
"""Method, target, body."""


class Statement(msgspec.Struct, frozen=True):
    """One statement as the driver got it."""

    sql: str
    params: list[Any]
    many: bool = False
    fresh: dict[int, str] = {}
    """Place of a parameter -> what stands there anew in every request: ``url``, ``slug``, ``report``, ``run``."""


class Segment(msgspec.Struct, frozen=True):
    """One transaction."""

    writes: bool
    statements: list[Statement]


class Recording(msgspec.Struct, frozen=True):
    """One request."""

    segments: list[Segment]
    status: int
    body: bytes


class Recordings(msgspec.Struct, frozen=True):
    """All that the bare handler needs."""

    path: str
    calls: dict[str, Recording]
    """By ``list``, ``show``, ``create``."""


def record(path: Path, secret: str, calls: dict[str, Call]) -> Recordings:
    """Record the SQL of each call by running it once in this process."""
    database = SQLiteDatabase(f"sqlite:///{path}", readers=1)
    options = ServiceOptions(
        requests_per_minute=UNLIMITED,
        analyses_per_minute=UNLIMITED,
        queue=UNLIMITED,
        account_queue=UNLIMITED,
        workers=0,
    )
    app = make_app(Services(database=database, options=options))
    seen: list[tuple[str, Any, bool]] = []

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, params: Any = (), /) -> Any:
            seen.append((sql, params, False))
            return super().execute(sql, params)

        def executemany(self, sql: str, params: Any, /) -> Any:
            seen.append((sql, list(params), True))
            return super().executemany(sql, params)

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, params: Any = (), /) -> Any:
            return self.cursor().execute(sql, params)

    @event.listens_for(database._engine, "do_connect")  # noqa: SLF001 - only the bench needs another driver
    def _note(_dialect: Any, _record: Any, _arguments: Any, more: dict[str, Any]) -> None:
        more["factory"] = Connection

    found: dict[str, Recording] = {}
    try:
        for name, call in calls.items():
            # Once unseen, so that what is made at first use is made; another address, so that no run follows another.
            asyncio.run(_ask(app, secret, (*call[:2], call[2] + b"-first" if call[2] else b"")))
            seen.clear()
            status, body = asyncio.run(_ask(app, secret, call))
            if status >= 400:  # noqa: PLR2004 - RFC 9110 15.5
                raise RuntimeError(f"{name}: {status} {body[:300]!r}")
            found[name] = Recording(_segments(seen, body), status, body)
    finally:
        database.close()
    return Recordings(str(path), found)


async def _ask(app: Any, secret: str, call: Call) -> tuple[int, bytes]:
    method, target, body = call
    path, _, query = target.partition("?")
    sent: list[MutableMapping[str, Any]] = []
    headers = [(b"host", b"h"), (b"authorization", f"Bearer {secret}".encode()), (b"prefer", b"respond-async")]
    headers += [(b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"%d" % len(body))]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers if body else headers[:3],
        "http_version": "1.1",
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def _segments(seen: list[tuple[str, Any, bool]], body: bytes) -> list[Segment]:
    made = msgspec.json.decode(body).get("data")
    known = {}
    if isinstance(made, dict) and made.get("url") == CREATED_URL:
        known = {CREATED_URL: "url", made["share_url"].rpartition("/")[2]: "slug", made["id"]: "report"}
    segments: list[Segment] = []
    for sql, params, many in seen:
        if sql.startswith("BEGIN"):
            segments.append(Segment(writes="IMMEDIATE" in sql, statements=[]))
        elif not sql.startswith(_BRACKETS):
            rows = [list(row) for row in params] if many else list(params or ())
            fresh = (
                {}
                if many
                else {place: _fresh(value, known) for place, value in enumerate(rows) if _fresh(value, known)}
            )
            segments[-1].statements.append(Statement(sql, rows, many, fresh))
    return segments


def _fresh(value: Any, known: dict[Any, str]) -> str:
    if isinstance(value, int) and value > FIRST_RUN_ID and value < 2 * FIRST_RUN_ID:
        return "run"
    return known.get(value, "") if isinstance(value, (int, str)) else ""


class Bare:
    """Runs recordings."""

    def __init__(self, recordings: Recordings) -> None:
        self._path = recordings.path
        self._calls = recordings.calls
        self._local = threading.local()
        self._threads = ThreadPoolExecutor(READERS)
        self._waiting: queue.SimpleQueue[tuple[Segment, Callable[[], object]]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        threading.Thread(target=self._write, daemon=True).start()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        if scope["method"] == "POST":
            await receive()
            name = "create"
        else:
            name = "list" if scope["path"].endswith("/reports") else "show"
        recording = self._calls[name]
        loop = asyncio.get_running_loop()
        for segment in recording.segments:
            if segment.writes:
                done = loop.create_future()
                self._waiting.put((segment, partial(loop.call_soon_threadsafe, done.set_result, None)))
                await done
            else:
                await loop.run_in_executor(self._threads, self._read, segment)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(recording.body))]
        await send({"type": "http.response.start", "status": recording.status, "headers": headers})
        await send({"type": "http.response.body", "body": recording.body})

    def _read(self, segment: Segment) -> None:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
        connection.execute("BEGIN")
        for statement in segment.statements:
            connection.execute(statement.sql, statement.params).fetchall()
        connection.execute("COMMIT")

    def _write(self) -> None:
        connection = self._connect()
        while True:
            group = [self._waiting.get()]
            with contextlib.suppress(queue.Empty):
                while len(group) < GROUP:
                    group.append(self._waiting.get_nowait())
            connection.execute("BEGIN IMMEDIATE")
            for segment, _ in group:
                connection.execute("SAVEPOINT work")
                self._write_one(connection, segment)
                connection.execute("RELEASE work")
            connection.execute("COMMIT")
            for _, notify in group:
                notify()

    def _write_one(self, connection: sqlite3.Connection, segment: Segment) -> None:
        fresh: dict[str, Any] = {
            "url": f"https://bench.example/bare/{next(self._numbers)}",
            "slug": secrets.token_urlsafe(16),
        }
        for statement in segment.statements:
            if statement.many:
                connection.executemany(statement.sql, statement.params)
                continue
            params = list(statement.params)
            for place, name in statement.fresh.items():
                params[place] = fresh.get(name, params[place])
            cursor = connection.execute(statement.sql, params)
            rows = cursor.fetchall()
            for table, name in (("INSERT INTO reports ", "report"), ("INSERT INTO runs ", "run")):
                if statement.sql.startswith(table):
                    fresh[name] = rows[0][0] if rows else cursor.lastrowid

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        for pragma in (f"busy_timeout = {BUSY_MS}", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA cache_size = -16000")
        return connection


def main() -> int:
    """Serve a recording until the process is ended."""
    recordings = msgspec.msgpack.decode(Path(sys.argv[1]).read_bytes(), type=Recordings)
    port = int(sys.argv[2])
    uvicorn.run(Bare(recordings), host="127.0.0.1", port=port, log_level="error", access_log=False, lifespan="off")
    return 0


if __name__ == "__main__":
    sys.exit(main())
