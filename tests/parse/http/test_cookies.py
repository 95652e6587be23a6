from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.http.cookies import (
    MAX_COOKIES,
    Cookie,
    SameSite,
    parse_cookie,
    parse_cookie_date,
    parse_response_cookies,
)
from tests.builders import make_response

URL = "https://example.com/"
NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


def parse(line: str, url: str = URL) -> Cookie:
    """The cookie of one line."""
    return parse_cookie(line, url=url)


def test_name_and_attributes_are_read() -> None:
    """In any case, with any blanks."""
    cookie = parse(" id = v ; SECURE; httponly ; SameSite = lax; Domain=.Example.COM; path=/a; Max-Age=60; Partitioned")

    assert cookie == Cookie(
        name="id",
        url=URL,
        hop=None,
        secure=True,
        http_only=True,
        same_site="lax",
        same_site_written="lax",
        domain="example.com",
        path="/a",
        max_age_s=60,
        partitioned=True,
    )


def test_value_is_not_kept() -> None:
    """Not even for a cookie without a name."""
    assert "secret" not in repr([parse("id=secret; Foo=secret"), parse("secret; Secure"), parse("=secret")])


def test_dates_hold_commas() -> None:
    """A line is never cut at a comma."""
    navigation = Navigation(
        requested_url=URL,
        response=make_response(headers=(("set-cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure, b=2"),)),
    )
    (cookie,) = parse_response_cookies(navigation)

    assert cookie.name == "a"
    assert cookie.expires_at == datetime(2026, 10, 21, 7, 28, tzinfo=UTC)


def test_every_answer_on_the_way_is_read() -> None:
    """Redirects first, each with its place."""
    hops = (
        make_response(url="http://example.com/", headers=(("Set-Cookie", "a=1"),)),
        make_response(url="https://example.com/", headers=(("Set-Cookie", "b=2"), ("Set-Cookie", "c=3"))),
    )
    response = make_response(url="https://example.com/home", headers=(("SET-COOKIE", "d=4"),))
    cookies = parse_response_cookies(Navigation(requested_url="http://example.com/", hops=hops, response=response))

    assert [(cookie.name, cookie.hop, cookie.url) for cookie in cookies] == [
        ("a", 0, "http://example.com/"),
        ("b", 1, "https://example.com/"),
        ("c", 1, "https://example.com/"),
        ("d", None, "https://example.com/home"),
    ]


def test_number_is_bounded() -> None:
    """Five thousand lines give two hundred cookies."""
    response = make_response(headers=tuple(("Set-Cookie", f"c{number}=v") for number in range(5_000)))

    assert len(parse_response_cookies(Navigation(requested_url=URL, response=response))) == MAX_COOKIES


@pytest.mark.parametrize(
    ("line", "same_site", "invalid"),
    [
        ("a=1; SameSite=Strict", "strict", False),
        ("a=1; SameSite=NONE", "none", False),
        ("a=1; SameSite=maybe", None, True),
        ("a=1; SameSite", None, True),
        ("a=1", None, False),
        ("a=1; SameSite=None; SameSite=Lax", "lax", False),
    ],
)
def test_same_site(line: str, same_site: SameSite | None, invalid: bool) -> None:  # noqa: FBT001
    """Absent, unknown and known are three things; the last attribute wins."""
    cookie = parse(line)

    assert (cookie.same_site, cookie.invalid_same_site) == (same_site, invalid)


@pytest.mark.parametrize(
    ("line", "url", "rejected"),
    [
        ("__Host-a=1; Secure; Path=/", URL, None),
        ("__Host-a=1; Secure; Path=/x", URL, "host-prefix"),
        ("__Host-a=1; Secure", URL, "host-prefix"),
        ("__Host-a=1; Secure; Path=/; Domain=example.com", URL, "host-prefix"),
        ("__Host-a=1; Path=/", URL, "host-prefix"),
        ("__HOST-a=1; Path=/", URL, "host-prefix"),
        ("__Host-a=1; Secure; Path=/", "http://example.com/", "host-prefix"),
        ("__Secure-a=1; Secure", URL, None),
        ("__Http-a=1; Secure; HttpOnly", URL, None),
        ("__Http-a=1; Secure", URL, "http-prefix"),
        ("__Host-Http-a=1; Secure; HttpOnly; Path=/", URL, None),
        ("__Host-Http-a=1; Secure; Path=/", URL, "http-prefix"),
        ("__Host-Http-a=1; Secure; HttpOnly", URL, "host-prefix"),
        ("__Secure-a=1", URL, "secure-prefix"),
        ("=__Secure-a=1; Secure", URL, "secure-prefix"),
        ("__Host-a; Secure; Path=/", URL, "host-prefix"),
        ("a=1; Secure", "http://example.com/", "insecure-origin"),
        ("a=1", "http://example.com/", None),
        ("", URL, "empty"),
        ("; Secure", URL, "empty"),
        ("a=" + "x" * 4_095, URL, None),
        ("a=" + "x" * 4_096, URL, "too-long"),
        ("a=" + "x" * 100_000, URL, "too-long"),
        ("a=1\x00b", URL, "control-character"),
        ("a=1\tb", URL, None),
        ("a=1; Domain=example.com", URL, None),
        ("a=1; Domain=.Example.com", "https://www.example.com/", None),
        ("a=1; Domain=www.example.com", "https://example.com/", "foreign-domain"),
        ("a=1; Domain=other.test", URL, "foreign-domain"),
        ("a=1; Domain=ample.com", URL, "foreign-domain"),
        ("a=1; Domain=com", URL, "foreign-domain"),
        ("a=1; Domain=co.uk", "https://shop.example.co.uk/", "foreign-domain"),
        ("a=1; Domain=localhost", "http://localhost:8000/", None),
        ("a=1; Domain=", URL, None),
        ("a=1; Partitioned", URL, "partitioned"),
        ("a=1; Partitioned; Secure", URL, None),
    ],
)
def test_what_browsers_refuse(line: str, url: str, rejected: str | None) -> None:
    """By the rules for prefixes, sizes and characters."""
    assert parse(line, url).rejected == rejected


