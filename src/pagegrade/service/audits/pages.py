"""Pages of a crawl: all of them in an order or from cursor to cursor, and one with its findings and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.audit import UNKNOWN_DEPTH, Crawl, URLFilter, URLState
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.operations import find_crawl, show_audit
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import FoundRow, LinkRow, PageRow, each_segment
from pagegrade.store.repositories.crawl_urls import (
    StoredURL,
    URLOrder,
    count_depths,
    count_urls,
    ids_of,
    load_url,
    urls_beside,
    urls_of,
    urls_page,
)

PageOrder = URLOrder | Literal["score"]
"""By discovery, by clicks from the start page, by URL; or the lowest score first, and behind it what has none."""
PAGES: Final = URLFilter(status=200, states=(URLState.FETCHED,))
SHOWN_LINKS: Final = 100
"""Links of a page that an answer has, in each direction."""


class ShownPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a crawl with what is kept of it."""

    stored: StoredURL
    row: PageRow | None
    urls: dict[int, str]
    """URLs that the row names, by id."""
    found: tuple[FoundRow, ...] = ()
    links: tuple[tuple[LinkRow, str], ...] = ()
    """Links of the page, with their targets."""
    linked_by: tuple[tuple[LinkRow, str], ...] = ()
    """Links to the page, with the pages that have them."""


def list_pages(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    which: URLFilter,
    part: ListPart,
    *,
    crawl: int | None = None,
    order: PageOrder = "found",
) -> Listed[ShownPage]:
    """Some of the URLs of a crawl that lie in scope; only numbered pages have another order than by discovery.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)
    if order == "score":
        ids = _by_score(tx, of, which)
        shown = ids[part.skipped : part.skipped + part.per_page]
        by_id = URLFilter(ids=tuple(shown))
        rows = {one.url_id: one for one in urls_page(tx, of.id, by_id, first=0, count=part.per_page)}
        return Listed(items=pages_of(tx, of, [rows[url_id] for url_id in shown]), total=len(ids))

    def read(part: ListPart) -> tuple[StoredURL, ...]:
        if part.page is not None:
            return urls_page(tx, of.id, which, order=order, first=part.skipped, count=part.per_page)
        return urls_beside(tx, of.id, which, part.per_page, beside=part.beside, backward=part.backward)

    found = read_part(read, lambda url: url.url_id, part, lambda: count_urls(tx, of.id, which))
    return Listed(items=pages_of(tx, of, found.items), total=found.total, before=found.before, after=found.after)


def _by_score(tx: Transaction, crawl: Crawl, which: URLFilter) -> list[int]:
    """Ids of the URLs that fit a filter, the lowest score first; one batch of pages is in memory at a time."""
    left = set(ids_of(tx, crawl.id, which))
    scores = {
        row.page_id: row.score
        for rows in each_segment(tx, crawl.id, PageRow, crawl.segments)
        for row in rows
        if row.score is not None and row.page_id in left
    }
    scored = sorted(scores, key=lambda page_id: (scores[page_id], page_id))
    return [*scored, *sorted(left.difference(scored))]


def count_clicks(tx: Transaction, caller: Caller, audit_id: int) -> dict[int, int]:
    """Clicks from the start -> pages of the newest evaluated crawl, or of the newest, that are so far.

    Pages are URLs of status 200; those that no link leads to are not counted.

    Raises:
        NotFound: There is no such audit.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), None)
    return {depth: count for depth, count in count_depths(tx, of.id, PAGES).items() if depth != UNKNOWN_DEPTH}


def pages_of(tx: Transaction, crawl: Crawl, stored: Sequence[StoredURL]) -> tuple[ShownPage, ...]:
    """URLs of a crawl with what is kept of their pages."""
    numbers = sorted({one.segment for one in stored if one.segment is not None})
    wanted = {one.url_id for one in stored}
    rows = {
        row.page_id: row
        for some in each_segment(tx, crawl.id, PageRow, numbers)
        for row in some
        if row.page_id in wanted
    }
    named = [each for row in rows.values() for each in (row.redirect_id, row.canonical_id) if each is not None]
    urls = urls_of(tx, crawl.id, named)
    return tuple(ShownPage(stored=one, row=rows.get(one.url_id), urls=urls) for one in stored)


def show_page(tx: Transaction, caller: Caller, audit_id: int, page_id: int, *, crawl: int | None = None) -> ShownPage:
    """One URL of a crawl, with its findings and some links from it and to it.

    Raises:
        NotFound: There is no such audit, crawl or page.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)
    stored = load_url(tx, of.id, page_id) if 0 < page_id <= of.urls else None
    if stored is None:
        raise NotFound
    (page,) = pages_of(tx, of, (stored,))
    out: list[LinkRow] = []
    into: list[LinkRow] = []
    for rows in each_segment(tx, of.id, LinkRow, of.segments):
        out += [row for row in rows if row.from_id == page_id and row.kind != "asset"][: SHOWN_LINKS - len(out)]
        into += [row for row in rows if row.to_id == page_id][: SHOWN_LINKS - len(into)]
    urls = urls_of(tx, of.id, [*(row.to_id for row in out), *(row.from_id for row in into)])
    segment = () if stored.segment is None else (stored.segment,)
    found = (row for rows in each_segment(tx, of.id, FoundRow, segment) for row in rows if row.page_id == page_id)
    return ShownPage(
        stored=stored,
        row=page.row,
        urls=page.urls,
        found=tuple(found),
        links=tuple((row, urls.get(row.to_id, "")) for row in out),
        linked_by=tuple((row, urls.get(row.from_id, "")) for row in into),
    )
