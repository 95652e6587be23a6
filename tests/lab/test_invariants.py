from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pagegrade.model.identity import USER_AGENT
from tests.lab.authority import Authority
from tests.lab.case import Case, Outcome, Place, Seen, done, failed, refused
from tests.lab.invariants import evaluate, is_only_late, leaks
from tests.lab.keeper import Census
from tests.lab.servers import Record
from tests.lab.wires import Touch

AUTHORITY = Authority("Test root")
PLACE = Place(
    slug="x01",
    host="x01-lab.com",
    other="x01-other.com",
    ip="11.20.0.1",
    other_ip="11.21.0.1",
    ip6="2a01::1",
    authority=AUTHORITY,
    unknown=AUTHORITY,
)
PLAIN = (
    f"GET / HTTP/1.1\r\nHost: x01-lab.com\r\nUser-Agent: {USER_AGENT}\r\nAccept: */*\r\n"
    "Accept-Encoding: gzip\r\nAccept-Language: en\r\n\r\n"
).encode()


def seen(outcome: Outcome, *received: bytes, touches: tuple[Touch, ...] = ()) -> Seen:
    """The observations of a case on its own host."""
    recorded = [Record("11.20.0.1", 80, 0.0, bytearray(each)) for each in received]
    return Seen(outcome=outcome, place=PLACE, records=recorded, questions=(), touches=touches)


GOOD = Outcome(id="X01", state="done")


def test_ordinary_case_is_accepted() -> None:
    """A plain request and the expected end break nothing."""
    assert evaluate(Case(id="X01", title="x", expect=done()), seen(GOOD, PLAIN)) == []


@pytest.mark.parametrize(
    "request_head",
    [
        PLAIN.replace(b"GET", b"POST"),
        PLAIN.replace(b"Accept: ", b"Cookie: a=b\r\nAccept: "),
        PLAIN.replace(b"Accept: ", b"Authorization: Basic eA==\r\nAccept: "),
        PLAIN.replace(b"Accept: ", b"Referer: http://x01-lab.com/private?token=1\r\nAccept: "),
        PLAIN.replace(b"Accept: ", b"Host: other\r\nAccept: "),
        PLAIN.replace(b"Accept-Language: en\r\n", b""),
        PLAIN.replace(b"User-Agent: ", b"User-Agent: Mozilla/5.0 "),
        PLAIN.replace(b"GET / ", b"GET http://x01-lab.com/ "),
        PLAIN.replace(b"GET / ", b"GET /a b "),
    ],
)
def test_unplain_requests_are_reported(request_head: bytes) -> None:
    """Other methods, fields, duplicates and request targets are I7."""
    broken = evaluate(Case(id="X01", title="x", expect=done()), seen(GOOD, request_head))

    assert [sentence[:2] for sentence in broken] == ["I7"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"state": "crashed"}, "ended"),
        ({"state": "hung"}, "ended"),
        ({"duration_s": 4.5}, "I2"),
        ({"checks": {"title": "not_evaluated:check_error: It stopped."}}, "checks crashed"),
        ({"message": "No route to 10.0.0.7."}, "T7"),
    ],
)
def test_each_broken_invariant_is_reported(change: dict[str, object], word: str) -> None:
    """One change, one sentence."""
    broken = evaluate(Case(id="X01", title="x", expect=done()), seen(replace(GOOD, **change), PLAIN))  # type: ignore[arg-type]

    assert [sentence.startswith(word) for sentence in broken] == [True]


@pytest.mark.parametrize(
    ("change", "late"),
    [
        ({}, False),
        ({"duration_s": 4.5}, True),
        ({"state": "hung"}, True),
        ({"duration_s": 4.5, "state": "failed", "code": "internal"}, False),
        ({"duration_s": 4.5, "checks": {"title": "check_error"}}, False),
        ({"duration_s": 3.1, "state": "failed", "code": "timeout"}, True),
        ({"duration_s": 2.9, "state": "failed", "code": "timeout"}, False),
        ({"duration_s": 3.1, "message": "No route to 10.0.0.7."}, False),
    ],
)
def test_lateness_is_distinguished_from_mistakes(change: dict[str, Any], late: bool) -> None:  # noqa: FBT001 - a parameter
    """Only what a busy machine can explain gets a second chance."""
    outcome = replace(GOOD, **change)
    case = Case(id="X01", title="x", expect=done())
    broken = evaluate(case, seen(outcome, PLAIN))

    assert is_only_late(case, broken, outcome) is late


def test_evaluation_takes_longer_on_a_busy_machine() -> None:
    """Its part of the time is processor time; what the network may take stays as it is."""
    late, case = replace(GOOD, duration_s=5.5), Case(id="X01", title="x", expect=done())

    assert evaluate(case, replace(seen(late, PLAIN), stretch=3.0)) == []
    assert evaluate(case, replace(seen(late, PLAIN), stretch=2.0)) == ["I2: took 5.50 s with a budget of 3.00 s"]


def test_touched_wire_is_reported() -> None:
    """I1 names the address."""
    touch = Touch(1.0, "tcp", "127.0.0.1", 80)
    broken = evaluate(Case(id="X01", title="x", expect=done()), seen(GOOD, PLAIN, touches=(touch,)))

    assert len(broken) == 1
    assert "127.0.0.1" in broken[0]


def test_wrong_code_and_reason_are_reported() -> None:
    """A failure must be the one the row names."""
    outcome = replace(GOOD, state="failed", code="tls", reason="tls_error")

    assert evaluate(Case(id="X01", title="x", expect=failed("dns")), seen(outcome))
    assert evaluate(Case(id="X01", title="x", expect=failed("tls", reasons=["tls_timeout"])), seen(outcome))
    assert evaluate(Case(id="X01", title="x", expect=failed("tls", reasons=["tls_error"])), seen(outcome)) == []


def test_refused_case_must_not_connect() -> None:
    """A refusal without DNS sends no query."""
    outcome = replace(GOOD, state="refused", code="InvalidURL")

    assert evaluate(Case(id="X01", title="x", expect=refused("InvalidURL")), seen(outcome)) == []
    assert evaluate(Case(id="X01", title="x", expect=refused("InvalidURL")), seen(outcome, PLAIN))


def test_leaked_descriptors_and_orphans_are_reported() -> None:
    """Many more sockets, or another two processes, than before."""
    before = Census(("pipe", "socket"), ("python",))
    after = Census(("pipe", *["socket"] * 9), ("python", "sleep", "sleep"))

    assert [sentence[:2] for sentence in leaks(before, after)] == ["I3", "I3"]
    assert leaks(before, before) == []
