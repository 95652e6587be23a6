"""Content Security Policy: every policy of a page, and what they allow together to load, run and send.

Source: https://www.w3.org/TR/CSP3/#match-url-to-source-expression
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import unquote

import msgspec

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Meta
from pagegrade.parse.url import host, port, scheme

MAX_POLICY_CHARS: Final = 100_000
"""Characters read of one policy; header blocks are smaller, a ``<meta>`` can be as long as the page."""
MAX_POLICIES: Final = 100
"""Policies read of one page."""
MAX_TOTAL_CHARS: Final = 250_000
"""Characters read of all policies of one page; ten times what the longest honest ones need."""
_SPACE: Final = " \t\n\r\f"
_NOT_IN_META: Final = frozenset({"frame-ancestors", "report-uri", "sandbox"})
_OF_SCRIPTS: Final = ("script-src", "worker-src", "default-src")
_NONCE: Final = re.compile(r"'nonce-[A-Za-z0-9+/_-]+={0,2}'", re.IGNORECASE)
_BARE_NONCE: Final = re.compile(r"nonce-[A-Za-z0-9+/_-]+={0,2}", re.IGNORECASE)
_HASH: Final = re.compile(r"'sha(?:256|384|512)-[A-Za-z0-9+/_-]+={0,2}'", re.IGNORECASE)
_FALLBACKS: Final[dict[str, tuple[str, ...]]] = {
    "connect-src": ("default-src",),
    "font-src": ("default-src",),
    "frame-src": ("child-src", "default-src"),
    "child-src": ("default-src",),
    "img-src": ("default-src",),
    "manifest-src": ("default-src",),
    "media-src": ("default-src",),
    "object-src": ("default-src",),
    "script-src": ("default-src",),
    "script-src-attr": ("script-src", "default-src"),
    "script-src-elem": ("script-src", "default-src"),
    "style-src": ("default-src",),
    "style-src-attr": ("style-src", "default-src"),
    "style-src-elem": ("style-src", "default-src"),
    "worker-src": ("child-src", "script-src", "default-src"),
}
KNOWN_DIRECTIVES: Final = frozenset(_FALLBACKS) | {
    "base-uri",
    "block-all-mixed-content",
    "default-src",
    "fenced-frame-src",
    "form-action",
    "frame-ancestors",
    "navigate-to",
    "plugin-types",
    "prefetch-src",
    "report-to",
    "report-uri",
    "require-sri-for",
    "require-trusted-types-for",
    "sandbox",
    "trusted-types",
    "upgrade-insecure-requests",
    "webrtc",
}
"""Directive names that a published draft of CSP or of its companions defines or defined."""
_OBSOLETE: Final = frozenset({"navigate-to", "plugin-types", "prefetch-src"})
"""Directives of drafts that browsers no longer know."""
_SOURCE_LISTS: Final = frozenset(_FALLBACKS) | {
    "base-uri",
    "default-src",
    "fenced-frame-src",
    "form-action",
    "frame-ancestors",
}
"""Directives whose values are source expressions."""
_KEYWORDS: Final = frozenset(
    {
        "inline-speculation-rules",
        "none",
        "report-sample",
        "report-sha256",
        "report-sha384",
        "report-sha512",
        "self",
        "strict-dynamic",
        "trusted-types-eval",
        "unsafe-allow-redirects",
        "unsafe-eval",
        "unsafe-hashes",
        "unsafe-inline",
        "unsafe-webtransport-hashes",
        "wasm-eval",
        "wasm-unsafe-eval",
    }
)
"""Words that stand in single quotes; any case."""
_SCHEMES: Final = frozenset({"blob", "data", "filesystem", "ftp", "http", "https", "mediastream", "ws", "wss"})
_BARE: Final = re.compile(r"(?:nonce-|sha(?:256|384|512)-).+", re.IGNORECASE)
"""A nonce or hash without its quotes."""
_SCHEME_SOURCE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST_SOURCE: Final = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:\*|(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?)(?::(?:[0-9]+|\*))?(?:/.*)?"
)
_SANDBOX: Final = frozenset(
    {
        "allow-downloads",
        "allow-forms",
        "allow-modals",
        "allow-orientation-lock",
        "allow-pointer-lock",
        "allow-popups",
        "allow-popups-to-escape-sandbox",
        "allow-presentation",
        "allow-same-origin",
        "allow-scripts",
        "allow-storage-access-by-user-activation",
        "allow-top-navigation",
        "allow-top-navigation-by-user-activation",
        "allow-top-navigation-to-custom-protocols",
    }
)
MAX_IGNORED: Final = 50
"""Parts without effect that are kept of one policy."""

IgnoredCode = Literal[
    "directive", "not_ascii", "no_quotes", "wrong_quotes", "not_alone", "no_semicolon", "no_colon", "source", "value"
]


class IgnoredPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a policy that browsers skip, or take as something else than it was meant as."""

    code: IgnoredCode
    """``directive``: no browser knows it; ``not_ascii``: it has characters beyond ASCII, and is skipped whole;
    ``no_quotes``: a keyword, nonce or hash that is the name of a host without them; ``wrong_quotes``: it stands in
    others than single ones, or something else stands in them; ``not_alone``: ``'none'`` beside other sources;
    ``no_semicolon``: the next directive is taken as a source; ``no_colon``: a scheme is taken as a host; ``source``: no
    source expression; ``value``: no value of this directive."""
    directive: str
    text: str
    """As written, nonces masked, at most 100 characters."""


