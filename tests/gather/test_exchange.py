"""Requests to the HTTP client and their results."""

from __future__ import annotations

import pytest

from pagegrade.gather.exchange import DEFAULT_LIMITS, MAX_HEADER_VALUE, Exchange, FetchError, Followed, Post, Request
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


@pytest.mark.parametrize("value", ["x", "x" * MAX_HEADER_VALUE, "Bearer a b~!"], ids=["one", "longest", "blanks"])
def test_a_header_of_a_delivery_is_one_line(value: str) -> None:
    """Up to the longest that servers are known to read."""
    assert Post(body=b"", content_type="text/plain", headers=(("X-Own", value),)).headers == (("X-Own", value),)


@pytest.mark.parametrize(
    "value",
    ["", " x", "x ", "a\r\nB: c", "a\0", "\x7f", "é", "x" * (MAX_HEADER_VALUE + 1)],
    ids=["empty", "before", "after", "lines", "nul", "delete", "letters", "long"],
)
def test_what_is_not_one_line_is_no_header(value: str) -> None:
    """The message does not repeat it: it may be a secret."""
    with pytest.raises(ValueError, match=r"^the header 'X-Own' cannot be sent$"):
        Post(body=b"", content_type="text/plain", headers=(("X-Own", value),))
