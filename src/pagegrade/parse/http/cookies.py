"""Set-Cookie lines, read the way browsers read them, without ever keeping a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import Navigation, Response
from pagegrade.parse.url import host, registrable_domain

MAX_COOKIES: Final = 200
"""Set-Cookie lines read of one navigation."""
MAX_PAIR_CHARS: Final = 4096
"""Browsers ignore a cookie whose name and value together are longer (RFC 6265bis 5.6)."""
MAX_ATTRIBUTE_CHARS: Final = 1024
"""Browsers ignore an attribute whose value is longer (RFC 6265bis 5.6)."""
MAX_NAME_CHARS: Final = 100
"""Characters kept of a name; enough to recognize it."""
MAX_LINE_CHARS: Final = 20_000
"""Characters of a line that are looked at."""
_SPACE: Final = " \t"
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SESSION: Final = re.compile(r"sess|login|auth(?!or)|token|(?<![a-z])sid(?![a-z])|sid$")
"""Words in names of cookies that stand for a login; ``author`` and ``sidebar`` only look like it."""
_CSRF: Final = re.compile(r"csrf|xsrf")
_MAX_AGE_DIGITS: Final = 12
MAX_IGNORED: Final = 5
_ATTRIBUTES: Final = frozenset(
    "comment discard domain expires httponly max-age partitioned path port priority sameparty samesite secure "
    "version".split()
)
"""Those that a browser knows, and those of older standards, which harm no one."""

SameSite = Literal["strict", "lax", "none"]
Rejection = Literal[
    "control-character",
    "empty",
    "too-long",
    "secure-prefix",
    "host-prefix",
    "http-prefix",
    "insecure-origin",
    "foreign-domain",
    "partitioned",
]


class Cookie(msgspec.Struct, frozen=True, kw_only=True):
    """One Set-Cookie line: its name and attributes. The value is secret and is not here."""

    name: str
    """At most ``MAX_NAME_CHARS``; "" for a cookie without one."""
    url: str
    """Of the answer that set it."""
    hop: int | None
    """Index of the redirect that set it, from 0; ``None`` when the document itself did."""
    secure: bool = False
    http_only: bool = False
    same_site: SameSite | None = None
    """``None`` when the attribute is absent or its value is unknown."""
    same_site_written: str | None = None
    """The value as written, at most ``MAX_NAME_CHARS``; ``None`` when the attribute is absent."""
    partitioned: bool = False
    domain: str | None = None
    """Lower case without a leading dot; ``None`` for a cookie of this host only."""
    path: str | None = None
    """``None`` when absent or not starting with a slash: the default path is used."""
    max_age_s: int | None = None
    """Negative values count as 0; ``None`` when absent or unreadable."""
    expires_at: datetime | None = None
    """``None`` when absent or unreadable."""
    rejected: Rejection | None = None
    """Reason why a browser does not store it; ``None`` if it does."""
    ignored: tuple[str, ...] = ()
    """Attributes that browsers ignore, as names in lower case, at most ``MAX_IGNORED``: unknown ones, and known ones
    with a value that is not understood (``SameSite`` has fields of its own)."""

    @property
    def invalid_same_site(self) -> bool:
        """Return whether SameSite is there with a value that no browser knows."""
        return self.same_site_written is not None and self.same_site is None

    @property
    def against_forgery(self) -> bool:
        """Return whether its name is that of a cookie against forged requests."""
        return _CSRF.search(self.name.lower()) is not None

    @property
    def looks_like_login(self) -> bool:
        """Return whether its name is that of a cookie that keeps somebody signed in."""
        return _SESSION.search(self.name.lower()) is not None and not self.against_forgery

    def is_deletion(self, now: datetime) -> bool:
        """Return whether the line removes a cookie rather than setting one: it has expired before ``now`` (aware)."""
        if self.max_age_s is not None:
            return self.max_age_s == 0
        return self.expires_at is not None and self.expires_at <= now

    @property
    def described(self) -> str:
        """The line as it may be shown: name and attributes, an ellipsis for the value."""
        parts = [f"{self.name}=..." if self.name else "..."]
        if self.domain is not None:
            parts.append(f"Domain={self.domain}")
        if self.path is not None:
            parts.append(f"Path={self.path}")
        parts += [
            word
            for word, there in (
                ("Secure", self.secure),
                ("HttpOnly", self.http_only),
                (f"SameSite={self.same_site_written}", self.same_site_written is not None),
                ("Partitioned", self.partitioned),
            )
            if there
        ]
        return "; ".join(parts)


def parse_response_cookies(navigation: Navigation) -> tuple[Cookie, ...]:
    """Every cookie set on the way to the document, redirects first, at most ``MAX_COOKIES``.

    Each Set-Cookie line is one cookie: unlike other headers it is never cut at commas, as dates hold one.
    """
    cookies: list[Cookie] = []
    for hop, response in _answers(navigation):
        for value in response.header_values("set-cookie"):
            if len(cookies) >= MAX_COOKIES:
                return tuple(cookies)
            cookies.append(parse_cookie(value, url=response.url, hop=hop))
    return tuple(cookies)


def parse_cookie(value: str, *, url: str, hop: int | None = None) -> Cookie:
    """Read one Set-Cookie line.

    Args:
        value: The line without the header's name; whatever the server sent.
        url: Of the answer; its scheme decides whether ``Secure`` may be set.
        hop: Index of the redirect that carried it.

    Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis section 5.6 and 5.7
    """
    line = value[:MAX_LINE_CHARS]
    pair, *rest = line.split(";")
    name, equals, content = pair.partition("=")
    if not equals:
        name, content = "", name
    name, content = name.strip(_SPACE), content.strip(_SPACE)
    attributes: dict[str, str] = {}
    for part in rest:
        key, _, text = part.partition("=")
        text = text.strip(_SPACE)
        if len(text) <= MAX_ATTRIBUTE_CHARS:
            # Of a repeated attribute the last one counts.
            attributes[key.strip(_SPACE).lower()] = text
    same_site = attributes.get("samesite")
    path = attributes.get("path", "")
    cookie = Cookie(
        name=name[:MAX_NAME_CHARS],
        url=url,
        hop=hop,
        secure="secure" in attributes,
        http_only="httponly" in attributes,
        same_site=_same_site(same_site),
        same_site_written=None if same_site is None else same_site[:MAX_NAME_CHARS],
        partitioned="partitioned" in attributes,
        domain=attributes.get("domain", "").lower().removeprefix(".")[:253] or None,
        path=path[:MAX_NAME_CHARS] if path.startswith("/") else None,
        ignored=tuple(key[:MAX_NAME_CHARS] for key, text in attributes.items() if _is_ignored(key, text))[:MAX_IGNORED],
        max_age_s=_max_age(attributes.get("max-age", "")),
        expires_at=parse_cookie_date(attributes.get("expires", "")),
    )
    rejected = _rejection(cookie, pair_chars=len(name) + len(content), line=value, content=content)
    return replace(cookie, rejected=rejected)


def parse_cookie_date(text: str) -> datetime | None:
    """Read the date of ``Expires`` as browsers do: any order, any separators; ``None`` when parts are missing.

    Source: https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1
    """
    time: tuple[int, int, int] | None = None
    day = month = year = None
    for token in _date_tokens(text[:MAX_ATTRIBUTE_CHARS]):
        if time is None and (read := _time(token)) is not None:
            time = read
        elif day is None and (number := _number(token, 1, 2)) is not None:
            day = number
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (number := _number(token, 2, 4)) is not None:
            year = number
    if time is None or day is None or month is None or year is None:
        return None
    if 70 <= year <= 99:
        year += 1900
    elif year <= 69:
        year += 2000
    if year < 1601:
        return None
    try:
        return datetime(year, month, day, *time, tzinfo=UTC)
    except ValueError:
        return None


def _answers(navigation: Navigation) -> Iterator[tuple[int | None, Response]]:
    yield from enumerate(navigation.hops)
    yield None, navigation.response


def _is_ignored(name: str, value: str) -> bool:
    match name:
        case "expires":
            return parse_cookie_date(value) is None
        case "max-age":
            return _max_age(value) is None
        case "path":
            # An empty one stands for the default path, as it is meant to.
            return bool(value) and not value.startswith("/")
        case _:
            return bool(name) and name not in _ATTRIBUTES


def _same_site(value: str | None) -> SameSite | None:
    match (value or "").lower():
        case "strict":
            return "strict"
        case "lax":
            return "lax"
        case "none":
            return "none"
        case _:
            return None


def _max_age(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    if text.startswith("-"):
        return 0
    return int(digits[:_MAX_AGE_DIGITS]) if len(digits) <= _MAX_AGE_DIGITS else 10**_MAX_AGE_DIGITS


def _rejection(cookie: Cookie, *, pair_chars: int, line: str, content: str) -> Rejection | None:
    if any((character < " " and character != "\t") or character == "\x7f" for character in line[:MAX_LINE_CHARS]):
        return "control-character"
    if pair_chars == 0:
        return "empty"
    if pair_chars > MAX_PAIR_CHARS or len(line) > MAX_LINE_CHARS:
        return "too-long"
    secure_origin = cookie.url.startswith("https:")
    # A nameless cookie whose value begins with a prefix would be sent as if it had that name.
    prefixed = (cookie.name or content).lower()
    if prefixed.startswith("__host-") and not (
        cookie.name and secure_origin and cookie.secure and cookie.path == "/" and cookie.domain is None
    ):
        return "host-prefix"
    if prefixed.startswith("__secure-") and not (cookie.name and secure_origin and cookie.secure):
        return "secure-prefix"
    if prefixed.startswith(("__http-", "__host-http-")) and not (
        cookie.name and secure_origin and cookie.secure and cookie.http_only
    ):
        return "http-prefix"
    if cookie.secure and not secure_origin:
        return "insecure-origin"
    if cookie.domain is not None and not _may_set_for(cookie.domain, host(cookie.url).removesuffix(".")):
        return "foreign-domain"
    if cookie.partitioned and not cookie.secure:
        return "partitioned"
    return None


def _may_set_for(domain: str, name: str) -> bool:
    """Return whether a host may set a cookie for a domain: its own or one above, up to what can be registered.

    Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis section 5.7
    """
    if domain == name or not domain.isascii():
        return True
    return name.endswith(f".{domain}") and len(domain) >= len(registrable_domain(name))


def _date_tokens(text: str) -> Iterator[str]:
    """Runs of the characters that RFC 6265 does not call a delimiter: letters, digits, the colon and above ASCII."""
    start = None
    for index, character in enumerate(text):
        if character.isalnum() or character == ":" or character > "\x7f":
            if start is None:
                start = index
        elif start is not None:
            yield text[start:index]
            start = None
    if start is not None:
        yield text[start:]


def _time(token: str) -> tuple[int, int, int] | None:
    parts = token.split(":")
    if len(parts) != 3:
        return None
    numbers = [_number(part, 1, 2) for part in parts]
    hours, minutes, seconds = numbers
    if hours is None or minutes is None or seconds is None or hours > 23 or minutes > 59 or seconds > 59:
        return None
    return hours, minutes, seconds


def _number(token: str, fewest: int, most: int) -> int | None:
    """The number a token starts with, when it has that many digits and none follows."""
    digits = 0
    while digits < len(token) and "0" <= token[digits] <= "9":
        digits += 1
    return int(token[:digits]) if fewest <= digits <= most else None
