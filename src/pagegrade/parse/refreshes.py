"""Refreshes that a page asks for: by its elements and by its header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, Node
from pagegrade.parse.url import is_http, join_url

_URL: Final = re.compile(r"[;,\s]\s{0,20}(?:url\s{0,20}=)?\s{0,20}([^\s;,][^\n]{0,2000})", re.IGNORECASE)


def refreshes(document: Document, response: Response) -> Iterator[tuple[str, Node | None]]:
    """(content, element) of each, in the order in which a browser reads them; the header has no element."""
    for value in response.header_values("refresh"):
        yield value, None
    for meta in document.metas:
        if meta.http_equiv == "refresh":
            yield meta.content, meta.node


def refresh_target(content: str, document: Document) -> str | None:
    """The address that a refresh names, absolute; ``None`` for one that loads the page again."""
    match = _URL.search(content.lstrip())
    return join_url(document.base_url, match[1].strip(" \t\n\f\r'\"")) if match is not None else None


def next_page(document: Document, response: Response) -> str | None:
    """The absolute http address to which the refresh that a browser heeds leads on, perhaps that of the page itself."""
    content = next((one for one, _ in refreshes(document, response) if delay_seconds(one) is not None), None)
    target = None if content is None else refresh_target(content, document)
    return target if target is not None and is_http(target) else None


def delay_seconds(content: str) -> int | None:
    """The delay a browser reads; ``None`` for content it does not understand.

    Source: https://html.spec.whatwg.org/multipage/document-lifecycle.html#shared-declarative-refresh-steps
    """
    text = content.lstrip(" \t\n\f\r")
    end = 0
    while end < len(text) and text[end] in "0123456789":
        end += 1
    if end == 0 and text[:1] != ".":
        return None
    rest = text[end:].lstrip("0123456789.")
    if rest and rest[0] not in ";, \t\n\f\r":
        return None
    return min(int(text[: min(end, 9)] or "0"), 999_999_999)
