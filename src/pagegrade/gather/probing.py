"""Addresses that are only asked whether they answer: politely, a few at once, each answer kept without its content."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from pagegrade.gather.context import Context
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.model.artifacts import Probe, Response

MAX_CONCURRENT: Final = 4
MAX_REDIRECTS: Final = 5
KEPT_HEADERS: Final = frozenset({"cf-mitigated", "content-type", "location", "retry-after"})
"""Headers that describe a response beyond its status; a site's other headers are those of the page."""


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
