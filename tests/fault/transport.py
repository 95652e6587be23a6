"""Group E: faults of the connection, of HTTP's framing and of TLS."""

from __future__ import annotations

import ssl
import struct
from collections.abc import Callable, Iterator
from typing import Final

from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fault.pages import OK
from tests.lab.authority import DAY, NOW, Issued, server_context
from tests.lab.case import (
    Case,
    Expect,
    Holds,
    Place,
    Scene,
    Seen,
    Service,
    done,
    done_or_failed,
    failed,
    secure,
    web,
)
from tests.lab.names import records
from tests.lab.servers import Connection, Script, first_path, page, response, sends

PROTOCOL: Final = failed("connect")
"""An answer that is not HTTP is a connection that did not come about."""
MB: Final = 1_000_000
_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_BODY: Final = OK.encode()


def cases() -> Iterator[Case]:
    """Rows E01 to E30."""
    yield from _connections()
    yield from _slow()
    yield from _framing()
    yield from _certificates()
    yield from _handshakes()


def _row(case_id: str, title: str, script: Script, expect: Expect, *holds: Holds, budget_s: float = 3) -> Case:
    return Case(id=case_id, title=title, stage=web(first_path(script)), expect=expect, holds=holds, budget_s=budget_s)


def _connections() -> Iterator[Case]:
    yield Case(
        id="E01a",
        title="nothing listens",
        stage=lambda p: Scene(zone={p.host: records(a=[p.ip])}),
        expect=failed("connect"),
    )
    yield _row("E01b", "reset in the header", _then_reset(b"HTTP/1.1 200 OK\r\nContent-"), failed("connect"))
    yield _row(
        "E01c",
        "reset in the body",
        _then_reset(_HEAD + b"Content-Length: 9999\r\n\r\n" + _BODY),
        done_or_failed("connect"),
        _cut,
    )
    yield Case(
        id="E02",
        title="connections are swallowed",
        stage=lambda p: Scene(services=[Service(address=p.ip, port=80, script=None)], zone={p.host: records(a=[p.ip])}),
        expect=failed("connect", "timeout"),
    )
    yield _row("E03", "accepts and says nothing", Connection.wait, failed("timeout"))
    yield _row("E04", "closes without a byte", lambda connection: connection.finish(), failed("connect"))


