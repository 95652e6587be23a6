"""More of row E29: servers that choose HTTP/2 and then abuse it, one raw frame after another."""

from __future__ import annotations

import ssl
import struct
from collections.abc import Iterator
from typing import Final

from tests.fault.pages import OK
from tests.fault.transport import MB, soon_ended
from tests.lab.case import Case, Expect, Holds, Place, done, done_or_failed, failed, secure
from tests.lab.servers import Connection, Script

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
STATUS_200: Final = b"\x88"
"""HPACK index 8 (RFC 7541, appendix A)."""
CONTENT_TYPE: Final = b"\x0f\x10\x09text/html"
"""HPACK index 31, literal value, not indexed."""
BROKEN: Final = failed("connect", "timeout", "tls")
MEMORY_MB: Final = 64


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One frame (RFC 9113 4.1)."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def cases() -> Iterator[Case]:
    """Cases E29c to E29k."""
    body = OK.encode()
    head = frame(HEADERS, END_HEADERS, 1, STATUS_200 + CONTENT_TYPE)
    whole = head + frame(DATA, END_STREAM, 1, body)
    filler = b"\x00\x08x-filler" + b"\x20" + b"a" * 32
    inflating = STATUS_200 + b"\x40\x01x\x7f\x81\x1e" + b"v" * 4000 + b"\xbe" * 12_000
    yield _row("E29c", "a proper answer", whole, b"", done())
    yield _row("E29d", "goes away at once", frame(GOAWAY, 0, 0, struct.pack("!II", 0, 11)), b"", BROKEN)
    yield _row("E29e", "resets the stream", frame(RST_STREAM, 0, 1, struct.pack("!I", 7)), b"", BROKEN)
    yield _row("E29f", "pings for ever", b"", frame(PING, 0, 0, b"12345678") * 100, BROKEN)
    yield _row("E29g", "settings for ever", b"", frame(SETTINGS, 0, 0, struct.pack("!HI", 4, 65535)) * 100, BROKEN)
    yield _row(
        "E29h",
        "a header block without end",
        frame(HEADERS, 0, 1, STATUS_200),
        frame(CONTINUATION, 0, 1, filler * 100),
        BROKEN,
        soon_ended(MB * 20),
    )
    yield _row("E29i", "headers that inflate a thousandfold", frame(HEADERS, END_HEADERS, 1, inflating), b"", BROKEN)
    yield _row(
        "E29j", "a body without end", head, frame(DATA, 0, 1, b"a" * 16_000), done_or_failed("connect", "too_large")
    )
    yield _row(
        "E29k",
        "pushes that were not asked for",
        frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack("!I", 2) + STATUS_200) + whole,
        b"",
        done_or_failed("connect"),
    )


def _row(case_id: str, title: str, first: bytes, then: bytes, expect: Expect, *holds: Holds) -> Case:
    return Case(
        id=case_id,
        title=f"HTTP/2: {title}",
        url="https://{host}/",
        stage=secure(_speaks(first, then), _h2),
        expect=expect,
        holds=holds,
        memory_mb=MEMORY_MB,
    )


def _h2(place: Place) -> ssl.SSLContext:
    return place.context(alpn=("h2",))


def _speaks(first: bytes, then: bytes) -> Script:
    """Settings, then ``first`` once a request is there, then ``then`` again and again."""

    def script(connection: Connection) -> None:
        connection.send(frame(SETTINGS, 0, 0))
        while not _has_request(bytes(connection.received)):
            piece = connection.socket.recv(65536)
            if not piece:
                return
            connection.received.extend(piece)
        connection.send(frame(SETTINGS, ACK, 0) + first)
        if then:
            connection.repeat(then)
        else:
            connection.wait()

    return script


def _has_request(received: bytes) -> bool:
    """Return whether a HEADERS frame has come after the preface of 24 bytes."""
    at = 24
    while at + 9 <= len(received):
        if received[at + 3] == HEADERS:
            return True
        at += 9 + int.from_bytes(received[at : at + 3], "big")
    return False
