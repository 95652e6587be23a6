from __future__ import annotations

import dns.exception
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import pytest

from tests.lab.names import (
    Answer,
    Question,
    changing,
    compression_loop,
    failing,
    half,
    records,
    silent,
    wrong_id,
    wrong_question,
)


def question(kind: str = "A", protocol: str = "udp", nth: int = 0) -> Question:
    """A query for one name."""
    return Question(0.0, "host-lab.com", kind, protocol, nth, dns.message.make_query("host-lab.com.", kind))


def addresses(answer: Answer, asked: Question) -> list[str]:
    """The contents of the answer, as text."""
    message = dns.message.from_wire(answer(asked) or b"")
    return [record.to_text() for each in message.answer for record in each]


def test_records_answer_their_own_type_only() -> None:
    """A gets A, AAAA gets AAAA."""
    answer = records(a=["11.20.0.1"], aaaa=["2a01::1"])

    assert addresses(answer, question("A")) == ["11.20.0.1"]
    assert addresses(answer, question("AAAA")) == ["2a01::1"]
    assert addresses(answer, question("MX")) == []


def test_alias_comes_with_its_target() -> None:
    """A CNAME answer carries the target's addresses in the same message."""
    answer = records(cname="other-lab.com", chain={"other-lab.com": ["10.0.0.1"]})

    assert addresses(answer, question()) == ["other-lab.com.", "10.0.0.1"]


def test_name_rebinds() -> None:
    """Each query gets the next address, and the last one stays."""
    answer = changing("11.20.0.1", "127.0.0.1")

    assert [addresses(answer, question(nth=nth)) for nth in range(3)] == [["11.20.0.1"], ["127.0.0.1"], ["127.0.0.1"]]


def test_long_answer_asks_for_tcp() -> None:
    """Over UDP it is truncated, over TCP it is whole."""
    answer = records(a=[f"11.20.1.{number}" for number in range(200)])
    short = dns.message.from_wire(answer(question()) or b"", raise_on_truncation=False)

    assert short.flags & dns.flags.TC
    assert len(addresses(answer, question(protocol="tcp"))) == 200


@pytest.mark.parametrize("code", ["NXDOMAIN", "SERVFAIL", "REFUSED"])
def test_failures_carry_their_code(code: str) -> None:
    """The answer has the code and nothing else."""
    message = dns.message.from_wire(failing(code)(question()) or b"")

    assert (dns.rcode.to_text(message.rcode()), message.answer) == (code, [])


@pytest.mark.parametrize("broken", [compression_loop, half])
def test_broken_answers_cannot_be_read(broken: Answer) -> None:
    """A correct reader refuses them."""
    wire = broken(question()) or b""

    with pytest.raises(dns.exception.DNSException):
        dns.message.from_wire(wire)


@pytest.mark.parametrize("answer", [wrong_id, wrong_question])
def test_answers_to_other_queries_do_not_fit(answer: Answer) -> None:
    """A correct resolver sees that the answer is not to its query."""
    asked = question()

    assert not asked.message.is_response(dns.message.from_wire(answer(asked) or b""))


def test_silence_is_no_answer() -> None:
    """Nothing is sent."""
    assert silent(question()) is None  # type: ignore[func-returns-value]
