"""Requests that a crawl makes once, before its pages: its sitemaps, and its answer to a URL that cannot exist."""

from __future__ import annotations

import contextlib
import secrets
from collections import deque
from collections.abc import Collection
from functools import partial
from typing import Final, Literal, TypeGuard

from msgspec.structs import replace

from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.gather.gatherers.document import is_html
from pagegrade.gather.gatherers.site import GUESSED_PATHS
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import Response
from pagegrade.model.audit import Probe, ProofMethod, SiteFacts, SitemapRead
from pagegrade.parse.files.robots import find_declared_sitemaps
from pagegrade.parse.files.sitemap import SitemapReading, read_sitemap
from pagegrade.parse.url import host as host_name
from pagegrade.parse.url import origin, strip_fragment
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.audits.consent import Proof
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.slice import Slice

MAX_FILES: Final = 1_000
MAX_URLS: Final = 1_000_000
AT_ONCE: Final = 2_000
"""URLs of a sitemap that one transaction makes known."""
_PER_FILE: Final = 50_000
_PROBE_BYTES: Final = 300_000
_LIMITS: Final = GatherLimits()
_CODE_BYTES: Final = 8
_PROOF_BYTES: Final = 4_096


async def read_site(frontier: Frontier, work: Slice, children: TaskRunner) -> SiteFacts | None:
    """Ask for all of it, and make known what the sitemaps list.

    Repeated from its beginning where it was interrupted: what is known already stays known.

    Returns:
        ``None``: robots.txt cannot be had, so that nothing may be asked for.
    """
    host = frontier.host(0)
    start = frontier.crawl.start_url
    root = origin(start)
    code = secrets.token_hex(_CODE_BYTES)
    folder = start.partition("?")[0].rpartition("/")[0]
    names = dict.fromkeys((f"{root}/{code}", f"{folder}/{code}.html", f"{root}/?{code}=1"))
    allowed = await work.permitted_urls(host, tuple(names))
    if allowed is None:
        return None
    probes = [probe for url in names if url in allowed and (probe := await _probe(work, url)) is not None]
    read = await _read_sitemaps(frontier, work, children)
    access = None if work.access is None else replace(work.access.note, visitors=await _visitor_view(work, start))
    return SiteFacts(probes=tuple(probes), sitemaps=tuple(read), access=access)


async def prove_site(work: Slice, start: str, proof: Proof, allowed: Collection[str]) -> ProofMethod | None:
    """Look for the proof that a site is that of the account which has it crawled; nothing secret is sent.

    Args:
        work: Of the crawl; its robots.txt has been read.
        start: Its start page.
        proof: That of the account.
        allowed: Those of the file and the start page that robots.txt permits.
    """
    if work.client.guard.is_inside(start):
        return "network"
    if not proof.token:
        return None
    if proof.record and proof.token in await work.resolver.texts(proof.record):
        return "dns"
    if proof.file in allowed:
        response = await work.fetch_file(work.host_of(start), proof.file, _PROOF_BYTES)
        if _is_of_site(response, start) and proof.token in response.body.decode("ascii", "replace").split():
            return "file"
    if start in allowed:
        response = await work.fetch_file(work.host_of(start), start, _PROBE_BYTES, "document")
        if _is_of_site(response, start) and is_html(response):
            with contextlib.suppress(OffloadFailed):
                if (await work.read(response, evaluates=False)).verification == proof.token:
                    return "meta"
    return None


def _is_of_site(response: Response | None, start: str) -> TypeGuard[Response]:
    """An answer of the start host or its www sibling, and of none that it redirects to."""
    if response is None or response.status != 200 or not response.body:  # noqa: PLR2004 - it is there
        return False
    return host_name(response.url).removeprefix("www.") == host_name(start).removeprefix("www.")


async def _visitor_view(work: Slice, start: str) -> VisitorView | None:
    """The start page as visitors see it; ``None``: nothing lets the crawl in, or there was no answer."""
    if work.visitor is work.client:
        return None
    response = await work.fetch_file(work.host_of(start), start, _PROBE_BYTES, "document", client=work.visitor)
    if response is None:
        return None
    place, indexable = strip_fragment(response.url).partition("?")[0], None
    if response.status < 400:  # noqa: PLR2004 - it is a page
        try:
            indexable = not (await work.read(response, evaluates=False)).noindex
        except OffloadFailed:
            return None
    is_elsewhere = place != start.partition("?")[0]
    return VisitorView(status=response.status, url=place, is_elsewhere=is_elsewhere, indexable=indexable)


async def _probe(work: Slice, url: str) -> Probe | None:
    response = await work.fetch_file(work.host_of(url), url, _PROBE_BYTES)
    if response is None:
        return None
    probe = Probe(url=url, status=response.status)
    if not response.body or not is_html(response):
        return probe
    try:
        record = await work.read(response, evaluates=False)
    except OffloadFailed:
        return probe
    return replace(probe, simhash=record.simhash, words=record.words, digest=record.digest)


async def _read_sitemaps(frontier: Frontier, work: Slice, children: TaskRunner) -> list[SitemapRead]:
    """Read the given file, and those that robots.txt declares or that are at the usual places.

    An index is followed to two levels.
    """
    host, settings = frontier.host(0), frontier.crawl.settings
    declared: tuple[str, ...] = ()
    if host.robots and settings.sitemaps:
        find = partial(find_declared_sitemaps, url=f"{host.origin}/robots.txt")
        try:
            declared = await children.run(find, host.robots, timeout_s=_LIMITS.parse_s)
        except OffloadFailed:
            declared = ()
    given = () if settings.sitemap is None else (settings.sitemap,)
    guessed = tuple(f"{host.origin}{path}" for path in GUESSED_PATHS) if settings.sitemaps else ()
    queue = deque((url, 0) for url in (*given, *(declared or guessed)))
    seen: set[str] = set()
    files: list[SitemapRead] = []
    total = 0
    while queue and len(files) < MAX_FILES and total < MAX_URLS:
        url, level = queue.popleft()
        if url in seen or not frontier.is_of_site(url):
            continue
        seen.add(url)
        if not declared and level == 0 and any(not file.error and file.status == 200 for file in files):  # noqa: PLR2004
            continue  # The first usual place was right.
        response = await work.fetch_file(work.host_of(url), url, _LIMITS.sitemap_bytes)
        if response is None or not 200 <= response.status < 300:  # noqa: PLR2004 - it is there
            status = None if response is None else response.status
            if declared or url in given or status is None:
                files.append(SitemapRead(url=url, status=status, error="http"))
            continue
        try:
            reading = await _read(children, response, url, frontier.crawl.start_url, "index" if level else "robots")
        except OffloadFailed as error:
            files.append(SitemapRead(url=url, status=response.status, error=error.code))
            continue
        files.append(
            SitemapRead(url=url, status=response.status, error=reading.file.error or "", urls=len(reading.pages))
        )
        total += len(reading.pages)
        for first in range(0, len(reading.pages), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            await frontier.add_sitemap(reading.pages[some], reading.lastmods[some], url)
        if level < 2:  # noqa: PLR2004 - an index of indexes
            queue.extend((child, level + 1) for child in reading.children)
    return files


async def _read(
    children: TaskRunner, response: Response, url: str, page_url: str, source: Literal["robots", "index"]
) -> SitemapReading:
    read = partial(
        read_sitemap,
        url=url,
        page_url=page_url,
        source=source,
        status=response.status,
        cut=response.truncated is not None,
        keep=_PER_FILE,
    )
    return await children.run(read, response.body, timeout_s=_LIMITS.parse_s)
