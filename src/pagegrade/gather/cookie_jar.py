"""Cookies that the answers of one run set, kept as every browser keeps them, and forgotten at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from pagegrade import clock
from pagegrade.parse.http.cookies import Cookie, parse_cookie
from pagegrade.parse.url import host, same_site, scheme

MAX_COOKIES: Final = 50
MAX_HEADER_CHARS: Final = 4_096
"""Of the Cookie line; cookies beyond it are left out."""
_SENDABLE: Final = re.compile(r"[\x21-\x3a\x3c-\x7e](?:[\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?")
"""A pair of name and value that cannot end the header line: printable ASCII without a semicolon."""


class _Kept(msgspec.Struct, frozen=True):
    cookie: Cookie
    pair: str


class CookieJar:
    """The cookies of one chain of redirects, or of a page and its files; empty at first.

    Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], _Kept] = {}
        self._page_url = ""

    def arrive(self, url: str) -> None:
        """Keep and send only what a page allows to its files from now on: to other sites, what they share by intent."""
        self._page_url = url

    def take(self, url: str, values: Iterable[str]) -> None:
        """Keep what the ``Set-Cookie`` lines of an answer set; drop what they delete or a browser would not keep."""
        is_elsewhere = self._is_elsewhere(url)
        for value in values:
            cookie = parse_cookie(value, url=url)
            key = (cookie.name, cookie.domain or host(url), cookie.path or "")
            self._kept.pop(key, None)
            pair = value.partition(";")[0].strip(" \t")
            if cookie.rejected or cookie.is_deletion(clock.utc_now()) or not _SENDABLE.fullmatch(pair):
                continue
            is_shared = cookie.same_site == "none"
            if (is_shared and not cookie.secure) or (is_elsewhere and not is_shared):
                continue
            if len(self._kept) < MAX_COOKIES:
                self._kept[key] = _Kept(cookie, pair)

    def header_for(self, url: str) -> str:
        """Return the value of the ``Cookie`` line for a request; "" without one."""
        found = ""
        is_elsewhere = bool(self._kept) and self._is_elsewhere(url)
        for one in self._kept.values():
            if is_elsewhere and one.cookie.same_site != "none":
                continue
            longer = f"{found}; {one.pair}" if found else one.pair
            if _applies(one.cookie, url) and len(longer) <= MAX_HEADER_CHARS:
                found = longer
        return found

    def _is_elsewhere(self, url: str) -> bool:
        """Return whether a file of the page lies on another site than it; the scheme is a part of the site."""
        page = self._page_url
        return bool(page) and not (same_site(page, url) and scheme(page) == scheme(url))


def _applies(cookie: Cookie, url: str) -> bool:
    """Return whether a browser sends a cookie with a request for that URL."""
    name, setter = host(url), host(cookie.url)
    domain = cookie.domain or setter
    reaches = name == domain or (cookie.domain is not None and name.endswith(f".{domain}"))
    return reaches and (url.startswith("https:") or not cookie.secure) and _covers(_path_of(cookie), _path(url))


def _path_of(cookie: Cookie) -> str:
    return cookie.path or _path(cookie.url).rpartition("/")[0] or "/"


def _path(url: str) -> str:
    rest = url.partition("://")[2].partition("?")[0]
    return f"/{rest.partition('/')[2]}"


def _covers(path: str, target: str) -> bool:
    return target == path or (target.startswith(path) and (path.endswith("/") or target[len(path)] == "/"))