class SourceList(msgspec.Struct, frozen=True):
    """The value of one fetch directive, and what CSP 3 makes of it."""

    directive: str
    """The directive it was found under, which may be a fallback of the one that was asked for."""
    sources: tuple[str, ...]
    """As written."""
    asked: str = ""
    """The directive that was asked for; "" for the one it was found under."""

    def has(self, *words: str) -> bool:
        """Return whether one of the (lower-case) expressions is in the list, in any case."""
        return any(source.lower() in words for source in self.sources)

    @property
    def has_nonce_or_hash(self) -> bool:
        """Return whether single scripts or styles are named, which switches ``'unsafe-inline'`` off."""
        return any(_NONCE.fullmatch(source) or _HASH.fullmatch(source) for source in self.sources)

    @property
    def has_nonce(self) -> bool:
        """Return whether scripts or styles are named by a nonce, which does not look at the address they come from."""
        return any(_NONCE.fullmatch(source) for source in self.sources)

    @property
    def strict_dynamic(self) -> bool:
        """Return whether trust is passed on by scripts; hosts, schemes and ``'self'`` are then ignored.

        It means nothing for styles, images and other files, which a ``default-src`` with it may govern.

        Source: https://www.w3.org/TR/CSP3/#strict-dynamic-usage
        """
        return (self.asked or self.directive).startswith(_OF_SCRIPTS) and self.has("'strict-dynamic'")

    @property
    def allows_all_inline(self) -> bool:
        """Return whether any inline code runs: ``'unsafe-inline'`` that nothing switches off.

        Source: https://www.w3.org/TR/CSP3/#allow-all-inline
        """
        if self.has_nonce_or_hash or self.strict_dynamic:
            return False
        return self.has("'unsafe-inline'")

    @property
    def open_sources(self) -> tuple[str, ...]:
        """Expressions that allow every origin: ``*``, a bare scheme, or a wildcard over a whole top-level domain."""
        if self.strict_dynamic:
            return ()
        return tuple(source for source in self.sources if _is_open(source.lower()))


