"""Tests of the cookies of one chain of redirects, and of a page and its files."""

from __future__ import annotations

import pytest

from pagegrade.gather.cookie_jar import MAX_COOKIES, MAX_HEADER_CHARS, CookieJar

URL = "https://www.example.com/a/b"


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
