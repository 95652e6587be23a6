"""One sitemap file -> counts, the children of an index, and whether it lists the page.

The stdlib's expat does the XML, with what makes XML dangerous shut off: a document type declaration ends the reading at
once, so no entity is ever declared, expanded or fetched. Everything is one pass with bounded memory.

Source: https://www.sitemaps.org/protocol.html
"""

from __future__ import annotations

import re
import zlib
from typing import Final, Literal
from xml.parsers import expat  # lint: allow slow-parser - a stream without a document type, with a bound

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import SitemapFile
from pagegrade.parse.url import host, is_http, join_url, strip_fragment

PROTOCOL_MAX_URLS: Final = 50_000
PROTOCOL_MAX_BYTES: Final = 52_428_800
MAX_READ_BYTES: Final = 10_000_000
"""Uncompressed bytes looked at; what is beyond is only counted."""
MAX_CHILDREN: Final = 1_000
"""Children of an index reported."""
_MAX_URLS: Final = PROTOCOL_MAX_URLS + 1
_MAX_LOC_CHARACTERS: Final = 2_200
"""The protocol allows fewer than 2,048; a longer one is cut, and then unreadable."""
_MAX_GZIP_MEMBERS: Final = 64
_SEPARATOR: Final = " "
_LASTMOD: Final = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?)?)?"
)
"""The W3C's profile of ISO 8601 (https://www.w3.org/TR/NOTE-datetime), zone without a colon tolerated."""
_HTML_START: Final = re.compile(rb"(?i)\s*+(?:<!--(?:[^-]|-(?!->))*-->\s*+)?<(?:!doctype\s+html|html)[\s>]")


_ROOTS: Final[dict[str, tuple[Literal["urlset", "index"], int, str, dict[str, str]]]] = {
    "urlset": ("urlset", 2, "url", {"loc": "loc", "lastmod": "lastmod"}),
    "sitemapindex": ("index", 2, "sitemap", {"loc": "loc", "lastmod": "lastmod"}),
    "rss": ("urlset", 3, "item", {"link": "loc"}),
    "feed": ("urlset", 2, "entry", {"link": "href"}),
}
"""Root element -> what it is, at which depth its entries are and their name, and which of their elements are read.
The protocol takes feeds for lists of addresses (https://www.sitemaps.org/protocol.html#otherformats)."""


_NAMESPACES: Final = frozenset(
    {
        "http://www.google.com/schemas/sitemap/0.84",
        "http://www.google.com/schemas/sitemap/0.9",
        "http://www.sitemaps.org/schemas/sitemap/0.9",
    }
)
"""Names are compared letter by letter; the first two are those of the protocol before it was shared."""
_FEEDS: Final = frozenset({"rss", "feed"})
_MAX_NAMESPACE: Final = 200


class SitemapReading(msgspec.Struct, frozen=True, kw_only=True):
    """Content of one file."""

    file: SitemapFile
    children: tuple[str, ...] = ()
    """Absolute http(s) addresses named by an index, in order, at most ``MAX_CHILDREN``."""
    pages: tuple[str, ...] = ()
    """Absolute http(s) addresses of pages, in order, as many as were to be kept."""
    lastmods: tuple[str, ...] = ()
    """The dates of ``pages``, in the same order; "" where there is none that can be read."""


class _Tally(msgspec.Struct):
    """Counts while reading."""

    hosts: frozenset[str]
    page_url: str
    facts: dict[str, int] = msgspec.field(default_factory=dict)
    keep: int = 0
    lists_page: bool = False
    bad_namespace: str | None = None
    children: list[str] = msgspec.field(default_factory=list)
    pages: list[str] = msgspec.field(default_factory=list)
    lastmods: list[str] = msgspec.field(default_factory=list)

    def count(self, name: str) -> None:
        self.facts[name] = self.facts.get(name, 0) + 1

    def add(self, location: str, *, is_child: bool, lastmod: str = "") -> None:
        """Take in one entry or one line."""
        self.count("url_count")
        url = _read_location(location)
        if url is None:
            self.count("relative_url_count")
            return
        if url.startswith("http:"):
            self.count("http_url_count")
        if host(url) not in self.hosts:
            self.count("foreign_host_count")
        if is_child:
            if len(self.children) < MAX_CHILDREN:
                self.children.append(url)
            return
        if url == self.page_url:
            self.lists_page = True
        if len(self.pages) < self.keep:
            self.pages.append(url)
            self.lastmods.append(lastmod)


