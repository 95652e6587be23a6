"""The relations of a crawl: files of JSON lines that its analysis reads, written from the tables as a stream."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from gzip import GzipFile
from pathlib import Path
from typing import BinaryIO, Final, get_args

import msgspec

from pagegrade.clock import now_ms
from pagegrade.model.audit import MAX_EXAMPLE, PAGE_STATES, REACHED_ITS_END, UNKNOWN_DEPTH, AssetKind, Crawl, URLState
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.secure_context import host_of, is_local_host
from pagegrade.parse.url import host
from pagegrade.service.audits.frontier import WAYS
from pagegrade.service.runs.evaluation import describe_access, visitor_notes
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import DrawnRow, FoundRow, LinkRow, PageRow, SitemapRow, each_segment
from pagegrade.store.repositories.crawl_urls import each_url, list_patterns, statuses_of, urls_of
from pagegrade.store.repositories.crawls import list_hosts

ASSET_KINDS: Final = get_args(AssetKind)
_NUMBERS: Final = {kind: number for number, kind in enumerate(ASSET_KINDS, start=1)}
NAMES: Final = ("pages", "links", "found", "evidence", "assets", "outside", "rendered", "sitemap", "site")
_LARGE: Final = frozenset({"links", "found"})
"""Many rows that say nearly the same: files of these are compressed to less than a tenth."""
MAX_ROUNDS: Final = 60
"""Passes over the links to settle the clicks from the start; a crawl in the order of clicks needs two."""
MAX_EXAMPLES: Final = 5
"""Of one look of a finding, over all pages."""
MAX_LOOKS: Final = 100_000
MAX_HOPS: Final = 10
_encode: Final = msgspec.json.encode


def write_relations(tx: Transaction, crawl: Crawl, folder: Path) -> dict[int, int]:
    """Write one file for each relation; those that are there are replaced.

    Memory grows by some bytes for each URL, however long the crawl was: the rows pass through.

    Returns:
        URL that is nearer than the crawl knew when it fetched it -> its clicks from the start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    depths, redirects, assets, sessions, nearer = _read_graph(tx, crawl)
    with ExitStack() as stack:

        def writer(name: str) -> Callable[[object], None]:
            path = folder / f"{name}.jsonl"
            file: BinaryIO | GzipFile
            if name in _LARGE:
                # With the same time in each, so that equal rows make equal files.
                raw = stack.enter_context(path.with_suffix(".jsonl.gz").open("wb"))
                file = stack.enter_context(GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0))
            else:
                file = stack.enter_context(path.open("wb"))
            return lambda row: _line(file, row)

        out = {name: writer(name) for name in NAMES}
        lastmods = _write_sitemap(tx, crawl, out["sitemap"])
        pages = _Pages(depths, redirects, assets, sessions, lastmods, bytearray(crawl.urls + 1))
        _write_pages(tx, crawl, out["pages"], pages)
        _write_others(tx, crawl, out, pages)
        _write_links(tx, crawl, out["links"])
        _write_found(tx, crawl, out["found"], out["evidence"])
        drawn = _write_drawn(tx, crawl, out["rendered"])
        for key, value in _site(tx, crawl, has_sitemap=bool(pages.lastmods), drawn=drawn):
            out["site"]({"key": key, "value": str(value)})
    return nearer


def _line(file: BinaryIO | GzipFile, row: object) -> None:
    file.write(_encode(row))
    file.write(b"\n")


def _read_graph(tx: Transaction, crawl: Crawl) -> tuple[bytearray, array[int], bytearray, bytearray, dict[int, int]]:
    """By id: clicks from the start, target of the redirect, kind of a file of pages, whether a link has a session id.

    The last one has the clicks of those alone that are nearer than the crawl knew.
    The crawl may have gone a longer way first: the clicks are made right by passes over all links until none changes.
    """
    size = crawl.urls + 1
    depths, states, redirects = bytearray(size), bytearray(size), array("Q", bytes(8 * size))
    assets, sessions, known = bytearray(size), bytearray(size), bytearray(size)
    for url_id, _, depth, state, _, _ in each_url(tx, crawl.id):
        known[url_id] = depth
        depths[url_id] = UNKNOWN_DEPTH
        states[url_id] = state
    if size > 1:
        depths[1] = 0
    blocked = {URLState.OUTSIDE, URLState.TOO_LONG}
    for _ in range(MAX_ROUNDS):
        changed = False
        for rows in each_segment(tx, crawl.id, LinkRow, crawl.segments):
            for row in rows:
                if row.session:
                    sessions[row.to_id] = 1
                if row.kind == "redirect":
                    redirects[row.from_id] = row.to_id
                    depth = depths[row.from_id]
                elif row.kind == "asset":
                    assets[row.to_id] = _NUMBERS.get(row.anchor, 1)
                    continue
                elif row.kind in WAYS and not row.nofollow:
                    # A page that is shown in another, or in its place, is as near as it.
                    depth = min(UNKNOWN_DEPTH, depths[row.from_id] + (row.kind == "a"))
                else:
                    continue
                if depth < depths[row.to_id] and states[row.to_id] not in blocked:
                    depths[row.to_id] = depth
                    changed = True
        if not changed:
            break
    nearer = {url_id: depth for url_id, depth in enumerate(depths) if depth < known[url_id]}
    return depths, redirects, assets, sessions, nearer


