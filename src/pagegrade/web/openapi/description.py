"""Serve the OpenAPI description."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec

from pagegrade.model.schema import about
from pagegrade.service.container import Services
from pagegrade.web.http.request_headers import is_unchanged
from pagegrade.web.http.response import Response
from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.schemas.shape import Document


class Description(Document, frozen=True, kw_only=True):
    """An OpenAPI 3.1 document."""

    openapi: Annotated[str, about("Version of the OpenAPI Specification.", "3.1.0")]
    info: Annotated[dict[str, Any], about("Title and version of the API.", {"title": "Pagegrade", "version": "1.0.0"})]
    servers: Annotated[list[dict[str, Any]], about("URLs of the API.", [{"url": "https://reports.example.org"}])]
    tags: Annotated[list[dict[str, Any]], about("Groups of operations.", [{"name": "Reports"}])]
    paths: Annotated[dict[str, Any], about("Operations by path.", {})]
    webhooks: Annotated[dict[str, Any], about("Requests sent to webhooks.", {})]
    components: Annotated[dict[str, Any], about("Shared schemas, parameters and answers.", {})]


KEPT: Final = ("Cache-Control", "public, max-age=3600")
_made: dict[tuple[str, ...], tuple[bytes, str]] = {}
"""Key of the inputs -> (the document, its entity tag); a process has one entry, or a few in tests."""


async def show_description(request: Request, services: Services) -> Response:
    """Return the OpenAPI document of this installation."""
    base_url = services.options.base_url
    key = (base_url, *(operation.name for operation in request.operations))
    if key not in _made:
        # Builds the schemas of all documents: too slow for the event loop.
        _made[key] = await asyncio.to_thread(_describe, request.operations, base_url)
    body, etag = _made[key]
    headers = (KEPT, ("ETag", etag))
    if is_unchanged(request.header(b"if-none-match"), None, etag=etag, modified_ms=None):
        return Response(status_code=304, headers=headers)
    return Response(status_code=200, content=body, headers=headers)


def _describe(operations: Sequence[Operation], base_url: str) -> tuple[bytes, str]:
    body = msgspec.json.encode(build_openapi(operations, base_url=base_url))
    return body, f'"{hashlib.sha256(body).hexdigest()[:24]}"'


OPERATIONS: Final = (
    Operation(
        path="/api/v1/openapi.json",
        summary="Show this description",
        description="The OpenAPI 3.1 document of this installation. Needs no key.",
        handler=show_description,
        answers={200: Description},
        tag="Service",
    ),
)