def _slow() -> Iterator[Case]:
    yield _row(
        "E05", "headers drip", lambda c: _drip(c, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000, b""), failed("timeout")
    )
    yield _row(
        "E06",
        "the body drips",
        lambda c: _drip(c, b"y" * 1000, _HEAD + b"Content-Length: 1000000\r\n\r\n" + _BODY),
        done_or_failed("timeout"),
        _cut,
    )
    yield _row(
        "E07a",
        "headers without end",
        _endless(b"HTTP/1.1 200 OK\r\n", b"X-Filler: 0123456789abcdef\r\n" * 50),
        PROTOCOL,
        soon_ended(MB * 20),
    )
    yield _row(
        "E07b",
        "one header without end",
        _endless(b"HTTP/1.1 200 OK\r\nX-Filler: ", b"a" * 4096),
        PROTOCOL,
        soon_ended(MB * 20),
    )
    yield _row(
        "E07c", "a status line without end", _endless(b"HTTP/1.1 200 ", b"a" * 4096), PROTOCOL, soon_ended(MB * 20)
    )
    yield Case(
        id="E08",
        title="a body without end",
        stage=web(first_path(_endless(_HEAD + b"\r\n" + _BODY, b"<p>more</p>" * 1000))),
        expect=done_or_failed("too_large"),
        holds=[_cut, soon_ended(MB * 40)],
        memory_mb=64,
        budget_s=6,
    )
    yield Case(
        id="E09",
        title="a chunk extension without end",
        stage=web(first_path(_endless(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;", b"a" * 4096))),
        expect=PROTOCOL,
        memory_mb=64,
    )


def _framing() -> Iterator[Case]:
    cookies = b"".join(b"Set-Cookie: c%d=1\r\n" % number for number in range(5000))
    length = b"Content-Length: %d\r\n" % len(_BODY)
    chunked = b"%x\r\n" % len(_BODY) + _BODY + b"\r\n0\r\n\r\n"
    either = done_or_failed("connect", "http_error")
    whole: tuple[tuple[str, str, bytes, Expect], ...] = (
        ("E10", "five thousand cookies", _HEAD + cookies + length + b"\r\n" + _BODY, either),
        ("E11", "a body without a status line", _BODY, PROTOCOL),
        ("E12a", "an ICY status line", b"ICY 200 OK\r\nContent-Type: text/html\r\n\r\n" + _BODY, PROTOCOL),
        ("E12b", "HTTP/2.0 on a 1.1 connection", b"HTTP/2.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + _BODY, either),
        ("E12c", "status 99", b"HTTP/1.1 99 What\r\nContent-Type: text/html\r\n" + length + b"\r\n" + _BODY, PROTOCOL),
        (
            "E12d",
            "status 1000",
            b"HTTP/1.1 1000 What\r\nContent-Type: text/html\r\n" + length + b"\r\n" + _BODY,
            either,
        ),
        (
            "E12e",
            "status abc",
            b"HTTP/1.1 abc What\r\nContent-Type: text/html\r\n" + length + b"\r\n" + _BODY,
            PROTOCOL,
        ),
        ("E13a", "bare line feeds", (_HEAD + length + b"\r\n").replace(b"\r\n", b"\n") + _BODY, done()),
        ("E13b", "a folded header", _HEAD + b"X-Folded: one\r\n two\r\n" + length + b"\r\n" + _BODY, either),
        ("E13c", "no reason phrase", b"HTTP/1.1 200\r\nContent-Type: text/html\r\n" + length + b"\r\n" + _BODY, done()),
        (
            "E14",
            "length and chunks",
            _HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
            either,
        ),
        ("E15a", "two lengths that differ", _HEAD + b"Content-Length: 5\r\n" + length + b"\r\n" + _BODY, either),
        ("E15b", "a negative length", _HEAD + b"Content-Length: -5\r\n\r\n" + _BODY, either),
        ("E15c", "a length with a sign", _HEAD + b"Content-Length: +5\r\n\r\n" + _BODY, either),
        ("E15d", "a length of twenty digits", _HEAD + b"Content-Length: 99999999999999999999\r\n\r\n" + _BODY, either),
        ("E16a", "an unknown transfer coding", _HEAD + b"Transfer-Encoding: xchunked\r\n\r\n" + chunked, either),
        ("E16b", "chunked, then identity", _HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n" + chunked, either),
        ("E16c", "a space before the colon", _HEAD + b"Content-Length : 2\r\n\r\n" + _BODY, either),
        (
            "E17a",
            "a chunk size that is no number",
            _HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + _BODY,
            either,
        ),
        (
            "E17b",
            "a chunk size with 0x",
            _HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
            either,
        ),
        (
            "E19",
            "switches protocols unasked",
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\0\1\2",
            PROTOCOL,
        ),
        (
            "E20a",
            "204 with a body",
            b"HTTP/1.1 204 No Content\r\n" + length + b"\r\n" + _BODY,
            failed("http_error", "not_html", "connect"),
        ),
        ("E21a", "NUL in a header", _HEAD + b"X-Nul: a\0b\r\n" + length + b"\r\n" + _BODY, either),
        ("E21b", "a header without colon", _HEAD + b"no colon here\r\n" + length + b"\r\n" + _BODY, either),
        (
            "E21c",
            "bytes outside ASCII in a header",
            _HEAD + b"X-Name: caf\xe9 \xff\r\n" + length + b"\r\n" + _BODY,
            done(),
        ),
        ("E22a", "100 before the answer", b"HTTP/1.1 100 Continue\r\n\r\n" + _HEAD + length + b"\r\n" + _BODY, done()),
        (
            "E22b",
            "early hints",
            b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" + _HEAD + length + b"\r\n" + _BODY,
            done(),
        ),
    )
    for case_id, title, data, expect in whole:
        yield _row(case_id, title, sends(data), expect)
    yield _row(
        "E17c", "no final chunk", sends(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked[:-5]), either, _cut
    )
    yield _row(
        "E18",
        "a body shorter than its length",
        sends(_HEAD + b"Content-Length: 9999\r\n\r\n" + _BODY),
        done_or_failed("connect"),
        _cut,
    )
    yield _row(
        "E22c",
        "interim answers without end",
        _endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10),
        done_or_failed("connect", "timeout", "http_error"),
    )
    yield Case(id="E20b", title="HEAD with a body", stage=web(sends(response(OK))), expect=done())
    yield Case(
        id="E30",
        title="a second answer pushed early on the same connection",
        stage=web(_pushes),
        expect=done(),
        holds=[_not_the_pushed],
    )


def _handshakes() -> Iterator[Case]:
    yield Case(
        id="E23a",
        title="TLS on port 80",
        stage=lambda p: Scene(
            services=[Service(address=p.ip, port=80, script=page(OK), tls=p.context())],
            zone={p.host: records(a=[p.ip])},
        ),
        expect=PROTOCOL,
    )
    yield _plain_on_443("E23b", "plain HTTP on port 443", _bad_request, failed("tls"))
    yield _plain_on_443("E26a", "the handshake stalls", Connection.wait, failed("tls", "timeout"))
    yield _plain_on_443("E26b", "the handshake drips", _tls_drip, failed("tls", "timeout"))
    yield _plain_on_443(
        "E26c", "alerts without end", _endless(b"", b"\x15\x03\x03\x00\x02\x01\x5a" * 50), failed("tls", "timeout")
    )
    for letter, maximum, ciphers, expect in (
        ("a", ssl.TLSVersion.TLSv1, "ALL:@SECLEVEL=0", done_or_failed("tls")),
        ("b", ssl.TLSVersion.TLSv1_1, "ALL:@SECLEVEL=0", done_or_failed("tls")),
        ("c", ssl.TLSVersion.TLSv1_2, "aNULL:@SECLEVEL=0", failed("tls")),
    ):
        yield _tls(f"E25{letter}", "old protocols and ciphers", _old(maximum, ciphers), expect)
    yield _tls(
        "E25d",
        "RSA of 1024 bits",
        lambda p: server_context(
            p.authority.issue(p.host, key=rsa.generate_private_key(65537, 1024)),  # noqa: S505 -- weak on purpose
            ciphers="ALL:@SECLEVEL=0",
        ),
        done_or_failed("tls"),
    )
    yield _tls(
        "E27",
        "a chain of a hundred certificates",
        lambda p: server_context(p.authority.below_intermediate(p.host, send=True, depth=100)),
        done_or_failed("tls"),
    )
    yield _tls(
        "E28",
        "wants a certificate of ours",
        lambda p: p.context(client_certificate=True),
        done_or_failed("tls", "connect", "http_error"),
    )
    yield _tls(
        "E29a",
        "ALPN chooses h2 and speaks 1.1",
        lambda p: p.context(alpn=("h2",)),
        done_or_failed("connect", "tls", "http_error"),
    )
    yield Case(
        id="E29b",
        title="an HTTP/2 preface on a plain connection",
        stage=web(sends(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + struct.pack("!IBI", 0, 4, 0))),
        expect=PROTOCOL,
    )


def _certificates() -> Iterator[Case]:
    def leaf(**changes: object) -> Callable[[Place], ssl.SSLContext]:
        return lambda p: server_context(p.authority.issue(p.host, **changes))  # type: ignore[arg-type]

    def issued(make: Callable[[Place], Issued]) -> Callable[[Place], ssl.SSLContext]:
        return lambda p: server_context(make(p))

    rows: tuple[tuple[str, str, Callable[[Place], ssl.SSLContext], str], ...] = (
        ("E24a", "expired", leaf(not_before=NOW - 9 * DAY, not_after=NOW - DAY), "expired"),
        ("E24b", "not yet valid", leaf(not_before=NOW + DAY, not_after=NOW + 9 * DAY), "not_yet_valid"),
        ("E24c", "self-signed", leaf(self_signed=True), "self_signed"),
        ("E24d", "for another host", issued(lambda p: p.authority.issue(p.other)), "wrong_host"),
        ("E24e", "by an unknown authority", issued(lambda p: p.unknown.issue(p.host)), "untrusted incomplete_chain"),
        (
            "E24f",
            "without its intermediate",
            issued(lambda p: p.authority.below_intermediate(p.host, send=False)),
            "incomplete_chain untrusted",
        ),
    )
    for case_id, title, context, errors in rows:
        yield _tls(case_id, f"a certificate {title}", context, done(), _not_verified(errors.split()))
    yield _tls("E24g", "a good certificate", lambda p: p.context(), done(), _verified)
    yield _tls(
        "E24h",
        "a good certificate with its intermediate",
        issued(lambda p: p.authority.below_intermediate(p.host, send=True)),
        done(),
        _verified,
    )


def _tls(case_id: str, title: str, context: Callable[[Place], ssl.SSLContext], expect: Expect, *holds: Holds) -> Case:
    return Case(
        id=case_id, title=title, url="https://{host}/", stage=secure(page(OK), context), expect=expect, holds=holds
    )


def _old(maximum: ssl.TLSVersion, ciphers: str) -> Callable[[Place], ssl.SSLContext]:
    return lambda p: p.context(maximum=maximum, ciphers=ciphers)


def _plain_on_443(case_id: str, title: str, script: Script, expect: Expect) -> Case:
    return Case(id=case_id, title=title, url="https://{host}/", stage=web(script, port=443), expect=expect)


def _then_reset(data: bytes) -> Script:
    def script(connection: Connection) -> None:
        connection.read_request()
        connection.send(data)
        connection.stop.wait(0.2)
        connection.reset()

    return script


def _endless(start: bytes, piece: bytes) -> Script:
    def script(connection: Connection) -> None:
        if connection.port == 80:
            connection.read_request()
        connection.send(start)
        connection.repeat(piece)

    return script


def _drip(connection: Connection, slowly: bytes, at_once: bytes) -> None:
    connection.read_request()
    connection.send(at_once)
    connection.drip(slowly, 0.25)


def _tls_drip(connection: Connection) -> None:
    connection.drip(b"\x16\x03\x03\x3f\xff\x02" + b"\0" * 200, 0.25)


def _bad_request(connection: Connection) -> None:
    connection.received.extend(connection.socket.recv(65536))
    connection.send(response("What?", status="400 Bad Request"))


def _pushes(connection: Connection) -> None:
    connection.read_request()
    body = b"<!doctype html><title>pushed</title>"
    answer = _HEAD + b"Content-Length: %d\r\n\r\n" % len(_BODY) + _BODY
    connection.send(
        answer + b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    connection.wait()


def soon_ended(limit_bytes: int) -> Holds:
    """The server could send at most ``limit_bytes``, what waits in the kernel's buffers included."""

    def holds(seen: Seen) -> str | None:
        sent = sum(record.sent_bytes for record in seen.records)
        return f"{sent} bytes were accepted" if sent > limit_bytes else None

    return holds


def _cut(seen: Seen) -> str | None:
    outcome = seen.outcome
    return "the page is not called truncated" if outcome.state == "done" and not outcome.truncated else None


def _not_verified(errors: list[str]) -> Holds:
    def holds(seen: Seen) -> str | None:
        outcome = seen.outcome
        if outcome.tls_verified is not False or not outcome.certificate_error:
            return f"called verified: {outcome.tls_verified}, {outcome.certificate_error!r}"
        return (
            None if outcome.tls_verify_error in errors else f"the reason is {outcome.tls_verify_error!r}, not {errors}"
        )

    return holds


def _verified(seen: Seen) -> str | None:
    outcome = seen.outcome
    return (
        None if outcome.tls_verified and not outcome.certificate_error else f"not verified: {outcome.certificate_error}"
    )


def _not_the_pushed(seen: Seen) -> str | None:
    missing = seen.outcome.artifacts.get("robots_txt")
    return None if seen.outcome.title != "pushed" else f"the pushed answer was used ({missing})"
