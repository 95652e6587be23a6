"""Answers with lists by id: in numbered pages, or from cursor to cursor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import ListPart, ListQuery, Position
from pagegrade.service.container import Services
from pagegrade.service.id_lists import Listed
from pagegrade.web.api.report_list import PAGE_AND_CURSOR
from pagegrade.web.http.response import Response
from pagegrade.web.paging import Walk, position_in, write_cursor
from pagegrade.web.parameters import PagedById
from pagegrade.web.request import Request
from pagegrade.web.responses import listed_answer, url_of, walked_answer

T = TypeVar("T")
_ORDER = ListQuery(sort_by="id", descending=True)
"""Cursors are those of a list of reports by id."""


async def answer_id_list(
    request: Request,
    services: Services,
    query: PagedById,
    *,
    encode: Callable[[T], bytes],
    read: Callable[[ListPart], Awaitable[Listed[T]]],
) -> Response:
    """200 with a part of a list, the newest first, or 304 where the client has this very part.

    Args:
        query: As it was read from the request.
        encode: Returns the JSON object of an item.
        read: Reads a numbered page, or what is at a cursor.

    Raises:
        ValidationFailed: The cursor belongs to another list, or there is a page number, too.
    """
    if "cursor" not in request.sent:
        return listed_answer(
            request, services, await read(ListPart(page=query.page, per_page=query.per_page)), query, encode=encode
        )
    if request.sent.get("page") and not request.preferences.lenient:
        raise ValidationFailed([PAGE_AND_CURSOR])
    position = None if query.cursor is None else position_in(query.cursor, _ORDER)
    part = ListPart(
        per_page=query.per_page,
        beside=None if position is None else int(position.values[0]),
        backward=position is not None and position.backward,
        count=query.count == 1,
    )
    found = await read(part)

    def cursor(beside: int | None, *, backward: bool) -> str | None:
        return None if beside is None else write_cursor(_ORDER, Position(part=0, values=(beside,), backward=backward))

    walk = Walk(
        path=url_of(request, services),
        query=request.filters(query),
        per_page=query.per_page,
        before=cursor(found.before, backward=True),
        after=cursor(found.after, backward=False),
        total=found.total if part.count else None,
    )
    return walked_answer(request, [encode(item) for item in found.items], walk)
