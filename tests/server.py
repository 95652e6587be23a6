"""A real ``pagegrade serve`` in a process of its own, and two ways to talk to it: calls, and bytes on a socket."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import re
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlencode

from pagegrade.clock import now_ms
from pagegrade.model.account import SCOPES
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from tests.store_builders import add_key, add_owner, migrated
from tests.waiting import wait_until

START_S: Final = 120.0
"""Patience, not a promise: a start takes two seconds of a processor, which others may be using."""
STOP_S: Final = 60.0
READ_S: Final = 120.0
LOG_CHARS: Final = 3_000
"""Characters of a log that a failure shows."""
FORM: Final = "application/x-www-form-urlencoded"
COMMAND: Final = (sys.executable, "-m", "pagegrade")
LOOPBACK: Final = "127.0.0.0/8"
_READY: Final = re.compile(r"http://127\.0\.0\.1:(\d+)")
_SECRET: Final = re.compile(r"pgk_[0-9A-Za-z]{20,}")
OWNER: Final = object()
"""Stands for the key of the server's owner."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer as it came."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    version: str = "HTTP/1.1"

    def header(self, name: str) -> str | None:
        """The first value of a header."""
        return next((value for found, value in self.headers if found.lower() == name.lower()), None)

    def need(self, name: str) -> str:
        """The value of a header that must be there."""
        value = self.header(name)
        if value is None:
            raise AssertionError(f"no {name} in {self.headers}")
        return value

    @property
    def json(self) -> Any:
        """The body read as JSON, unpacked where it was sent with gzip."""
        packed = self.header("content-encoding") == "gzip"
        return json.loads(gzip.decompress(self.body) if packed else self.body)

    @property
    def data(self) -> Any:
        """The member ``data`` of a success."""
        if self.status >= 400:
            raise AssertionError(f"{self.status}: {self.body[:500]!r}")
        return self.json["data"]


