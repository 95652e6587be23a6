"""Queries of a list of reports: filters, orders, and positions between two reports."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pagegrade.model.stored import State

SortBy = Literal["id", "generated_at", "updated_at", "url", "result", "score"]
Filter = Literal["project", "rating", "state"]
Further = Literal["url", "privacy", "updated_since_ms"]
ORDERS: Final[dict[SortBy, tuple[str, ...]]] = {
    "id": ("id",),
    "generated_at": ("dated_at_ms", "id"),
    "updated_at": ("updated_at_ms", "id"),
    "url": ("url", "id"),
    "result": ("rating", "score", "id"),
    "score": ("score", "id"),
}
"""Columns that an order compares; those of an index are the same, after the account and a filter."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A place between two reports of an order: beside a report that is, or was, there."""

    part: int
    """Of the parts of the order (``parts_of``), from 0."""
    values: tuple[int | str, ...]
    """Of the columns that the part compares; the last one is an id."""
    backward: bool = False
    """Read towards the beginning of the list: the reports just before."""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Filters, order and page of a list of reports."""

    account_id: int = 0
    """Set by the use case to the caller's."""
    search: str | None = None
    """Substring of the URL, as typed; ``None`` or empty: any."""
    url: str | None = None
    """Canonical, whole; ``None``: any. An empty one finds nothing."""
    project: str | None = None
    """As ``parse.url.project_of`` gives it; ``None``: any. An empty one finds nothing."""
    rating: int | None = None
    """One of ``RATINGS``; ``None``: any, and none."""
    state: State | None = None
    privacy: int | None = None
    updated_since_ms: int | None = None
    """Changed at this moment or later."""
    sort_by: SortBy = "id"
    descending: bool = True
    page: int = 1
    """From 1; past the last one there is nothing."""
    per_page: int = 10
    expired_before_ms: int | None = None
    """Finished reports dated before are as good as deleted; ``None``: none expires."""

    @property
    def further(self) -> tuple[Further, ...]:
        """The filters in use that have no index in every order."""
        used: dict[Further, object] = {
            "url": self.url,
            "privacy": self.privacy,
            "updated_since_ms": self.updated_since_ms,
        }
        return tuple(name for name, value in used.items() if value is not None)


class Part(msgspec.Struct, frozen=True):
    """Part of an order, in which no column that is compared is empty. Reports without a value come in a later part."""

    rated: bool | None = None
    """Only reports with a result, or only those without; ``None``: both."""
    scored: bool | None = None
    """Only reports with a score, or only those without; ``None``: both."""
    compared: tuple[str, ...] = ()


def parts_of(query: ListQuery) -> tuple[Part, ...]:
    """The parts of an order, first to last: reports without a result, or without a score, come last both ways."""
    if query.sort_by == "result" and query.rating is None:
        return (
            Part(rated=True, compared=("rating", "score", "id")),
            Part(rated=False, scored=True, compared=("score", "id")),
            Part(rated=False, scored=False, compared=("id",)),
        )
    if query.sort_by == "score" and query.rating is None:
        return Part(scored=True, compared=("score", "id")), Part(scored=False, compared=("id",))
    if query.sort_by in {"result", "score"}:
        return (Part(compared=("score", "id")),)  # whatever has a result has a score
    return (Part(compared=ORDERS[query.sort_by]),)
