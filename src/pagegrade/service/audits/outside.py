"""Links to other sites: each target is asked for once, when there are no more pages, and seldom."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import Iterable
from typing import Final

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.http import HTTPClient
from pagegrade.model.artifacts import Response
from pagegrade.model.audit import SettledURL, URLState
from pagegrade.parse.url import host, is_http, is_nearby, origin
from pagegrade.parse.urls.identity import seems_to_act
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.audits.asking import ask
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.pace import PAUSING
from pagegrade.service.audits.slice import ROBOTS_BYTES, permitted_by
from pagegrade.store.repositories.crawl_urls import OutsideURL, outside_urls

MAX_TARGETS: Final = 2_000
MAX_OF_HOST: Final = 10
"""Targets of one host; the links to the others are not examined."""
MAX_LOOKED_AT: Final = 50_000
"""URLs out of scope among which the targets are chosen."""
DISTANCE_S: Final = 10.0
"""Between two targets of one host."""
AT_ONCE: Final = 8
"""Hosts that are asked at a time."""
MAX_TRIES: Final = 2
ANSWER_S: Final = 10.0
_SERVER_ERROR: Final = 500
_TURNS_AWAY: Final = PAUSING | {503}
_LIMITS: Final = GatherLimits()


async def ask_outside(
    frontier: Frontier, client: HTTPClient, children: TaskRunner, seconds: float, *, distance_s: float = DISTANCE_S
) -> bool:
    """Ask for targets of links out of the site for some seconds; what is under way is waited for.

    A target that had no answer, or an error of its server, is asked for once more behind the others.

    Args:
        frontier: Of the crawl, which has fetched its pages.
        client: That asks as everybody does.
        children: Where robots.txt is read.
        seconds: After which nothing more begins.
        distance_s: Between two targets of one host; a host of one's own network is asked as fast as it answers.

    Returns:
        Whether all of them have been asked for.

    Raises:
        CrawlTakenOver: Another process works on the crawl.
        Unavailable: The database cannot be used.
    """
    known = await frontier.read(lambda tx: outside_urls(tx, frontier.crawl.id, MAX_LOOKED_AT))
    # What is left out of the site is not asked for by another way.
    waiting = _chosen(one for one in known if not frontier.scope.excludes(one.url))
    if not waiting:
        return True
    with contextlib.suppress(FetchError):
        # What may be reached from an own network depends on where the start page lies.
        await client.permit(frontier.crawl.start_url)
    now = asyncio.get_running_loop().time
    began_at, hosts = now(), asyncio.Semaphore(AT_ONCE)
    settled: list[SettledURL] = []
    async with asyncio.TaskGroup() as group:
        for targets in waiting:
            one = _Host(client, children, targets, 0.0 if is_nearby(host(targets[0].url)) else distance_s)
            group.create_task(one.work(settled, hosts, began_at + seconds))
    await frontier.note(settled, worked_ms=round((now() - began_at) * 1_000))
    after = {one.url_id: one for one in settled}
    return all(
        one.url_id in after and _is_known(after[one.url_id].status, after[one.url_id].error)
        for targets in waiting
        for one in targets
    )


def _is_known(status: int | None, error: str | None) -> bool:
    return status is not None or bool(error)


def _chosen(urls: Iterable[OutsideURL]) -> list[list[OutsideURL]]:
    """The targets that are still to be asked for by their hosts, those that were never asked first."""
    number, of_host = 0, Counter[str]()
    waiting: dict[str, list[OutsideURL]] = {}
    for one in urls:
        name = host(one.url) if is_http(one.url) and not seems_to_act(one.url) else ""
        if not name or number >= MAX_TARGETS or of_host[name] >= MAX_OF_HOST:
            continue
        number += 1
        of_host[name] += 1
        if not _is_known(one.status, one.error):
            waiting.setdefault(name, []).append(one)
    for targets in waiting.values():
        targets.sort(key=lambda one: (one.tries, one.url_id))
    return list(waiting.values())


class _Host:
    """The targets of one host."""

    def __init__(
        self, client: HTTPClient, children: TaskRunner, targets: Iterable[OutsideURL], distance_s: float
    ) -> None:
        self._client = client
        self._children = children
        self._targets = deque(targets)
        self._distance_s = distance_s
        self._permitted: dict[str, frozenset[str]] = {}
        """Origin -> those of its URLs that its robots.txt permits."""
        self._unreachable: dict[str, str] = {}
        """Origin whose robots.txt had no answer -> why."""

    async def work(self, settled: list[SettledURL], hosts: asyncio.Semaphore, until: float) -> None:
        """Ask for one target after the other until that time, and add what became of each."""
        loop = asyncio.get_running_loop()
        while self._targets and loop.time() < until:
            async with hosts:
                if loop.time() >= until:
                    return
                settled += await self._ask_next()
            if self._targets:
                # Also at the end: the next slice may begin at once.
                await asyncio.sleep(self._distance_s)

    async def _ask_next(self) -> list[SettledURL]:
        """Ask for the next target that may be asked for; also says which may not."""
        found: list[SettledURL] = []
        while self._targets:
            target = self._targets.popleft()
            if not await self._may_ask(target):
                failed = self._unreachable.get(origin(target.url))
                is_again = failed is not None and target.tries + 1 < MAX_TRIES
                found.append(_settled(target, error="" if is_again else failed or "robots"))
                continue
            status, error = None, ""
            try:
                followed = await ask(self._client, target.url, ANSWER_S)
                followed.release()
                status = followed.response.status
            except FetchError as failure:
                error = failure.reason[:40]
            if status in _TURNS_AWAY:
                found += [_settled(other, error="throttled") for other in self._targets]
                self._targets.clear()
            elif (status is None or status >= _SERVER_ERROR) and target.tries + 1 < MAX_TRIES:
                status, error = None, ""
            found.append(_settled(target, status, error))
            break
        return found

    async def _may_ask(self, target: OutsideURL) -> bool:
        place = origin(target.url)
        if place not in self._permitted:
            urls = [one.url for one in (target, *self._targets) if origin(one.url) == place]
            robots = await self._read_robots(place)
            permits = robots is not None and robots.status < _SERVER_ERROR and robots.status not in PAUSING
            self._permitted[place] = (
                await permitted_by(robots, tuple(urls), self._children) if robots and permits else frozenset()
            )
        return target.url in self._permitted[place]

    async def _read_robots(self, place: str) -> Response | None:
        request = Request(
            url=f"{place}/robots.txt",
            purpose="text",
            max_wire_bytes=ROBOTS_BYTES,
            max_decoded_bytes=ROBOTS_BYTES,
            timeout_s=_LIMITS.well_known_s,
        )
        try:
            followed = await self._client.follow(request)
        except FetchError as failure:
            if not failure.hops:
                # Behind a redirect it is another host that had no answer.
                self._unreachable[place] = failure.reason[:40]
            return None
        followed.release()
        robots = followed.response
        return robots if robots.truncated in {None, "limit"} else None


def _settled(target: OutsideURL, status: int | None = None, error: str = "") -> SettledURL:
    return SettledURL(target.url_id, URLState.OUTSIDE, 0, target.tries + 1, status, error or None)
