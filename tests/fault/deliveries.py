"""Group W: receivers of webhooks; each attempt resolves anew, and every connection passes the guard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.fault.addresses import METADATA
from tests.fault.bodies import gzip_bomb
from tests.fault.redirects import to
from tests.lab.case import Case, Expect, Holds, Place, Scene, Seen, Service, Stage, done, failed, named, web
from tests.lab.names import Zone, changing, records
from tests.lab.servers import Connection, Script, response, sends

NOT_ALLOWED: Final = failed("address_not_allowed")
ACCEPTED: Final = response(b"")
MAX_ANSWER_BYTES: Final = 4_096
PRIVATE: Final = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "127.0.0.1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1")
DEADLINE_S: Final = 20.0


def cases() -> Iterator[Case]:
    """Rows W01 to W10."""
    for number, address in enumerate((*PRIVATE, *METADATA)):
        yield _inside(f"W01n{number}", f"a name that leads to {address}", address)
    for letter, typed in zip("abcd", ("10.0.0.1", "2130706433", "[::1]", "[::ffff:169.254.169.254]"), strict=True):
        yield _case(f"W02{letter}", f"the address {typed} itself", None, NOT_ALLOWED, url=f"http://{typed}/")
    yield _case(
        "W03",
        "a public address and an internal one",
        named(lambda place: {place.host: records(a=[place.ip, "10.0.0.1"])}, sends(ACCEPTED)),
        NOT_ALLOWED,
        _silent,
    )
    for count in range(1, 5):
        yield _case(
            f"W04{'abcd'[count - 1]}",
            f"rebinds to loopback after {count} answers; two attempts",
            named(_rebinding(count), sends(ACCEPTED)),
            Expect(states=frozenset({"done", "failed"}), codes=frozenset({"address_not_allowed"})),
            attempts=2,
            trips_naive=count == 1,
        )
    for letter, target, status in (
        ("a", "http://127.0.0.1/", "302 Found"),
        ("b", "http://169.254.169.254/latest/meta-data/", "307 Temporary Redirect"),
        ("c", "http://[::1]/", "308 Permanent Redirect"),
        ("d", "http://{other}/", "307 Temporary Redirect"),
    ):
        yield _redirecting(f"W05{letter}", target, status, trips=status == "302 Found")
    yield _case("W06a", "swallows the connection", web(None), failed("timeout", "connect"), budget_s=DEADLINE_S)
    yield _case(
        "W06b", "sends a byte a second", web(_drip), failed("timeout", "protocol"), _asked_once, budget_s=DEADLINE_S
    )
    body, fields = b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\n"
    yield _case("W07a", "an endless body", web(_endless(body, b"x" * 65_536)), done(), _cut)
    yield _case(
        "W07b",
        "endless header fields",
        web(_endless(fields, b"X-More: 1\r\n" * 4_096)),
        failed("protocol", "too_large"),
    )
    bomb = response(gzip_bomb(), "Content-Encoding: gzip")
    yield _case("W08", "a small body that is large when decoded", web(sends(bomb)), done(), _cut)
    yield _case("W09", "an answer that is no HTTP", web(sends(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")), failed("protocol"))
    yield _case("W10", "a port that is not for the web", None, failed("address_not_allowed"), url="http://{host}:22/")


def _case(
    case_id: str,
    title: str,
    stage: Stage | None,
    expect: Expect,
    *holds: Holds,
    url: str = "http://{host}/",
    attempts: int = 1,
    budget_s: float = 3.0,
    trips_naive: bool = False,
) -> Case:
    return Case(
        id=case_id,
        title=title,
        url=url,
        stage=stage,
        expect=expect,
        holds=holds,
        deliveries=attempts,
        budget_s=budget_s,
        evaluation_s=3.0,
        trips_naive=trips_naive,
    )


def _inside(case_id: str, title: str, address: str) -> Case:
    def stage(place: Place) -> Scene:
        return Scene(zone={place.host: records(aaaa=[address]) if ":" in address else records(a=[address])})

    return _case(case_id, title, stage, NOT_ALLOWED, trips_naive=address in METADATA)


def _redirecting(case_id: str, target: str, status: str, *, trips: bool) -> Case:
    def stage(place: Place) -> Scene:
        location = target.replace("{other}", place.other)
        return Scene(
            services=[
                Service(address=place.ip, port=80, script=sends(to(location, status))),
                Service(address=place.other_ip, port=80, script=sends(ACCEPTED)),
            ],
            zone={place.host: records(a=[place.ip]), place.other: records(a=[place.other_ip])},
        )

    return _case(case_id, f"{status} to {target}", stage, failed("redirect"), _asked_once, trips_naive=trips)


def _rebinding(count: int) -> Callable[[Place], Zone]:
    return lambda place: {place.host: changing(*[place.ip] * count, "127.0.0.1")}


def _endless(start: bytes, piece: bytes) -> Script:
    def script(connection: Connection) -> None:
        connection.read_request()
        connection.send(start)
        connection.repeat(piece)

    return script


def _drip(connection: Connection) -> None:
    connection.read_request()
    connection.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    connection.drip(b"x" * 100, 1.0)


def _silent(seen: Seen) -> str | None:
    return "connected although an address is internal" if seen.records else None


def _asked_once(seen: Seen) -> str | None:
    count = sum(1 for record in seen.records if record.received)
    return None if count == 1 else f"{count} requests were sent"


def _cut(seen: Seen) -> str | None:
    read = seen.outcome.body_bytes
    return None if read == MAX_ANSWER_BYTES else f"{read} bytes of the answer were kept"
