"""Responses that are pictures of a report: kept by the client, asked about each time, and inert."""

from __future__ import annotations

from collections.abc import Callable

from pagegrade.service.reports.pictures import ShownPicture
from pagegrade.web.http.conditional import is_unchanged
from pagegrade.web.http.headers import FRESH, INERT
from pagegrade.web.http.response import Response
from pagegrade.web.request import Request
from pagegrade.web.responses import Headers, hashed_tag, validators


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