def test_too_long_attribute_is_ignored() -> None:
    """The cookie is kept without it."""
    assert parse("a=1; SameSite=" + "x" * 1_025).same_site_written is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("60", 60), ("-5", 0), ("0", 0), ("1.5", None), ("", None), ("9" * 30, 10**12), ("٣", None), ("-", None)],
)
def test_max_age(value: str, seconds: int | None) -> None:
    """Huge numbers are clamped, everything else is absent."""
    assert parse(f"a=1; Max-Age={value}").max_age_s == seconds


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", datetime(2015, 10, 21, 7, 28, tzinfo=UTC)),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", datetime(2015, 10, 21, 7, 28, tzinfo=UTC)),
        ("Sun Nov  6 08:49:37 1994", datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("07:28:00 2015 october 21", datetime(2015, 10, 21, 7, 28, tzinfo=UTC)),
        ("Fri, 31 Dec 9999 23:59:59 GMT", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", datetime(1970, 1, 1, tzinfo=UTC)),
        ("31 Feb 2020 00:00:00", None),
        ("21 Oct 1600 00:00:00", None),
        ("21 Oct 0001 00:00:00", datetime(2001, 10, 21, tzinfo=UTC)),
        ("21 Oct 2015", None),
        ("Oct 2015 07:28:00", None),
        ("21 2015 07:28:00", None),
        ("21 Oct 07:28:00", None),
        ("21 Oct 2015 07:60:00", None),
        ("21 Oct 69 07:28:00", datetime(2069, 10, 21, 7, 28, tzinfo=UTC)),
        ("21 Oct 70 07:28:00", datetime(1970, 10, 21, 7, 28, tzinfo=UTC)),
        ("21 Oct 2015 25:00:00", None),
        ("-1", None),
        ("", None),
        ("1" * 100_000, None),
    ],
)
def test_dates_are_read_as_browsers_read_them(text: str, date: datetime | None) -> None:
    """Any order, any separators, two-digit years; impossible dates are absent."""
    assert parse_cookie_date(text) == date


@pytest.mark.parametrize(
    ("line", "deletes"),
    [
        ("a=; Max-Age=0", True),
        ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", True),
        ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5", False),
        ("a=; Expires=Tue, 06 Jan 2026 12:00:00 GMT", False),
        ("a=", False),
    ],
)
def test_deletions(line: str, deletes: bool) -> None:  # noqa: FBT001
    """Max-Age rules over Expires; an empty value alone deletes nothing."""
    assert parse(line).is_deletion(NOW) is deletes


def test_description_names_attributes_only() -> None:
    """The part of a line that may be shown."""
    line = "id=secret; Path=/; Secure; HttpOnly; SameSite=Lax; Domain=a.test; Partitioned"

    assert parse(line).described == "id=...; Domain=a.test; Path=/; Secure; HttpOnly; SameSite=Lax; Partitioned"


@pytest.mark.parametrize("line", [";" * 50_000, "=" * 50_000, "a=1; Expires=" + "1:" * 500, "a=1;Path=/" + "x" * 900])
def test_hostile_lines_are_read(line: str) -> None:
    """No error, and little is kept."""
    assert len(repr(parse(line))) < 1_000


@pytest.mark.parametrize(
    ("line", "ignored"),
    [
        ("a=1; Secure; HttpOnly; SameSite=Lax; Path=/; Domain=example.com; Max-Age=60; Priority=High; Partitioned", ()),
        ("a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Version=1; Comment=x; Path=", ()),
        ("a=1; Http-Only; Secured; Same-Site=Lax", ("http-only", "secured", "same-site")),
        ("a=1; Expires=2026-10-21", ("expires",)),
        ("a=1; Expires=Session", ("expires",)),
        ("a=1; Max-Age=1h", ("max-age",)),
        ("a=1; Max-Age=\uff11\uff12", ("max-age",)),
        ("a=1; Path=shop", ("path",)),
        ("a=1; \u0646\u0647\u0627\u064a\u0629=1", ("\u0646\u0647\u0627\u064a\u0629",)),
        ("a=1;;", ()),
    ],
)
def test_attributes_that_browsers_ignore_are_named(line: str, ignored: tuple[str, ...]) -> None:
    """Unknown ones, and values that cannot be read; those of older standards do no harm."""
    assert parse_cookie(line, url="https://example.com/").ignored == ignored


@pytest.mark.parametrize(
    ("name", "login", "forgery"),
    [
        *(("PHPSESSID", True, False), ("auth_token", True, False), ("sid", True, False)),
        *(("author", False, False), ("sidebar", False, False), ("_ga", False, False)),
        *(("csrf_token", False, True), ("XSRF-TOKEN", False, True)),
    ],
)
def test_purpose_is_told_by_the_name(name: str, login: bool, forgery: bool) -> None:  # noqa: FBT001
    """Of those that keep somebody signed in, and of those against forged requests."""
    cookie = parse(f"{name}=a")

    assert (cookie.looks_like_login, cookie.against_forgery) == (login, forgery)
