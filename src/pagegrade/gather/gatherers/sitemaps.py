"""The sitemaps that robots.txt declares, or those at the usual places; an index is followed a little."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Final, Literal

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.model.artifacts import Response, SitemapFile, Sitemaps, WellKnown
from pagegrade.parse.files.robots import find_declared_sitemaps
from pagegrade.parse.files.sitemap import SitemapReading, read_sitemap

GUESSED_PATHS: Final = ("/sitemap.xml", "/sitemap_index.xml")

Source = Literal["robots", "guessed", "index"]


async def gather_sitemaps(context: Context) -> Sitemaps:
    """Fetch and read at most ``limits.sitemap_files`` files as crawlers get them, those of robots.txt first."""
    declared = await _declared(context)
    queue: deque[tuple[str, Source]] = deque(
        [(url, "robots") for url in declared] or [(context.origin + path, "guessed") for path in GUESSED_PATHS]
    )
    seen: set[str] = set()
    files: list[SitemapFile] = []
    while queue and len(files) < context.options.limits.sitemap_files:
        url, source = queue.popleft()
        if url in seen:
            continue
        seen.add(url)
        if source == "guessed" and any(file.kind is not None for file in files):
            continue  # The first usual place was right.
        reading = await _read(context, url, source)
        files.append(reading.file)
        queue.extend((child, "index") for child in reading.children if source != "index")
    return Sitemaps(files=tuple(files), declared_in_robots=declared)


async def _declared(context: Context) -> tuple[str, ...]:
    """Return the sitemaps that robots.txt declares; none if it is missing or no robots.txt."""
    robots = await context.artifact("robots_txt", WellKnown)
    if robots is None or not 200 <= robots.response.status < 300:
        return ()
    try:
        return await context.parse(partial(find_declared_sitemaps, url=robots.response.url), robots.response.body)
    except OffloadFailed:
        return ()


async def _read(context: Context, url: str, source: Source) -> SitemapReading:
    """One file, or why it cannot be read."""
    max_bytes = context.options.limits.sitemap_bytes
    request = Request(
        url=url,
        purpose="text",
        max_wire_bytes=max_bytes,
        max_decoded_bytes=max_bytes,
        timeout_s=context.timeout_s(context.options.limits.well_known_s),
    )
    try:
        followed = await context.visitor.follow(request)
    except FetchError as error:
        return SitemapReading(file=SitemapFile(url=url, source=source, error=error.code, error_detail=error.detail))
    try:
        return await _look(context, url, source, followed.response)
    finally:
        followed.release()


async def _look(context: Context, url: str, source: Source, response: Response) -> SitemapReading:
    """Read a response as a sitemap."""
    if not 200 <= response.status < 300:
        return SitemapReading(file=SitemapFile(url=url, source=source, status=response.status))
    read = partial(
        read_sitemap,
        url=url,
        page_url=context.main_document_url,
        source=source,
        status=response.status,
        cut=response.truncated is not None,
    )
    try:
        return await context.parse(read, response.body)
    except OffloadFailed as error:
        missing = error.not_gathered()
        return SitemapReading(
            file=SitemapFile(
                url=url, source=source, status=response.status, error=missing.code, error_detail=missing.detail
            )
        )