class Wire:
    """One connection on which a test says every byte itself."""

    def __init__(self, port: int, *, timeout_s: float = READ_S) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Put bytes on the wire."""
        self._socket.sendall(data)

    def reply(self) -> Reply:
        """The next answer, interim ones (1xx) included.

        Args:
            head: The request was HEAD: what follows is no body, whatever Content-Length says.

        Raises:
            ConnectionError: The server hung up before the answer was complete.
        """
        top = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, *_ = top[0].split(" ")
        headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in top[1:] if line))
        known = {name.lower(): value for name, value in headers}
        if status[0] == "1" or status in {"204", "304"}:
            body = b""
        elif known.get("transfer-encoding") == "chunked":
            body = b"".join(iter(self._chunk, b""))
        elif "content-length" in known:
            body = self._exactly(int(known["content-length"]))
        else:
            body = self.rest()
        return Reply(int(status), headers, body, version)

    def rest(self) -> bytes:
        """Everything until the server hangs up."""
        while self._receive():
            pass
        taken, self._buffer = self._buffer, b""
        return taken

    def hung_up(self) -> bool:
        """Return whether nothing more comes because the server has closed."""
        return not self._buffer and not self._receive()

    def _receive(self) -> bool:
        try:
            data = self._socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            return False
        self._buffer += data
        return bool(data)

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            if not self._receive():
                raise ConnectionError(f"the server hung up after {self._buffer!r}")
        taken, _, self._buffer = self._buffer.partition(mark)
        return taken

    def _exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            if not self._receive():
                raise ConnectionError(f"the server hung up after {len(self._buffer)} of {count} bytes")
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _chunk(self) -> bytes:
        size = int(self._until(b"\r\n").split(b";")[0], 16)
        data = self._exactly(size)
        self._exactly(2)
        return data


@dataclass(slots=True)
class Server:
    """A running server and how to call it."""

    process: subprocess.Popen[bytes]
    port: int
    key: str
    """The bootstrap key: the owner's, with every scope."""
    folder: Path
    """``DATA_DIR``."""
    environment: Mapping[str, str]
    log_file: Path

    @property
    def origin(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """All it has printed so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def call(
        self,
        method: str,
        path: str,
        *,
        key: object = OWNER,
        form: Mapping[str, object] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = READ_S,
    ) -> Reply:
        """One request on a connection of its own.

        Args:
            method: Any word.
            path: With the query.
            key: A secret, ``None`` for none, ``OWNER`` for the owner's.
            form: Sent as ``application/x-www-form-urlencoded``.
            body: Sent as it is.
            headers: Besides; win over those made here.
            timeout_s: Seconds of silence that count as no answer.
        """
        sent = dict(headers or {})
        if form is not None:
            body = urlencode({name: str(value) for name, value in form.items()}).encode()
            sent.setdefault("Content-Type", FORM)
        secret = self.key if key is OWNER else key
        if secret is not None:
            sent.setdefault("Authorization", f"Bearer {secret}")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            return Reply(answer.status, tuple(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def wire(self, *, timeout_s: float = READ_S) -> Wire:
        """A connection for raw bytes."""
        return Wire(self.port, timeout_s=timeout_s)

    def create(self, url: str, *, key: object = OWNER, **fields: object) -> dict[str, Any]:
        """A new report, whose analysis is not waited for."""
        reply = self.call(
            "POST", "/api/v1/reports", key=key, form={"url": url, **fields}, headers={"Prefer": "respond-async"}
        )
        if reply.status != 201:
            raise AssertionError(f"{reply.status}: {reply.body[:500]!r}")
        made: dict[str, Any] = reply.data
        return made

    def finished(self, report_id: int, *, key: object = OWNER, within_s: float = 120.0) -> dict[str, Any]:
        """The report once no run of it is under way."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            reply = self.call("GET", f"/api/v1/reports/{report_id}", key=key, headers={"Prefer": "wait=10"})
            report: dict[str, Any] = reply.data
            if report["state"] in {"completed", "failed"}:
                return report
        raise AssertionError(
            f"report {report_id} is not finished after {within_s} s; the server said: {self.log[-3000:]}"
        )

    def run(self, *arguments: str, check: bool = True) -> str:
        """The output of another command of the product, run beside the server on its data."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            env=dict(self.environment),
            capture_output=True,
            encoding="utf-8",
            timeout=START_S,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def add_account(self, name: str) -> tuple[int, str]:
        """(id, secret of a key with every scope) of a new account."""
        with self._database() as database:
            account, secret = add_owner(database, name, now_ms=now_ms())
        return account.id, secret

    def add_key(self, account: int = 1, *, scopes: tuple[str, ...] = SCOPES) -> str:
        """The secret of a new key."""
        with self._database() as database:
            return add_key(database, account, name=secrets.token_hex(4), scopes=scopes, now_ms=now_ms())[1]

    def add_key_by_command(self, account: int = 1) -> str:
        """The same as an operator gets it, from a process of its own."""
        said = self.run("keys", "create", "--account", str(account), "--name", secrets.token_hex(4))
        secret = _SECRET.search(said)
        if secret is None:
            raise AssertionError(f"no key in {said!r}")
        return secret.group()

    def revoke_by_command(self, secret: str) -> None:
        """Revoke a key with the command for it."""
        number = self.call("GET", "/api/v1/account", key=secret).data["api_key"]["id"]
        self.run("keys", "revoke", str(number))

    @contextlib.contextmanager
    def _database(self) -> Iterator[Database]:
        """The same database from here, as a command would open it; starting one takes more than a second."""
        database = SQLiteDatabase(f"sqlite:///{self.folder / DATABASE_NAME}", readers=1, checkpoints=False)
        try:
            yield database
        finally:
            database.close()

    def expire(self, secret: str) -> None:
        """Let a key have expired; the command only knows whole days."""
        digest = hashlib.sha256(secret.encode()).digest()
        with contextlib.closing(sqlite3.connect(self.folder / DATABASE_NAME, timeout=10)) as connection, connection:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute("UPDATE api_keys SET expires_at_ms = 1 WHERE secret_sha256 = ?", (digest,))

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Stop it; its exit status, negative when a signal ended it."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_S)
            raise


def start_server(
    folder: Path,
    *arguments: str,
    key: str | None = None,
    command: Sequence[str] = COMMAND,
    temporary: Path | None = None,
    verb: str = "serve",
    tables: bool = True,
    **settings: object,
) -> Server:
    """Start ``pagegrade serve`` on a free port and wait until it is ready; the caller stops it.

    Args:
        folder: ``DATA_DIR``; made when missing.
        arguments: Options of ``serve``.
        key: Bootstrap key; ``None``: one is made here; empty: the server makes one by itself.
        command: What is started instead of the product itself.
        temporary: ``TMPDIR``, which children have too.
        verb: ``worker`` for a process that only answers probes.
        tables: ``False``: where there is no database yet, the server makes it, as at its first start. Otherwise a copy
            of one without rows is put there before: a quarter of the processor time of a start.
        settings: By their names, without the prefix: ``REQUESTS_PER_MINUTE=5``. Pages are not drawn unless ``RENDER``
            says so: few tests are about that, and it takes half a minute for each page.

    Raises:
        AssertionError: It ended or said nothing in time; the message holds what it printed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / DATABASE_NAME
    if tables and not file.exists() and "DATABASE_URL" not in settings:
        file.write_bytes(migrated())
    secret = f"test-key-{secrets.token_urlsafe(24)}" if key is None else key
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")} | {
        "PAGEGRADE_DATA_DIR": str(folder),
        "PAGEGRADE_BOOTSTRAP_API_KEY": secret,
        "PAGEGRADE_ALLOW_NETWORKS": LOOPBACK,
        "PAGEGRADE_REQUESTS_PER_MINUTE": "100000",
        "PAGEGRADE_ANALYSES_PER_MINUTE": "100000",
        "PAGEGRADE_RENDER": "never",
        **{f"PAGEGRADE_{name}": str(value) for name, value in settings.items()},
        **({} if temporary is None else {"TMPDIR": str(temporary)}),
    }
    log_file = folder.parent / f"{folder.name}-{secrets.token_hex(4)}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [*command, verb, "--host", "127.0.0.1", "--port", "0", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        port = _wait_until_ready(process, log_file)
    except BaseException:
        process.kill()
        process.wait(STOP_S)
        raise
    return Server(process, port, secret, folder, environment, log_file)


@contextlib.contextmanager
def running_server(
    folder: Path, *arguments: str, key: str | None = None, tables: bool = True, **settings: object
) -> Iterator[Server]:
    """``start_server`` for the length of a block."""
    server = start_server(
        folder, *arguments, key=key, command=COMMAND, temporary=None, verb="serve", tables=tables, **settings
    )
    try:
        yield server
    finally:
        server.stop()


def _wait_until_ready(process: subprocess.Popen[bytes], log_file: Path) -> int:
    def ready_port() -> int | None:
        if process.poll() is not None:
            raise AssertionError(f"the server ended with {process.returncode}: {log_file.read_text()[-LOG_CHARS:]}")
        found = _READY.search(log_file.read_text(encoding="utf-8", errors="replace"))
        return int(found[1]) if found and _is_ready(int(found[1])) else None

    return wait_until(ready_port, "a server that is ready")


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=READ_S)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
