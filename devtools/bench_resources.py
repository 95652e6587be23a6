"""Answers for the files that a page of the bench names, as if all of them had been fetched: the corpus holds HTML only.

Sizes and headers vary by the address and by nothing else, so that two runs measure the same.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from pagegrade.model.artifacts import ImageFacts, Resource, Resources, Response, ScriptFacts
from pagegrade.model.document import Document
from pagegrade.parse.url import same_site

MAX_FILES: Final = 150
"""As many as an analysis fetches."""
_TYPES: Final = {
    "image": "image/jpeg",
    "script": "text/javascript",
    "stylesheet": "text/css",
    "font": "font/woff2",
    "frame": "text/html",
}


def resources_of(document: Document) -> Resources:
    """One answer for each file that the HTML names, at most 150."""
    kinds: dict[str, str] = {}
    for reference in document.references:
        if not reference.alternative and len(kinds) < MAX_FILES:
            kinds.setdefault(reference.url, reference.kind)
    return Resources(items=tuple(_resource(url, kind, document.url) for url, kind in kinds.items()))


def _resource(url: str, kind: str, page_url: str) -> Resource:
    number = crc32(url.encode("utf-8", "surrogatepass"))
    size = 1_000 + number % 60_000
    headers = (
        ("Content-Type", _TYPES.get(kind, "application/octet-stream")),
        ("Cache-Control", f"public, max-age={number % 9_000_000}"),
        ("ETag", f'"{number:x}"'),
        ("Date", "Mon, 05 Jan 2026 12:00:00 GMT"),
        ("Vary", "Accept-Encoding"),
    )
    text = kind in ("script", "stylesheet")
    return Resource(
        url=url,
        kinds=(kind,),
        initiator_url=page_url,
        response=Response(
            url=url,
            status=200,
            headers=headers,
            http_version="HTTP/2",
            wire_bytes=size,
            content_encodings=("gzip",) if text and number % 2 else (),
        ),
        image=ImageFacts(format="jpeg", width_px=640, height_px=480, animated=False) if kind == "image" else None,
        gzip_bytes=size // 3 if text and not number % 2 else None,
        first_party=same_site(url, page_url),
        decoded_bytes=size,
        digest=f"{number:032x}",
        minified_bytes=size - number % 3_000 % size if text else None,
        script=ScriptFacts() if kind == "script" else None,
    )
