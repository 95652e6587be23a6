"""Answers in their envelope, pictures, and 304 responses."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import msgspec

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.stored import ListPart, ListQuery, Position
from pagegrade.service.container import Services
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.service.reports.views import ShownPicture
from pagegrade.web.http.body import JSON
from pagegrade.web.http.request_headers import http_date, is_unchanged, may_change
from pagegrade.web.http.response import FRESH, INERT, Response
from pagegrade.web.paging import Page, Walk, page_body, position_in, walk_body, write_cursor
from pagegrade.web.parameters import Paged, PagedById
from pagegrade.web.request import Request
from pagegrade.web.schemas.envelope import Deleted
from pagegrade.web.schemas.report import Part

T = TypeVar("T")
FIRST_NOT_DONE: Final = 300
"""First HTTP status that is not a success."""
IDENTITY: Final = ("id", "object")
"""Members of the answer to a change with ``Prefer: return=minimal``."""
Headers = tuple[tuple[str, str], ...]


def enveloped(*data: Part, status: int = 200, warnings: Sequence[RequestWarning] = ()) -> bytes:
    """Wrap ``data``, the parts of an encoded JSON value, in the envelope of a success."""
    end = b',"warnings":%b}' % msgspec.json.encode(warnings) if warnings else b"}"
    return b"".join((b'{"data":', *data, b',"status":%d' % status, end))  # "%" takes 50 times as long for 100 kB


def warned(answer: Response, warnings: Sequence[RequestWarning]) -> Response:
    """Add warnings to a success in JSON; leave anything else as it is."""
    if not warnings or not answer.body or answer.media_type != JSON or answer.status_code >= FIRST_NOT_DONE:
        return answer
    members = msgspec.json.decode(bytes(answer.body), type=dict[str, msgspec.Raw])
    if "status" not in members:
        return answer  # the API description has no envelope
    there = msgspec.json.decode(members.get("warnings", b"[]"), type=list[msgspec.Raw])
    joined = msgspec.json.encode([*there, *warnings])
    answer.replace_body(msgspec.json.encode({**members, "warnings": msgspec.Raw(joined)}))
    return answer


def hashed_tag(*parts: bytes) -> str:
    """Return a strong entity tag of these bytes."""
    digest = hashlib.sha256()  # hardware support makes it twice as fast as others
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return f'"{digest.hexdigest()[:24]}"'


def unchanged(request: Request, etag: str, *, modified_ms: int | None = None, headers: Headers = ()) -> Response | None:
    """Return 304 if the client has the current state already, else ``None``.

    Args:
        modified_ms: Time of the last change; ``None`` if unknown.
        headers: Further headers of the full answer (RFC 9110 15.4.5).
    """
    if is_unchanged(
        request.header(b"if-none-match"), request.header(b"if-modified-since"), etag=etag, modified_ms=modified_ms
    ):
        return Response(status_code=304, headers=(*validators(etag, modified_ms), *headers))
    return None


def validators(etag: str, modified_ms: int | None = None) -> Headers:
    """Return the headers that clients use in later conditional requests."""
    tag = (("ETag", etag),)
    return tag if modified_ms is None else (*tag, ("Last-Modified", http_date(modified_ms)))


def fresh_answer(request: Request, body: bytes, *, modified_ms: int | None = None, headers: Headers = ()) -> Response:
    """Return 200 with the body, or 304 if the client has it already; ``headers`` are sent besides the validators."""
    etag = hashed_tag(body)
    return unchanged(request, etag, modified_ms=modified_ms) or Response(
        status_code=200, content=body, headers=(*validators(etag, modified_ms), *headers)
    )


def written_answer(
    request: Request,
    services: Services,
    data: bytes,
    *,
    created: int | None = None,
    shown: bytes | None = None,
    minimal: Sequence[str] | None = IDENTITY,
    modified_ms: int | None = None,
    warnings: Sequence[RequestWarning] = (),
) -> Response:
    """Return an object that was created or changed, or what the client prefers to have of it.

    Args:
        created: Number of a new object, below the path of the operation; ``None``: it was there before.
        shown: JSON object of later answers, where this one has a secret; it stays in no cache.
        minimal: Members of the answer with ``Prefer: return=minimal``; ``None``: all.
        modified_ms: Time of the change, where later answers have it.
    """
    status = 200 if created is None else 201
    location = () if created is None else (("Location", f"{url_of(request, services)}/{created}"),)
    return Response(
        status_code=status,
        content=enveloped(
            picked(data, minimal if request.preferences.minimal else None), status=status, warnings=warnings
        ),
        headers=(
            *location,
            *validators(hashed_tag(enveloped(shown or data)), modified_ms),
            *request.preferences.applied(writing=True),
            *((("Cache-Control", "no-store"),) if shown else ()),
        ),
    )


def precondition(
    request: Request, encode: Callable[[T], bytes], *, modified_ms: Callable[[T], int] | None = None
) -> Callable[[T], str | None] | None:
    """Return the condition that the request puts on the state of an object; ``None``: it puts none.

    Args:
        encode: Returns the JSON object that the client may know.
        modified_ms: Returns the time of its last change, where answers have it.

    Returns:
        A function that returns ``None`` if the client knows the object as it is, else its entity tag.
    """
    names = (b"if-match", b"if-none-match", b"if-unmodified-since")
    sent = tuple(request.header(name) for name in names[: 2 if modified_ms is None else 3])
    if not any(value is not None for value in sent):
        return None
    if_match, if_none_match, *since = sent

    def refused(known: T) -> str | None:
        etag = hashed_tag(enveloped(encode(known)))
        moment = 0 if modified_ms is None else modified_ms(known)
        unmodified = since[0] if since else None
        return None if may_change(if_match, if_none_match, unmodified, etag=etag, modified_ms=moment) else etag

    return refused


def url_of(request: Request, services: Services) -> str:
    """Return the public URL of what the operation is about, without a query."""
    path = request.path if request.operation is None else request.operation.path.format(**request.path_params)
    return f"{services.options.base_url}{path}"


def deleted_answer(confirmation: Deleted) -> Response:
    """Return 200 with the confirmation that an object was deleted."""
    return Response(status_code=200, content=msgspec.json.encode(confirmation))


def listed_answer(
    request: Request, services: Services, found: Listed[T], query: Paged, *, encode: Callable[[T], bytes]
) -> Response:
    """Return 200 with a page of a list, or 304 if the client has it already.

    Args:
        encode: Encodes an item as a JSON object.
    """
    page = Page(
        path=url_of(request, services),
        query=request.filters(query),
        page=query.page,
        per_page=query.per_page,
        total=found.total,
        count=len(found.items),
    )
    body, link = page_body([encode(item) for item in found.items], page)
    # Long bytes are hashed without the GIL, and reacquiring it takes longer than the hash.
    etag = hashed_tag(f"{page} {found.version}".encode()) if found.version else hashed_tag(body)
    headers = (*validators(etag), ("Link", link))
    return unchanged(request, etag) or Response(status_code=200, content=body, headers=headers)


def walked_answer(request: Request, items: Sequence[bytes], walk: Walk, *, version: str = "") -> Response:
    """Return 200 with a part of a list, encoded, or 304 if the client has it already."""
    body, link = walk_body(items, walk)
    etag = hashed_tag(f"{walk} {version}".encode()) if version else hashed_tag(body)
    headers = (*validators(etag), ("Link", link))
    return unchanged(request, etag) or Response(status_code=200, content=body, headers=headers)


def picked(item: bytes, names: Sequence[str] | None) -> bytes:
    """Return an encoded JSON object reduced to the given members; ``None`` for all members."""
    if names is None:
        return item
    members = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({name: members[name] for name in names if name in members})


def known_picture(request: Request) -> Callable[[str], bool]:
    """Return whether the client has the picture with a tag, as its request says."""
    return lambda tag: is_unchanged(
        request.header(b"if-none-match"), None, etag=hashed_tag(tag.encode()), modified_ms=None
    )


def picture_response(shown: ShownPicture, *, headers: Headers = ()) -> Response:
    """Return the picture, or 304 where the client has it."""
    sent = (*validators(hashed_tag(shown.tag.encode())), FRESH, INERT, *headers)
    if shown.body is None:
        return Response(status_code=304, headers=sent)
    return Response(status_code=200, content=shown.body, media_type=shown.media_type, headers=sent)


_ORDER = ListQuery(sort_by="id", descending=True)
"""Cursors are those of a list of reports by id."""


PAGE_AND_CURSOR: Final = Violation(
    field="page", place="query", code="not_with", message="Send either page or cursor, not both."
)


async def answer_id_list(
    request: Request,
    services: Services,
    encode: Callable[[T], bytes],
    read: Callable[[ListPart], Awaitable[Listed[T]]],
    query: PagedById | None = None,
) -> Response:
    """200 with a part of a list, the newest first, or 304 where the client has this very part.

    Args:
        encode: Returns the JSON object of an item.
        read: Reads a numbered page, or what is at a cursor.
        query: As it was read from the request; ``None``: it has no filters.

    Raises:
        ValidationFailed: The cursor belongs to another list, or there is a page number, too.
    """
    query = query or request.query(PagedById)
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
