"""Canonical and language alternates of a page, from its markup and its ``Link`` headers alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Anchor, Document, Link
from pagegrade.model.outcome import Evidence
from pagegrade.parse.http.headers import parse_links
from pagegrade.parse.secure_context import is_private_host
from pagegrade.parse.url import host, is_http, join_url, strip_fragment

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,40}:")
_FEED_WORDS: Final = ("rss", "atom", "json", "oembed", "xml+")
MAX_SECTIONS: Final = 50
"""Sections of one page that are looked for."""
MAX_SECTION_CHARACTERS: Final = 200
"""A longer one is a state of a script."""
MIN_TO_ANOTHER: Final = 10
"""Links to one other host that are no list of references."""
_TEXT_DIRECTIVE: Final = ":~:"
_OF_SCRIPTS: Final = frozenset("/=!?&")
_DISQUALIFYING: Final = ("hreflang", "lang", "media", "type")
"""Attributes that make a canonical link one for some visitors only, which Google does not use."""
_DOES_SOMETHING: Final = re.compile(
    r"(?:^|[/?&=_.-])(?:abmelden|add|buy|cart|delete|destroy|download|entfernen|export|log-?off|log-?out|remove|"
    r"sign-?off|sign-?out|unsubscribe|vote|warenkorb)(?:[/?&=_.-]|$)",
    re.IGNORECASE,
)
"""Addresses that should do nothing when they are only asked for, and sometimes do."""


class PageLink(msgspec.Struct, frozen=True, kw_only=True):
    """One link that says something about the page itself."""

    href: str
    """As written, stripped; "" when absent."""
    url: str | None
    """Resolved, without fragment; ``None`` when it is no http(s) URL."""
    in_head: bool
    """In the head of the document, or in a header."""
    hreflang: str = ""
    """As written, not stripped."""
    link: Link | None = None
    """The element; ``None`` for a header."""
    disqualified_by: str = ""
    """Of a canonical link: the attribute or parameter for which search engines do not use it."""

    @property
    def counts(self) -> bool:
        """Return whether search engines use it: it is in the head or a header, and nothing disqualifies it."""
        return self.in_head and not self.disqualified_by

    @property
    def is_absolute(self) -> bool:
        """It names its scheme, as search engines ask for."""
        return _SCHEME.match(self.href) is not None

    def evidence(self, document: Document, reason: str, state: str = "") -> Evidence:
        """Location of the link."""
        if self.link is not None:
            return document.evidence(self.link, reason=reason, url=self.url or "", state=state)
        return Evidence(header="Link", snippet=f"<{self.href}>"[:200], url=self.url or "", reason=reason, state=state)


def links_to_ask(anchors: Iterable[Anchor], url: str) -> tuple[str, ...]:
    """Different addresses on the host of the page ``url`` that its links lead to, in order, without fragments.

    Left out: the page itself, links that ask robots to stay away (``nofollow``), and addresses that look as if asking
    for them did something, such as logging out.
    """
    page = strip_fragment(url)
    own = _authority(page)
    found: dict[str, None] = {}
    for anchor in anchors:
        target = anchor.url
        if target is None or not is_http(target) or _authority(target) != own or "nofollow" in anchor.rel:
            continue
        address = strip_fragment(target)
        if address != page and address not in found and not _DOES_SOMETHING.search("/".join(path_and_query(address))):
            found[address] = None
    return tuple(found)


def host_of_most_links(anchors: Iterable[Anchor], url: str) -> str:
    """The host, not that of the page ``url``, that ``MIN_TO_ANOTHER`` links and at least half of all lead to."""
    count = Counter(_authority(one.url) for one in anchors if one.url is not None and is_http(one.url))
    place, most = next(iter(count.most_common(1)), ("", 0))
    name = host(f"http://{place}/") if most >= MIN_TO_ANOTHER and 2 * most >= count.total() else ""
    return "" if name == host(url) or is_private_host(name) else name


def _authority(url: str) -> str:
    return url.split("/", 3)[2]


def canonical_links(links: Iterable[Link], response: Response) -> tuple[PageLink, ...]:
    """Every ``rel=canonical`` in document order, those of headers last.

    Source: https://www.rfc-editor.org/rfc/rfc6596 and
    https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
    """
    found = [
        replace(_of_element(link), disqualified_by=_disqualifying(link.attrs))
        for link in links
        if "canonical" in link.rel
    ]
    found += [
        replace(_of_header(value.target, "", response.url), disqualified_by=_disqualifying(value.parameters))
        for value in parse_links(response.header_values("link"))
        if "canonical" in value.rel and "anchor" not in value.parameters
    ]
    return tuple(found)


def language_alternates(links: Iterable[Link], response: Response) -> tuple[PageLink, ...]:
    """Every ``rel=alternate`` with ``hreflang`` in document order, those of headers last; feeds are left out.

    Source: https://developers.google.com/search/docs/specialty/international/localized-versions
    """
    found = [
        _of_element(link)
        for link in links
        if "alternate" in link.rel
        and "hreflang" in link.attrs
        and "stylesheet" not in link.rel
        and not _is_feed(link.attrs.get("type", ""))
    ]
    found += [
        _of_header(value.target, value.parameters["hreflang"], response.url)
        for value in parse_links(response.header_values("link"))
        if "alternate" in value.rel and "hreflang" in value.parameters and "anchor" not in value.parameters
    ]
    return tuple(found)


def section_of(url: str) -> str:
    """Return the section of a page that a URL leads to, without a text directive.

    Returns:
        "" for the top of the page, and for what scripts or players of files read (``#/cart``, ``#t=30``).

    Source: https://wicg.github.io/scroll-to-text-fragment/
    """
    section = url.partition("#")[2].partition(_TEXT_DIRECTIVE)[0]
    if section.lower() == "top" or len(section) > MAX_SECTION_CHARACTERS or not _OF_SCRIPTS.isdisjoint(section):
        return ""
    return section


def has_section(section: str, names: Container[str | None]) -> bool:
    """Return whether a page with these ids, and names of anchors, has a section.

    Source: https://html.spec.whatwg.org/multipage/browsing-the-web.html#select-the-indicated-part
    """
    return section in names or unquote(section) in names


def linked_sections(anchors: Iterable[Anchor]) -> dict[str, tuple[str, ...]]:
    """Return the sections that links lead to: address without fragment -> its sections, in order."""
    found: dict[str, dict[str, None]] = {}
    for anchor in anchors:
        url = anchor.url
        if url is not None and "#" in url and is_http(url) and (section := section_of(url)):
            sections = found.setdefault(strip_fragment(url), {})
            if len(sections) < MAX_SECTIONS:
                sections[section] = None
    return {url: tuple(sections) for url, sections in found.items()}


def path_and_query(url: str) -> tuple[str, str]:
    """Path (``/`` when empty) and query (without ``?``) of an absolute http(s) URL."""
    rest = strip_fragment(url).partition("://")[2]
    path, _, query = rest.partition("?")
    start = path.find("/")
    return (path[start:] if start >= 0 else "/"), query


def same_page_key(url: str) -> tuple[str, str, str]:
    """Strip scheme, ``www.`` and a final slash from a URL."""
    path, query = path_and_query(url)
    return host(url).removeprefix("www."), path.rstrip("/"), query


def _disqualifying(attributes: Mapping[str, str]) -> str:
    return next((name for name in _DISQUALIFYING if attributes.get(name, "").strip()), "")


def _of_element(link: Link) -> PageLink:
    return PageLink(
        href=link.href or "",
        url=_http_url(link.url),
        in_head=link.in_head,
        hreflang=link.attrs.get("hreflang", ""),
        link=link,
    )


def _of_header(target: str, hreflang: str, base: str) -> PageLink:
    url = join_url(base, target) if target else None
    return PageLink(href=target, url=_http_url(url), in_head=True, hreflang=hreflang)


def _http_url(url: str | None) -> str | None:
    return strip_fragment(url) if url is not None and url.startswith(("https://", "http://")) else None


def _is_feed(media_type: str) -> bool:
    lower = media_type.lower()
    return any(word in lower for word in _FEED_WORDS)