def _is_open(source: str) -> bool:
    if source in {"*", "http:", "https:", "ftp:", "data:", "blob:", "filesystem:", "ws:", "wss:"}:
        return True
    host = source.partition("://")[2] or source
    return host in {"*", "*:*", "*:80", "*:443"} or (host.startswith("*.") and host.find(".", 2) < 0)


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """One policy."""

    source: Literal["header", "meta"]
    report_only: bool
    raw: str
    """As written, at most ``MAX_POLICY_CHARS``; nonces inside are real, so show ``masked`` instead."""
    directives: Mapping[str, tuple[str, ...]]
    """Lower-case name -> values as written; of a repeated directive the first."""
    duplicates: tuple[str, ...] = ()
    """Directives that are repeated; browsers ignore all but the first."""
    ignored: tuple[str, ...] = ()
    """Directives that a ``<meta>`` cannot carry."""
    unknown: tuple[str, ...] = ()
    """Directives that no specification defines, e.g. the header's own name pasted into its value."""
    without_effect: tuple[IgnoredPart, ...] = ()
    """Parts that browsers skip or misread, in order, at most ``MAX_IGNORED``."""
    truncated: bool = False
    meta: Meta | None = None
    """The element, for a policy that stands in the page."""

    @property
    def masked(self) -> str:
        """The text with every nonce replaced, fit to be shown."""
        return mask_nonces(self.raw)

    @property
    def readable(self) -> bool:
        """Return whether it holds at least one directive that a browser knows."""
        return len(self.unknown) < len(self.directives)

    def governing(self, directive: str) -> SourceList | None:
        """The source list that decides about ``directive`` after fallback; ``None`` when nothing limits it.

        Source: https://www.w3.org/TR/CSP3/#directive-fallback-list
        """
        for name in (directive, *_FALLBACKS.get(directive, ())):
            if name in self.directives:
                return SourceList(name, self.directives[name], directive)
        return None


class CSP(msgspec.Struct, frozen=True, kw_only=True):
    """All policies of a page. Enforced ones add up: what one forbids is forbidden."""

    policies: tuple[Policy, ...] = ()
    """In order: headers first, then the head of the page."""

    @property
    def enforced(self) -> tuple[Policy, ...]:
        """Policies that browsers act on."""
        return tuple(policy for policy in self.policies if not policy.report_only)

    @property
    def report_only(self) -> tuple[Policy, ...]:
        """Policies that browsers only report about."""
        return tuple(policy for policy in self.policies if policy.report_only)

    def enforces(self, directive: str) -> bool:
        """Return whether an enforced policy holds ``directive`` (for those that need no value)."""
        return any(directive in policy.directives for policy in self.policies if not policy.report_only)


def parse_csp(response: Response, document: Document) -> CSP:
    """Read every policy of a page: both headers and the ``<meta>`` elements in the head.

    A ``<meta>`` in the body and a report-only ``<meta>`` mean nothing to a browser and are left out.

    Source: https://www.w3.org/TR/CSP3/#parse-response-csp and
    https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-content-security-policy
    """
    policies: list[Policy] = []
    space = MAX_TOTAL_CHARS
    for text, report_only, meta in _written(response, document):
        if not text.strip(_SPACE):
            continue
        if len(policies) >= MAX_POLICIES or space <= 0:
            break
        policies.append(parse_policy(text, report_only=report_only, meta=meta))
        space -= len(text)
    return CSP(policies=tuple(policies))


def _written(response: Response, document: Document) -> Iterator[tuple[str, bool, Meta | None]]:
    """Text of each policy, whether it only reports, and the element it stands in."""
    for name, report_only in (("content-security-policy", False), ("content-security-policy-report-only", True)):
        for value in response.header_values(name):
            # Commas separate policies, and cannot occur inside one.
            for text in value.split(","):
                yield text, report_only, None
    for meta in document.metas:
        if meta.http_equiv == "content-security-policy" and meta.in_head:
            yield meta.content, False, meta


