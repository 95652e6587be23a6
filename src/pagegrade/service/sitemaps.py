"""URLs of a sitemap: fetched under the same guard as pages, parsed in a child process, within one time limit.

Only URLs of pages are returned, so that the service cannot be used to read other servers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec

from pagegrade.gather.context import OffloadFailed
from pagegrade.gather.exchange import Allowance, FetchError, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import CachingResolver, DNSResolver
from pagegrade.model.artifacts import Response
from pagegrade.model.errors import Unavailable
from pagegrade.parse.files.robots import find_declared_sitemaps
from pagegrade.parse.files.sitemap import SitemapReading, read_sitemap
from pagegrade.parse.url import Target, origin, parse_target_url
from pagegrade.sandbox.fair_slots import NoSlot
from pagegrade.sandbox.pool import Children
from pagegrade.service.container import Services
from pagegrade.service.options import AT_ONCE
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.reports.validation import check_allowed
from pagegrade.service.runs.options import AnalyzeOptions, policy_of
from pagegrade.service.runs.politeness import politeness_target

RETRY_AFTER_S: Final = 5
WHOLE_S: Final = 20.0
"""Total time limit: a person is waiting."""
FILE_S: Final = 10.0
PARSE_S: Final = 15.0
"""With the start of the child process, which takes seconds on a busy machine; its processor time is limited, too."""
FILES: Final = 12
"""Sitemaps asked for, the index included."""
FILE_BYTES: Final = 10_000_000
WHOLE_BYTES: Final = 20_000_000
"""On the wire, of all files together."""
ROBOTS_BYTES: Final = 500_000
SITE_FILES_PER_MINUTE: Final = 60
"""Limit per site, for all clients together: an index may refer to any site, and be submitted repeatedly."""
GUESSED_PATH: Final = "/sitemap.xml"
_SUCCESS: Final = range(200, 300)
_GONE: Final = (404, 410)
"""Answers to keep to: there is no such file. Any other failure may pass, such as a limit of the site for us."""


class FoundURLs(msgspec.Struct, frozen=True, kw_only=True):
    """URLs of a sitemap."""

    urls: tuple[str, ...] = ()
    """Canonical http(s) addresses, different, in order, at most ``AT_ONCE``."""
    files: int = 0
    """Sitemaps that were read."""
    is_whole: bool = True
    """True if these are all; there may be more, or files that were not read."""
    is_partial: bool = False
    """True if a file, or the end of one, that may have named some of them could not be read this time."""
    failure: str = ""
    """Reason why the first file could not be read, if no URL was found: a code of ``FetchError``, ``status``, one of
    ``read_sitemap``, ``too_large``, ``time``, or ``busy`` where the site was asked for too many files just now."""
    status: int | None = None
    """HTTP status of the response, for ``status``."""


class _Reading(msgspec.Struct):
    """URLs found so far."""

    urls: dict[str, None]
    files: int = 0
    is_whole: bool = True
    is_partial: bool = False
    failure: str = ""
    status: int | None = None

    def fail(self, why: str, status: int | None = None) -> None:
        self.is_whole = False
        self.is_partial |= why != "empty" and status not in _GONE
        if not self.failure:
            self.failure, self.status = why, status


async def read_sitemap_urls(services: Services, typed: str, *, account_id: int) -> FoundURLs:
    """Read a sitemap, and those that it names if it is an index.

    Args:
        typed: Address of a sitemap; that of a whole site stands for the sitemaps its robots.txt names, or the one at
            the usual place.
        account_id: For whom it is read; the slow sitemaps of one account keep no other account waiting.

    Raises:
        InvalidURL: The address cannot be read.
        URLNotAllowed: It is one that must not be contacted.
        Unavailable: Too many sitemaps of this account are being read.
    """
    target = parse_target_url(typed)
    options = services.options.analyze
    check_allowed(target.url, options)
    reading = _Reading({})
    known = CachingResolver(DNSResolver())
    try:
        async with asyncio.timeout(WHOLE_S), services.sitemap_slots.hold(account_id), Children(1) as children:
            may_ask = partial(_may_ask, services)
            await _read_all(reading, target, may_ask, options=options, children=children, resolver=known)
    except NoSlot:
        raise Unavailable(
            "Other sitemaps of this account are being read; try again soon.", retry_after_s=RETRY_AFTER_S
        ) from None
    except TimeoutError:
        reading.fail("time")
    finally:
        await known.aclose()
    return FoundURLs(
        urls=tuple(reading.urls),
        files=reading.files,
        is_whole=reading.is_whole,
        is_partial=reading.is_partial,
        failure="" if reading.urls else reading.failure or "empty",
        status=None if reading.urls else reading.status,
    )


async def _may_ask(services: Services, url: str) -> bool:
    """Count a file of a site, if there is any politeness to keep to."""
    site = politeness_target(url, services.options.analyze.allow_networks)
    return not site or (await services.limits.take_now(Bucket(("sitemap files", site), SITE_FILES_PER_MINUTE))).allowed


async def _read_all(
    reading: _Reading,
    target: Target,
    may_ask: Callable[[str], Awaitable[bool]],
    *,
    options: AnalyzeOptions,
    children: Children,
    resolver: CachingResolver,
) -> None:
    deadline = asyncio.get_running_loop().time() + WHOLE_S
    allowance = Allowance(WHOLE_BYTES)
    async with HTTPClient(guard=Guard(policy_of(target.url, options)), resolver=resolver, deadline=deadline) as client:
        first = await _first_urls(client, target, may_ask, allowance, children, reading=reading)
        queue = deque((url, False) for url in first)
        seen: set[str] = set()
        while queue:
            url, is_child = queue.popleft()
            if url in seen:
                continue
            if len(seen) == FILES or len(reading.urls) >= AT_ONCE:
                reading.is_whole = False
                return
            seen.add(url)
            if not await may_ask(url):
                reading.fail("busy")
                continue
            found = await _read_file(reading, client, url, allowance, children)
            if found is None:
                continue
            reading.files += 1
            _keep(reading, found)
            if is_child and found.children:
                reading.is_whole = False  # An index names no index (https://www.sitemaps.org/protocol.html#index).
            elif not is_child:
                queue.extend((child, True) for child in found.children)


def _keep(reading: _Reading, found: SitemapReading) -> None:
    for url in found.pages:
        if url in reading.urls:
            continue
        if len(reading.urls) >= AT_ONCE:
            reading.is_whole = False
            return
        reading.urls[url] = None
    # A body of nothing names no pages, but is no sitemap without any either.
    reading.is_partial |= found.file.truncated or found.file.kind is None
    if found.file.truncated or (found.file.kind != "index" and (found.file.url_count or 0) > len(found.pages)):
        reading.is_whole = False
    if found.file.error is not None:
        reading.fail(found.file.error)


async def _first_urls(
    client: HTTPClient,
    target: Target,
    may_ask: Callable[[str], Awaitable[bool]],
    allowance: Allowance,
    children: Children,
    *,
    reading: _Reading,
) -> tuple[str, ...]:
    """The sitemaps to begin with."""
    root = origin(target.url)
    if target.document_url != f"{root}/":
        return (target.document_url,)
    guessed = (f"{root}{GUESSED_PATH}",)
    # It may name others than those that are guessed.
    reading.is_partial = True
    if not await may_ask(f"{root}/robots.txt"):
        return guessed
    try:
        response = await _fetch(client, f"{root}/robots.txt", allowance, max_bytes=ROBOTS_BYTES)
        is_cut_off = response.truncated not in (None, "limit")
        reading.is_partial = is_cut_off or response.status not in (*_SUCCESS, *_GONE)
        if response.status in _SUCCESS:
            declared = await children.run(
                partial(find_declared_sitemaps, url=response.url), response.body, timeout_s=PARSE_S
            )
            if declared:
                return declared
    except OffloadFailed:
        reading.is_partial = True
    except FetchError:
        pass  # Then there is still the usual place, and what is wrong with the site shows there.
    return guessed


async def _read_file(
    reading: _Reading, client: HTTPClient, url: str, allowance: Allowance, children: Children
) -> SitemapReading | None:
    """One file; ``None`` when it cannot be read, which is noted."""
    try:
        response = await _fetch(client, url, allowance, max_bytes=FILE_BYTES)
    except FetchError as error:
        reading.fail("time" if error.code == "budget" else error.code)
        return None
    if response.status not in _SUCCESS:
        reading.fail("status", response.status)
        return None
    # One more than is kept, to know whether there are more.
    read = partial(
        read_sitemap,
        url=response.url,
        page_url=response.url,
        source="index",
        status=response.status,
        cut=response.truncated is not None,
        keep=AT_ONCE + 1,
    )
    try:
        return await children.run(read, response.body, timeout_s=PARSE_S)
    except OffloadFailed as error:
        reading.fail("internal" if error.code == "internal" else "too_large")
        return None


async def _fetch(client: HTTPClient, url: str, allowance: Allowance, *, max_bytes: int) -> Response:
    request = Request(
        url=url,
        purpose="text",
        max_wire_bytes=max_bytes,
        max_decoded_bytes=max_bytes,
        allowance=allowance,
        timeout_s=FILE_S,
    )
    followed = await client.follow(request)
    # One file is held at a time, until it has been read.
    followed.release()
    return followed.response
