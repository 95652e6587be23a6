"""Input of a gatherer: the client, the options, the document, the deadline, and addresses that it asks politely."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from typing import ClassVar, Final, Literal, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.exchange import (
    DEFAULT_LIMITS,
    CookieJar,
    Exchange,
    FetchError,
    Followed,
    Limits,
    Purpose,
    Request,
)
from pagegrade.gather.guard import Policy
from pagegrade.gather.held_bytes import MAX_HELD_BYTES
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import Resolver
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Navigation, NotGathered, Probe, Response, WellKnown
from pagegrade.parse.files.robots import MAX_COMPARED, permitted
from pagegrade.parse.html.parser import NamedURLs, find_named_urls
from pagegrade.parse.url import Target, host, origin

T = TypeVar("T")

MIN_TIMEOUT_S: Final = 0.05
"""Shortest time-out handed on; libraries read 0 as "for ever"."""
MAX_CONCURRENT: Final = 4
MAX_REDIRECTS: Final = 5
KEPT_HEADERS: Final = frozenset({"cf-mitigated", "content-type", "location", "retry-after"})
"""Headers that describe a response beyond its status; a site's other headers are those of the page."""


class Offload(Protocol):
    """Runs a pure top-level function of ``pagegrade.parse`` where hostile bytes can do no harm."""

    async def __call__(self, function: Callable[..., T], *args: object, timeout_s: float) -> T:
        """Call ``function(*args)`` in a child process that can be killed.

        Args:
            function: A top-level function, or a ``functools.partial`` of one; it, its arguments and its result cross
                to another process.
            timeout_s: Wall clock after which the child is ended.

        Raises:
            OffloadFailed: The child ran out of time or memory, or died.
        """
        ...


Cause = Literal["cpu_limit", "memory_limit", "depth_limit", "output_limit", "crash", "time_limit"]
"""Reason why a parser was stopped; only after ``time_limit`` (wall clock) may the same bytes be read with more time."""


class OffloadFailed(Exception):
    """The parser could not cope with these bytes within its limits."""

    code: ClassVar[str] = "parser_limit"

    def __init__(self, message: str = "", *, cause: Cause | None = None) -> None:
        super().__init__(message)
        self.cause = cause

    def not_gathered(self) -> NotGathered:
        """The failure as the artifact that is missing."""
        if self.code == "internal":
            return NotGathered(code=self.code, detail="Something went wrong inside Pagegrade.")
        return NotGathered(
            code=self.code, detail="Reading it went beyond the limits of time or memory.", reason=self.cause or ""
        )


class GatherLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Requests and bytes that one analysis may use."""

    requests: int = 200
    """Sub-resources asked for."""
    hosts: int = 50
    """Distinct hosts of sub-resources."""
    total_wire_bytes: int = 20_000_000
    """Of all sub-resources together; those under way are cut when it is used up."""
    resource_bytes: int = 5_000_000
    """Of one sub-resource, on the wire and decoded."""
    resource_s: float = 15.0
    """For one sub-resource, its redirects included."""
    document_wire_bytes: int = 5_000_000
    document_decoded_bytes: int = 3_000_000
    """Parsing takes up to 40 times as much memory; search engines read 2 MB to 15 MB
    (https://developers.google.com/search/docs/crawling-indexing/googlebot)."""
    document_s: float = 30.0
    """For one answer on the way to the document."""
    well_known_s: float = 15.0
    """For robots.txt, a probe or the icon, redirects included."""
    sitemap_files: int = 10
    sitemap_bytes: int = 10_000_000
    """Of one sitemap file."""
    links: int = 20
    """Own pages that the page links to, asked for without their content."""
    link_s: float = 5.0
    """For one answer on the way to one of them."""
    links_s: float = 10.0
    """For all of them together."""
    linked_sections: int = 3
    """Linked pages read for the sections that links lead to."""
    linked_page_wire_bytes: int = 300_000
    """Of one of them; one that is cut says nothing."""
    linked_page_decoded_bytes: int = 2_000_000
    alternates: int = 5
    """Language versions read for a link back."""
    alternate_wire_bytes: int = 100_000
    """Of one of them; what matters stands in its head."""
    alternate_decoded_bytes: int = 500_000
    source_maps: int = 3
    """Asked for."""
    parse_s: float = 10.0
    """For one call of a parser."""
    held_bytes: int = MAX_HELD_BYTES
    """Of all answers at any moment."""


class GatherOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the caller of an analysis."""

    budget_s: float = 60.0
    """Wall clock for everything, more than 0."""
    policy: Policy = msgspec.field(default_factory=Policy)
    subresources: bool = True
    """Fetch what the page names; off leaves ``resources`` not gathered."""
    load_samples: int = 3
    """Fetches of the document for its load time, 1 to 10; the first one counts."""
    limits: GatherLimits = msgspec.field(default_factory=GatherLimits)
    exchange_limits: Limits = DEFAULT_LIMITS
    preview_images: bool = False
    """Fetch the image for shared links and the icon, for a report that shows them."""
    access: Access | None = None
    """Access that goes with requests to the origins of the page; ``None``: nothing."""
    render: RenderOptions | None = None
    """Options of the rendered engine, which takes its own time after ``budget_s``; ``None``: no rendering."""


class Start(msgspec.Struct, kw_only=True):
    """State that exists before the document was fetched."""

    target: Target
    options: GatherOptions
    client: HTTPClient
    """Of this report; kept connections are reused."""
    fresh_client: Callable[[], AbstractAsyncContextManager[HTTPClient]]
    """Makes another client that shares nothing but the rules, for measurements that need a new connection."""
    visitor: HTTPClient
    """Asks as everybody does; ``client`` itself where no access lets the run in."""
    resolver: Resolver
    offload: Offload
    deadline: float
    """Loop time at which everything must be over."""
    render_deadline: float
    """The same for a browser."""
    gathered_at: datetime
    """Aware UTC; the report's own time."""
    probe_token: str
    """Hexadecimal; the random part of the address that should not exist."""
    cookies: CookieJar = msgspec.field(default_factory=CookieJar)
    """Of the page and its files; probes and what crawlers ask for go without."""

    def left_s(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - asyncio.get_running_loop().time())


class Context(Start, kw_only=True):
    """State that exists once the document was fetched."""

    navigation: Navigation
    document: Followed
    """The same with facts of the transport."""
    promises: Mapping[str, Awaitable[object]] = msgspec.field(default_factory=dict)
    """Artifact -> its value once it is gathered (or ``NotGathered``)."""
    _reading: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    _parsing: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    _named: NamedURLs | OffloadFailed | None = None
    _deciding: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    _undecided: dict[str, None] = msgspec.field(default_factory=dict)
    """URLs about which robots.txt is to be asked."""
    _decided: dict[str, bool] = msgspec.field(default_factory=dict)
    """URL -> whether robots.txt permits it."""

    @property
    def main_document_url(self) -> str:
        """URL of the document after redirects."""
        return self.navigation.main_document_url

    @property
    def origin(self) -> str:
        """Scheme, host and port of the document."""
        return origin(self.main_document_url)

    @property
    def host(self) -> str:
        """Host of the document: lower-case ASCII, IPv6 in brackets."""
        return host(self.main_document_url)

    async def artifact(self, name: str, kind: type[T]) -> T | None:
        """Wait for another gatherer's artifact; ``None`` when it could not be gathered (or is not asked for)."""
        promise = self.promises.get(name)
        # Shielded: a waiter whose time is over must not take the promise away from its keeper.
        value = None if promise is None else await asyncio.shield(promise)
        return value if isinstance(value, kind) else None

    async def named_urls(self) -> NamedURLs:
        """The URLs that the page refers to and links to, read once for all gatherers.

        Raises:
            OffloadFailed: The HTML could not be read.
        """
        async with self._reading:
            if self._named is None:
                try:
                    self._named = await self.parse(find_named_urls, self.navigation.response)
                except OffloadFailed as error:
                    self._named = error
        if isinstance(self._named, OffloadFailed):
            raise self._named
        return self._named

    async def fetch_well_known(
        self,
        url: str,
        *,
        max_bytes: int,
        keep_bytes: int | None = None,
        purpose: Purpose = "text",
        as_visitor: bool = False,
    ) -> WellKnown:
        """Fetch a well-known or guessed file with its redirects.

        Args:
            url: Absolute.
            max_bytes: Read at most, on the wire and decoded.
            keep_bytes: Kept of the body; ``None`` for all that was read.
            as_visitor: Ask without the access of the run, as crawlers do.

        Raises:
            FetchError: There was no answer.
        """
        request = Request(
            url=url,
            purpose=purpose,
            max_wire_bytes=max_bytes,
            max_decoded_bytes=max_bytes,
            keep_bytes=keep_bytes,
            timeout_s=self.timeout_s(self.options.limits.well_known_s),
        )
        followed = await (self.visitor if as_visitor else self.client).follow(request)
        return WellKnown(requested_url=url, hops=followed.hops, response=followed.response)

    async def permitted_urls(self, urls: tuple[str, ...]) -> tuple[str, ...] | None:
        """Wait for robots.txt and return those of the page's own URLs that may be asked for, in order.

        Args:
            urls: Absolute, of this origin.

        Returns:
            ``None`` when robots.txt could not be fetched.

        Raises:
            OffloadFailed: robots.txt could not be read.
        """
        robots = await self.artifact("robots_txt", WellKnown)
        if robots is None:
            return None
        if not 200 <= robots.response.status < 300:
            # Nothing of the file counts, and a status alone needs no child.
            return permitted(robots.response, urls)
        # Gatherers ask at about the same time, and one look at the file answers all of them.
        self._undecided.update((url, None) for url in urls if url not in self._decided)
        async with self._deciding:
            await asyncio.sleep(0)
            wanted = tuple(self._undecided)
            if not self._decided.keys() >= set(urls):
                if len(robots.response.body) * sum(map(len, wanted)) > MAX_COMPARED:
                    # Together they would be too many; each gatherer's own may not be.
                    return await self.parse(partial(permitted, robots.response), urls)
                allowed = frozenset(await self.parse(partial(permitted, robots.response), wanted))
                for url in wanted:
                    self._undecided.pop(url, None)
                    self._decided[url] = url in allowed
        return tuple(url for url in urls if self._decided[url])

    async def parse(self, function: Callable[..., T], *args: object) -> T:
        """Call a parser through ``offload`` with the usual time-out.

        One call at a time: a page uses the memory and the CPU of one child, however much it names.

        Raises:
            OffloadFailed: It did not cope.
        """
        async with self._parsing:
            return await self.offload(function, *args, timeout_s=self.timeout_s(self.options.limits.parse_s))

    def timeout_s(self, wanted: float) -> float:
        """``wanted`` seconds, less when the deadline is nearer."""
        return max(MIN_TIMEOUT_S, min(wanted, self.left_s()))

    @property
    def exchange(self) -> Exchange:
        """The exchange that brought the document."""
        return self.document.exchange


async def ask_all(context: Context, requests: Sequence[Request], *, within_s: float) -> tuple[Probe, ...]:
    """Ask for each, in order, ``MAX_CONCURRENT`` at a time; what has no answer when the time is over is left out."""
    slots = asyncio.Semaphore(MAX_CONCURRENT)
    found: dict[int, Probe] = {}

    async def ask(index: int, request: Request) -> None:
        async with slots:
            probe = await _ask(context, request)
        if probe.failure is None or probe.failure.code != "budget":
            found[index] = probe

    end = asyncio.get_running_loop().time() + context.timeout_s(within_s)
    try:
        async with asyncio.timeout_at(end), asyncio.TaskGroup() as group:
            for index, request in enumerate(requests):
                group.create_task(ask(index, request))
    except TimeoutError:
        pass  # What was answered in time stands.
    return tuple(found[index] for index in sorted(found))


async def _ask(context: Context, request: Request) -> Probe:
    """One address. Where HEAD brings no success, GET decides: servers exist that only know that."""
    first = await _attempt(context, request)
    if request.method == "GET" or _is_settled(first):
        return first
    return await _attempt(context, replace(request, method="GET"))


def _is_settled(probe: Probe) -> bool:
    if probe.response is not None:
        return probe.response.status < 400 or probe.response.status == 429
    return probe.failure is not None and probe.failure.code in {"address_not_allowed", "budget", "dns"}


async def _attempt(context: Context, request: Request) -> Probe:
    try:
        followed = await context.client.follow(request)
        followed.release()
    except FetchError as error:
        return Probe(url=request.url, hops=tuple(map(_slim, error.hops)), failure=error.not_gathered())
    return Probe(url=request.url, hops=tuple(map(_slim, followed.hops)), response=_slim(followed.response))


def _slim(response: Response) -> Response:
    """The answer without what is the same for every page of a site."""
    return replace(response, headers=tuple(line for line in response.headers if line[0].lower() in KEPT_HEADERS))
