"""The page once more, as a program asks for it that prefers Markdown."""

from __future__ import annotations

from typing import Final

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import Request
from pagegrade.model.artifacts import NotGathered, WellKnown

MAX_BYTES: Final = 65_536
"""Read of it."""
KEPT_BYTES: Final = 512
"""Kept of it: its beginning shows whether it is a web page."""


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
        max_wire_bytes=MAX_BYTES,
        max_decoded_bytes=MAX_BYTES,
        keep_bytes=KEPT_BYTES,
        timeout_s=context.timeout_s(context.options.limits.link_s),
    )
    followed = await context.client.follow(request)
    return WellKnown(requested_url=url, hops=followed.hops, response=followed.response)
