"""Group D: where a page may send us."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from typing import Final

from tests.fault.pages import OK
from tests.fault.transport import MB, soon_ended
from tests.lab.case import Case, Expect, Holds, PerPlace, Place, Scene, Seen, Service, done, done_or_failed, failed, web
from tests.lab.names import records
from tests.lab.servers import Connection, Script, page, paths, response, sends

NOT_ALLOWED: Final = failed("address_not_allowed")
LOOP: Final = failed("redirect_loop")
MAX_HOPS: Final = 10
_HUGE: Final = 100_000_000


def to(location: str | bytes, status: str = "302 Found", *headers: str) -> bytes:
    """A redirect with an empty body."""
    text = location if isinstance(location, str) else location.decode("latin-1")
    return response(b"", f"Location: {text}", *headers, status=status)


def cases() -> Iterator[Case]:
    """Rows D01 to D14."""
    yield _to("D01", "to loopback", "http://127.0.0.1/", NOT_ALLOWED, trips=True)
    yield _to("D01b", "to IPv6 loopback", "http://[::1]/", NOT_ALLOWED, trips=True)
    yield _to("D01c", "to loopback as a number", "http://2130706433/", NOT_ALLOWED, trips=True)
    yield _to("D02", "to the metadata address", "http://169.254.169.254/latest/meta-data/", NOT_ALLOWED, trips=True)
    yield _to("D02b", "to a name that leads inside", "http://{other}/", NOT_ALLOWED, trips=True, zone="10.0.0.1")
    for letter, target in zip(
        "abcd",
        ("file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "javascript:alert(1)", "data:text/html,x"),
        strict=True,
    ):
        yield _to(f"D03{letter}", f"to {target.split(':')[0]}:", target, NOT_ALLOWED)
    yield Case(id="D04a", title="to itself", stage=web(sends(to("/"))), expect=LOOP, holds=[_at_most(2 + 8)])
    yield Case(
        id="D04b",
        title="two hosts that point at each other",
        stage=web(PerPlace(lambda p: sends(to(f"http://{p.other}/"))), other=lambda p: sends(to(f"http://{p.host}/"))),
        expect=LOOP,
    )
    yield Case(id="D05a", title="ten hops", stage=web(_counting(MAX_HOPS)), expect=done())
    yield Case(id="D05b", title="eleven hops", stage=web(_counting(MAX_HOPS + 1)), expect=LOOP)
    yield Case(id="D05c", title="new hops forever", stage=web(_counting(1 << 30)), expect=LOOP)
    yield Case(
        id="D06a",
        title="no Location",
        stage=web(paths({"/": response(OK, status="302 Found")})),
        expect=done_or_failed("http_error"),
    )
    yield Case(
        id="D06b",
        title="an empty Location",
        stage=web(paths({"/": to("")})),
        expect=done_or_failed("redirect_loop", "http_error"),
    )
    yield Case(
        id="D06c",
        title="two Locations",
        stage=web(paths({"/": to("/a", "302 Found", "Location: /b"), "/a": response(OK), "/b": response(OK)})),
        expect=done_or_failed("http_error", "connect"),
    )
    for letter, location, path in zip(
        "abcd",
        ("next", "../../next", "?page=2", "//{other}/next"),
        ("/deep/next", "/next", "/deep/start?page=2", "/next"),
        strict=True,
    ):
        yield Case(
            id=f"D07{letter}",
            title=f"the relative Location {location}",
            url="http://{host}/deep/start",
            stage=web(PerPlace(_relative(location, path)), other=lambda _: paths({"/next": response(OK)})),
            expect=done(),
            holds=[_ended_at(path)],
        )
    yield Case(
        id="D07e",
        title="a Location that is only a fragment",
        stage=web(paths({"/": to("#top")})),
        expect=done_or_failed("redirect_loop", "http_error"),
    )
    for letter, raw in zip(
        "abcdef",
        (b"/a\rX-Injected: 1", b"/a\0b", b"/a\tb", b"/" + b"a" * 65_000, b"/\xff\xfe\xe9", b"http://exa mple.com/"),
        strict=True,
    ):
        yield Case(
            id=f"D08{letter}",
            title="control characters, length and bytes in Location",
            stage=web(paths({"/": to(raw)})),
            expect=done_or_failed("http_error", "connect", "address_not_allowed", "redirect_loop"),
        )
    yield Case(
        id="D09",
        title="credentials in Location",
        stage=web(PerPlace(lambda p: paths({"/": to(f"http://alice:secret@{p.other}/")})), other=lambda _: page(OK)),
        expect=NOT_ALLOWED,
        holds=[_no_credentials],
    )
    yield Case(
        id="D10",
        title="from https down to http",
        url="https://{host}/",
        stage=_downgrade,
        expect=done(),
        holds=[_ended_at("/")],
    )
    yield Case(
        id="D11",
        title="a cookie on the way",
        stage=web(
            PerPlace(
                lambda p: paths({"/": to(f"http://{p.other}/", "302 Found", "Set-Cookie: id=1; Domain=com; Path=/")})
            ),
            other=lambda _: page(OK),
        ),
        expect=done(),
    )
    for letter, port in zip("abc", (22, 6379, 25), strict=True):
        yield _to(f"D12{letter}", f"to port {port}", f"http://{{host}}:{port}/", NOT_ALLOWED)
    yield Case(
        id="D13a",
        title="a redirect with an endless body",
        stage=web(_endless_redirect),
        expect=done(),
        holds=[soon_ended(MB * 60)],
        memory_mb=64,
    )
    yield Case(
        id="D13b",
        title="a redirect whose body is a bomb",
        stage=web(PerPlace(lambda _: paths({"/": _packed_redirect(), "/next": response(OK)}))),
        expect=done(),
        memory_mb=64,
    )
    for status, expect in (
        ("301 Moved Permanently", done()),
        ("303 See Other", done()),
        ("307 Temporary Redirect", done()),
        ("308 Permanent Redirect", done()),
        ("300 Multiple Choices", done_or_failed("http_error")),
        ("304 Not Modified", done_or_failed("http_error", "connect")),
        ("305 Use Proxy", done_or_failed("http_error")),
    ):
        yield Case(
            id=f"D14s{status[:3]}",
            title=f"status {status}",
            stage=web(paths({"/": to("/next", status), "/next": response(OK)})),
            expect=expect,
        )


def _to(case_id: str, title: str, location: str, expect: Expect, *, trips: bool = False, zone: str = "") -> Case:
    def stage(place: Place) -> Scene:
        target = location.replace("{other}", place.other).replace("{host}", place.host)
        names = {place.host: records(a=[place.ip])}
        if zone:
            names[place.other] = records(a=[zone])
        return Scene(services=[Service(address=place.ip, port=80, script=sends(to(target)))], zone=names)

    return Case(id=case_id, title=title, stage=stage, expect=expect, trips_naive=trips)


def _counting(hops: int) -> Script:
    def script(connection: Connection) -> None:
        words = connection.read_request().split(b" ")
        number = words[1].strip(b"/") if len(words) > 1 else b""
        if number and not number.isdigit():
            connection.send(response("gone", status="404 Not Found"))
            return
        count = int(number or 0)
        connection.send(to(f"/{count + 1}") if count < hops else response(OK))

    return script


def _endless_redirect(connection: Connection) -> None:
    request = connection.read_request()
    if b" / " in request:
        connection.send(
            response(b"", "Location: /next", "Content-Length: 1000000000", status="302 Found", length=False)
        )
        connection.repeat(b"x" * 65536, at_most=1_000_000_000)
    else:
        connection.send(response(OK))


def _relative(location: str, path: str) -> Callable[[Place], Script]:
    return lambda p: paths({"/deep/start": to(location.replace("{other}", p.other)), path: response(OK)})


def _packed_redirect() -> bytes:
    packed = gzip.compress(bytes(_HUGE), 9)
    return response(packed, "Location: /next", "Content-Encoding: gzip", status="302 Found")


def _downgrade(place: Place) -> Scene:
    return Scene(
        services=[
            Service(address=place.ip, port=443, script=sends(to(f"http://{place.host}/")), tls=place.context()),
            Service(address=place.ip, port=80, script=page(OK)),
        ],
        zone={place.host: records(a=[place.ip])},
    )


def _ended_at(path: str) -> Holds:
    def holds(seen: Seen) -> str | None:
        return None if seen.outcome.final_url.endswith(path) else f"ended at {seen.outcome.final_url!r}"

    return holds


def _at_most(requests: int) -> Holds:
    def holds(seen: Seen) -> str | None:
        count = sum(1 for record in seen.records if record.received)
        return f"sent {count} requests" if count > requests else None

    return holds


def _no_credentials(seen: Seen) -> str | None:
    said = f"{seen.outcome.message} {seen.outcome.reason} {seen.outcome.final_url}"
    return "the credentials are repeated" if "secret" in said else None
