"""Own pages that the page links to: whether they are there.

Only pages of the page's own host are asked for. Asking others would let one page make every installation send requests
to sites of its author's choice, and their robots.txt would have to be read first. Of the one other host to which most
links lead, as after a move, only the name is looked up.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.probing import MAX_REDIRECTS, ask_all
from pagegrade.gather.resolver import ResolveError
from pagegrade.model.artifacts import LinkedSections, LinkProbes, NotGathered
from pagegrade.parse.assets import WITHOUT_ADDRESS, takes_a_name_server
from pagegrade.parse.html.parser import missing_sections

MAX_BYTES: Final = 1_024
"""Read of a page that does not answer HEAD."""


async def gather_link_probes(context: Context) -> LinkProbes | NotGathered:
    """Ask for the first ``limits.links`` of them that robots.txt permits, after the page's own times were measured.

    Raises:
        OffloadFailed: The HTML or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Linked pages were not asked for.")
    named = await context.named_urls()
    lost_host = await _lost_host(context, named.other_host)
    if not named.links:
        return LinkProbes(lost_host=lost_host)
    allowed = await context.permitted_urls(named.links)
    if allowed is None:
        return NotGathered(code="skipped", detail="robots.txt could not be fetched, so no link was followed.")
    if not allowed:
        return NotGathered(code="skipped", detail="robots.txt does not permit to follow the links.")
    # Pages that are asked for meanwhile would make the page itself look slow.
    await context.artifact("load_samples", tuple)
    limits = context.options.limits
    requests = [
        Request(
            url=url,
            method="HEAD",
            max_wire_bytes=MAX_BYTES,
            max_decoded_bytes=MAX_BYTES,
            keep_bytes=0,
            timeout_s=limits.link_s,
            max_redirects=MAX_REDIRECTS,
        )
        for url in allowed[: limits.links]
    ]
    items = await ask_all(context, requests, within_s=limits.links_s)
    there = {probe.url for probe in items if probe.response is not None and probe.response.status == HTTPStatus.OK}
    wanted = [url for url in allowed if url in there and url in named.sections][: limits.linked_sections]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_look(context, url, named.sections[url])) for url in wanted]
    sections = tuple(task.result() for task in tasks)
    return LinkProbes(items=items, found=named.link_count, sections=sections, lost_host=lost_host)


async def _lost_host(context: Context, name: str) -> str:
    """Return ``name`` if name servers know no address of it, while they know one of the page."""
    proxy = context.client.guard.policy.proxy
    if not name or not takes_a_name_server(context.main_document_url) or (proxy is not None and proxy.resolves):
        return ""
    try:
        async with asyncio.timeout(context.timeout_s(context.options.limits.link_s)):
            await context.client.resolve(name)
    except ResolveError as error:
        return name if error.reason in WITHOUT_ADDRESS else ""
    except TimeoutError:
        return ""
    return ""


async def _look(context: Context, url: str, sections: tuple[str, ...]) -> LinkedSections:
    """Read which of the sections a page lacks."""
    limits = context.options.limits
    request = Request(
        url=url,
        max_wire_bytes=limits.linked_page_wire_bytes,
        max_decoded_bytes=limits.linked_page_decoded_bytes,
        timeout_s=context.timeout_s(limits.link_s),
        max_redirects=MAX_REDIRECTS,
    )
    missing: tuple[str, ...] | None = None
    with suppress(FetchError, OffloadFailed):
        followed = await context.client.follow(request)
        try:
            if followed.response.status == HTTPStatus.OK:
                missing = await context.parse(partial(missing_sections, followed.response), sections)
        finally:
            followed.release()
    return LinkedSections(url=url, sections=sections, missing=missing)