def parse_policy(text: str, *, report_only: bool = False, meta: Meta | None = None) -> Policy:
    """Read one serialized policy; never fails, since browsers skip what they do not know.

    Args:
        text: One policy, without commas that separate several.
        report_only: It came in the report-only header.
        meta: The element it stands in; three directives are then ignored.

    Source: https://www.w3.org/TR/CSP3/#parse-serialized-policy
    """
    read = text[:MAX_POLICY_CHARS]
    directives: dict[str, tuple[str, ...]] = {}
    duplicates: dict[str, None] = {}
    ignored: dict[str, None] = {}
    without_effect: list[IgnoredPart] = []
    for part in read.split(";"):
        words = part.split()
        if not words:
            continue
        name = words[0].lower()
        if not part.isascii():
            without_effect.append(_part("not_ascii", name, part.strip()))
            continue
        if meta is not None and name in _NOT_IN_META:
            ignored[name] = None
        elif name in directives:
            duplicates[name] = None
        else:
            directives[name] = tuple(words[1:])
            if len(without_effect) < MAX_IGNORED:
                without_effect += _without_effect(name, words[1:])
    return Policy(
        source="header" if meta is None else "meta",
        report_only=report_only,
        raw=read.strip(_SPACE),
        directives=MappingProxyType(directives),
        duplicates=tuple(duplicates),
        ignored=tuple(ignored),
        unknown=tuple(name for name in directives if name not in KNOWN_DIRECTIVES),
        without_effect=tuple(without_effect[:MAX_IGNORED]),
        truncated=len(text) > MAX_POLICY_CHARS,
        meta=meta,
    )


def _without_effect(name: str, words: list[str]) -> Iterator[IgnoredPart]:
    """Parts of one directive that do not do what they were written for.

    Source: https://www.w3.org/TR/CSP3/#grammardef-serialized-source-list
    """
    if name not in KNOWN_DIRECTIVES or name in _OBSOLETE:
        yield _part("directive", name, name)
    elif name == "sandbox":
        yield from (_part("value", name, word) for word in words if word.lower() not in _SANDBOX)
    elif name == "require-trusted-types-for":
        yield from (_part("value", name, word) for word in words if word != "'script'")
    elif name in _SOURCE_LISTS:
        for word in words:
            if code := _misread(word, len(words)):
                yield _part(code, name, word)


def _misread(word: str, count: int) -> IgnoredCode | None:
    """Return why a source expression does not do what it was written for; ``None`` for one that is understood."""
    lower = word.lower()
    inner = lower.strip("'\"`")
    if lower == f"'{inner}'" and inner in _KEYWORDS:
        return "not_alone" if inner == "none" and count > 1 else None
    if _NONCE.fullmatch(word) or _HASH.fullmatch(word):
        return None
    if inner != lower:
        is_in_single = lower == f"'{inner}'"
        is_other = bool(
            _SCHEME_SOURCE.fullmatch(inner) or (("." in inner or "*" in inner) and _HOST_SOURCE.fullmatch(inner))
        )
        return "wrong_quotes" if is_other or (not is_in_single and _is_quoted_kind(inner)) else "source"
    if _is_quoted_kind(lower):
        return "no_quotes"
    if lower in KNOWN_DIRECTIVES:
        return "no_semicolon"
    if lower in _SCHEMES:
        return "no_colon"
    return None if _SCHEME_SOURCE.fullmatch(word) or _HOST_SOURCE.fullmatch(word) else "source"


def _is_quoted_kind(word: str) -> bool:
    """Return whether a lower-case word belongs into single quotes."""
    return word in _KEYWORDS or _BARE.fullmatch(word) is not None


def _part(code: IgnoredCode, directive: str, text: str) -> IgnoredPart:
    shown = _BARE_NONCE.sub("nonce-...", text)
    return IgnoredPart(code=code, directive=directive[:100], text=shown[:100])


def mask_nonces(text: str) -> str:
    """``text`` with the secret part of every ``'nonce-...'`` replaced by an ellipsis."""
    return _NONCE.sub("'nonce-...'", text)


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
