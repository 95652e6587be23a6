"""Tables and files of a crawl: findings with their pages, all pages, and a sitemap of the good ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Brand, Caller
from pagegrade.model.audit import Audit, Crawl, URLFilter
from pagegrade.model.audit_result import AuditResult, SiteFinding
from pagegrade.model.errors import NotFound
from pagegrade.report.masking import mask_url, masker
from pagegrade.service.audits.links import LinkFilter, ShownLink, each_link, shown_links
from pagegrade.service.audits.operations import (
    ShownPlace,
    find_crawl,
    places_of,
    show_audit,
)
from pagegrade.service.audits.pages import PAGES, ShownPage, pages_of
from pagegrade.service.audits.sharing import view_shared_audit
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_brand
from pagegrade.store.repositories.audits import load_result
from pagegrade.store.repositories.crawl_segments import (
    SitemapRow,
    each_finding_page,
    each_segment,
    rows_from,
)
from pagegrade.store.repositories.crawl_urls import StoredURL, urls_beside, urls_page

T = TypeVar("T")
PART_ROWS: Final = 50_000
"""Rows of one file; also what the protocol of sitemaps allows in one."""
_AT_ONCE: Final = 5_000
_DATE: Final = re.compile(r"[0-9]{4}-[01][0-9](-[0-3][0-9](T[0-9:.]{5,18}(Z|[+-][0-9]{2}:[0-9]{2}))?)?")


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what is exported of a crawl."""

    audit: Audit
    crawl: Crawl
    result: AuditResult | None = None
    """``None``: the crawl was not evaluated, or its result is not a part of the file."""
    places: tuple[tuple[int, ShownPlace], ...] = ()
    """(number of the finding, page)."""
    pages: tuple[ShownPage, ...] = ()
    links: tuple[ShownLink, ...] = ()
    listed: tuple[tuple[str, str], ...] = ()
    """(URL, date of its last change) of pages for a sitemap; the date is empty where the site says none."""
    more: bool = False
    """There is a part after this one."""
    brand: Brand = Brand()
    """Look that the account of the audit chose, for documents."""


def export_result(tx: Transaction, caller: Caller, audit_id: int, *, crawl: int | None = None) -> Exported:
    """The result of a crawl; without a number of the newest that was evaluated.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    audit, of = _of(tx, caller, audit_id, crawl)
    return Exported(audit=audit, crawl=of, result=load_result(tx, of.id), brand=load_brand(tx, audit.account_id))


def export_findings(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    *,
    crawl: int | None = None,
    finding: int | None = None,
    part: int = 1,
) -> Exported:
    """Every page of every finding in the order of the findings, ``PART_ROWS`` in a part.

    Args:
        tx: Any transaction.
        caller: Whose audit it is.
        audit_id: Any number.
        crawl: Number of the crawl; ``None``: the newest that was evaluated, or the newest of all.
        finding: Number of the only finding; ``None``: all.
        part: From 1.

    Raises:
        NotFound: There is no such audit, crawl, finding or part.
    """
    audit, of = _of(tx, caller, audit_id, crawl)
    result = load_result(tx, of.id)
    if finding is not None and result is not None and not 0 < finding <= len(result.findings):
        raise NotFound
    return _findings(tx, audit, of, result, part, finding=finding)


def _findings(
    tx: Transaction, audit: Audit, of: Crawl, result: AuditResult | None, part: int, *, finding: int | None = None
) -> Exported:
    every = (
        (one.number, row)
        for one in (() if result is None else result.findings)
        if finding in {None, one.number}
        for row in each_finding_page(tx, of.id, one.number)
    )
    rows, more = _part(every, part)
    places = places_of(tx, of, [row for _, row in rows], 0)
    numbered = tuple(zip((number for number, _ in rows), places, strict=True))
    return Exported(audit=audit, crawl=of, result=result, places=numbered, more=more)


def export_shared(tx: Transaction, audit: Audit, *, places: bool, part: int = 1) -> Exported | None:
    """The newest result of an audit as people with its link may have it, with what their page masks masked.

    Args:
        tx: Any transaction.
        audit: That the link leads to.
        places: With every page of every finding, ``PART_ROWS`` in a part.
        part: From 1.

    Returns:
        ``None``: no crawl was evaluated yet.

    Raises:
        NotFound: There is no such part.
    """
    seen = view_shared_audit(tx, audit)
    if seen is None:
        return None
    if not places:
        return Exported(audit=audit, crawl=seen.crawl, result=seen.result, brand=seen.brand)
    found = _findings(tx, audit, seen.crawl, seen.result, part)
    masked = _masked([one for _, one in found.places])
    return replace(found, places=tuple(zip((number for number, _ in found.places), masked, strict=True)))


class SharedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of a shared audit, with a page of the list of its pages."""

    finding: SiteFinding
    places: tuple[ShownPlace, ...]
    total: int
    """Rows of the whole list."""
    brand: Brand
    """As of ``Exported``."""


