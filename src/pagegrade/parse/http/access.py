"""Access to pages that are not for everybody: reads what people give, and decides what goes with each request."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

from pagegrade.model.access import MAX_CERTIFICATES, MAX_COOKIES, MAX_HEADERS, MAX_ORIGINS, MAX_QUERY, Access
from pagegrade.model.errors import InvalidInput
from pagegrade.parse.http.certificates import read_authorities
from pagegrade.parse.url import has_userinfo, host, host_problem, origin, strip_fragment

MAX_VALUE_CHARACTERS: Final = 4_096
"""Of one header, cookie, parameter, user or password; servers refuse longer header lines."""
MAX_PEM: Final = 32_768
"""Characters of all certificates of an access; one takes 1,500."""
MIN_SECRET_CHARACTERS: Final = 6
"""A value this long is removed from whatever comes back; a shorter one (``1``, ``yes``) is no secret, and its text
stands everywhere."""
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
"""A token (RFC 9110 5.6.2)."""
_VALUE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_COOKIE_VALUE: Final = re.compile(r"[!-:<-~]*")
"""More than RFC 6265 4.1.1 permits: what browsers keep and can send without ending the pair."""
_QUERY_NAME: Final = re.compile(r"[A-Za-z0-9_.~\[\]-]{1,100}")
_OF_THE_CLIENT: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "range",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that say how an exchange is made, in lower case."""
_NEGOTIATION: Final = frozenset(
    {"accept", "accept-language", "cache-control", "dnt", "origin", "pragma", "prefer", "referer", "save-data"}
)
"""Headers that ask for a representation and prove nothing, in lower case."""
_PEM_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_WORD: Final = re.compile(r"[a-z]+")
_ELSEWHERE: Final = {
    "cookie": "Give cookies by themselves",
    "user-agent": "Give the user agent by itself",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """Additions to one request to an origin of an access."""

    url: str = field(repr=False)
    """With the parameters that are added; not to be shown or stored."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(name, value), a user agent and authentication included; each replaces the client's own line of that name."""
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def cookie_line(self, own: str) -> str:
        """The value of the Cookie line: ``own``, as servers set it meanwhile, and those of ours that it does not name.

        Args:
            own: Pairs as they are sent; empty for none.
        """
        names = {pair.partition("=")[0].strip() for pair in own.split(";")}
        ours = (f"{name}={value}" for name, value in self.cookies if name not in names)
        return "; ".join((own, *ours) if own else ours)

    def header_lines(self, own: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """All lines of a request: ``own`` with ours in place of those of the same name, and one Cookie line.

        Credentials that a script of the page gives its own request are left as they are.
        """
        ours = {name.lower(): (name, value) for name, value in self.headers}
        cookie = self.cookie_line("")
        if cookie:
            ours["cookie"] = ("Cookie", cookie)
        lines = []
        for name, value in own:
            lower = name.lower()
            line = ours.pop(lower, (name, value))
            if lower == "cookie":
                line = name, self.cookie_line(value)
            lines.append((name, value) if lower == "authorization" else line)
        return [*lines, *ours.values()]


def sent_with(access: Access | None, url: str) -> Sent | None:
    """Return the additions to a request; ``None``: none, as for every URL but those of the access's origins.

    An origin is scheme, host and port: nothing for https goes over http, to another port, or to a host whose name ends
    or begins alike. A URL with a user name or a password gets nothing.

    Args:
        access: Of the run; ``None``: it has none.
        url: Absolute, as a client is about to ask for it.

    Source: https://html.spec.whatwg.org/multipage/browsers.html#same-origin
    """
    if access is None:
        return None
    place = origin(url)
    if not place or place not in access.origins or has_userinfo(url):
        return None
    headers = access.headers
    if access.user or access.password:
        headers = (*headers, ("Authorization", _basic(access)))
    if access.user_agent:
        headers = (*headers, ("User-Agent", access.user_agent))
    return Sent(url=_with_query(url, access.query), headers=headers, cookies=access.cookies)


def _basic(access: Access) -> str:
    """Credentials of the Basic scheme, in UTF-8 (https://www.rfc-editor.org/rfc/rfc7617)."""
    return "Basic " + b64encode(f"{access.user}:{access.password}".encode()).decode("ascii")


def _with_query(url: str, query: tuple[tuple[str, str], ...]) -> str:
    address, mark, fragment = url.partition("#")
    head, _, given = address.partition("?")
    names = {pair.partition("=")[0] for pair in given.split("&")}
    added = "&".join(f"{name}={quote(value, safe='')}" for name, value in query if name not in names)
    if not added:
        return url
    return f"{head}?{given}{'&' if given else ''}{added}{mark}{fragment}"


def secrets_of(access: Access, url: str) -> tuple[str, ...]:
    """The texts that must not come back out of a run, in each form that a page may repeat them in.

    Short values are no secrets, nor are plain words other than a password, headers that only ask for a representation,
    and what the page's own URL says.

    Args:
        access: Of the run.
        url: Of the page, as it was asked for.
    """
    known = " ".join((url, *access.origins))
    values = [access.password]
    for name, value in access.headers:
        if name.lower() == "authorization":
            values += (value, value.partition(" ")[2])
        elif name.lower() not in _NEGOTIATION and not _WORD.fullmatch(value):
            values.append(value)
    values += (value for _, value in (*access.cookies, *access.query) if not _WORD.fullmatch(value))
    if access.user or access.password:
        values.append(_basic(access).partition(" ")[2])
    found = {value for value in values if len(value) >= MIN_SECRET_CHARACTERS and value not in known}
    return tuple(sorted({form for value in found for form in _forms(value)}))


def _forms(value: str) -> Iterator[str]:
    """A text as URLs, forms, HTML and JSON write it; also as URLs in parameters of URLs, which HAR files decode."""
    yield value
    for encoded in (quote(value, safe=""), quote(value), quote_plus(value)):
        yield encoded
        yield quote(encoded, safe="")
        yield quote(encoded)
    yield escape(value)
    yield escape(value, quote=False)
    yield value.replace("\\", "\\\\").replace('"', '\\"')


def read_access(
    *,
    name: str = "",
    origins: Iterable[str],
    user: str = "",
    password: str = "",
    headers: Iterable[tuple[str, str]] = (),
    cookies: Iterable[tuple[str, str]] = (),
    user_agent: str = "",
    query: Iterable[tuple[str, str]] = (),
    certificates: str = "",
) -> Access:
    """The access that people describe.

    Raises:
        InvalidInput: A part cannot be used; ``reason`` is the name of the argument, and the message does not repeat a
            secret.
    """
    lines = read_headers(headers)
    if (user or password) and any(header.lower() == "authorization" for header, _ in lines):
        raise _invalid("headers", "Give either a user and password or the header Authorization, not both.")
    return Access(
        name=name,
        origins=read_origins(origins),
        user=read_user(user),
        password=_checked("password", password),
        headers=lines,
        cookies=read_cookies(cookies),
        user_agent=_read_user_agent(user_agent),
        query=read_query(query),
        certificates=read_certificates(certificates),
    )


def read_origins(texts: Iterable[str]) -> tuple[str, ...]:
    """Origins in their one form, each once.

    Raises:
        InvalidInput: One of them is none, or there are none or too many.
    """
    found: dict[str, None] = {}
    for text in texts:
        place = origin(text)
        path = strip_fragment(text).partition("://")[2].rstrip("/")
        if not place or host_problem(host(text)) or has_userinfo(text) or "/" in path:
            raise _invalid(
                "origins", f"{text[:200]!r} is no origin. Give scheme and host, such as https://staging.example."
            )
        found[place] = None
    if not 0 < len(found) <= MAX_ORIGINS:
        raise _invalid("origins", f"Give 1 to {MAX_ORIGINS} origins, such as https://staging.example.")
    return tuple(found)


def read_user(user: str) -> str:
    """The user of Basic authentication.

    Raises:
        InvalidInput: It holds a colon, at which servers take the password to begin, or a control character.
    """
    if ":" in user:
        raise _invalid("user", "A user of Basic authentication cannot contain a colon.")
    return _checked("user", user)


def read_headers(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Headers that can be sent.

    Raises:
        InvalidInput: One of them cannot, or there are too many.
    """
    found: dict[str, tuple[str, str]] = {}
    for name, value in pairs:
        lower = name.lower()
        if not _NAME.fullmatch(name):
            raise _invalid("headers", f"{name[:100]!r} is no name of a header. Write it as 'Name: value'.")
        if lower in _ELSEWHERE:
            raise _invalid("headers", f"{_ELSEWHERE[lower]}, not as the header {name}.")
        if lower in _OF_THE_CLIENT or lower.startswith(("proxy-", "sec-", "if-")):
            raise _invalid("headers", f"The header {name} is set for each request by Pagegrade itself. Leave it out.")
        if lower in found:
            raise _invalid("headers", f"The header {name} is there twice. Leave one of them out.")
        if not _VALUE.fullmatch(value) or len(value) > MAX_VALUE_CHARACTERS:
            raise _invalid(
                "headers",
                f"The value of the header {name} cannot be sent. Give 1 to {MAX_VALUE_CHARACTERS} ASCII characters on "
                "one line.",
            )
        found[lower] = name, value
    if len(found) > MAX_HEADERS:
        raise _invalid("headers", f"There are {len(found)} headers; at most {MAX_HEADERS} are sent.")
    return tuple(found.values())


def read_cookies(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Cookies that can be sent.

    Raises:
        InvalidInput: One of them cannot, or there are too many.
    """
    found: dict[str, str] = {}
    for name, value in pairs:
        if not _NAME.fullmatch(name):
            raise _invalid("cookies", f"{name[:100]!r} is no name of a cookie. Write it as name=value.")
        if not _COOKIE_VALUE.fullmatch(value) or len(value) > MAX_VALUE_CHARACTERS:
            raise _invalid(
                "cookies",
                f"The value of the cookie {name} cannot be sent. Copy it as the browser sends it: at most "
                f"{MAX_VALUE_CHARACTERS} visible ASCII characters without a semicolon.",
            )
        found[name] = value
    if len(found) > MAX_COOKIES:
        raise _invalid("cookies", f"There are {len(found)} cookies; at most {MAX_COOKIES} are sent.")
    return tuple(found.items())


def read_query(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Parameters that can be added to URLs.

    Raises:
        InvalidInput: One of them cannot, or there are too many.
    """
    found: dict[str, str] = {}
    for name, value in pairs:
        if not _QUERY_NAME.fullmatch(name):
            raise _invalid("query", f"{name[:100]!r} is no name of a parameter. Write it as name=value.")
        found[name] = _checked("query", value)
    if len(found) > MAX_QUERY:
        raise _invalid("query", f"There are {len(found)} parameters; at most {MAX_QUERY} are added.")
    return tuple(found.items())


def read_certificates(text: str) -> str:
    """Certificates in PEM, without what else stands in the text; empty for a blank one.

    Raises:
        InvalidInput: There is none in it, one cannot be read, or there are too many.
    """
    if not text.strip():
        return ""
    found = ""
    if len(text) <= MAX_PEM:
        with suppress(ValueError):
            found = read_authorities(text.encode())
    if not 0 < found.count(_PEM_BEGIN) <= MAX_CERTIFICATES:
        raise _invalid(
            "certificates",
            f"This cannot be read as certificates. Give 1 to {MAX_CERTIFICATES} in PEM, each from "
            f"'{_PEM_BEGIN}' on, and no key.",
        )
    return found


def split_header(line: str) -> tuple[str, str]:
    """(name, value) of ``Name: value``; the value is empty without a colon."""
    name, _, value = line.partition(":")
    return name.strip(" \t"), value.strip(" \t")


def split_cookies(line: str) -> list[tuple[str, str]]:
    """(name, value) of each pair of ``a=b; c=d``, as browsers show and send them."""
    pairs = (pair.strip(" \t").partition("=") for pair in line.split(";") if pair.strip(" \t"))
    return [(name, value) for name, _, value in pairs]


def _read_user_agent(text: str) -> str:
    if text and (not _VALUE.fullmatch(text) or len(text) > MAX_VALUE_CHARACTERS):
        raise _invalid("user_agent", "The user agent cannot be sent. Give ASCII characters on one line.")
    return text


def _checked(field_name: str, text: str) -> str:
    if len(text) > MAX_VALUE_CHARACTERS or not text.isprintable():
        word = {"query": "value of a parameter"}.get(field_name, field_name)
        raise _invalid(
            field_name, f"The {word} cannot be sent. Give at most {MAX_VALUE_CHARACTERS} characters on one line."
        )
    return text


def _invalid(field_name: str, message: str) -> InvalidInput:
    return InvalidInput(message, reason=field_name)
