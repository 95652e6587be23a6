"""Requests to the HTTP client and their results."""

from __future__ import annotations

import pytest

from pagegrade.gather.exchange import (
    DEFAULT_LIMITS,
    MAX_COOKIES,
    MAX_HEADER_CHARS,
    MAX_HEADER_VALUE,
    CookieJar,
    Exchange,
    FetchError,
    Followed,
    Post,
    Request,
)
from pagegrade.model.artifacts import NotGathered, Response

URL = "https://www.example.com/a/b"


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


def sent(line: str, *, to: str = URL) -> str:
    """The Cookie line of a request after an answer with that Set-Cookie line."""
    cookies = CookieJar()
    cookies.take(URL, [line])
    return cookies.header_for(to)


@pytest.mark.parametrize(
    ("line", "to", "value"),
    [
        ("sid=1; Path=/; HttpOnly; Secure", "https://www.example.com/", "sid=1"),
        ("sid=1", "https://www.example.com/a/c?d", "sid=1"),
        ("sid=1", "https://www.example.com/", ""),
        ("sid=1; Path=/a/b", "https://www.example.com/a/bc", ""),
        ("sid=1; Path=/a", "https://www.example.com/a/bc", "sid=1"),
        ("sid=1", "https://other.example.com/a/b", ""),
        ("sid=1; Domain=example.com; Path=/", "https://other.example.com/", "sid=1"),
        ("sid=1; Path=/; Secure", "http://www.example.com/", ""),
        ("sid=1; Domain=other.org; Path=/", "https://other.org/", ""),
        ("sid=1; Max-Age=0", URL, ""),
        ("sid=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", URL, ""),
        ("__Host-sid=1; Path=/", URL, ""),
        ("=1", URL, "=1"),
        ("sid=\x01", URL, ""),
        ("sid=\xe9", URL, ""),
    ],
)
def test_cookies_go_where_a_browser_sends_them(line: str, to: str, value: str) -> None:
    """By host, path and scheme; what a browser drops, and what cannot stand in a header, is not sent."""
    assert sent(line, to=to) == value


def test_a_later_line_replaces_and_deletes() -> None:
    """Order and deletion are those of the answers."""
    cookies = CookieJar()
    cookies.take(URL, ["a=1; Path=/", "b=1; Path=/"])
    cookies.take(URL, ["a=2; Path=/", "b=; Path=/; Max-Age=0"])

    assert cookies.header_for(URL) == "a=2"


def test_cookies_are_bounded() -> None:
    """In number and in length."""
    many, long = CookieJar(), CookieJar()
    many.take(URL, [f"c{number}=1" for number in range(500)])
    long.take(URL, [f"c{number}={'x' * 1_000}" for number in range(10)])

    assert many.header_for(URL).count("=") == MAX_COOKIES
    assert len(long.header_for(URL)) <= MAX_HEADER_CHARS


@pytest.mark.parametrize(
    ("line", "to", "value"),
    [
        ("sid=1; Path=/", "https://www.example.com/a.css", "sid=1"),
        ("sid=1; Path=/; SameSite=Strict", "https://www.example.com/a.css", "sid=1"),
        ("sid=1; Path=/; Domain=example.com", "https://cdn.example.com/a.css", "sid=1"),
        ("sid=1; Path=/; Domain=example.com", "http://cdn.example.com/a.css", ""),
        ("sid=1; Path=/", "https://cdn.example.com/a.css", ""),
    ],
)
def test_files_of_the_page_get_its_cookies(line: str, to: str, value: str) -> None:
    """On its own site, of which the scheme is a part."""
    cookies = CookieJar()
    cookies.take(URL, [line])
    cookies.arrive(URL)

    assert cookies.header_for(to) == value


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("sid=1; Path=/", "sid=1", ""),
        ("sid=1; Path=/; SameSite=Lax; Secure", "sid=1", ""),
        ("sid=1; Path=/; SameSite=None; Secure", "sid=1", "sid=1"),
        ("sid=1; Path=/; SameSite=None", "", ""),
    ],
)
def test_files_of_other_sites_get_and_set_what_is_meant_for_that(line: str, before: str, after: str) -> None:
    """Set on the way to the page, or with a file of it."""
    file = "https://other.org/a.js"
    way, late = CookieJar(), CookieJar()
    way.take(file, [line])

    assert way.header_for(file) == before

    way.arrive(URL)
    late.arrive(URL)
    late.take(file, [line])

    assert (way.header_for(file), late.header_for(file)) == (after, after)
