"""Group C: what a resolver may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.fault.pages import OK, with_body
from tests.lab.case import Case, Expect, PerPlace, Place, Scene, Seen, Service, done, done_or_failed, failed, named, web
from tests.lab.names import (
    Answer,
    Zone,
    changing,
    compression_loop,
    failing,
    half,
    records,
    silent,
    wrong_id,
    wrong_question,
)
from tests.lab.servers import Script, page

INSIDE: Final = "10.0.0.1"
MANY_ADDRESSES: Final = 300
REFERENCES: Final = 200
DNS_S: Final = 5.0
"""All that a name may cost."""
MAX_QUESTIONS: Final = 4
"""A and AAAA, each at most twice (over UDP and, if it must be, over TCP)."""
NOT_ALLOWED: Final = failed("address_not_allowed")
NO_NAME: Final = failed("dns")
NO_ANSWER: Final = failed("dns", "timeout")


def cases() -> Iterator[Case]:
    """Rows C01 to C15."""
    yield _case("C01", "leads to loopback", lambda _: records(a=["127.0.0.1"]), NOT_ALLOWED)
    yield _case("C02a", "a public address and an internal one", lambda p: records(a=[p.ip, INSIDE]), NOT_ALLOWED)
    yield _case("C02b", "an internal address and a public one", lambda p: records(a=[INSIDE, p.ip]), NOT_ALLOWED)
    yield _case("C03", "IPv6 only", lambda p: records(aaaa=[p.ip6]), done())
    yield _case("C04", "IPv6 internal, IPv4 public", lambda p: records(a=[p.ip], aaaa=["fd00:ec2::254"]), NOT_ALLOWED)
    yield Case(
        id="C05",
        title="IPv6 swallows connections, IPv4 works",
        stage=lambda p: Scene(
            services=[
                Service(address=p.ip6, port=80, script=None),
                Service(address=p.ip, port=80, script=page(OK)),
            ],
            zone={p.host: records(a=[p.ip], aaaa=[p.ip6])},
        ),
        expect=done(),
    )
    yield Case(
        id="C06a",
        title="an alias of an internal name, answered in one message",
        stage=named(
            lambda p: {p.host: records(cname=p.other, chain={p.other: [INSIDE]}), p.other: records(a=[INSIDE])}
        ),
        expect=NOT_ALLOWED,
        trips_naive=True,
    )
    yield Case(
        id="C06b",
        title="an alias of a public name",
        stage=named(
            lambda p: {p.host: records(cname=p.other, chain={p.other: [p.ip]}), p.other: records(a=[p.ip])}, page(OK)
        ),
        expect=done(),
    )
    for count in range(1, 9):
        yield Case(
            id=f"C07{'abcdefgh'[count - 1]}",
            title=f"rebinds to loopback after {count} answers",
            stage=named(_rebinding(count), page(OK)),
            expect=done_or_failed("address_not_allowed"),
            trips_naive=count == 1,
        )
    yield Case(
        id="C07m",
        title="rebinds to the metadata address",
        stage=named(lambda p: {p.host: changing(p.ip, "169.254.169.254")}, page(OK)),
        expect=done_or_failed("address_not_allowed"),
        trips_naive=True,
    )
    for letter, code in zip("abcd", ("NXDOMAIN", "NOERROR", "SERVFAIL", "REFUSED"), strict=True):
        yield _case(f"C08{letter}", f"answers {code} without addresses", _failing(code), NO_NAME)
    yield Case(
        id="C09",
        title="never answers",
        stage=named(lambda p: {p.host: silent}),
        expect=failed("dns", reasons=["dns_timeout"]),
        budget_s=8,
        holds=[_within_five_seconds],
    )
    yield _case("C09b", "never answers within the budget", lambda _: silent, NO_ANSWER)
    yield Case(
        id="C10a",
        title="300 addresses, of which at most eight are tried",
        stage=lambda p: Scene(
            services=[Service(address=p.ip, port=80, script=page(OK))],
            zone={p.host: records(a=_many(p, p.ip))},
            own=_many(p, p.ip),
        ),
        expect=done_or_failed("connect"),
    )
    yield _case("C10b", "300 addresses, one of them internal", lambda p: records(a=_many(p, INSIDE)), NOT_ALLOWED)
    yield _case("C11a", "a compression loop", lambda _: compression_loop, NO_ANSWER)
    yield _case("C11b", "the wrong id", lambda _: wrong_id, NO_ANSWER)
    yield _case("C11c", "the wrong question", lambda _: wrong_question, NO_ANSWER)
    yield _case("C11d", "half an answer", lambda _: half, NO_ANSWER)
    yield Case(id="C12a", title="a name only /etc/hosts knows", url="http://hostsonly-lab.com/", expect=NO_NAME)
    yield Case(
        id="C12b",
        title="a name that only the search list completes",
        stage=named(lambda p: {f"{p.host}.searched-lab.com": records(a=[p.ip])}, page(OK)),
        expect=NO_NAME,
    )
    yield Case(
        id="C13",
        title="wildcard names that spell an address",
        url="http://127.0.0.1.{host}/",
        stage=named(lambda p: {f"127.0.0.1.{p.host}": records(a=["127.0.0.1"])}),
        expect=NOT_ALLOWED,
    )
    yield Case(
        id="C14",
        title="moves to loopback before the TLS probe",
        url="https://{host}/",
        stage=lambda p: Scene(
            services=[Service(address=p.ip, port=443, script=page(OK), tls=p.context())],
            zone={p.host: changing(p.ip, "127.0.0.1")},
        ),
        expect=done(),
        holds=[_tls_was_seen],
        trips_naive=True,
    )
    yield Case(
        id="C15",
        title="one name two hundred times in a page",
        stage=web(PerPlace(_page_of_many), other=lambda _: page("x", content_type="image/gif")),
        expect=done(),
        holds=[_asked_once],
        budget_s=6,
    )


def _case(case_id: str, title: str, answer: Callable[[Place], Answer], expect: Expect) -> Case:
    def zone(place: Place) -> Zone:
        return {place.host: answer(place)}

    return Case(id=case_id, title=title, stage=named(zone, page(OK)), expect=expect)


def _failing(code: str) -> Callable[[Place], Answer]:
    return lambda _: failing(code)


def _many(place: Place, last: str) -> list[str]:
    return [place.ip, *(f"11.30.{number >> 8}.{number & 255}" for number in range(1, MANY_ADDRESSES - 1)), last]


def _rebinding(count: int) -> Callable[[Place], Zone]:
    return lambda place: {place.host: changing(*[place.ip] * count, "127.0.0.1")}


def _page_of_many(place: Place) -> Script:
    images = "".join(f'<img src="http://{place.other}/{number}.gif" alt="">' for number in range(REFERENCES))
    return page(with_body(images))


def _within_five_seconds(seen: Seen) -> str | None:
    took = seen.outcome.duration_s
    return f"took {took:.1f} s" if took > DNS_S + 1 else None


def _asked_once(seen: Seen) -> str | None:
    asked = [each for each in seen.questions if each.name == seen.place.other]
    return f"asked {len(asked)} times for one name" if len(asked) > MAX_QUESTIONS else None


def _tls_was_seen(seen: Seen) -> str | None:
    return None if seen.outcome.tls_verified else f"TLS was not verified: {seen.outcome.artifacts.get('tls')}"
