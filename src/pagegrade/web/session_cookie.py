"""The cookie of a session, and the origin check of forms, the defense against CSRF."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final

from pagegrade.parse.url import origin, root_path
from pagegrade.service.accounts.sessions import LASTS_MS

SESSION: Final = "session"
MAX_READ: Final = 8
"""Maximum number of cookies of one name that are read: each costs a database query, and a request can hold 1,000."""
MAX_CHARACTERS: Final = 16_384
"""Maximum length of a Cookie header: four times what browsers store of one cookie (RFC 6265bis section 5.6)."""
Header = Callable[[bytes], str | None]
"""Returns a request header by its lower-case name."""


def is_secure(base_url: str) -> bool:
    """Return whether browsers reach this installation over TLS."""
    return base_url.startswith("https://")


def cookie_name(name: str, base_url: str) -> str:
    """Return the full name of a cookie: over TLS with the prefix that ties it to this host.

    Below a path it can only have the prefix that ties it to TLS: the other one is for cookies of the whole host.

    Source: RFC 6265bis section 4.1.3
    """
    if not is_secure(base_url):
        return name
    return f"__Secure-{name}" if root_path(base_url) else f"__Host-{name}"


def read_cookies(header: Header, name: str, base_url: str) -> tuple[str, ...]:
    """Return the first values of a cookie; another application on the same host may have set one, too."""
    wanted = cookie_name(name, base_url)
    sent = (header(b"cookie") or "")[:MAX_CHARACTERS]
    pairs = (pair.strip().partition("=") for pair in sent.replace(",", ";").split(";"))
    return tuple(islice((value for given, _, value in pairs if given == wanted), MAX_READ))


def set_cookie(name: str, value: str, base_url: str, *, seconds: int) -> tuple[str, str]:
    """Return a header that sets a cookie, hidden from scripts and not sent with forms of other sites."""
    secure = "; Secure" if is_secure(base_url) else ""
    path = root_path(base_url) or "/"
    whole = f"{cookie_name(name, base_url)}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return ("Set-Cookie", whole)


def session_cookie(token: str, base_url: str) -> tuple[str, str]:
    """Return the header that keeps a browser signed in."""
    return set_cookie(SESSION, token, base_url, seconds=LASTS_MS // 1000)


def ended_cookie(base_url: str) -> tuple[str, str]:
    """Return the header that deletes the session cookie."""
    return set_cookie(SESSION, "", base_url, seconds=0)


def is_browser(header: Header) -> bool:
    """Return whether the headers are those of a browser: programs send neither fetch metadata nor cookies."""
    return any(header(name) is not None for name in (b"sec-fetch-site", b"origin", b"referer", b"cookie"))


def is_own_form(header: Header, base_url: str) -> bool:
    """Return whether a form was sent by a page of this installation (the defense against CSRF).

    Source: https://cheatsheetseries.owasp.org, Cross-Site Request Forgery Prevention: fetch metadata, else the origin
    """
    site = header(b"sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    sender = header(b"origin")
    if sender is not None:
        return is_own_origin(sender, header, base_url)
    return (header(b"referer") or "").startswith(f"{base_url}/")


def is_own_origin(sender: str, header: Header, base_url: str) -> bool:
    """Return whether a page of this origin is one of this installation: the public one, or the host that was asked.

    On a home network the service has several names and addresses (``http://nas.local:8080``) that no setting lists.
    Without TLS browsers send no fetch metadata; they name the host that they ask in both headers, and no page can
    change either. Where the public URL is one over TLS, only that one counts.
    """
    if sender == origin(base_url):
        return True
    host = header(b"host")
    return not is_secure(base_url) and bool(host) and sender in {f"http://{host}", f"https://{host}"}
