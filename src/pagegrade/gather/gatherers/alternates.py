"""The language versions that the page names: whether they name it in turn."""

from __future__ import annotations

import asyncio
from functools import partial

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.probing import MAX_REDIRECTS
from pagegrade.model.artifacts import AlternatePage, Alternates, NotGathered, Response
from pagegrade.parse.html.parser import names_alternate


async def gather_alternates(context: Context) -> Alternates | NotGathered:
    """Read the head of the first ``limits.alternates`` of them.

    Raises:
        OffloadFailed: The HTML of the page could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Language versions were not asked for.")
    named = (await context.named_urls()).alternates
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_read(context, url)) for url in named[: context.options.limits.alternates]]
    return Alternates(items=tuple(task.result() for task in tasks), found=len(named))


async def _read(context: Context, url: str) -> AlternatePage:
    limits = context.options.limits
    request = Request(
        url=url,
        max_wire_bytes=limits.alternate_wire_bytes,
        max_decoded_bytes=limits.alternate_decoded_bytes,
        timeout_s=context.timeout_s(limits.well_known_s),
        max_redirects=MAX_REDIRECTS,
    )
    try:
        followed = await context.client.follow(request)
    except FetchError as error:
        return AlternatePage(url=url, failure=error.not_gathered())
    try:
        return await _look(context, url, followed.response)
    finally:
        followed.release()


async def _look(context: Context, url: str, response: Response) -> AlternatePage:
    """Describe the page of a response."""
    links_back: bool | None = None
    if 200 <= response.status < 300 and "html" in (response.header("Content-Type") or "").lower():
        try:
            links_back = await context.parse(partial(names_alternate, response), context.main_document_url)
        except OffloadFailed:
            links_back = None
    return AlternatePage(url=url, status=response.status, links_back=links_back)
