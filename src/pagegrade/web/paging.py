"""Pagination of a list: the members ``links`` and ``meta``, the Link header (RFC 8288), and cursors.

A cursor is a position between two items of a list, encoded as opaque text that clients send back unchanged. It holds no
secret and gives no access: it says where to begin in the caller's own list. So it is not signed, and a forged one is
either a valid position or rejected.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.stored import ORDERS, ListQuery, Position, SortBy, parts_of
from pagegrade.web.http.fields import UnreadableError
from pagegrade.web.schemas.envelope import Links, Meta, ReportListLinks, ReportListMeta

VERSION: Final = 1
MAX_CHARACTERS: Final = 12_288
"""A URL of 2,048 characters that JSON writes as six bytes each needs about as many."""
_TEXT: Final = re.compile(r"[A-Za-z0-9_-]+")
_MAX_INTEGER: Final = 2**63 - 1
_INVALID: Final = "Take the cursor from links.next or links.prev of an answer, or leave it empty to begin."


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a list with one sort order."""

    sort_by: SortBy
    descending: bool
    position: Position


def write_cursor(query: ListQuery, position: Position) -> str:
    """Encode a position in a list as a cursor."""
    members = [VERSION, query.sort_by, query.descending, position.backward, position.part, *position.values]
    return base64.urlsafe_b64encode(msgspec.json.encode(members)).decode("ascii").rstrip("=")


def read_cursor(text: str) -> Cursor:
    """Decode a cursor.

    Raises:
        UnreadableError: The text is not a cursor.
    """
    if len(text) > MAX_CHARACTERS or not _TEXT.fullmatch(text):
        raise UnreadableError("invalid", _INVALID)
    try:
        members = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=list[Any])
    except (ValueError, RecursionError):
        raise UnreadableError("invalid", _INVALID) from None
    match members:
        case [version, str(sort_by), bool(descending), bool(backward), int(part), *values] if (
            version == VERSION and sort_by in ORDERS and type(part) is int
        ):
            position = Position(part=part, values=tuple(values), backward=backward)
            return Cursor(sort_by=sort_by, descending=descending, position=position)
    raise UnreadableError("invalid", _INVALID)


def position_in(cursor: Cursor, query: ListQuery) -> Position:
    """Return the position of a cursor in the list of a query.

    Raises:
        ValidationFailed: The cursor belongs to a list in another order, or is not a valid position.
    """
    if (cursor.sort_by, cursor.descending) != (query.sort_by, query.descending):
        raise _refused("other_order", "The cursor belongs to a list that is sorted in another way.")
    parts = parts_of(query)
    position = cursor.position
    if not 0 <= position.part < len(parts):
        raise _refused("invalid", _INVALID)
    compared = parts[position.part].compared
    if len(compared) != len(position.values) or not all(map(_fits, compared, position.values)):
        raise _refused("invalid", _INVALID)
    return position


def _fits(column: str, value: object) -> bool:
    if column == "url":
        return isinstance(value, str) and value.isascii() and value.isprintable()
    return type(value) is int and -_MAX_INTEGER <= value <= _MAX_INTEGER


def _refused(code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field="cursor", place="query", code=code, message=message)])


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a list."""

    path: str
    """Absolute URL of the list, without a query."""
    query: Mapping[str, str]
    """Query parameters of the request except ``per_page`` and ``page``, in the order used in the links."""
    page: int
    """Number of the page, from 1; may be larger than the last one."""
    per_page: int
    total: int
    """Number of items of all pages."""
    count: int
    """Number of items of this page."""

    @property
    def last_page(self) -> int:
        """Return the number of the last page, at least 1."""
        return max(1, -(-self.total // self.per_page))

    def links(self) -> Links:
        """Return the URLs of the other pages."""
        last = self.last_page
        query = {**self.query, "per_page": self.per_page}
        start = f"{self.path}?{urlencode(query, quote_via=quote)}&page="
        return Links(
            first=f"{start}1",
            last=f"{start}{last}",
            # From a page past the end, the previous page is the last one.
            prev=f"{start}{min(self.page - 1, last)}" if self.page > 1 else None,
            next=f"{start}{self.page + 1}" if self.page < last else None,
        )

    def meta(self) -> Meta:
        """Return the position of this page in the list."""
        start = (self.page - 1) * self.per_page + 1
        return Meta(
            current_page=self.page,
            from_=start if self.count else None,
            last_page=self.last_page,
            path=self.path,
            per_page=self.per_page,
            to=start + self.count - 1 if self.count else None,
            total=self.total,
        )


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a list that is read by cursor."""

    path: str
    """Absolute URL of the list, without a query."""
    query: Mapping[str, str]
    """Query parameters of the request except ``per_page`` and ``cursor``, in the order used in the links."""
    per_page: int
    before: str | None
    """Cursor of the items just before; ``None`` if there are none."""
    after: str | None
    """Cursor of the items just after; ``None`` if there are none."""
    total: int | None
    """Number of items of the whole list; ``None`` if not counted."""

    def links(self) -> ReportListLinks:
        """Return the URLs of the other parts; the last one is unknown without counting."""
        start = f"{self.path}?{urlencode({**self.query, 'per_page': self.per_page}, quote_via=quote)}&cursor="
        return ReportListLinks(
            first=start,
            last=None,
            prev=None if self.before is None else f"{start}{self.before}",
            next=None if self.after is None else f"{start}{self.after}",
        )

    def meta(self) -> ReportListMeta:
        """Return the metadata of the list."""
        return ReportListMeta(path=self.path, per_page=self.per_page, total=UNSET if self.total is None else self.total)


def walk_body(items: Sequence[bytes], walk: Walk) -> tuple[bytes, str]:
    """Return the body with a part of a list, and its Link header; ``items`` are encoded JSON objects."""
    links = walk.links()
    around = b'"links":%b,"meta":%b' % (msgspec.json.encode(links), msgspec.json.encode(walk.meta()))
    return _list_body(items, around), _link_header(links)


def _list_body(items: Sequence[bytes], around: bytes) -> bytes:
    return b"".join((b'{"data":[', b",".join(items), b"],", around, b',"status":200}'))


def _link_header(links: Links | ReportListLinks) -> str:
    named = (("first", links.first), ("prev", links.prev), ("next", links.next), ("last", links.last))
    return ", ".join(f'<{url}>; rel="{name}"' for name, url in named if url)


def page_body(items: Sequence[bytes], page: Page) -> tuple[bytes, str]:
    """Return the body with one page of a list, and its Link header."""
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
    """Return the JSON members around the items of a page, and its Link header; cached until the list grows."""
    page = Page(path=path, query=dict(query), page=number, per_page=per_page, total=total, count=count)
    links = page.links()
    link = _link_header(links)
    return b'"links":%b,"meta":%b' % (msgspec.json.encode(links), msgspec.json.encode(page.meta())), link