def _write_sitemap(tx: Transaction, crawl: Crawl, write: Callable[[object], None]) -> dict[int, str]:
    """Write what the sitemaps list, each URL of a file once; returns the date of each URL."""
    lastmods: dict[int, str] = {}
    for rows in each_segment(tx, crawl.id, SitemapRow, crawl.segments):
        for row in rows:
            if row.page_id not in lastmods:
                lastmods[row.page_id] = row.lastmod
                write({"page_id": row.page_id, "lastmod": row.lastmod or None, "file": row.file})
    return lastmods


class _Pages(msgspec.Struct):
    """Facts of all URLs at once, by their ids."""

    depths: bytearray
    redirects: array[int]
    assets: bytearray
    """1 + number of its kind, or 0."""
    sessions: bytearray
    lastmods: dict[int, str]
    """URL that a sitemap lists -> its date or ""."""
    written: bytearray

    def row(self, url_id: int, url: str) -> dict[str, object]:
        """The columns that every page has."""
        depth = self.depths[url_id]
        return {
            "page_id": url_id,
            "url": url,
            "host": host(url),
            "path": path_and_query(url)[0],
            "depth": None if depth == UNKNOWN_DEPTH else depth,
            "in_sitemap": url_id in self.lastmods,
            "lastmod": self.lastmods.get(url_id) or None,
            "session_id": bool(self.sessions[url_id]),
        }

    def hops(self, url_id: int) -> int:
        """Redirects in a row from here on, at most ``MAX_HOPS``; as many as that for a loop."""
        hops = 0
        while hops < MAX_HOPS and self.redirects[url_id]:
            url_id = self.redirects[url_id]
            hops += 1
        return hops


def _write_pages(tx: Transaction, crawl: Crawl, write: Callable[[object], None], pages: _Pages) -> None:
    """Write the pages that were fetched."""
    patterns = {one.pattern_no: one.text for one in list_patterns(tx, crawl.id)}
    for rows in each_segment(tx, crawl.id, PageRow, crawl.segments):
        named = [each for row in rows for each in (row.redirect_id, row.canonical_id) if each is not None]
        urls = urls_of(tx, crawl.id, [*(row.page_id for row in rows), *named])
        known = {page: (status, of) for page, status, of in statuses_of(tx, crawl.id, (row.page_id for row in rows))}
        for row in rows:
            if pages.written[row.page_id]:
                continue
            pages.written[row.page_id] = 1
            status, pattern_no = known[row.page_id]
            page = pages.row(row.page_id, urls[row.page_id])
            page |= {
                "pattern": patterns.get(pattern_no, ""),
                "state": "fetched",
                "status": status,
                "redirect_id": row.redirect_id,
                "redirect_url": urls.get(row.redirect_id or 0),
                "hops": pages.hops(row.page_id),
                "content_type": row.content_type,
                "bytes": row.bytes,
                "time_ms": row.time_ms,
                "refusal": row.refusal or None,
                "unread": row.unread,
                "carried_from": row.carried_from,
            }
            if row.read:
                page |= {
                    "title": row.title,
                    "h1": row.h1,
                    "description": row.description,
                    "noindex": row.noindex,
                    "nofollow": row.nofollow,
                    "canonical_id": row.canonical_id,
                    "canonical_url": urls.get(row.canonical_id or 0),
                    "lang": row.lang,
                    "next_id": row.next_id,
                    "prev_id": row.prev_id,
                    "words": row.words,
                    "digest": row.digest,
                    "simhash": row.simhash,
                    "template": row.template,
                    "types": row.types,
                    "score": row.score,
                    "page_kind": row.kind or None,
                    "headers": _encode(row.headers).decode(),
                }
            write(page)


