"""Pages of a crawl: those that fit a filter in an order, and one with its findings and links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal, get_args

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.audit import UNKNOWN_DEPTH, Crawl, PageFilter, URLFilter, URLState
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.operations import find_crawl, find_result, show_audit
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import (
    FoundRow,
    LinkRow,
    PageRow,
    StandingRow,
    each_finding_page,
    each_segment,
    each_standing,
    has_standings,
    standings_of,
)
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

PageOrder = Literal["id", "depth", "url", "score", "pagerank", "inlinks"]
"""By discovery, by clicks from the start page, by URL; the lowest score first; or the highest PageRank, or most links
from other pages. Behind them comes what has no such value."""
_OF_URLS: Final[Mapping[PageOrder, URLOrder]] = {name: name for name in get_args(URLOrder)}
"""Orders that the table of URLs has."""
PAGES: Final = URLFilter(status=200, states=(URLState.FETCHED,))
SHOWN_LINKS: Final = 100
"""Links of a page that an answer has, in each direction."""

_NOWHERE: Final = Violation(
    field="cursor",
    place="query",
    code="invalid",
    message="The page at the cursor is not in this list any more; leave the cursor empty to begin anew.",
)


class ShownPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a crawl with what is kept of it."""

    stored: StoredURL
    row: PageRow | None
    urls: dict[int, str]
    """URLs that the row names, by id."""
    standing: StandingRow | None = None
    """``None``: the crawl was not evaluated by this version, or it is no page."""
    found: tuple[FoundRow, ...] = ()
    links: tuple[tuple[LinkRow, str], ...] = ()
    """Links of the page, with their targets."""
    linked_by: tuple[tuple[LinkRow, str], ...] = ()
    """Links to the page, with the pages that have them."""


def list_pages(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    which: PageFilter,
    part: ListPart,
    *,
    crawl: int | None = None,
    order: PageOrder = "id",
) -> Listed[ShownPage]:
    """Some of the URLs of a crawl that lie in scope.

    Raises:
        NotFound: There is no such audit, crawl or finding; or the crawl was not evaluated, or by an earlier version,
            and the filter or the order is about what only that finds.
        ValidationFailed: The page at the cursor is in no such list, whatever the filter, and the order not by ids.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)
    if _needs_standings(which, order) and not has_standings(tx, of.id):
        raise NotFound
    if which.finding is not None:
        _, result = find_result(tx, caller, audit_id, of.number)
        if result is None or which.finding > len(result.findings):
            raise NotFound
    if order == "id" and which.finding is None and not _needs_standings(which, order):

        def read(part: ListPart) -> tuple[StoredURL, ...]:
            if part.page is not None:
                return urls_page(tx, of.id, which, first=part.skipped, count=part.per_page)
            return urls_beside(tx, of.id, which, part.per_page, beside=part.beside, backward=part.backward)

        found = read_part(read, lambda url: url.url_id, part, lambda: count_urls(tx, of.id, which))
        return Listed(items=pages_of(tx, of, found.items), total=found.total, before=found.before, after=found.after)
    ids = _in_order(tx, of, which, order)
    every = partial(_in_order, tx, of, PageFilter(), order)
    shown = read_part(partial(_part_of, ids, every), lambda url_id: url_id, part, lambda: len(ids))
    by_id = {
        one.url_id: one for one in urls_page(tx, of.id, URLFilter(ids=shown.items), first=0, count=len(shown.items))
    }
    items = pages_of(tx, of, [by_id[url_id] for url_id in shown.items])
    return Listed(items=items, total=shown.total, before=shown.before, after=shown.after)


def are_pages_ranked(tx: Transaction, caller: Caller, audit_id: int) -> bool:
    """Return whether the newest evaluated crawl, or the newest, says which of its pages are linked and indexable how.

    Raises:
        NotFound: There is no such audit.
    """
    return has_standings(tx, find_crawl(tx, show_audit(tx, caller, audit_id), None)[0].id)


def _needs_standings(which: PageFilter, order: PageOrder) -> bool:
    return order in {"pagerank", "inlinks"} or which.template is not None or which.indexable is not None


def _part_of(ids: list[int], every: Callable[[], list[int]], part: ListPart) -> tuple[int, ...]:
    """Some ids, of which those of URLs that fit no filter are read where that at the cursor fits no more."""
    if part.page is not None or part.beside is None:
        first = part.skipped
        return tuple(ids[-part.per_page :] if part.backward else ids[first : first + part.per_page])
    if part.beside in ids:
        end = ids.index(part.beside)
        first = end + 1
    else:
        whole = every()
        if part.beside not in whole:
            raise ValidationFailed([_NOWHERE])
        fitting = set(ids)
        first = end = sum(url_id in fitting for url_id in whole[: whole.index(part.beside)])
    return tuple(ids[max(0, end - part.per_page) : end] if part.backward else ids[first : first + part.per_page])


def _in_order(tx: Transaction, crawl: Crawl, which: PageFilter, order: PageOrder) -> list[int]:
    """Ids of the URLs that fit a filter; one segment of pages is in memory at a time."""
    found = ids_of(tx, crawl.id, which, _OF_URLS.get(order, "id"))
    values: dict[int, float] = {}
    if which.finding is not None:
        having = {row.page_id for row in each_finding_page(tx, crawl.id, which.finding)}
        found = [url_id for url_id in found if url_id in having]
    if _needs_standings(which, order):
        fitting, indexable = set(), set()
        for row in each_standing(tx, crawl.id, crawl.urls):
            if which.template in {None, row.template}:
                fitting.add(row.page_id)
            if row.indexable:
                indexable.add(row.page_id)
            values[row.page_id] = -row.pagerank if order == "pagerank" else -row.inlinks
        if which.template is not None:
            found = [url_id for url_id in found if url_id in fitting]
        if which.indexable is not None:
            found = [url_id for url_id in found if (url_id in indexable) == which.indexable]
    if order == "score":
        pages = (row for rows in each_segment(tx, crawl.id, PageRow, crawl.segments) for row in rows)
        values = {row.page_id: row.score for row in pages if row.score is not None}
    if order not in _OF_URLS:
        found.sort(key=lambda url_id: (url_id not in values, values.get(url_id, 0), url_id))
    return found


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
    standings = standings_of(tx, crawl.id, rows)
    return tuple(
        ShownPage(stored=one, row=rows.get(one.url_id), urls=urls, standing=standings.get(one.url_id)) for one in stored
    )


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
        standing=page.standing,
        found=tuple(found),
        links=tuple((row, urls.get(row.to_id, "")) for row in out),
        linked_by=tuple((row, urls.get(row.from_id, "")) for row in into),
    )
