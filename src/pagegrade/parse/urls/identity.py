"""Identity of a URL: the form in which a crawl knows it, signs that it should not be fetched, and routes of scripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from hashlib import blake2b
from typing import Final

from pagegrade.model.artifacts import Navigation
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import MAX_URL_CHARACTERS, is_http, route, strip_fragment


def page_url(navigation: Navigation) -> str:
    """URL of the page after redirects, with the route under which a browser opens it.

    A redirect keeps the fragment of the URL before it, unless it names one of its own.

    Source: https://fetch.spec.whatwg.org/#concept-http-redirect-fetch
    """
    asked = (navigation.requested_url, *(hop.header("location") or "" for hop in navigation.hops))
    last = next((url for url in reversed(asked) if "#" in url), "")
    return navigation.main_document_url + route(last)


MAX_SEGMENTS: Final = 20
MAX_REPEATS: Final = 2
"""Times that one path segment may occur."""
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_TRACKING: Final = frozenset({"gclid", "gbraid", "fbclid", "msclkid", "mc_cid", "mc_eid", "_ga", "_gl"})
_SESSION_NAMES: Final = frozenset(
    {"phpsessid", "jsessionid", "sid", "session", "sessionid", "session_id", "cfid", "cftoken", "aspsessionid"}
)
_SESSION_VALUE: Final = re.compile(r"[0-9A-Za-z_-]{16,200}")
_PATH_SESSION: Final = re.compile(r";jsessionid=[^/;?#]*", re.IGNORECASE)
_DOUBLE_ESCAPED: Final = "amp;"
_ACTS: Final = (
    "abmelden|add|buy|cart|delete|destroy|download|entfernen|export|log-?off|log-?out|remove|sign-?off|sign-?out|"
    "unsubscribe|vote|warenkorb"
)
_ACTION: Final = re.compile(rf"(?:{_ACTS})(?:[_-]?(?:to|from|in|zu|aus)[_-]?[a-z_-]{{1,30}})?", re.IGNORECASE)
"""A whole path segment, name or value of a parameter. A word in a longer name, as in ``add-a-page``, is a title."""


def identity(url: str, drop: Collection[str] = ()) -> str:
    """The form in which a crawl knows an address.

    The fragment goes, and so do an empty query, parameters that only follow visitors, and ids of sessions. Escapes that
    stand for plain characters are decoded, the others written in capitals. All else stays, the order of parameters and
    the case of letters included: whether those matter is for the server to say.

    Args:
        url: A canonical http or https URL.
        drop: Names of further parameters to leave out.
    """
    whole, question, query = strip_fragment(url).partition("?")
    if "%" in whole:
        whole = _ESCAPE.sub(_spell, whole)
    if ";" in whole:
        whole = _PATH_SESSION.sub("", whole)
    if not question:
        return whole
    kept = [each for each in map(_once, query.split("&")) if each and not _is_dropped(each, drop)]
    return f"{whole}?{_ESCAPE.sub(_spell, '&'.join(kept))}" if kept else whole


def has_session(url: str) -> bool:
    """Return whether an address carries an id of a session, which its identity leaves out."""
    whole, _, query = strip_fragment(url).partition("?")
    return _PATH_SESSION.search(whole) is not None or any(_is_session(_once(each)) for each in query.split("&"))


def keyed_hash(url: str, key: bytes) -> int:
    """64 signed bits of a URL, so that no page can make two of them collide that does not know the key."""
    data = url.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8, key=key).digest(), "little", signed=True)


def is_storable(url: str) -> bool:
    """Return whether a crawl may ask for an address of this length."""
    return is_http(url) and len(url) <= MAX_URL_CHARACTERS


def seems_to_act(url: str) -> bool:
    """Return whether a name in an address says that asking for it does something, such as logging out."""
    path, query = path_and_query(url)
    words = [segment.partition(".")[0] for segment in path.split("/") if segment]
    for parameter in query.split("&"):
        words += parameter.split("=", 1)
    return any(map(_ACTION.fullmatch, words))


def is_growing(url: str) -> bool:
    """Return whether an address repeats itself, as those do that a wrong relative link makes longer and longer."""
    path, query = path_and_query(url)
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > MAX_SEGMENTS:
        return True
    # Days and months may be equal, names of folders are not.
    counts = Counter(segment for segment in segments if not segment.isdecimal())
    if counts and max(counts.values()) > MAX_REPEATS:
        return True
    names = [parameter.partition("=")[0] for parameter in query.split("&") if parameter]
    plain = [name for name in names if not name.endswith(("[]", "%5B%5D"))]
    return len(set(plain)) < len(plain) or any(name.startswith(_DOUBLE_ESCAPED) for name in names)


def _spell(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return chr(byte) if byte in _UNRESERVED else match[0].upper()


def _once(parameter: str) -> str:
    """Undo an ampersand that was escaped twice; one that was escaped more often is a sign of a growing address."""
    rest = parameter.removeprefix(_DOUBLE_ESCAPED)
    return parameter if rest.startswith(_DOUBLE_ESCAPED) else rest


def _is_dropped(parameter: str, drop: Collection[str]) -> bool:
    name = parameter.partition("=")[0]
    return name.startswith("utm_") or name in _TRACKING or name in drop or _is_session(parameter)


def _is_session(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.lower() in _SESSION_NAMES and _SESSION_VALUE.fullmatch(value) is not None