def list_shared_pages(tx: Transaction, audit: Audit, *, finding: int, page: int, per_page: int) -> SharedFinding | None:
    """Pages of a finding of the newest result as people with the link may have them; ``None``: there is none.

    Args:
        tx: Any transaction.
        audit: That the link leads to.
        finding: Any number.
        page: Of the list, from 1.
        per_page: Rows of a page of the list.
    """
    seen = view_shared_audit(tx, audit)
    if seen is None or not 0 < finding <= len(seen.result.findings):
        return None
    one = seen.result.findings[finding - 1]
    first = (page - 1) * per_page
    rows, total = rows_from(tx, seen.crawl.id, finding, first, per_page)
    return SharedFinding(
        finding=one, places=_masked(places_of(tx, seen.crawl, rows, first)), total=total, brand=seen.brand
    )


def _masked(places: Sequence[ShownPlace]) -> tuple[ShownPlace, ...]:
    """Places with what the share page masks."""
    mask = masker(sorted({url for one in places for url in (one.url, one.target or "")}))
    return tuple(_hidden(one, mask) for one in places)


def _hidden(place: ShownPlace, mask: Callable[[str], str]) -> ShownPlace:
    return replace(
        place,
        url=mask_url(place.url),
        target=None if place.target is None else mask_url(place.target),
        value=None if place.value is None else mask(place.value),
    )


def export_pages(
    tx: Transaction, caller: Caller, audit_id: int, *, crawl: int | None = None, part: int = 1
) -> Exported:
    """Every URL in scope in the order of discovery; arguments and errors as of ``export_findings``."""
    audit, of = _of(tx, caller, audit_id, crawl)
    first = (part - 1) * PART_ROWS
    stored = urls_page(tx, of.id, URLFilter(), first=first, count=PART_ROWS + 1) if first < of.urls else ()
    if part > 1 and not stored:
        raise NotFound
    pages = pages_of(tx, of, stored[:PART_ROWS])
    return Exported(audit=audit, crawl=of, pages=pages, more=len(stored) > PART_ROWS)


def export_links(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    *,
    crawl: int | None = None,
    which: LinkFilter,
    part: int = 1,
) -> Exported:
    """The links that fit a filter as the pages were read; other arguments and errors as of ``export_findings``."""
    audit, of = _of(tx, caller, audit_id, crawl)
    found, more = _part(each_link(tx, of, which), part)
    return Exported(audit=audit, crawl=of, links=shown_links(tx, of, found), more=more)


def export_sitemap(
    tx: Transaction, caller: Caller, audit_id: int, *, crawl: int | None = None, part: int = 1
) -> Exported:
    """The pages that search engines should know; arguments and errors as of ``export_findings``.

    These are pages of status 200 that were read, do not ask to be left out, and name no other page as canonical.
    """
    audit, of = _of(tx, caller, audit_id, crawl)
    dates = {
        row.page_id: row.lastmod
        for rows in each_segment(tx, of.id, SitemapRow, of.segments)
        for row in rows
        if _DATE.fullmatch(row.lastmod)
    }
    rows, more = _part(_good(tx, of), part)
    listed = tuple((one.url, dates.get(one.url_id, "")) for one in rows)
    return Exported(audit=audit, crawl=of, listed=listed, more=more)


def _of(tx: Transaction, caller: Caller, audit_id: int, number: int | None) -> tuple[Audit, Crawl]:
    audit = show_audit(tx, caller, audit_id)
    return audit, find_crawl(tx, audit, number)[0]


def _part(rows: Iterator[T], part: int) -> tuple[list[T], bool]:
    """The rows of a part, and whether there are more."""
    first = (part - 1) * PART_ROWS
    found = list(islice(rows, first, first + PART_ROWS + 1))
    if part > 1 and not found:
        raise NotFound
    return found[:PART_ROWS], len(found) > PART_ROWS


def _good(tx: Transaction, crawl: Crawl) -> Iterator[StoredURL]:
    last: int | None = None
    while stored := urls_beside(tx, crawl.id, PAGES, _AT_ONCE, beside=last, backward=False):
        for page in pages_of(tx, crawl, stored):
            row = page.row
            if row is None or not row.read or row.noindex or row.refusal:
                continue
            if row.canonical_id in {None, page.stored.url_id}:
                yield page.stored
        last = stored[-1].url_id
