"""One exchange of a request and its answer: limits, what was sent and got, why it failed, and the cookies of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

import msgspec

from pagegrade import clock
from pagegrade.gather.held_bytes import HeldBytes, Hold
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.parse.http.cookies import Cookie, parse_cookie
from pagegrade.parse.url import host, same_site, scheme

MAX_WIRE_BYTES: Final = 5_000_000
"""Body bytes read from the wire before the exchange is cut."""
MAX_DECODED_BYTES: Final = 20_000_000
"""Body bytes after removal of the content coding before the exchange is cut."""

_HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
MAX_HEADER_VALUE: Final = 8_000
"""Characters of a header line of a delivery, after its name."""
_HEADER_VALUE: Final = re.compile(rf"[!-~](?:[ -~]{{0,{MAX_HEADER_VALUE - 2}}}[!-~])?")

Purpose = Literal["document", "stylesheet", "script", "image", "font", "text", "markdown", "any"]
"""Purpose of the request; decides the Accept header, as it does in browsers."""
MAX_COOKIES: Final = 50
MAX_HEADER_CHARS: Final = 4_096
"""Of the Cookie line; cookies beyond it are left out."""
_SENDABLE: Final = re.compile(r"[\x21-\x3a\x3c-\x7e](?:[\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?")
"""A pair of name and value that cannot end the header line: printable ASCII without a semicolon."""


class Allowance(msgspec.Struct):
    """Body bytes on the wire that several exchanges may take together; each of them counts it down."""

    left_bytes: int


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a delivery to a receiver that an account named, or for the identity provider; analyses send none."""

    body: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...] = ()
    """More header lines, of our own making."""
    method: Literal["POST", "PUT"] = "POST"

    def __post_init__(self) -> None:
        for name, value in (("Content-Type", self.content_type), *self.headers):
            if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
                raise ValueError(f"the header {name!r} cannot be sent")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP exchange that is wanted."""

    url: str
    """Absolute http or https URL in canonical form, without fragment or userinfo."""
    method: Literal["GET", "HEAD"] = "GET"
    purpose: Purpose = "document"
    referer: str | None = None
    """Origin of the page (never its path) that names the URL; ``None`` sends no Referer."""
    cookie: str = ""
    """Value of a Cookie line: what earlier answers of the same chain of redirects, or of the same page, set."""
    validator: str = ""
    """Entity tag or date of an answer that is known, as ``parse.http.caching.validator_of`` has it: a server that still
    has the same answers 304. A request that a redirect leads to goes without it."""
    from_elsewhere: bool = False
    """Say in an Origin header that a page of another site wants it; always ``parse.http.cors.PROBE_ORIGIN``."""
    max_wire_bytes: int = MAX_WIRE_BYTES
    max_decoded_bytes: int = MAX_DECODED_BYTES
    allowance: Allowance | None = None
    """Byte allowance that this exchange shares with others; the body is cut when nothing is left."""
    keep_bytes: int | None = None
    """Decoded bytes that are stored; further ones are read up to the caps but dropped. ``None``: all, 0: none."""
    survey: Callable[[str, bool], int] | None = None
    """Instead of ``keep_bytes``: bytes to store of a body by (its media type in lower case, whether it is coded).
    All of it is decoded, counted and hashed up to the caps: ``Exchange.decoded_bytes`` and ``digest``."""
    verify_tls: Literal["prefer", "require"] = "prefer"
    """``prefer``: where the certificate does not verify, ask once more without verification and record why;
    ``require``: fail with code ``tls``."""
    timeout_s: float = 30.0
    """For the whole exchange, DNS to last byte."""
    post: Post | None = None
    """Sent with its own method; such an exchange is made once and its redirects are not followed."""
    from_public: bool = False
    """A public server redirected to it: it is not contacted where only the typed host may lead."""
    max_redirects: int | None = None
    """Followed for this request; ``None``: as many as the client's limits allow, which are never exceeded."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One HTTP answer with what only the gatherers of transport facts need."""

    request: Request
    response: Response
    dialed_address: str = ""
    """The address that answered, public or not; internal: it must not get into a report unless it is public."""
    certificates_pem: tuple[str, ...] = ()
    """The chain as the server sent it, leaf first; empty for http and where a connection or session was reused."""
    location: bytes | None = None
    """The Location header as received, where there is one; for following it."""
    verify_result: int = 0
    """OpenSSL's X509_V_ERR code of the first attempt; 0 where it verified (or for http)."""
    decoded_bytes: int = 0
    """Of the body, whether stored or not; of a request with ``survey``."""
    digest: str = ""
    """The first half of the SHA-256 of the decoded body; of a request with ``survey``."""
    body: bytes = b""
    """The body of a request with ``survey``; its response is kept longer, and is without it."""
    hold: Hold = msgspec.field(default_factory=lambda: Hold(HeldBytes()))
    """The memory charged for it: to be released where the body is not kept for the rest of the run."""


class Followed(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An exchange with the redirects that led to it."""

    hops: tuple[Response, ...] = ()
    """The redirect answers in order, without bodies; ``url`` is where each was asked, Location is in its headers."""
    exchange: Exchange

    holds: tuple[Hold, ...] = ()
    """Of the redirect answers."""

    @property
    def response(self) -> Response:
        """The answer that is not a redirect."""
        return self.exchange.response

    def release(self) -> None:
        """Free the memory charged for all of it: neither the body nor the headers are kept."""
        for hold in (*self.holds, self.exchange.hold):
            hold.release()


class FetchError(Exception):
    """An exchange that brought no answer.

    ``code`` is one of ``NotGathered.code``; ``reason`` is finer:

    ======================= ==========================================================================
    code                    reason
    ======================= ==========================================================================
    ``dns``                 ``dns_nxdomain``, ``dns_timeout``, ``dns_error``
    ``connect``             ``connect_refused``, ``connect_timeout``, ``connect_unreachable``, ``conn_reset``,
                            ``proxy_sign_in``, ``proxy_refused``, ``proxy_unreachable``
    ``tls``                 ``tls_error``
    ``timeout``             ``headers_timeout``, ``timeout_total``
    ``budget``              ``deadline``
    ``protocol``            ``http_protocol``, ``redirect_loop``, ``too_many_redirects``
    ``address_not_allowed`` ``target_refused``, ``redirect_refused``
    ``internal``            ``internal``
    ======================= ==========================================================================
    """

    def __init__(self, code: str, detail: str, *, reason: str, hops: tuple[Response, ...] = ()) -> None:
        super().__init__(f"{reason}: {detail}")
        self.code = code
        self.detail = detail
        """One sentence for people; never an address that is not public."""
        self.reason = reason
        self.hops = hops
        """The redirect answers before the failure, in order."""

    def not_gathered(self) -> NotGathered:
        """The failure as the artifact that is missing."""
        return NotGathered(code=self.code, detail=self.detail, reason=self.reason)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of every exchange; the defaults are the product's, tests use shorter ones."""

    connect_s: float = 10.0
    """TCP and TLS handshakes together."""
    headers_s: float = 15.0
    """From the start of the exchange to the end of the header block."""
    header_block_bytes: int = 64_000
    """Status line and headers, interim responses included."""
    header_line_bytes: int = 16_000
    header_count: int = 200
    interim_count: int = 10
    connections_per_host: int = 6
    redirects: int = 10


DEFAULT_LIMITS: Final = Limits()


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