def _write_others(
    tx: Transaction,
    crawl: Crawl,
    out: Mapping[str, Callable[[object], None]],
    pages: _Pages,
) -> None:
    """Write the URLs that were not fetched, those out of scope, and the files of pages."""
    for url_id, url, _, state, status, error in each_url(tx, crawl.id):
        if number := pages.assets[url_id]:
            kind = ASSET_KINDS[number - 1]
            out["assets"]({"asset_id": url_id, "url": url, "kind": kind, "status": status, "bytes": None})
        elif state is URLState.OUTSIDE:
            out["outside"]({"target_id": url_id, "url": url, "status": status, "error": error})
        elif not pages.written[url_id]:
            known, why = PAGE_STATES[state]
            page = pages.row(url_id, url)
            out["pages"](page | {"state": known, "trap": why or None, "status": status, "error": error, "hops": 0})


def _write_links(tx: Transaction, crawl: Crawl, write: Callable[[object], None]) -> None:
    for rows in each_segment(tx, crawl.id, LinkRow, crawl.segments):
        for row in rows:
            write(
                {
                    "from_id": row.from_id,
                    "to_id": row.to_id,
                    "kind": row.kind,
                    "nofollow": row.nofollow,
                    "place": row.place,
                    "anchor": None if row.kind != "a" or (row.hidden and not row.anchor) else row.anchor,
                    "hreflang": row.hreflang if row.kind == "hreflang" else None,
                }
            )


def _write_found(
    tx: Transaction, crawl: Crawl, write: Callable[[object], None], write_example: Callable[[object], None]
) -> None:
    shown: dict[int, int] = {}
    for rows in each_segment(tx, crawl.id, FoundRow, crawl.segments):
        for row in rows:
            for one in row.found:
                same = {"page_id": row.page_id, "check_id": one.check, "state": one.state, "signature": one.signature}
                write(same | {"lost": one.lost, "total": one.total})
                if one.signature not in shown and len(shown) >= MAX_LOOKS:
                    continue
                for example in one.examples[: MAX_EXAMPLES - shown.get(one.signature, 0)]:
                    shown[one.signature] = shown.get(one.signature, 0) + 1
                    write_example(same | {"example": example[:MAX_EXAMPLE]})


def _write_drawn(tx: Transaction, crawl: Crawl, write: Callable[[object], None]) -> int:
    """Write the outcomes of pages that a browser has drawn; returns how many pages those are."""
    number = 0
    for rows in each_segment(tx, crawl.id, DrawnRow, crawl.segments):
        for row in rows:
            number += not row.error
            for one in row.found:
                same = {"page_id": row.page_id, "check_id": one.check, "state": one.state}
                write(same | {"loss": one.loss, "value": one.value})
    return number


def _site(tx: Transaction, crawl: Crawl, *, has_sitemap: bool, drawn: int) -> Iterator[tuple[str, object]]:
    """Facts of the site and of the crawl."""
    hosts = list_hosts(tx, crawl.id)
    patterns = list_patterns(tx, crawl.id)
    facts = crawl.facts
    yield "url", crawl.start_url
    yield "crawl", crawl.number
    yield "settings", _encode(crawl.settings).decode()
    yield "start", 1
    yield "complete", int(crawl.complete)
    yield "stop_reason", crawl.stop_reason or ""
    yield "found", sum(pattern.found for pattern in patterns)
    yield "fetched", crawl.fetched
    yield "robots", _robots_word(hosts[0].robots_status if hosts else None)
    yield "sitemap", int(has_sitemap)
    yield "external", int(crawl.settings.external and crawl.stop_reason in REACHED_ITS_END)
    yield "assets", int(crawl.stop_reason in REACHED_ITS_END)
    yield "rendered", int(drawn > 0)
    yield "traps", 1
    # Traffic to this machine or inside the link needs none, as for a page.
    yield "https", int(crawl.start_url.startswith("https:") or is_local_host(host_of(crawl.start_url)))
    yield "now_ms", crawl.finished_at_ms or now_ms()
    probes = () if facts is None else facts.probes
    access = None if facts is None else facts.access
    yield "access", "" if access is None else describe_access(access)
    yield "visitors", "" if access is None else " ".join(visitor_notes(access.visitors))
    yield "probes", _encode([{"status": p.status, "simhash": p.simhash, "words": p.words} for p in probes]).decode()


def _robots_word(status: int | None) -> str:
    if status is None or status >= 500:  # noqa: PLR2004 - an error of the server
        return "unreachable"
    return "ok" if 200 <= status < 300 else "none"  # noqa: PLR2004 - it is there