class _Stop(Exception):
    """Enough was seen."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def read_sitemap(
    body: bytes,
    *,
    url: str,
    page_url: str,
    source: Literal["robots", "guessed", "index"],
    status: int | None = None,
    cut: bool = False,
    keep: int = 0,
) -> SitemapReading:
    """Read one sitemap, a sitemap index or a text sitemap, gzipped or not.

    Args:
        body: As served, without content coding; a ``.gz`` file's own compression is still on.
        url: Its address.
        page_url: The document's address, to see whether it is listed.
        source: How the file was found; copied into the answer.
        status: HTTP status; copied into the answer.
        cut: ``body`` is not whole.
        keep: How many of the pages' addresses to hand back.

    Returns:
        The facts. ``error`` is ``html`` (an application's fallback page), ``doctype`` (refused), ``malformed``,
        ``empty`` or ``decode`` (broken gzip). Never raises; at most ``MAX_READ_BYTES`` are looked at.
    """
    base = SitemapFile(url=url, source=source, status=status)
    text, size, truncated, broken = _uncompress(body)
    truncated = truncated or cut
    base = replace(base, bytes=size, over_limit=size > PROTOCOL_MAX_BYTES, truncated=truncated)
    if broken and not text:
        return SitemapReading(file=replace(base, error="decode", error_detail="The gzip data is broken."))
    if not text.strip(b" \t\r\n\0\xef\xbb\xbf"):
        return SitemapReading(file=replace(base, error="empty", error_detail="The file is empty."))
    if _HTML_START.match(text[:4_096].removeprefix(b"\xef\xbb\xbf")):
        return SitemapReading(file=replace(base, error="html", error_detail="The file is an HTML page."))
    tally = _Tally(hosts=frozenset({host(url), host(page_url)}), page_url=strip_fragment(page_url), keep=keep)
    kind: Literal["urlset", "index", "text"] | None
    if _looks_like_text(text):
        kind, error, detail, stopped = "text", *_read_lines(text, tally)
    else:
        kind, error, detail, stopped = _XMLReader(tally).read(text, truncated=truncated or broken)
    if error is None and not tally.facts and not truncated:
        error, detail = "empty", "The file lists no URL."
    file = replace(
        base,
        kind=kind,
        error=error,
        error_detail=detail,
        lists_page=tally.lists_page,
        truncated=truncated or stopped,
        over_limit=base.over_limit or tally.facts.get("url_count", 0) > PROTOCOL_MAX_URLS,
        url_count=tally.facts.get("url_count", 0),
        http_url_count=tally.facts.get("http_url_count", 0),
        foreign_host_count=tally.facts.get("foreign_host_count", 0),
        relative_url_count=tally.facts.get("relative_url_count", 0),
        bad_lastmod_count=tally.facts.get("bad_lastmod_count", 0),
        bad_namespace=tally.bad_namespace,
    )
    pages, lastmods = tuple(tally.pages), tuple(tally.lastmods)
    return SitemapReading(file=file, children=tuple(tally.children), pages=pages, lastmods=lastmods)


def _uncompress(body: bytes) -> tuple[bytes, int, bool, bool]:
    """Take off gzip with bounds: (first bytes, size counted, more was there than returned, stream broken)."""
    if not body.startswith(b"\x1f\x8b"):
        return body[:MAX_READ_BYTES], len(body), len(body) > MAX_READ_BYTES, False
    kept = bytearray()
    size = 0
    rest = body
    for _ in range(_MAX_GZIP_MEMBERS):
        member = zlib.decompressobj(31)  # 31: a gzip wrapper with the full window.
        while not member.eof:
            try:
                piece = member.decompress(rest, 1_048_576)
            except zlib.error:
                return bytes(kept), size, size > MAX_READ_BYTES, True
            size += len(piece)
            kept += piece[: max(0, MAX_READ_BYTES - len(kept))]
            rest = member.unconsumed_tail
            if size > PROTOCOL_MAX_BYTES:
                return bytes(kept), size, True, False
            if not piece and not rest and not member.eof:
                return bytes(kept), size, True, True  # The stream ends before its trailer.
        rest = member.unused_data
        if not rest.startswith(b"\x1f\x8b"):
            return bytes(kept), size, size > MAX_READ_BYTES, False
    return bytes(kept), size, True, False


def _read_location(location: str) -> str | None:
    """The canonical form of an absolute http(s) address; ``None`` for everything else."""
    url = join_url("about:blank", location)  # Nothing relative resolves against this base.
    return strip_fragment(url) if url is not None and is_http(url) else None


def _looks_like_text(text: bytes) -> bool:
    """A text sitemap begins with an address; XML begins with ``<``, perhaps behind a mark or in UTF-16."""
    start = text[:2_048].removeprefix(b"\xef\xbb\xbf").lstrip()[:8].lower()
    return start.startswith((b"http://", b"https://"))


def _read_lines(text: bytes, tally: _Tally) -> tuple[str | None, str, bool]:
    """Read one address per line, UTF-8."""
    position = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(2 * _MAX_URLS):
        if position >= len(text):
            return None, "", False
        if tally.facts.get("url_count", 0) >= _MAX_URLS:
            break
        end = text.find(b"\n", position)
        end = len(text) if end < 0 else end
        line = text[position : min(end, position + _MAX_LOC_CHARACTERS)].strip()
        position = end + 1
        if line:
            tally.add(line.decode("utf-8", "replace"), is_child=False)
    return None, "", True


class _XMLReader:
    """Handlers of one expat run; only the entries and their own address and date are heard."""

    def __init__(self, tally: _Tally) -> None:
        self._tally = tally
        self._depth = 0
        self._prefix = ""
        self._entry = ""
        self._field = ""
        self._text: list[str] = []
        self._length = 0
        self._kind: Literal["urlset", "index"] | None = None
        self._entry_depth = 2
        self._entry_name = ""
        self._fields: dict[str, str] = {}
        self._lastmod = ""
        self._pages_before = 0
        self._detail = ""

    def read(self, text: bytes, *, truncated: bool) -> tuple[Literal["urlset", "index"] | None, str | None, str, bool]:
        """Read ``text``: (kind, error, detail, stopped before the end)."""
        # With a separator names come resolved, and a prefix that is not declared is an error.
        parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._on_doctype
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_text
        try:
            # All at once: older expats take quadratic time over a long token that comes in pieces.
            parser.Parse(text, not truncated)
        except _Stop as stop:
            if stop.why == "enough":
                return self._kind, None, "", True
            return self._kind, stop.why, self._detail, False
        except expat.ExpatError as error:
            where = f"line {error.lineno}, column {error.offset + 1}"
            return self._kind, "malformed", f"{expat.ErrorString(error.code)} ({where}).", False
        except (LookupError, ValueError):
            # The declared encoding is one that Python's codecs do not know, or is no text encoding.
            return self._kind, "malformed", "The declared encoding is not known.", False
        if self._kind is None and not truncated:
            return None, "malformed", "There is no root element.", False
        return self._kind, None, "", False

    def _on_doctype(self, *_: object) -> None:
        self._detail = "A document type declaration has no place in a sitemap and is not read."
        raise _Stop("doctype")

    def _on_start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            namespace, separator, local = name.rpartition(_SEPARATOR)
            self._prefix = namespace + separator
            if local not in _ROOTS:
                self._detail = f"The root element is <{local[:60]}>."
                raise _Stop("html" if local.lower() == "html" else "malformed")
            self._kind, self._entry_depth, self._entry_name, self._fields = _ROOTS[local]
            if local not in _FEEDS and namespace not in _NAMESPACES:
                self._tally.bad_namespace = namespace[:_MAX_NAMESPACE]
        elif self._depth == self._entry_depth:
            self._entry = name.removeprefix(self._prefix)
            self._lastmod, self._pages_before = "", len(self._tally.pages)
        elif self._depth == self._entry_depth + 1 and self._entry == self._entry_name:
            field = self._fields.get(name.removeprefix(self._prefix), "")
            if field == "href":
                if attributes.get("rel", "alternate") == "alternate":
                    self._add(attributes.get("href", "")[:_MAX_LOC_CHARACTERS])
            elif field:
                self._field, self._text, self._length = field, [], 0

    def _on_text(self, text: str) -> None:
        if self._field and self._length < _MAX_LOC_CHARACTERS:
            self._text.append(text[: _MAX_LOC_CHARACTERS - self._length])
            self._length += len(text)

    def _on_end(self, _: str) -> None:
        if self._field and self._depth == self._entry_depth + 1:
            value = "".join(self._text).strip()
            if self._field == "lastmod":
                self._date(value)
            else:
                self._add(value)
            self._field = ""
        self._depth -= 1

    def _date(self, value: str) -> None:
        """Take the date of an entry, which stands behind its address or before it."""
        if not _LASTMOD.fullmatch(value):
            self._tally.count("bad_lastmod_count")
            return
        self._lastmod = value
        if len(self._tally.pages) > self._pages_before:
            self._tally.lastmods[-1] = value

    def _add(self, location: str) -> None:
        self._tally.add(location, is_child=self._kind == "index", lastmod=self._lastmod)
        if self._tally.facts["url_count"] >= _MAX_URLS:
            raise _Stop("enough")
