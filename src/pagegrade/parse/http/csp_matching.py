"""Decides what a Content Security Policy lets a page load, run and send.

Source: https://www.w3.org/TR/CSP3/#match-url-to-source-expression
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final
from urllib.parse import unquote

from pagegrade.parse.http.csp import CSP, SourceList
from pagegrade.parse.url import host, port, scheme

_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_UPGRADES: Final = {
    "http": ("http", "https"),
    "ws": ("ws", "wss", "http", "https"),
    "https": ("https",),
    "wss": ("wss",),
}
_HASHES: Final = ("sha256", "sha384", "sha512")


def allows_url(csp: CSP, directive: str, url: str, *, page_url: str, nonce: str = "") -> bool:
    """Return whether every enforced policy allows an address for a directive.

    Args:
        csp: The policies of the page.
        directive: Such as ``script-src-elem``; what it falls back to counts where it is missing.
        url: Absolute.
        page_url: Of the document, for ``'self'``.
        nonce: That of the element.
    """
    lists = (policy.governing(directive) for policy in csp.enforced)
    return all(one is None or _list_allows(one, url, page_url, nonce) for one in lists)


def allows_inline(csp: CSP, directive: str, text: str, *, nonce: str = "") -> bool:
    """The same for the content of a ``<script>`` or ``<style>`` element, or of an attribute (``...-attr``)."""
    for policy in csp.enforced:
        sources = policy.governing(directive)
        if sources is None or sources.allows_all_inline or _has_nonce(sources, nonce):
            continue
        if directive.endswith("-attr") and not sources.has("'unsafe-hashes'"):
            return False
        if not _has_hash(sources, text):
            return False
    return True


def _list_allows(sources: SourceList, url: str, page_url: str, nonce: str) -> bool:
    if _has_nonce(sources, nonce):
        return True
    if sources.strict_dynamic:
        return False
    return any(_matches(source, url, page_url) for source in sources.sources)


def _has_nonce(sources: SourceList, nonce: str) -> bool:
    return bool(nonce) and any(
        source[:7].lower() == "'nonce-" and source.endswith("'") and source[7:-1] == nonce for source in sources.sources
    )


def _has_hash(sources: SourceList, text: str) -> bool:
    wanted = {source[1:-1].replace("-", "+", source.count("-")).replace("_", "/") for source in sources.sources}
    for name in _HASHES:
        if any(source.lower().startswith(f"'{name}-") for source in sources.sources):
            digest = hashlib.new(name, text.encode("utf-8", "replace")).digest()
            if f"{name}+{base64.b64encode(digest).decode()}" in wanted:
                return True
    return False


def _matches(source: str, url: str, page_url: str) -> bool:
    kind, page = scheme(url), scheme(page_url)
    lower = source.lower()
    if lower == "*":
        return kind in {*_PORTS, page}
    if lower == "'self'":
        return host(url) == host(page_url) and kind in _UPGRADES.get(page, (page,))
    if lower.startswith("'"):
        return False
    if lower.endswith(":") and "/" not in lower:
        return kind in _UPGRADES.get(lower[:-1], (lower[:-1],))
    wanted, separator, _ = lower.partition("://")
    authority, _, path = source[len(wanted) + len(separator) if separator else 0 :].partition("/")
    if not separator:
        wanted = page
    name, colon, number = authority.lower().partition(":")
    return (
        kind in _UPGRADES.get(wanted, (wanted,))
        and _host_matches(name, host(url))
        and _port_matches(number if colon else "", kind, port(url))
        and (not path or _path_matches(path, url))
    )


def _host_matches(pattern: str, name: str) -> bool:
    if pattern == "*":
        return True
    return name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern


def _port_matches(pattern: str, kind: str, number: int | None) -> bool:
    usual = _PORTS.get(kind)
    actual = number or usual
    if not pattern:
        return actual == usual
    return pattern == "*" or str(actual) == pattern or (pattern == "80" and actual == _PORTS["https"])


def _path_matches(pattern: str, url: str) -> bool:
    parts = url.partition("?")[0].partition("#")[0].split("/", 3)
    wanted, found = f"/{unquote(pattern)}", f"/{unquote(parts[3] if len(parts) > 3 else '')}"
    return found.startswith(wanted) if wanted.endswith("/") else found == wanted
