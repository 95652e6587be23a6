"""Scripted servers: one small function per way of behaving, every received byte recorded."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.lab.wires import listening_socket

LIFETIME_S = 20.0
"""No scripted connection lives longer, whatever its script does."""


@dataclass(slots=True)
class Record:
    """The bytes that one connection received."""

    address: str
    port: int
    at_s: float
    received: bytearray = field(default_factory=bytearray)
    sent_bytes: int = 0
    handshake: str = ""
    """For TLS: what came of the handshake."""


@dataclass(slots=True)
class Connection:
    """One accepted connection, as a script sees it."""

    socket: socket.socket
    address: str
    port: int
    nth: int
    """The number of connections this listener had accepted before, from 0."""
    record: Record
    """The records that the harness reads afterwards."""
    stop: threading.Event
    """Set when the case is over."""

    @property
    def received(self) -> bytearray:
        """All plain bytes that came in."""
        return self.record.received

    def read_request(self) -> bytes:
        """The next request's head, recorded; empty when the client closed."""
        start = len(self.received)
        while b"\r\n\r\n" not in self.received[start:]:
            piece = self.socket.recv(65536)
            if not piece:
                break
            self.received.extend(piece)
        return bytes(self.received[start:])

    def send(self, data: bytes) -> None:
        """All of ``data``."""
        self.socket.sendall(data)
        self.record.sent_bytes += len(data)

    def drip(self, data: bytes, every_s: float) -> None:
        """``data`` byte by byte until the case is over."""
        for value in data:
            if self.stop.wait(every_s):
                return
            self.send(bytes((value,)))

    def repeat(self, piece: bytes, *, at_most: int = 1 << 31) -> None:
        """``piece`` again and again until the client or the case has had enough."""
        sent = 0
        while sent < at_most and not self.stop.is_set():
            self.send(piece)
            sent += len(piece)

    def wait(self) -> None:
        """Stay connected and silent until the client goes or the case is over."""
        self.socket.settimeout(0.2)
        end = time.monotonic() + LIFETIME_S
        while not self.stop.is_set() and time.monotonic() < end:
            try:
                piece = self.socket.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                return
            self.received.extend(piece)

    def finish(self) -> None:
        """End our side cleanly: what was sent is delivered before the connection goes."""
        with contextlib.suppress(OSError):
            if isinstance(self.socket, ssl.SSLSocket):
                self.socket.settimeout(0.5)
                self.socket.unwrap()
            self.socket.shutdown(socket.SHUT_WR)
            self.socket.settimeout(0.5)
            while self.socket.recv(65536):
                pass

    def reset(self) -> None:
        """Send RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


Script = Callable[[Connection], None]


class Listener:
    """Accepts on one address and port and runs the script for each connection, until closed."""

    def __init__(self, address: str, port: int, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.records: list[Record] = []
        self._script, self._tls = script, tls
        self._address, self._port = address, port
        self._stop = threading.Event()
        self._open: set[socket.socket] = set()
        self._socket = listening_socket(address, port)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Stop listening and drop every connection."""
        self._stop.set()
        for each in (self._socket, *list(self._open)):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._socket.accept()
            except OSError:
                return
            record = Record(self._address, self._port, time.monotonic())
            self.records.append(record)
            threading.Thread(target=self._run, args=(accepted, record, len(self.records) - 1), daemon=True).start()

    def _run(self, raw: socket.socket, record: Record, nth: int) -> None:
        self._open.add(raw)
        raw.settimeout(LIFETIME_S)
        spoken = raw
        with contextlib.suppress(OSError, ValueError):
            try:
                if self._tls is not None:
                    spoken = self._tls.wrap_socket(raw, server_side=True)
                    record.handshake = spoken.version() or ""
            except (OSError, ssl.SSLError) as error:
                record.handshake = f"failed: {error}"
                return
            self._open.add(spoken)
            connection = Connection(spoken, self._address, self._port, nth, record, self._stop)
            self._script(connection)
            connection.finish()
        for each in (raw, spoken):
            self._open.discard(each)
            with contextlib.suppress(OSError):
                each.close()


class Blackhole:
    """An address whose connections never come about: its accept queue is full, so SYNs are dropped."""

    def __init__(self, address: str, port: int) -> None:
        self.records: list[Record] = []
        self._socket = listening_socket(address, port, backlog=0)
        family = self._socket.family
        self._fill = [socket.socket(family) for _ in range(3)]
        for each in self._fill:
            each.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                each.connect((address, port))

    def close(self) -> None:
        """Free the address."""
        for each in (*self._fill, self._socket):
            each.close()


def response(
    body: bytes | str = b"",
    *headers: str,
    status: str = "200 OK",
    length: bool = True,
    content_type: str = "text/html; charset=utf-8",
) -> bytes:
    """A well-formed HTTP/1.1 answer that closes its connection.

    Args:
        body: Text is sent as UTF-8.
        headers: Whole lines, such as ``"Server: x"``.
        status: Code and phrase.
        length: Whether Content-Length is sent.
        content_type: Sent unless empty.
    """
    raw = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", *headers, "Connection: close"]
    if content_type:
        lines.append(f"Content-Type: {content_type}")
    if length:
        lines.append(f"Content-Length: {len(raw)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + raw


def sends(data: bytes) -> Script:
    """Answers whatever is asked with exactly ``data``."""

    def script(connection: Connection) -> None:
        if connection.read_request():
            connection.send(data)

    return script


def page(
    body: bytes | str, *headers: str, status: str = "200 OK", content_type: str = "text/html; charset=utf-8"
) -> Script:
    """Serves ``body`` at ``/`` and 404 elsewhere; HEAD gets no body."""
    return paths({"/": response(body, *headers, status=status, content_type=content_type)})


def paths(answers: dict[str, bytes]) -> Script:
    """Serves whole prepared answers by request target; 404 for the rest."""

    def script(connection: Connection) -> None:
        request = connection.read_request()
        if not request:
            return
        method, target = [*request.split(b" ", 2), b"", b""][:2]
        answer = answers.get(target.decode("latin-1")) or response("<title>gone</title>", status="404 Not Found")
        head, separator, body = answer.partition(b"\r\n\r\n")
        connection.send(head + separator + (b"" if method == b"HEAD" else body))

    return script


def first_path(script: Script, others: Script | None = None) -> Script:
    """Runs ``script`` for requests of ``/`` and ``others`` (404 by default) for the rest."""
    rest = others or paths({})

    def choose(connection: Connection) -> None:
        end = time.monotonic() + LIFETIME_S
        peeked = b""
        while b"\r\n" not in peeked and time.monotonic() < end:
            peeked = connection.socket.recv(4096, socket.MSG_PEEK)
            if not peeked:
                return
        target = peeked.split(b" ", 2)[1:2]
        (script if target == [b"/"] else rest)(connection)

    return choose


def request_lines(records: list[Record]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Every HTTP/1 request in the records, as (request line, header fields)."""
    for record in records:
        for head in bytes(record.received).split(b"\r\n\r\n"):
            lines = head.decode("latin-1").split("\r\n")
            if lines and lines[0]:
                fields = [line.split(":", 1) for line in lines[1:]]
                yield lines[0], [(each[0], each[1].strip() if len(each) > 1 else "") for each in fields]
