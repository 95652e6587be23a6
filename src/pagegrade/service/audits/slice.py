"""A slice of a crawl: some seconds of one event loop, which fetches politely and has pages read in children."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Self

from msgspec.structs import replace

from pagegrade.clock import now_ms, utc_now
from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.gather.exchange import DEFAULT_LIMITS, Exchange, FetchError, Purpose, Request
from pagegrade.gather.gatherers.document import is_html, media_type
from pagegrade.gather.gatherers.resources import MAX_READ_BYTES
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient, request_headers
from pagegrade.gather.resolver import CachingResolver, DNSResolver, Resolver
from pagegrade.model.access import VisitorView
from pagegrade.model.artifacts import (
    GATHERED,
    NOT_LET_IN,
    NOT_RENDERED,
    NOT_SHOWN,
    Artifacts,
    Navigation,
    NotGathered,
    Resources,
    Response,
)
from pagegrade.model.audit import CrawlHost, PageRecord, Sheet, StopReason, URLState, WaitingURL
from pagegrade.model.identity import VERSION
from pagegrade.parse.files.robots import crawl_delay, permitted
from pagegrade.parse.http.access import secrets_of
from pagegrade.parse.http.caching import validator_of
from pagegrade.parse.measure import Sample, measure_samples
from pagegrade.parse.url import is_http, join_url, strip_fragment
from pagegrade.parse.urls.identity import identity
from pagegrade.report.masking import without_secrets
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.audits.asking import ask, asking, is_answer, retry_after_of
from pagegrade.service.audits.consent import allowed_rate
from pagegrade.service.audits.earlier import NOT_MODIFIED, Earlier, EarlierPage, carry_over
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.pace import MAX_CRAWL_DELAY_S, Pace
from pagegrade.service.audits.visits import Visit
from pagegrade.service.runs.analysis import EVALUATION_SECONDS
from pagegrade.service.runs.crawl_page import read_crawl_page
from pagegrade.service.runs.options import AnalyzeOptions, policy_of
from pagegrade.store.repositories.crawl_urls import ASSET_LANE

SLICE_S: Final = 20.0
BATCH_PAGES: Final = 64
BATCH_S: Final = 5.0
AT_WORK: Final = 8
"""Pages that are fetched or read at a time, on all hosts together."""
SHEET_ROUNDS: Final = 3
"""Readings of a page for which further style sheets are asked for, as many as imports may be deep."""
ROBOTS_BYTES: Final = 512_000
ROBOTS_EVERY_MS: Final = 3_600_000
_NEVER: Final = float("inf")
_LIMITS: Final = GatherLimits()
_FILES: Final = frozenset(
    "7z avi avif bmp bz2 css csv deb dmg doc docx eot epub exe gif gz ico iso jar jpeg jpg js json m4a m4v mkv mov mp3 "
    "mp4 mpeg mpg msi ods odt ogg ogv otf pdf png pptx ppt rar rpm rss svg tar tgz tif tiff ttf txt wasm wav webm webp "
    "whl wmv woff woff2 xls xlsx xml xz zip zst".split()
)
"""Extensions of what is no page: only asked whether it is there."""
_NOT_OF_A_CRAWL: Final = NotGathered(code="skipped", detail="A crawl does not ask for this with every page.")
_BESIDE: Final[dict[str, Any]] = {
    **dict.fromkeys((name for name in GATHERED if name != "visitor_view"), _NOT_OF_A_CRAWL),
    "preview_images": NOT_SHOWN,
    "rendering": NOT_RENDERED,
}


class _AskLater(Exception):
    """A host wants to be left alone for longer than a slice waits."""


class Slice:
    """The right to work on one crawl for a while."""

    def __init__(
        self,
        frontier: Frontier,
        *,
        options: AnalyzeOptions,
        children: TaskRunner,
        committed: Callable[[], None] = lambda: None,
        resolver: Resolver | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        """Prepare; nothing is fetched yet.

        Args:
            frontier: Of the crawl.
            options: What may be contacted.
            children: Where pages are read.
            committed: Called after each transaction.
            resolver: Where addresses come from; ``None`` for DNS.
            earlier: The crawl before, for pages that have not changed.
        """
        self._frontier = frontier
        self._earlier = earlier if earlier is not None and earlier.comparable else None
        self._settings = frontier.crawl.settings
        self._children = children
        self._committed = committed
        self.resolver = CachingResolver(resolver if resolver is not None else DNSResolver())
        limits = replace(DEFAULT_LIMITS, connections_per_host=self._settings.connections)
        start = frontier.crawl.start_url
        make = partial(HTTPClient, guard=Guard(policy_of(start, options)), resolver=self.resolver, limits=limits)
        self.access = options.access
        """Additions to requests to its origins; ``None``: nothing is added."""
        self.secrets = () if self.access is None else secrets_of(self.access, start)
        self.client = make(access=self.access)
        self.visitor = make() if self.access is not None and self.access.note.lets_in else self.client
        """Asks as everybody does."""
        self._user_agent = options.user_agent
        self._paces: dict[int, Pace] = {}
        self._stop: StopReason | None = None
        self._worked_from = 0.0
        self._commit_at = 0.0
        self._waiting: deque[WaitingURL] = deque()
        """Taken from the frontier, and to be fetched when their host may be asked."""
        self._running: dict[asyncio.Task[Visit], WaitingURL] = {}
        self._done: list[Visit] = []
        """Visits that the next transaction stores."""
        self._answered = asyncio.Event()
        """A request of any host has ended."""
        self._robots: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        """Host -> held while its robots.txt is asked for."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in {self.client, self.visitor}:
            await client.aclose()
        await self.resolver.aclose()

    async def run(self, seconds: float = SLICE_S) -> StopReason | None:
        """Work until the time is over or there is nothing to do; what is under way is waited for.

        Returns:
            Reason why the crawl fetches nothing more; ``None``: another slice goes on.

        Raises:
            CrawlTakenOver: Another process works on the crawl.
            Unavailable: The database cannot be used.
        """
        self._worked_from = self._now()
        end = self._worked_from + seconds
        try:
            await self._read_earlier_sheets()
            return await self._work(end)
        except BaseException:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
            if self._done:
                # Interrupted by a person, or stopped by a fault of ours: what was fetched is kept.
                await asyncio.shield(self._commit())
            raise

    async def _read_earlier_sheets(self) -> None:
        """Ask for the style sheets of the crawl before: what they hide decides what was said of all its pages."""
        earlier, known = self._earlier, self._frontier.sheets
        if earlier is None:
            return
        await known.read(earlier.sheets, Resources(), self._fetch_sheet)
        if known.unsaved():
            await self._commit()
        if not earlier.compares(self._frontier.crawl, known):
            self._earlier = None

    async def _work(self, end: float) -> StopReason | None:
        is_empty = False
        while True:
            is_over = self._stop is not None or self._now() >= end
            if is_over:
                self._waiting.clear()
            elif len(self._waiting) < AT_WORK and not is_empty:
                is_empty = not await self._fill()
            while len(self._running) < AT_WORK and (row := self._next()) is not None:
                self._pace(row.host_no).start()
                visit = self._visit_asset(row) if row.lane >= ASSET_LANE else self._visit(row)
                self._running[asyncio.get_running_loop().create_task(visit)] = row
            await self._wait(end)
            is_idle = not (self._running or self._waiting)
            if self._done and (len(self._done) >= BATCH_PAGES or self._now() >= self._commit_at or is_idle):
                await self._commit()
                is_empty = False
            elif is_idle and (is_over or is_empty):
                return self._reason(is_empty=is_empty and not is_over)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _wait(self, end: float) -> None:
        """Wait until a visit ends, a host may be asked, a batch is due, or the time is over."""
        ready = min((self._pace(row.host_no).ready_in_s() for row in self._waiting), default=_NEVER)
        if not self._running:
            if ready < _NEVER:
                await asyncio.sleep(min(ready, max(0.0, end - self._now())))
            return
        due = max(0.0, self._commit_at - self._now()) if self._done else _NEVER
        timeout = min(ready if len(self._running) < AT_WORK else _NEVER, due)
        finished, _ = await asyncio.wait(
            self._running, timeout=None if timeout == _NEVER else timeout, return_when=asyncio.FIRST_COMPLETED
        )
        for task in finished:
            if not self._done:
                self._commit_at = self._now() + BATCH_S
            self._running.pop(task)
            self._done.append(task.result())

    def _reason(self, *, is_empty: bool) -> StopReason | None:
        if self._stop is not None or not is_empty:
            return self._stop
        return "max_pages" if self._left(0) <= 0 else "done"

    def _left(self, under_way: int) -> int:
        crawl = self._frontier.crawl
        return self._settings.max_pages - crawl.fetched - under_way

    async def _commit(self) -> None:
        visits, self._done = self._done, []
        for pace in self._paces.values():
            pace.store()
        now = self._now()
        worked_ms = round((now - self._worked_from) * 1_000)
        self._worked_from = now
        await self._frontier.commit(visits, worked_ms=worked_ms)
        crawl = self._frontier.crawl
        if self._stop is None and crawl.worked_ms >= self._settings.max_minutes * 60_000:
            self._stop = "max_time"
        self._committed()

    async def _fill(self) -> bool:
        """Let the next URLs wait for their host, those that robots.txt permits; return whether there were any."""
        known = (*self._waiting, *self._running.values(), *(visit.row for visit in self._done))
        taken = {row.url_id for row in known}
        limit = min(BATCH_PAGES, self._left(sum(row.lane < ASSET_LANE for row in known)))
        rows = await self._frontier.take(limit, taken) if limit > 0 else []
        if not rows and len(known) < BATCH_PAGES:
            rows = await self._frontier.take(BATCH_PAGES, taken, assets=True)
        is_any = bool(rows)
        # Excluded since they were found.
        out = [row for row in rows if row.lane < ASSET_LANE and not self._frontier.scope.holds(row.url)]
        self._done += [Visit(row=row, state=URLState.OUTSIDE) for row in out]
        left_out = {row.url_id for row in out}
        rows = [row for row in rows if row.url_id not in left_out]
        by_host: dict[int, list[WaitingURL]] = {}
        for row in rows:
            by_host.setdefault(row.host_no, []).append(row)
        allowed: set[int] = set()
        for host_no, of_host in by_host.items():
            host = self._frontier.host(host_no)
            found = await self.permitted_urls(host, tuple(row.url for row in of_host))
            if found is None:
                if host_no == 0:
                    self._stop = "robots_unreachable"
                    return False
                failed = partial(Visit, state=URLState.WAITING, error="robots_unreachable")
                self._done += [failed(row=row) for row in of_host]
                continue
            allowed.update(row.url_id for row in of_host if row.url in found)
            blocked = partial(Visit, state=URLState.BLOCKED)
            self._done += [blocked(row=row) for row in of_host if row.url not in found]
        rows = [row for row in rows if row.url_id in allowed]
        spelled = await self._frontier.find_spelled(rows, known)
        self._done += [Visit(row=row, state=URLState.VARIANT) for row in rows if row.url_id in spelled.shown]
        self._waiting += [row for row in rows if row.url_id not in spelled.shown | spelled.under_way]
        return is_any

    async def permitted_urls(self, host: CrawlHost, urls: tuple[str, ...]) -> frozenset[str] | None:
        """Those URLs of an origin that may be asked for; ``None`` while its robots.txt cannot be had.

        Source: https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1
        """
        async with self._robots[host.host_no]:
            if host.robots_at_ms is None or not 0 <= now_ms() - host.robots_at_ms < ROBOTS_EVERY_MS:
                await self._read_robots(host)
        status = host.robots_status
        if status is None or status >= 500 or status in {429, 430}:  # noqa: PLR2004 - errors of the server
            # To be asked for again by the next slice that finds it as old as this.
            host.robots_at_ms = None
            return None
        response = Response(url=f"{host.origin}/robots.txt", status=status, body=host.robots)
        return await permitted_by(response, urls, self._children)

    async def _read_robots(self, host: CrawlHost) -> None:
        host.robots_status, host.robots, host.robots_at_ms, host.crawl_delay_ms = None, b"", now_ms(), 0
        response = await self.fetch_file(host, f"{host.origin}/robots.txt", ROBOTS_BYTES, client=self.visitor)
        if response is None or response.truncated not in {None, "limit"}:
            return
        host.robots_status = response.status
        if 200 <= response.status < 300:  # noqa: PLR2004 - the file itself
            host.robots = response.body
            try:
                delay = await self._children.run(crawl_delay, response, timeout_s=_LIMITS.parse_s)
            except OffloadFailed:
                delay = 0.0
            host.crawl_delay_ms = round(delay * 1_000)

    async def fetch_file(
        self,
        host: CrawlHost,
        url: str,
        max_bytes: int,
        purpose: Purpose = "text",
        *,
        client: HTTPClient | None = None,
        validator: str = "",
    ) -> Response | None:
        """A file of the site beside its pages, with its redirects; ``None`` without an answer.

        One that is known, as its validator says, is answered 304 while it is the same.
        """
        pace = await self._turn(host)
        request = Request(
            url=url,
            purpose=purpose,
            max_wire_bytes=max_bytes,
            max_decoded_bytes=max_bytes,
            timeout_s=_LIMITS.well_known_s,
            validator=validator,
        )
        response: Response | None = None
        try:
            followed = await (client or self.client).follow(request)
            followed.release()
            response = without_secrets(followed.response, self.secrets)
        except FetchError:
            pass
        finally:
            total_s = 0.0 if response is None else response.timings.total_ms / 1_000
            pace.end(None if response is None else response.status, total_s, retry_after_of(response))
            self._answered.set()
        return response

    async def _turn(self, host: CrawlHost, *, patiently: bool = True) -> Pace:
        """Wait until a request to a host may begin, and note that one does.

        Raises:
            _AskLater: Not patiently: the host has asked for a pause that is longer than any distance of requests.
        """
        pace = self._pace(host.host_no)
        while (ready := pace.ready_in_s()) > 0:
            if not patiently and max(MAX_CRAWL_DELAY_S, pace.delay_s) < ready < _NEVER:
                # As if it had begun: whoever visits ends it.
                pace.under_way += 1
                raise _AskLater
            if ready < _NEVER:
                await asyncio.sleep(ready)
            else:
                self._answered.clear()
                await self._answered.wait()
        pace.start()
        return pace

    def host_of(self, url: str) -> CrawlHost:
        """The origin of a URL of the site."""
        return self._frontier.host(self._frontier.host_number(url))

    def _pace(self, host_no: int) -> Pace:
        pace = self._paces.get(host_no)
        if pace is None:
            host = self._frontier.host(host_no)
            pace = self._paces[host_no] = Pace(
                host,
                rate_per_s=allowed_rate(self._frontier.crawl, f"{host.origin}/"),
                connections=self._settings.connections,
                clock=lambda: now_ms() / 1_000,
            )
        return pace

    def _next(self) -> WaitingURL | None:
        """Take the first URL whose host may be asked now."""
        closed: set[int] = set()
        for index, row in enumerate(self._waiting):
            if row.host_no not in closed:
                if self._pace(row.host_no).ready_in_s() <= 0:
                    del self._waiting[index]
                    return row
                closed.add(row.host_no)
        return None

    async def _visit(self, row: WaitingURL) -> Visit:
        """Fetch one URL and have it read."""
        pace = self._pace(row.host_no)
        status: int | None = None
        seconds, retry_after = 0.0, None
        refused = False
        exchange: Exchange | None = None
        response: Response | None = None
        visit = Visit(row=row, state=URLState.WAITING)
        before = None if self._earlier is None else await self._earlier.page(row.url)
        try:
            exchange = await self._fetch(row.url, before)
            response = without_secrets(exchange.response, self.secrets)
            status, seconds = response.status, response.timings.total_ms / 1_000
            retry_after = retry_after_of(response)
            refused = response.header("cf-mitigated") is not None
        except FetchError as error:
            visit.error = error.reason[:40]
        except _AskLater:
            visit.state = URLState.THROTTLED
        finally:
            asks_again = visit.state is URLState.THROTTLED
            throttled = pace.end(status, seconds, retry_after, refused=refused, asks_again=asks_again)
            self._answered.set()
        if row.url_id == 1:
            for client in {self.client, self.visitor}:
                client.note_page(row.url)
        if exchange is None or response is None:
            return visit
        try:
            visit.status, visit.time_ms = status, response.timings.total_ms
            visit.bytes = response.wire_bytes or 0
            if throttled:
                visit.state = URLState.THROTTLED
                return visit
            visit.state = URLState.FETCHED
            visit.content_type = media_type(response)[:100]
            if carry_over(visit, response, before):
                return visit
            location = without_secrets(exchange.location, self.secrets)
            visit.redirect = _redirect(row.url, location, self._settings.drop_parameters)
            if not visit.redirect and 200 <= response.status < 300 and is_html(response):  # noqa: PLR2004
                visit.record = await self._read_page(response)
        except OffloadFailed as error:
            visit.state = URLState.FAILED
            visit.error = error.code[:40]
        finally:
            exchange.hold.release()
        if pace.refuses and self._stop is None:
            self._stop = "site_refuses"
        return visit

    async def _visit_asset(self, row: WaitingURL) -> Visit:
        """Ask whether a file that pages load is there; one that was read for them is not asked for again."""
        pace = self._pace(row.host_no)
        visit = Visit(row=row, state=URLState.FETCHED)
        sheet = self._frontier.sheets.get(row.url)
        seconds, retry_after = 0.0, None
        try:
            if sheet is not None and sheet.status is not None:
                visit.status = sheet.status
                return visit
            followed = await ask(self.client, row.url, between=partial(self._between, self._frontier.host(row.host_no)))
            visit.status, seconds = followed.response.status, followed.response.timings.total_ms / 1_000
            retry_after = retry_after_of(followed.response)
            followed.release()
        except FetchError as error:
            visit.state, visit.error = URLState.WAITING, error.reason[:40]
        except _AskLater:
            visit.state = URLState.THROTTLED
        finally:
            if pace.end(visit.status, seconds, retry_after, asks_again=visit.state is URLState.THROTTLED):
                visit.state = URLState.THROTTLED
            self._answered.set()
        return visit

    async def _between(self, host: CrawlHost, response: Response) -> None:
        """Wait until a host may be asked again for the same, after an answer.

        Raises:
            _AskLater: It has asked for a long pause meanwhile.
        """
        self._pace(host.host_no).end(response.status, response.timings.total_ms / 1_000, asks_again=True)
        self._answered.set()
        await self._turn(host, patiently=False)

    async def _read_page(self, response: Response) -> PageRecord:
        """Have a page read with the style sheets that decide what people see of it.

        Raises:
            OffloadFailed: It could not be read.
        """
        sheets = self._frontier.sheets
        for _ in range(SHEET_ROUNDS):
            given = sheets.resources()
            record = await self.read(response, evaluates=True, sheets=given)
            if not await sheets.read(record.unread_sheets, given, self._fetch_sheet):
                return record
        return await self.read(response, evaluates=True, sheets=sheets.resources())

    async def _fetch_sheet(self, url: str) -> Sheet:
        """Ask for a style sheet, and have it read."""
        number = self._frontier.host_number(url)
        if number < 0:
            return Sheet(url)
        host = self._frontier.host(number)
        if not await self.permitted_urls(host, (url,)):
            return Sheet(url)
        known = None if self._earlier is None else self._earlier.sheets.get(url)
        validator = "" if known is None else known.validator
        response = await self.fetch_file(host, url, MAX_READ_BYTES, "stylesheet", validator=validator)
        if response is None:
            return Sheet(url)
        if known is not None and validator and response.status == NOT_MODIFIED and response.url == url:
            return known
        kind = response.header("content-type") or ""
        sheet = Sheet(url, response.status, kind[:100])
        if not 200 <= response.status < 300 or response.truncated is not None or not response.body:  # noqa: PLR2004
            return sheet
        sample = Sample(stylesheet=response.body, url=response.url, content_type=kind)
        try:
            (measure,) = await self._children.run(measure_samples, (sample,), timeout_s=_LIMITS.parse_s)
        except (OffloadFailed, ValueError):
            return sheet
        return replace(
            sheet,
            visibility_rules=measure.visibility_rules,
            ink_rules=measure.ink_rules,
            image_space=measure.image_space,
            validator=validator_of(response) if response.url == url else "",
        )

    async def read(self, response: Response, *, evaluates: bool, sheets: Resources | None = None) -> PageRecord:
        """Have a page read in a child, with the style sheets that are known.

        Raises:
            OffloadFailed: It could not be read.
        """
        artifacts = self.artifacts_of(response, {} if sheets is None else {"resources": sheets})
        drop = self._settings.drop_parameters
        return await self._children.run(read_crawl_page, artifacts, drop, evaluates, timeout_s=EVALUATION_SECONDS)

    def artifacts_of(self, response: Response, more: Mapping[str, Any]) -> Artifacts:
        """Artifacts that a crawl has of a page, with those that it does not gather with every page."""
        return Artifacts(
            engine=VERSION,
            gathered_at=utc_now(),
            vantage="; ".join(request_headers(Request(url=response.url), user_agent=self._user_agent)),
            navigation=Navigation(requested_url=response.url, response=response),
            **{**_BESIDE, **more},
            visitor_view=self._visitor_view(),
        )

    def _visitor_view(self) -> VisitorView | NotGathered:
        """The start page as visitors see it, if they do not get it: then search engines do not get the site."""
        facts = self._frontier.crawl.facts
        view = None if facts is None or facts.access is None else facts.access.visitors
        return NOT_LET_IN if view is None or not view.is_closed else view

    async def _fetch(self, url: str, before: EarlierPage | None) -> Exchange:
        name = url.partition("?")[0].rpartition("/")[2]
        if name.rpartition(".")[2].lower() in _FILES and "." in name:
            request = asking(url)
            exchange = await self.client.fetch(request)
            if is_answer(exchange.response):
                return exchange
            exchange.hold.release()
            await self._between(self.host_of(url), exchange.response)
            return await self.client.fetch(replace(request, method="GET"))
        request = Request(
            url=url,
            purpose="document",
            max_wire_bytes=_LIMITS.document_wire_bytes,
            max_decoded_bytes=_LIMITS.document_decoded_bytes,
            timeout_s=_LIMITS.document_s,
        )
        if before is None or not before.row.validator:
            return await self.client.fetch(request)
        exchange = await self.client.fetch(replace(request, validator=before.row.validator))
        if exchange.response.status != NOT_MODIFIED or before.agrees(exchange.response):
            return exchange
        exchange.hold.release()
        await self._between(self.host_of(url), exchange.response)
        return await self.client.fetch(request)


async def permitted_by(robots: Response, urls: tuple[str, ...], children: TaskRunner) -> frozenset[str]:
    """Those URLs of an origin that a robots.txt permits, which may be hostile."""
    if not 200 <= robots.status < 300:  # noqa: PLR2004 - a status alone needs no child
        return frozenset(permitted(robots, urls))
    try:
        return frozenset(await children.run(permitted, robots, urls, timeout_s=_LIMITS.parse_s))
    except OffloadFailed:
        return frozenset()


def _redirect(url: str, location: bytes | None, drop: Sequence[str]) -> str:
    """The identity of the URL that a redirect leads to; empty for other answers, and where it leads to no page."""
    if location is None:
        return ""
    target = join_url(url, location.decode("utf-8", "replace"))
    if target is None or not is_http(target):
        return ""
    return identity(strip_fragment(target), drop)
