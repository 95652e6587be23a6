"""Results of lists: a numbered page (``Listed``), and a part from cursor to cursor (``Walked``), newest first by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Listed(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A page of a list."""

    items: tuple[T, ...]
    total: int
    """Items on all pages."""
    version: str = ""
    """Changes whenever an item changes, for the entity tag; empty: the tag is computed from the items."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a part of a list."""

    per_page: int
    beside: int | None = None
    """Id that the part begins after, whether or not that item still exists; ``None``: the beginning of the list."""
    backward: bool = False
    """True for the part that ends before that id."""
    count: bool = False
    """True to count the whole list."""


class Walked(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some items of a list."""

    items: tuple[T, ...]
    before: int | None
    """Id before which the previous items are; ``None``: there are none."""
    after: int | None
    """Id after which the next items are; ``None``: there are none."""
    total: int | None
    """Items of the whole list, where they were counted."""


class Beside(Protocol[T_co]):
    """Reads items beside an id."""

    def __call__(self, count: int, *, beside: int | None, backward: bool) -> tuple[T_co, ...]:
        """Return up to ``count`` items after the id, or before it, the newest first."""


def walk(read: Beside[T], id_of: Callable[[T], int], part: Part, count: Callable[[], int]) -> Walked[T]:
    """Read a part of a list, and whether there is more on either side of it."""
    found = read(part.per_page, beside=part.beside, backward=part.backward)
    total = count() if part.count else None
    if not found:
        return Walked(items=(), before=None, after=None, total=total)

    def around(item: T, *, backward: bool) -> int | None:
        return id_of(item) if read(1, beside=id_of(item), backward=backward) else None

    return Walked(
        items=found, before=around(found[0], backward=True), after=around(found[-1], backward=False), total=total
    )


def page_of(items: Sequence[T], *, page: int, per_page: int) -> Listed[T]:
    """Return a page of a short list that was read whole, the highest id first."""
    begin = (page - 1) * per_page
    return Listed(items=tuple(items[begin : begin + per_page]), total=len(items))


def walk_of(items: Sequence[T], id_of: Callable[[T], int], part: Part) -> Walked[T]:
    """Read a part of a short list that was read whole, the highest id first."""

    def read(count: int, *, beside: int | None, backward: bool) -> tuple[T, ...]:
        if backward:
            return tuple([each for each in items if beside is None or id_of(each) > beside][-count:])
        return tuple([each for each in items if beside is None or id_of(each) < beside][:count])

    return walk(read, id_of, part, lambda: len(items))
