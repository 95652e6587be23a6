"""Pages that the page names: its canonical URL, its language versions, and its own pages that it links to.

Only links to the page's own host are asked for. Asking others would let one page make every installation send requests
to sites of its author's choice, and their robots.txt would have to be read first. Of the one other host to which most
links lead, as after a move, only the name is looked up.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final

from pagegrade.gather.context import MAX_REDIRECTS, Context, OffloadFailed, ask_all
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.resolver import ResolveError
from pagegrade.model.artifacts import (
    AlternatePage,
    Alternates,
    LinkedSections,
    LinkProbes,
    NotGathered,
    Response,
    WellKnown,
)
from pagegrade.parse.assets import WITHOUT_ADDRESS, takes_a_name_server
from pagegrade.parse.html.parser import missing_sections, names_alternate
from pagegrade.parse.url import origin

MAX_CANONICAL_BYTES: Final = 131_072
MAX_LINK_BYTES: Final = 1_024
"""Read of a page that does not answer HEAD."""


async def gather_canonical_probe(context: Context) -> WellKnown | NotGathered:
    """Fetch the page that is named as preferred, as far as robots.txt permits it.

    Raises:
        FetchError: There was no answer.
        OffloadFailed: The HTML of the page or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="The canonical URL was not asked for.")
    url = (await context.named_urls()).canonical
    if not url:
        return NotGathered(code="not_applicable", detail="The page names no other URL of its site as canonical.")
    if origin(url) == origin(context.main_document_url) and not await context.permitted_urls((url,)):
        return NotGathered(code="skipped", detail="robots.txt does not permit to ask for the canonical URL.")
    return await context.fetch_well_known(url, max_bytes=MAX_CANONICAL_BYTES, purpose="document")


async def gather_alternates(context: Context) -> Alternates | NotGathered:
    """Read the head of the first ``limits.alternates`` of them.

    Raises:
        OffloadFailed: The HTML of the page could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Language versions were not asked for.")
    named = (await context.named_urls()).alternates
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_read_alternate(context, url)) for url in named[: context.options.limits.alternates]]
    return Alternates(items=tuple(task.result() for task in tasks), found=len(named))


async def _read_alternate(context: Context, url: str) -> AlternatePage:
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
        return await _look_at_alternate(context, url, followed.response)
    finally:
        followed.release()


async def _look_at_alternate(context: Context, url: str, response: Response) -> AlternatePage:
    """Describe the page of a response."""
    links_back: bool | None = None
    if 200 <= response.status < 300 and "html" in (response.header("Content-Type") or "").lower():
        try:
            links_back = await context.parse(partial(names_alternate, response), context.main_document_url)
        except OffloadFailed:
            links_back = None
    return AlternatePage(url=url, status=response.status, links_back=links_back)


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
            max_wire_bytes=MAX_LINK_BYTES,
            max_decoded_bytes=MAX_LINK_BYTES,
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
