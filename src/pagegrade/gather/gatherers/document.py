"""The document itself: from the URL as typed, over its redirects, to HTML; the one thing without which nothing goes."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.gather.context import MIN_TIMEOUT_S, Start
from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.model.artifacts import Response
from pagegrade.model.errors import RunFailed

_FAILURES: Final = {
    "dns": "dns",
    "connect": "connect",
    "tls": "tls",
    "timeout": "timeout",
    "budget": "timeout",
    "protocol": "connect",
    "decode": "connect",
    "too_large": "too_large",
    "address_not_allowed": "address_not_allowed",
}
"""Code of a failed exchange -> failure of the whole run; a site that speaks no HTTP cannot be connected to."""
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
_MEDIA_TYPE: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}/[!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}")
_HTML_STARTS: Final = (
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<!--",
)
"""Prefixes that make a browser treat undeclared bytes as HTML (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type)."""


async def gather_document(context: Start) -> Followed:
    """Fetch the page that was asked for.

    An error status is an answer and no failure here. A body that was cut is kept and says so in ``truncated``.

    Raises:
        RunFailed: There is no document: ``dns``, ``connect``, ``tls``, ``timeout``, ``redirect_loop``,
            ``address_not_allowed``, ``internal``, or ``not_html`` when it is something else.
    """
    limits = context.options.limits
    request = Request(
        url=context.target.document_url,
        purpose="document",
        max_wire_bytes=limits.document_wire_bytes,
        max_decoded_bytes=limits.document_decoded_bytes,
        timeout_s=max(MIN_TIMEOUT_S, min(limits.document_s, context.left_s())),
    )
    try:
        followed = await context.client.follow(request, context.cookies)
    except FetchError as error:
        raise _run_failed(error) from error
    context.client.note_page(followed.response.url)
    context.cookies.arrive(followed.response.url)
    response = followed.response
    if 200 <= response.status < 300 and not is_html(response):
        kind = media_type(response) or "nothing that can be recognized"
        raise RunFailed(
            "not_html",
            f"The URL does not lead to an HTML page but to {kind}.",
            reason="content_type",
            http_status=response.status,
        )
    return followed


def _run_failed(error: FetchError) -> RunFailed:
    """The failure of the run that a failed exchange amounts to."""
    failure = _FAILURES.get(error.code, "internal")
    if error.reason in {"redirect_loop", "too_many_redirects"}:
        failure = "redirect_loop"
    return RunFailed(failure, error.detail if failure != "internal" else None, reason=error.reason)


def media_type(response: Response) -> str:
    """Declared media type in lower case without parameters; "" when it is missing or unreadable."""
    values = response.header_values("Content-Type")
    essence = values[-1].partition(";")[0].strip().lower() if values else ""
    return essence if _MEDIA_TYPE.fullmatch(essence) else ""


def is_html(response: Response) -> bool:
    """Return whether a browser shows the response as HTML: by its declared type, or else by its first bytes.

    An empty answer without a type is an empty page.

    Source: https://mimesniff.spec.whatwg.org/#determining-the-computed-mime-type-of-a-resource
    """
    declared = media_type(response)
    if declared:
        return declared in _HTML_TYPES
    start = response.body[:1_445].removeprefix(b"\xef\xbb\xbf").lstrip(b"\t\n\x0c\r ").lower()
    if not start:
        return True
    return any(
        start.startswith(tag)
        and (tag == b"<!--" or start[len(tag) : len(tag) + 1] in (b" ", b">", b"\t", b"\n", b"\r"))
        for tag in _HTML_STARTS
    )
