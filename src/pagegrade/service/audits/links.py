"""Links of a crawl between its URLs, in the order in which their pages were read or by their targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Literal

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.audit import PAGE_STATES, Crawl, LinkKind, PageState, URLState
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.operations import find_crawl, show_audit
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import LinkRow, each_segment
from pagegrade.store.repositories.crawl_urls import LinkedURL, linked_urls, targets_of, urls_of

_BATCH: Final = 1 << 20
"""Ids of the links of one batch, which are fewer."""


class LinkFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of a list of links; ``None``: all."""

    from_: int | None = None
    """Id of the page that has it."""
    to: int | None = None
    """Id of its target."""
    kind: LinkKind | None = None
    state: PageState | Literal["outside"] | None = None
    """Of the target."""
    status: int | None = None
    """Of the target."""


_ALL: Final = LinkFilter()


class ShownLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link with the URLs of both ends."""

    id: int
    """Grows in the order of the list."""
    row: LinkRow
    source: str
    target: LinkedURL


LinkOrder = Literal["source", "target"]
"""As the pages were read; or by what is linked to, in order of its discovery."""


def list_links(
    tx: Transaction,
    caller: Caller,
    audit_id: int,
    which: LinkFilter,
    part: ListPart,
    *,
    crawl: int | None = None,
    order: LinkOrder = "source",
) -> Listed[ShownLink]:
    """Some of the links of a crawl; only numbered pages have another order than that of their sources.

    Raises:
        NotFound: There is no such audit or crawl.
    """
    of, _ = find_crawl(tx, show_audit(tx, caller, audit_id), crawl)
    if part.page is not None:
        # Counted and read in one pass, because each is one over all batches.
        first, size = part.skipped, part.per_page
        if order == "target":
            found, total = _by_target(tx, of, which, first, size)
        else:
            every = each_link(tx, of, which)
            found = list(islice(every, first, first + size))
            # Where the list ends before this page, its length is counted from the beginning.
            total = first + len(found) + sum(1 for _ in every) if found else sum(1 for _ in each_link(tx, of, which))
        return Listed(items=shown_links(tx, of, found), total=total)

    def read(part: ListPart) -> tuple[ShownLink, ...]:
        place = None if part.beside is None else min(part.beside // _BATCH, of.segments)
        if part.backward:
            numbers: Iterable[int] = range((of.segments if place is None else place + 1) - 1, -1, -1)
            rows = _each(tx, of.id, which, numbers, backward=True)
            wanted = (found for found in rows if part.beside is None or found[0] < part.beside)
            return shown_links(tx, of, list(islice(wanted, part.per_page))[::-1])
        rows = _each(tx, of.id, which, range(place or 0, of.segments))
        wanted = (found for found in rows if part.beside is None or found[0] > part.beside)
        return shown_links(tx, of, list(islice(wanted, part.per_page)))

    def count() -> int:
        return sum(1 for _ in each_link(tx, of, which))

    return read_part(read, lambda link: link.id, part, count)


def _by_target(
    tx: Transaction, crawl: Crawl, which: LinkFilter, first: int, count: int
) -> tuple[list[tuple[int, LinkRow]], int]:
    """(id, link) of a page of the links by their targets, and how many there are on all pages.

    The links are read twice: once to count those of each target, then to collect those of this page, which alone are in
    memory, with one number for each target: a start page may be the target of all links but a few.
    """
    counts = Counter(row.to_id for _, row in each_link(tx, crawl, which))
    places: dict[int, int] = {}  # of the next link of a target among those of all pages
    passed = 0
    for target in sorted(counts):
        if passed < first + count and passed + counts[target] > first:
            places[target] = passed
        passed += counts[target]
    found: dict[int, tuple[int, LinkRow]] = {}
    for one in each_link(tx, crawl, which) if places else ():
        place = places.get(one[1].to_id)
        if place is not None:
            places[one[1].to_id] = place + 1
            if first <= place < first + count:
                found[place] = one
    return [found[place] for place in sorted(found)], passed


def each_link(tx: Transaction, crawl: Crawl, which: LinkFilter) -> Iterator[tuple[int, LinkRow]]:
    """Yield (id, link) of a crawl in the order in which its pages were read."""
    return _each(tx, crawl.id, which, range(crawl.segments))


def _each(
    tx: Transaction, crawl_id: int, which: LinkFilter, numbers: Iterable[int], *, backward: bool = False
) -> Iterator[tuple[int, LinkRow]]:
    """Yield (id, link) of the batches with these numbers, one batch in memory at a time."""
    targets = None
    if which.state is not None or which.status is not None:
        states = [state for state, (name, _) in PAGE_STATES.items() if name == which.state] or [URLState.OUTSIDE]
        targets = targets_of(tx, crawl_id, states=None if which.state is None else states, status=which.status)
    for number in numbers:
        rows = next(each_segment(tx, crawl_id, LinkRow, (number,)), [])
        found = list(enumerate(rows, number * _BATCH + 1))
        # A site has millions of links: without a filter none of them is looked at.
        if which != _ALL:
            found = [
                (at, row)
                for at, row in found
                if (which.from_ is None or row.from_id == which.from_)
                and (which.to is None or row.to_id == which.to)
                and (which.kind is None or row.kind == which.kind)
                and (targets is None or row.to_id in targets)
            ]
        yield from reversed(found) if backward else found


def shown_links(tx: Transaction, crawl: Crawl, found: Sequence[tuple[int, LinkRow]]) -> tuple[ShownLink, ...]:
    """Links of a crawl with the URLs of their ends."""
    sources = urls_of(tx, crawl.id, (row.from_id for _, row in found))
    targets = linked_urls(tx, crawl.id, (row.to_id for _, row in found))
    return tuple(
        ShownLink(id=number, row=row, source=sources.get(row.from_id, ""), target=targets[row.to_id])
        for number, row in found
        if row.to_id in targets
    )
