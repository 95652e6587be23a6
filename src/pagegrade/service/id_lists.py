"""Lists by id, newest first: their parts, by number (pagination) or beside an id, and what is on either side of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from pagegrade.model.stored import ListPart

T = TypeVar("T")


class Listed(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A part of a list."""

    items: tuple[T, ...]
    total: int
    """Items of the whole list; 0 where they were not counted."""
    version: str = ""
    """Changes whenever an item changes, for the entity tag; empty: the tag is computed from the items."""
    before: int | None = None
    """Id before which the previous items are; ``None``: there are none, or it is a numbered page."""
    after: int | None = None
    """Id after which the next items are; ``None`` likewise."""


def read_part(
    read: Callable[[ListPart], tuple[T, ...]], id_of: Callable[[T], int], part: ListPart, count: Callable[[], int]
) -> Listed[T]:
    """Read a part of a list; without a page number also whether there is more on either side of it."""
    total = count() if part.count or part.page is not None else 0
    if part.page is not None:
        return Listed(items=read(part) if part.skipped < total else (), total=total)
    found = read(part)
    if not found:
        return Listed(items=(), total=total)

    def around(item: T, *, backward: bool) -> int | None:
        return id_of(item) if read(ListPart(per_page=1, beside=id_of(item), backward=backward)) else None

    return Listed(
        items=found, total=total, before=around(found[0], backward=True), after=around(found[-1], backward=False)
    )


def part_of(items: Sequence[T], id_of: Callable[[T], int], part: ListPart) -> Listed[T]:
    """Read a part of a short list that was read whole, the highest id first."""

    def read(part: ListPart) -> tuple[T, ...]:
        if part.backward:
            return tuple([each for each in items if part.beside is None or id_of(each) > part.beside][-part.per_page :])
        found = [each for each in items if part.beside is None or id_of(each) < part.beside]
        return tuple(found[part.skipped : part.skipped + part.per_page])

    return read_part(read, id_of, part, lambda: len(items))
