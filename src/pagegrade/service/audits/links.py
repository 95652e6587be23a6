"""Links of a crawl between its URLs, in the order in which their pages were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.audit import LinkKind, URLState
from pagegrade.service.audits.operations import find_crawl, show_audit
from pagegrade.service.id_lists import Listed, Part, Walked, walk
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import LinkRow, each_segment
from pagegrade.store.repositories.crawl_urls import LinkedURL, linked_urls, urls_of

_BATCH: Final = 1 << 20
"""Ids of the links of one batch, which are fewer."""


class LinkFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of a list of links; ``None``: all."""

    from_id: int | None = None
    to_id: int | None = None
    kind: LinkKind | None = None
    states: tuple[URLState, ...] | None = None
    """Of the target."""
    status: int | None = None
    """Of the target."""


class ShownLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link with the URLs of both ends."""

    id: int
    """Grows in the order of the list."""
    row: LinkRow
    source: str
    target: LinkedURL


def list_links(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    which: LinkFilter,
    *,
    crawl: int | None = None,
    page: int,
    per_page: int,
) -> Listed[ShownLink]:
    """A page of the links of a crawl.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)
    first = (page - 1) * per_page
    shown = []
    total = 0
    for found in _each(tx, of.id, which, range(of.segments)):
        if first <= total < first + per_page:
            shown.append(found)
        total += 1
    return Listed(items=_shown(tx, of.id, shown), total=total)


def walk_links(
    tx: Transaction, caller: Caller, audit_id: int, which: LinkFilter, part: Part, *, crawl: int | None = None
) -> Walked[ShownLink]:
    """Some of the links of a crawl.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)

    def read(count: int, *, beside: int | None, backward: bool) -> tuple[ShownLink, ...]:
        place = None if beside is None else min(beside // _BATCH, of.segments)
        if backward:
            numbers: Iterable[int] = range((of.segments if place is None else place + 1) - 1, -1, -1)
            rows = _each(tx, of.id, which, numbers, backward=True)
            wanted = (found for found in rows if beside is None or found[0] < beside)
            return _shown(tx, of.id, list(islice(wanted, count))[::-1])
        rows = _each(tx, of.id, which, range(place or 0, of.segments))
        wanted = (found for found in rows if beside is None or found[0] > beside)
        return _shown(tx, of.id, list(islice(wanted, count)))

    def count() -> int:
        return sum(1 for _ in _each(tx, of.id, which, range(of.segments)))

    return walk(read, lambda link: link.id, part, count)


def _each(
    tx: Transaction, crawl_id: int, which: LinkFilter, numbers: Iterable[int], *, backward: bool = False
) -> Iterator[tuple[int, LinkRow]]:
    """Yield (id, link) of the batches with these numbers, one batch in memory at a time."""
    for number in numbers:
        rows = next(each_segment(tx, crawl_id, LinkRow, (number,)), [])
        found = [
            (number * _BATCH + at, row)
            for at, row in enumerate(rows, 1)
            if which.from_id in {None, row.from_id}
            and which.to_id in {None, row.to_id}
            and which.kind in {None, row.kind}
        ]
        if which.states is not None or which.status is not None:
            targets = linked_urls(tx, crawl_id, (row.to_id for _, row in found))
            found = [one for one in found if _matches(targets.get(one[1].to_id), which)]
        yield from reversed(found) if backward else found


def _matches(target: LinkedURL | None, which: LinkFilter) -> bool:
    if target is None:
        return False
    return which.status in {None, target.status} and (which.states is None or target.state in which.states)


def _shown(tx: Transaction, crawl_id: int, found: list[tuple[int, LinkRow]]) -> tuple[ShownLink, ...]:
    sources = urls_of(tx, crawl_id, (row.from_id for _, row in found))
    targets = linked_urls(tx, crawl_id, (row.to_id for _, row in found))
    return tuple(
        ShownLink(id=number, row=row, source=sources.get(row.from_id, ""), target=targets[row.to_id])
        for number, row in found
        if row.to_id in targets
    )
