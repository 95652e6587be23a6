"""The description of the API, served."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.web.context import Call
from pagegrade.web.http.conditional import is_unchanged
from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.schemas import Description

KEPT: Final = ("Cache-Control", "public, max-age=3600")
_made: dict[tuple[str, ...], tuple[bytes, str]] = {}
"""What it was made of -> (the document, its entity tag); a process has one, or a few in tests."""


async def show_description(call: Call) -> Answer:
    """Answer with the OpenAPI document of this installation."""
    base_url = call.services.options.base_url
    key = (base_url, *(operation.name for operation in call.operations))
    if key not in _made:
        # All documents are described anew: too long for the event loop.
        _made[key] = await asyncio.to_thread(_describe, call.operations, base_url)
    body, etag = _made[key]
    headers = (KEPT, ("ETag", etag))
    if is_unchanged(call.header(b"if-none-match"), None, etag=etag, modified_ms=None):
        return Answer(status=304, headers=headers)
    return Answer(status=200, body=body, headers=headers)


def _describe(operations: Sequence[Operation], base_url: str) -> tuple[bytes, str]:
    body = msgspec.json.encode(build_openapi(operations, base_url=base_url))
    return body, f'"{hashlib.sha256(body).hexdigest()[:24]}"'


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/v1/openapi.json",
        name="show_description",
        summary="Show this description",
        description="The OpenAPI 3.1 document of this installation. Needs no key.",
        handler=show_description,
        headers=("If-None-Match",),
        answers={200: Description},
        answer_headers={200: ("ETag",)},
        tag="Service",
    ),
)
