"""The site of the page: files at known places (robots.txt, sitemaps, icon, others), and addresses beside the page."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Final, Literal

from pagegrade.gather.context import Context, OffloadFailed
from pagegrade.gather.exchange import FetchError, Followed, Request
from pagegrade.model.artifacts import (
    AgentFile,
    AgentFileKind,
    AgentFiles,
    NotGathered,
    Response,
    SitemapFile,
    Sitemaps,
    WellKnown,
)
from pagegrade.parse.files.agent_files import PATHS, read_agent_files
from pagegrade.parse.files.robots import find_declared_sitemaps
from pagegrade.parse.files.sitemap import SitemapReading, read_sitemap
from pagegrade.parse.url import host, host_address, port, registrable_domain, scheme

MAX_ROBOTS_BYTES: Final = 512_000
"""500 KiB: what a crawler must be able to read (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""
GUESSED_PATHS: Final = ("/sitemap.xml", "/sitemap_index.xml")

Source = Literal["robots", "guessed", "index"]
MAX_ICON_BYTES: Final = 1_000_000
KEPT_ICON_BYTES: Final = 4_096
"""Enough to recognize the format, the sizes and a page that is no icon."""
MAX_FILE_BYTES: Final = 65_536
"""Read of one of them."""
MAX_AGENT_FILE_REDIRECTS: Final = 3
MAX_FRONT_DOOR_BYTES: Final = 65_536
KEPT_FRONT_DOOR_BYTES: Final = 4_096
MAX_SIBLING_BYTES: Final = 65_536
MAX_NOT_FOUND_BYTES: Final = 262_144
"""Enough to see whether the error page says something and what its title is."""


async def gather_robots_txt(context: Context) -> WellKnown:
    """Fetch the rules for robots as robots get them; whatever answers is kept, also an application's HTML."""
    return await context.fetch_well_known(f"{context.origin}/robots.txt", max_bytes=MAX_ROBOTS_BYTES, as_visitor=True)


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


async def gather_favicon(context: Context) -> WellKnown:
    """Fetch the default icon of the document's origin (https://html.spec.whatwg.org/multipage/links.html#rel-icon)."""
    return await context.fetch_well_known(
        f"{context.origin}/favicon.ico", max_bytes=MAX_ICON_BYTES, keep_bytes=KEPT_ICON_BYTES, purpose="image"
    )


async def gather_security_txt(context: Context) -> WellKnown:
    """Fetch the file of the document's origin; whatever answers is kept, also an application's HTML."""
    return await context.fetch_well_known(f"{context.origin}/.well-known/security.txt", max_bytes=MAX_FILE_BYTES)


async def gather_llms_txt(context: Context) -> WellKnown:
    """Fetch the file of the document's origin; whatever answers is kept, also an application's HTML."""
    return await context.fetch_well_known(f"{context.origin}/llms.txt", max_bytes=MAX_FILE_BYTES)


async def gather_agent_files(context: Context) -> AgentFiles | NotGathered:
    """Fetch those that robots.txt permits, after the page's own times were measured; only facts of them are kept.

    Raises:
        OffloadFailed: They or robots.txt could not be read.
    """
    if not context.options.subresources:
        return NotGathered(code="skipped", detail="Files for programs were not asked for.")
    kinds: dict[str, AgentFileKind] = {f"{context.origin}{path}": kind for kind, path in PATHS.items()}
    allowed = await context.permitted_urls(tuple(kinds))
    if allowed is None:
        return NotGathered(code="skipped", detail="robots.txt could not be fetched, so nothing else was asked for.")
    if not allowed:
        return NotGathered(code="skipped", detail="robots.txt does not permit to ask for files for programs.")
    await context.artifact("load_samples", tuple)
    answers = await asyncio.gather(*(_fetch_agent_file(context, url) for url in allowed))
    found = [(kinds[url], url, answer) for url, answer in zip(allowed, answers, strict=True)]
    failed = [
        AgentFile(kind=kind, url=url, failure=answer) for kind, url, answer in found if isinstance(answer, NotGathered)
    ]
    fetched = [(kind, url, answer) for kind, url, answer in found if isinstance(answer, Followed)]
    try:
        bodies = tuple((kind, url, followed.response) for kind, url, followed in fetched)
        # Most sites have none of them, and a status alone needs no child.
        read = await context.parse(read_agent_files, bodies) if _is_any_there(fetched) else read_agent_files(bodies)
    finally:
        for _, _, followed in fetched:
            followed.release()
    return AgentFiles(items=(*read, *failed))


def _is_any_there(fetched: list[tuple[AgentFileKind, str, Followed]]) -> bool:
    return any(200 <= followed.response.status < 300 for _, _, followed in fetched)


async def _fetch_agent_file(context: Context, url: str) -> Followed | NotGathered:
    request = Request(
        url=url,
        purpose="any",
        max_wire_bytes=MAX_FILE_BYTES,
        max_decoded_bytes=MAX_FILE_BYTES,
        timeout_s=context.timeout_s(context.options.limits.link_s),
        max_redirects=MAX_AGENT_FILE_REDIRECTS,
    )
    try:
        return await context.client.follow(request)
    except FetchError as error:
        return error.not_gathered()


async def gather_insecure_probe(context: Context) -> WellKnown | NotGathered:
    """See where plain HTTP leads; of no meaning where the document lives on an unusual port."""
    url = front_door(context.main_document_url)
    if url is None:
        return NotGathered(code="not_applicable", detail="The page is not on a standard port.")
    return await context.fetch_well_known(
        url, max_bytes=MAX_FRONT_DOOR_BYTES, keep_bytes=KEPT_FRONT_DOOR_BYTES, purpose="document"
    )


def front_door(url: str) -> str | None:
    """The root of the host of ``url`` on port 80; ``None`` where ``url`` is not on the standard port of its scheme."""
    is_standard = (scheme(url), port(url)) in {("https", 443), ("http", 80)}
    return f"http://{host(url)}/" if is_standard else None


async def gather_sibling_probe(context: Context) -> WellKnown | NotGathered:
    """Fetch the front page of the sibling, when there can be one.

    It is asked as the page itself is served: a site without a certificate has none for its other name either.
    """
    url = context.main_document_url
    sibling = sibling_host(context.host)
    if sibling is None or (scheme(url), port(url)) not in {("https", 443), ("http", 80)}:
        return NotGathered(code="not_applicable", detail="The host has no www sibling.")
    return await context.fetch_well_known(
        f"{scheme(url)}://{sibling}/", max_bytes=MAX_SIBLING_BYTES, purpose="document"
    )


def sibling_host(host: str) -> str | None:
    """The www name of a registrable domain or the other way round.

    ``None`` for addresses, single labels and deeper names: ``www.blog.example.com`` is not in use.
    """
    domain = registrable_domain(host)
    if host_address(host) is not None or "." not in domain:
        return None
    if host == domain:
        return f"www.{domain}"
    return domain if host == f"www.{domain}" else None


async def gather_not_found_probe(context: Context) -> WellKnown:
    """Ask once for a path of harmless words: suspicious ones make firewalls answer instead of the site."""
    return await context.fetch_well_known(
        f"{context.origin}/zebra-lantern-{context.probe_token}", max_bytes=MAX_NOT_FOUND_BYTES, purpose="document"
    )
