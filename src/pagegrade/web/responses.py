"""Answers in their envelope, and the one that says that nothing has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from pagegrade.service.container import Services
from pagegrade.service.reports.operations import Listed
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.http.body import JSON
from pagegrade.web.http.conditional import http_date, is_unchanged
from pagegrade.web.http.response import Response
from pagegrade.web.paging import Page, Walk, page_body, walk_body
from pagegrade.web.parameters import Paged
from pagegrade.web.request import Request

T = TypeVar("T")
FIRST_NOT_DONE: Final = 300
"""Of the statuses that are no success."""
Headers = tuple[tuple[str, str], ...]


def enveloped(data: bytes, *, status: int = 200, warnings: Sequence[RequestWarning] = ()) -> bytes:
    """``data``, an encoded JSON value, in the envelope of a success."""
    end = b',"warnings":%b}' % msgspec.json.encode(_warnings(warnings)) if warnings else b"}"
    return b"".join((b'{"data":', data, b',"status":%d' % status, end))  # "%" takes 50 times as long for 100 kB


def warned(answer: Response, warnings: Sequence[RequestWarning]) -> Response:
    """Add warnings to a success in JSON; leave anything else as it is."""
    if not warnings or not answer.body or answer.media_type != JSON or answer.status_code >= FIRST_NOT_DONE:
        return answer
    members = msgspec.json.decode(bytes(answer.body), type=dict[str, msgspec.Raw])
    if "status" not in members:
        return answer  # the description of the API is a document of another standard
    there = msgspec.json.decode(members.get("warnings", b"[]"), type=list[msgspec.Raw])
    joined = msgspec.json.encode([*there, *_warnings(warnings)])
    answer.replace_body(msgspec.json.encode({**members, "warnings": msgspec.Raw(joined)}))
    return answer


def _warnings(warnings: Sequence[RequestWarning]) -> list[dict[str, str]]:
    return [{"field": each.field, "code": each.code, "message": each.message} for each in warnings]


def hashed_tag(*parts: bytes) -> str:
    """A strong entity tag of what these bytes say."""
    digest = hashlib.sha256()  # processors have instructions for it: half the time of the others
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return f'"{digest.hexdigest()[:24]}"'


def unchanged(request: Request, etag: str, *, modified_ms: int | None = None, headers: Headers = ()) -> Response | None:
    """304 if the client has the newest state already; ``None``: it needs an answer.

    Args:
        request: The request.
        etag: Of the answer it would get.
        modified_ms: When that last changed; ``None``: nobody knows.
        headers: Besides the tag, those that the answer would have (RFC 9110 15.4.5).
    """
    if is_unchanged(
        request.header(b"if-none-match"), request.header(b"if-modified-since"), etag=etag, modified_ms=modified_ms
    ):
        return Response(status_code=304, headers=(*validators(etag, modified_ms), *headers))
    return None


def validators(etag: str, modified_ms: int | None = None) -> Headers:
    """The headers a client can later ask by whether something has changed."""
    tag = (("ETag", etag),)
    return tag if modified_ms is None else (*tag, ("Last-Modified", http_date(modified_ms)))


def fresh_answer(request: Request, body: bytes, *, headers: Headers = ()) -> Response:
    """200 with the body, or 304 where the client has this very body; ``headers`` besides its tag."""
    etag = hashed_tag(body)
    return unchanged(request, etag) or Response(status_code=200, content=body, headers=(*validators(etag), *headers))


def deleted_answer(object_name: str, **members: Any) -> Response:
    """200: what was deleted, by its identifying members."""
    content = {**members, "object": object_name, "deleted": True, "status": 200}
    return Response(status_code=200, content=msgspec.json.encode(content))


def listed_answer(
    request: Request, services: Services, found: Listed[T], query: Paged, *, path: str, encode: Callable[[T], bytes]
) -> Response:
    """200 with a page of a list, or 304 where the client has this very page.

    Args:
        request: The request.
        services: Of the process.
        found: The page.
        query: As it was read from the request.
        path: Of the list, from the root.
        encode: Returns the JSON object of an item.
    """
    page = Page(
        path=f"{services.options.base_url}{path}",
        query=request.filters(query),
        page=query.page,
        per_page=query.per_page,
        total=found.total,
        count=len(found.items),
    )
    body, link = page_body([encode(item) for item in found.items], page)
    # Long bytes are hashed without Python's lock, and getting it back takes longer than the hash.
    etag = hashed_tag(f"{page} {found.version}".encode()) if found.version else hashed_tag(body)
    headers = (*validators(etag), ("Link", link))
    return unchanged(request, etag) or Response(status_code=200, content=body, headers=headers)


def walked_answer(request: Request, found: Listed[bytes], walk: Walk) -> Response:
    """200 with some items of a list, encoded, or 304 where the client has these very items."""
    body, link = walk_body(found.items, walk)
    etag = hashed_tag(f"{walk} {found.version}".encode()) if found.version else hashed_tag(body)
    headers = (*validators(etag), ("Link", link))
    return unchanged(request, etag) or Response(status_code=200, content=body, headers=headers)


def picked(item: bytes, names: Sequence[str] | None) -> bytes:
    """A JSON object with only these of its members, encoded; ``None``: with all."""
    if names is None:
        return item
    members = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({name: members[name] for name in names if name in members})
