"""The failure that describes an exchange without an answer."""

from __future__ import annotations

import asyncio
import errno

import pycurl
import pytest

from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.failures import explain_curl, explain_timeout, verify_result, verify_word
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from tests.gather.scripted import (
    FAST,
    HEAD,
    OK,
    OWN,
    PATIENT,
    Names,
    Script,
    dripping,
    failure,
    resetting,
    serving,
    silent,
)


@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        (resetting(b""), "connect", "conn_reset"),
        (resetting(HEAD), "connect", "conn_reset"),
        (resetting(HEAD + b"Content-Length: 20\r\n\r\n"), "connect", "conn_reset"),
        (silent, "timeout", "headers_timeout"),
        (dripping(b"", HEAD + b"X: y\r\n" * 50), "timeout", "headers_timeout"),
    ],
    ids=["reset_at_once", "reset_in_head", "reset_before_body", "silent", "dripping_head"],
)
def test_no_answer_says_why(script: Script, code: str, reason: str) -> None:
    """Rows E01, E03, E05."""
    error = failure(script, limits=FAST if code == "timeout" else PATIENT)

    assert (error.code, error.reason) == (code, reason)


def test_a_refused_connection_says_so() -> None:
    """Row E01: nothing listens."""

    async def main() -> FetchError:
        async with serving(OK) as server:
            port = server.port
        async with HTTPClient(guard=Guard(OWN), resolver=Names()) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"http://site.com:{port}/"))
            return caught.value

    error = asyncio.run(main())

    assert (error.code, error.reason) == ("connect", "connect_refused")


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (10, "expired"),
        (9, "not_yet_valid"),
        (18, "self_signed"),
        (20, "untrusted"),
        (21, "incomplete_chain"),
        (23, "revoked"),
        (62, "wrong_host"),
        (1, "wrong_host"),
        (0, "wrong_host"),
        (7, "other"),
    ],
)
def test_verification_codes_have_words(given: int, word: str) -> None:
    """Those of the TLS artifact."""
    assert verify_word(verify_result(given)) == word


@pytest.mark.parametrize(
    ("connected", "handshaken", "in_headers", "reason"),
    [
        (False, False, True, "connect_timeout"),
        (True, False, True, "tls_error"),
        (True, True, True, "headers_timeout"),
        (True, True, False, "timeout_total"),
    ],
)
def test_a_time_out_says_what_was_missing(*, connected: bool, handshaken: bool, in_headers: bool, reason: str) -> None:
    """The first phase that did not come to its end."""
    error = explain_timeout(connected=connected, handshaken=handshaken, in_headers=in_headers)

    assert error.reason == reason


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ECONNREFUSED, "connect_refused"),
        (errno.ETIMEDOUT, "connect_timeout"),
        (errno.ENETUNREACH, "connect_unreachable"),
        (0, "connect_unreachable"),
    ],
)
def test_a_failed_connect_is_reported_without_the_address(number: int, reason: str) -> None:
    """The library's own text names it."""
    error = explain_curl(
        pycurl.E_COULDNT_CONNECT, "Failed to connect to 10.0.0.1", number, only_ipv6=True, has_head=False
    )

    assert error.reason == reason
    assert "10.0.0.1" not in str(error)
    assert error.not_gathered().code == "connect"
