"""Requests to the HTTP client and their results."""

from __future__ import annotations

from pagegrade.gather.exchange import DEFAULT_LIMITS, Exchange, FetchError, Followed, Request
from pagegrade.model.artifacts import NotGathered, Response


def test_a_failure_becomes_a_missing_artifact() -> None:
    """Its code, its sentence and its cause."""
    error = FetchError("dns", "The name does not exist.", reason="dns_nxdomain")

    assert error.not_gathered() == NotGathered(code="dns", detail="The name does not exist.", reason="dns_nxdomain")
    assert error.hops == ()


def test_the_response_of_a_followed_request_is_the_last_one() -> None:
    """The hops come before it."""
    last = Response(url="https://site.com/b", status=200)
    exchange = Exchange(request=Request(url=last.url), response=last)
    followed = Followed(hops=(Response(url="https://site.com/a", status=301),), exchange=exchange)

    assert followed.response is last


def test_the_limits_are_those_that_are_promised() -> None:
    """A change of one is a change of what the documentation says."""
    request = Request(url="https://site.com/")

    assert (DEFAULT_LIMITS.connect_s, DEFAULT_LIMITS.headers_s, request.timeout_s) == (10.0, 15.0, 30.0)
    assert (DEFAULT_LIMITS.header_block_bytes, DEFAULT_LIMITS.header_line_bytes) == (64_000, 16_000)
    assert (DEFAULT_LIMITS.header_count, DEFAULT_LIMITS.interim_count, DEFAULT_LIMITS.redirects) == (200, 10, 10)
    assert (request.max_wire_bytes, request.max_decoded_bytes) == (5_000_000, 20_000_000)
