"""The crawl of a site before the one that is worked on, and what of its pages may be carried over."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from pagegrade.gather.context import GatherLimits
from pagegrade.model.artifacts import Response
from pagegrade.model.audit import KEPT_HEADERS, MAX_HEADER, Crawl, Link, PageRecord, Sheet, URLFilter, URLState
from pagegrade.parse.http.caching import validator_of
from pagegrade.parse.urls.identity import keyed_hash
from pagegrade.report.sanitize import clean
from pagegrade.service.audits.style_sheets import StyleSheets
from pagegrade.service.audits.visits import ASSET, Visit
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.crawl_segments import FoundRow, LinkRow, PageRow, each_segment, list_sheets
from pagegrade.store.repositories.crawl_urls import StoredURL, find_urls, hashes_of, load_url, urls_beside
from pagegrade.store.repositories.crawls import is_of_these_rules, last_completed

_SEGMENTS: Final = 4
"""Segments that are kept in memory: pages are asked for in nearly the same order as before."""
_SEEDS: Final = 2_000
_GONE: Final = range(400, 500)
_LIMITS: Final = GatherLimits()
_OK: Final = 200
NOT_MODIFIED: Final = 304
_CHANGES: Final = frozenset({"date", "age"})
"""Headers that say when an answer was made."""


class EarlierPage(NamedTuple):
    """Record of a page that an earlier crawl kept."""

    row: PageRow
    record: PageRecord | None
    """``None``: it is no HTML."""
    read_in: int
    """Number of the crawl that read it."""

    def agrees(self, response: Response) -> bool:
        """Return true if an answer 304 has no header that checks read and that was another one.

        Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.4.5
        """
        said = ((name, response.header(name)) for name in KEPT_HEADERS)
        return all(value is None or clean(value, MAX_HEADER) == self.row.headers.get(name) for name, value in said)


class _Segment(msgspec.Struct, frozen=True):
    """A batch of an earlier crawl."""

    pages: Mapping[int, PageRow]
    links: Mapping[int, Sequence[LinkRow]]
    found: Mapping[int, FoundRow]


class Earlier:
    """The last crawl of the site that has completed."""

    def __init__(self, database: Database, crawl: Crawl, sheets: Sequence[Sheet], *, comparable: bool) -> None:
        """Take what the tables hold; use ``open_earlier``."""
        self._database = database
        self.crawl = crawl
        self.sheets = {sheet.url: sheet for sheet in sheets}
        self.comparable = comparable
        """Its pages were read by the same rules; otherwise nothing but their addresses is of use."""
        self._segments: OrderedDict[int, _Segment] = OrderedDict()

    def compares(self, crawl: Crawl, sheets: StyleSheets) -> bool:
        """Return true if a crawl asks with the same access, and its style sheets hide the same."""
        now, before = (None if one.facts is None else one.facts.access for one in (crawl, self.crawl))
        return now == before and all(_is_same(sheets.get(url), sheet) for url, sheet in self.sheets.items())

    async def seeds(self) -> AsyncIterator[tuple[str, ...]]:
        """Yield the URLs that it fetched, some at a time, without those that were gone."""
        last: int | None = None
        while stored := await self._database.read(partial(self._fetched, after=last)):
            yield tuple(one.url for one in stored if one.status not in _GONE)
            last = stored[-1].url_id

    def _fetched(self, tx: Transaction, *, after: int | None) -> tuple[StoredURL, ...]:
        which = URLFilter(states=(URLState.FETCHED, URLState.FAILED, URLState.THROTTLED))
        return urls_beside(tx, self.crawl.id, which, _SEEDS, beside=after, backward=False)

    async def page(self, url: str) -> EarlierPage | None:
        """Return the record of a page, for the case that it has not changed; ``None``: it has to be read."""
        return await self._database.read(lambda tx: self._page(tx, url))

    def _page(self, tx: Transaction, url: str) -> EarlierPage | None:
        key = keyed_hash(url, self.crawl.secret)
        found = find_urls(tx, self.crawl.id, (key,)).get(key)
        stored = None if found is None else load_url(tx, self.crawl.id, found[0])
        if stored is None or stored.segment is None or stored.status != _OK:
            return None
        segment = self._segment(tx, stored.segment)
        row = segment.pages.get(stored.url_id)
        if row is None or row.redirect_id is not None or row.unread or row.refusal:
            return None
        read_in = row.carried_from or self.crawl.number
        if not row.read:
            return EarlierPage(row, None, read_in)
        record = self._record(tx, stored, row, segment)
        return None if record is None else EarlierPage(row, record, read_in)

    def _segment(self, tx: Transaction, number: int) -> _Segment:
        known = self._segments.get(number)
        if known is None:
            links: dict[int, list[LinkRow]] = {}
            for link in next(each_segment(tx, self.crawl.id, LinkRow, (number,)), ()):
                links.setdefault(link.from_id, []).append(link)
            pages = next(each_segment(tx, self.crawl.id, PageRow, (number,)), ())
            found = next(each_segment(tx, self.crawl.id, FoundRow, (number,)), ())
            known = self._segments[number] = _Segment(
                {page.page_id: page for page in pages}, links, {one.page_id: one for one in found}
            )
            if len(self._segments) > _SEGMENTS:
                self._segments.popitem(last=False)
        return known

    def _record(self, tx: Transaction, stored: StoredURL, row: PageRow, segment: _Segment) -> PageRecord | None:
        """The page as it was read; ``None`` where an address of it is not stored as it was written."""
        links = segment.links.get(stored.url_id, ())
        named = [each for each in (row.canonical_id, row.next_id, row.prev_id) if each is not None]
        known = hashes_of(tx, self.crawl.id, {*(link.to_id for link in links), *named})
        assets = {link.to_id for link in links if link.kind == "asset"}
        for url_id, (url, stored_hash) in known.items():
            if keyed_hash(ASSET + url if url_id in assets else url, self.crawl.secret) != stored_hash:
                return None
        urls = {url_id: url for url_id, (url, _) in known.items()}
        found = segment.found.get(stored.url_id)
        same = {name: getattr(row, name) for name in PageRecord.__struct_fields__ if name in _ROW_FIELDS}
        return PageRecord(
            **same,
            canonical=urls.get(row.canonical_id or 0, ""),
            next=urls.get(row.next_id or 0, ""),
            prev=urls.get(row.prev_id or 0, ""),
            links=tuple(
                Link(urls[one.to_id], one.kind, one.place, one.nofollow, one.anchor, one.hreflang, one.session)
                for one in links
            ),
            found=() if found is None else found.found,
        )


_ROW_FIELDS: Final = frozenset(PageRow.__struct_fields__)


async def open_earlier(database: Database, crawl: Crawl) -> Earlier | None:
    """Return the last crawl of the same site that has completed before this one; ``None``: there is none."""

    def load(tx: Transaction) -> Earlier | None:
        found = last_completed(tx, crawl)
        if found is None:
            return None
        comparable = (
            not crawl.settings.fresh
            and found.settings.drop_parameters == crawl.settings.drop_parameters
            and is_of_these_rules(tx, found.id)
        )
        return Earlier(database, found, list_sheets(tx, found.id), comparable=comparable)

    return await database.read(load)


def _is_same(now: Sheet | None, before: Sheet) -> bool:
    return now is not None and replace(now, validator="") == replace(before, validator="")


def carry_over(visit: Visit, response: Response, before: EarlierPage | None) -> bool:
    """Take over what the crawl before said of a page that has not changed, and return whether it has not.

    Args:
        visit: Takes it; otherwise by what the next crawl knows the answer again.
        response: 304, or the page.
        before: Of the same URL.
    """
    if response.status == _OK and response.body and (response.truncated is None or _is_too_large(response)):
        visit.validator, visit.seen = validator_of(response), _seen(response)
    if before is None:
        return False
    is_named = response.status == NOT_MODIFIED and bool(before.row.validator)
    if not is_named and (not visit.seen or visit.seen != before.row.seen):
        return False
    visit.status, visit.content_type, visit.record = _OK, before.row.content_type, before.record
    visit.carried = replace(before.row, carried_from=before.read_in)
    return True


def _is_too_large(response: Response) -> bool:
    """Return true if an answer was cut because of its size alone, as it will be the next time."""
    is_long = len(response.body) >= _LIMITS.document_decoded_bytes
    return response.truncated == "limit" and (is_long or (response.wire_bytes or 0) >= _LIMITS.document_wire_bytes)


def _seen(response: Response) -> int:
    """64 bits of an answer that differ where anything of it does but the time."""
    digest = blake2b(response.body, digest_size=8)
    for name, value in response.headers:
        if name.lower() not in _CHANGES:
            digest.update(f"\n{name.lower()}: {value}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest(), "little")
