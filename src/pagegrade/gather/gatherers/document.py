"""The document: from the URL as typed, over its redirects, to HTML; the one thing without which nothing goes.

And the same URL again: measured several times, as a script of another site asks for it, as a program that prefers
Markdown does, and as visitors see it whom no access profile lets in.
"""

from __future__ import annotations

import re
from typing import Final

from pagegrade.gather.context import MIN_TIMEOUT_S, Context, Start
from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import NOT_LET_IN, NotGathered, Response, WellKnown
from pagegrade.model.errors import RunFailed
from pagegrade.parse.html.parser import may_be_indexed
from pagegrade.parse.url import origin, strip_fragment

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
SLOW_MS: Final = 5_000.0
"""A page slower than this has failed already; asking again would only burden it."""
MIN_LEFT_RATIO: Final = 0.4
"""Share of the budget that must be left before another sample is taken."""
MAX_CORS_BYTES: Final = 16_384
"""Only the headers matter; the rest of the page is not read."""
MAX_MARKDOWN_BYTES: Final = 65_536
"""Read of it."""
KEPT_MARKDOWN_BYTES: Final = 512
"""Kept of it: its beginning shows whether it is a web page."""
MAX_VISITOR_WIRE_BYTES: Final = 300_000
"""The rules stand in the head."""
MAX_VISITOR_DECODED_BYTES: Final = 1_000_000
_ERROR: Final = 400


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


async def gather_load_samples(context: Context) -> tuple[float, ...]:
    """Fetch the final document again and again.

    Returns:
        Total milliseconds of each whole fetch, the first one first; at least that one.
    """
    limits = context.options.limits
    samples = [context.navigation.response.timings.total_ms]
    while len(samples) < context.options.load_samples and samples[-1] <= SLOW_MS:
        if context.left_s() < MIN_LEFT_RATIO * context.options.budget_s:
            break
        request = Request(
            url=context.main_document_url,
            cookie=context.document.exchange.request.cookie,
            max_wire_bytes=limits.document_wire_bytes,
            max_decoded_bytes=limits.document_decoded_bytes,
            keep_bytes=0,
            timeout_s=context.timeout_s(2 * SLOW_MS / 1_000),
        )
        try:
            async with context.fresh_client() as client:
                exchange = await client.fetch(request)
        except FetchError:
            break
        exchange.hold.release()
        response = exchange.response
        if response.status != context.navigation.response.status or response.truncated is not None:
            break  # Another answer than the one that is checked, so its time says nothing about it.
        samples.append(response.timings.total_ms)
    return tuple(samples)


async def gather_cors_probe(context: Context) -> WellKnown:
    """Ask once, with an Origin that cannot exist; redirects are not followed, because the page was none.

    Raises:
        FetchError: There was no answer.
    """
    url = context.main_document_url
    request = Request(
        url=url,
        from_elsewhere=True,
        max_wire_bytes=MAX_CORS_BYTES,
        max_decoded_bytes=MAX_CORS_BYTES,
        keep_bytes=0,
        timeout_s=context.timeout_s(context.options.limits.well_known_s),
    )
    exchange = await context.client.fetch(request)
    return WellKnown(requested_url=url, response=exchange.response)


async def gather_markdown_probe(context: Context) -> WellKnown | NotGathered:
    """Ask for the document by ``Accept: text/markdown``, where robots.txt permits it.

    The page's own times are measured before.

    Raises:
        FetchError: There was no answer.
        OffloadFailed: The robots.txt file could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Markdown was not asked for.")
    url = context.main_document_url
    allowed = await context.permitted_urls((url,))
    if allowed is None:
        return NotGathered(code="skipped", detail="robots.txt could not be fetched, so Markdown was not asked for.")
    if not allowed:
        return NotGathered(code="skipped", detail="robots.txt does not permit to ask for the page again.")
    await context.artifact("load_samples", tuple)
    request = Request(
        url=url,
        purpose="markdown",
        max_wire_bytes=MAX_MARKDOWN_BYTES,
        max_decoded_bytes=MAX_MARKDOWN_BYTES,
        keep_bytes=KEPT_MARKDOWN_BYTES,
        timeout_s=context.timeout_s(context.options.limits.link_s),
    )
    followed = await context.client.follow(request)
    return WellKnown(requested_url=url, hops=followed.hops, response=followed.response)


async def gather_visitor_view(context: Context) -> VisitorView | NotGathered:
    """Ask for the URL without the access, after the page's own times were measured.

    Raises:
        FetchError: There was no answer.
        OffloadFailed: The answer could not be read.
    """
    access, url = context.options.access, context.target.document_url
    if access is None or not access.note.lets_in or origin(url) not in access.origins:
        return NOT_LET_IN
    await context.artifact("load_samples", tuple)
    request = Request(
        url=url,
        purpose="document",
        max_wire_bytes=MAX_VISITOR_WIRE_BYTES,
        max_decoded_bytes=MAX_VISITOR_DECODED_BYTES,
        timeout_s=context.timeout_s(context.options.limits.well_known_s),
    )
    response = (await context.visitor.follow(request)).response
    is_page = response.status < _ERROR
    return VisitorView(
        status=response.status,
        url=_place(response.url),
        is_elsewhere=_place(response.url) != _place(context.main_document_url),
        indexable=await context.parse(may_be_indexed, response) if is_page else None,
    )


def _place(url: str) -> str:
    """A URL without what may be private in it."""
    return strip_fragment(url).partition("?")[0]
