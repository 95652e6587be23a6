"""Answers to requests that are refused unread."""

from __future__ import annotations

import pytest

from pagegrade.web.problems import PROBLEMS
from pagegrade.web.server import refusals
from pagegrade.web.server.refusals import Refusal, refusal_bytes
from tests.web.wires import Reply, replies_in

ALL = [value for value in vars(refusals).values() if isinstance(value, Refusal) and value is not refusals.LATER]


def reply_to(refusal: Refusal, target: bytes = b"/") -> Reply:
    """The answer as a client reads it."""
    data = refusal_bytes(refusal, target=target, base_url="https://h", request_id="abc", headers=[(b"date", b"today")])
    (answer,) = replies_in(data)
    return answer


@pytest.mark.parametrize("refusal", ALL, ids=[f"{each.status}-{each.reason}-{each.message[:12]}" for each in ALL])
def test_refusal_is_a_problem_like_any_other(refusal: Refusal) -> None:
    """Of a kind that is documented, and the end of the connection."""
    answer = reply_to(refusal, b"/api/v1/reports?key=s3cret")

    assert refusal.code in PROBLEMS
    assert answer.status == answer.problem["status"] == refusal.status
    assert answer.problem["instance"] == "/api/v1/reports"
    assert answer.problem["request_id"] == answer.headers["x-request-id"] == "abc"
    assert answer.headers["connection"] == "close"
    assert answer.headers["date"] == "today"
    assert ("retry-after" in answer.headers) == (refusal.status == 503)


@pytest.mark.parametrize("target", [b"/\r\nSet-Cookie: a=b", b"/<script>", b"/\xff\x00", b"/" + b"a" * 9_000])
def test_what_was_asked_for_is_repeated_harmlessly(target: bytes) -> None:
    """It may be anything, and of any length."""
    answer = reply_to(refusals.LONG_URL, target)

    assert "set-cookie" not in answer.headers
    assert b"<" not in answer.body
    assert len(answer.body) < 1_000
    assert answer.problem["instance"].isascii()
