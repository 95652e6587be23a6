"""Lists in pages: the members ``links`` and ``meta``, and the Link header (RFC 8288)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a list."""

    path: str
    """Absolute URL of the list, without a query."""
    query: Mapping[str, str]
    """What the client asked for besides ``per_page`` and ``page``, in the order of the links."""
    page: int
    """From 1; may lie behind the last."""
    per_page: int
    total: int
    """Items of all pages."""
    count: int
    """Items of this page."""

    @property
    def last_page(self) -> int:
        """Number of the last page, at least 1."""
        return max(1, -(-self.total // self.per_page))

    def links(self) -> dict[str, str | None]:
        """Where the other pages are."""
        last = self.last_page
        query = {**self.query, "per_page": self.per_page}
        start = f"{self.path}?{urlencode(query, quote_via=quote)}&page="
        return {
            "first": f"{start}1",
            "last": f"{start}{last}",
            # From behind the end one gets back to the last page that there is.
            "prev": f"{start}{min(self.page - 1, last)}" if self.page > 1 else None,
            "next": f"{start}{self.page + 1}" if self.page < last else None,
        }

    def meta(self) -> dict[str, Any]:
        """Which part of the list this is."""
        start = (self.page - 1) * self.per_page + 1
        return {
            "current_page": self.page,
            "from": start if self.count else None,
            "last_page": self.last_page,
            "path": self.path,
            "per_page": self.per_page,
            "to": start + self.count - 1 if self.count else None,
            "total": self.total,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Some items of a list that is read from cursor to cursor."""

    path: str
    """Absolute URL of the list, without a query."""
    query: Mapping[str, str]
    """What the client asked for besides ``per_page`` and ``cursor``, in the order of the links."""
    per_page: int
    before: str | None
    """Cursor of the items just before; ``None``: there are none."""
    after: str | None
    """Cursor of the items just after; ``None``: there are none."""
    total: int | None
    """Items of the whole list; ``None``: they were not counted."""

    def links(self) -> dict[str, str | None]:
        """Where the other items are; where the last ones are, nobody knows without counting."""
        start = f"{self.path}?{urlencode({**self.query, 'per_page': self.per_page}, quote_via=quote)}&cursor="
        return {
            "first": start,
            "last": None,
            "prev": None if self.before is None else f"{start}{self.before}",
            "next": None if self.after is None else f"{start}{self.after}",
        }

    def meta(self) -> dict[str, Any]:
        """What is known of the list."""
        counted = {} if self.total is None else {"total": self.total}
        return {"path": self.path, "per_page": self.per_page, **counted}


def walk_body(items: Sequence[bytes], walk: Walk) -> tuple[bytes, str]:
    """Return the body with some items of a list, and its Link header; ``items`` are JSON objects, encoded."""
    links = walk.links()
    around = b'"links":%b,"meta":%b' % (msgspec.json.encode(links), msgspec.json.encode(walk.meta()))
    return _list_body(items, around), _link_header(links)


def _list_body(items: Sequence[bytes], around: bytes) -> bytes:
    return b"".join((b'{"data":[', b",".join(items), b"],", around, b',"status":200}'))


def _link_header(links: Mapping[str, str | None]) -> str:
    return ", ".join(f'<{url}>; rel="{name}"' for name in ("first", "prev", "next", "last") if (url := links[name]))


def page_body(items: Sequence[bytes], page: Page) -> tuple[bytes, str]:
    """Return the body with one page of a list, and its Link header.

    Args:
        items: JSON objects, encoded.
        page: Which page it is.
    """
    around, link = _around(
        path=page.path,
        query=tuple(page.query.items()),
        number=page.page,
        per_page=page.per_page,
        total=page.total,
        count=page.count,
    )
    return _list_body(items, around), link


@lru_cache(maxsize=512)
def _around(
    *, path: str, query: tuple[tuple[str, str], ...], number: int, per_page: int, total: int, count: int
) -> tuple[bytes, str]:
    """What stands around the items of a page, as JSON members, and its Link header; the same until a list grows."""
    page = Page(path=path, query=dict(query), page=number, per_page=per_page, total=total, count=count)
    links = page.links()
    link = _link_header(links)
    return b'"links":%b,"meta":%b' % (msgspec.json.encode(links), msgspec.json.encode(page.meta())), link
