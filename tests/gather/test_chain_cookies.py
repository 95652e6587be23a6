"""Tests of the cookies of one chain of redirects."""

from __future__ import annotations

import pytest

from pagegrade.gather.chain_cookies import MAX_COOKIES, MAX_HEADER_CHARS, ChainCookies

URL = "https://www.example.com/a/b"


def sent(line: str, *, to: str = URL, by: str = URL) -> str:
    """The Cookie line of a request after an answer with that Set-Cookie line."""
    cookies = ChainCookies()
    cookies.take(by, [line])
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
    cookies = ChainCookies()
    cookies.take(URL, ["a=1; Path=/", "b=1; Path=/"])
    cookies.take(URL, ["a=2; Path=/", "b=; Path=/; Max-Age=0"])

    assert cookies.header_for(URL) == "a=2"


def test_cookies_are_bounded() -> None:
    """In number and in length."""
    many, long = ChainCookies(), ChainCookies()
    many.take(URL, [f"c{number}=1" for number in range(500)])
    long.take(URL, [f"c{number}={'x' * 1_000}" for number in range(10)])

    assert many.header_for(URL).count("=") == MAX_COOKIES
    assert len(long.header_for(URL)) <= MAX_HEADER_CHARS
