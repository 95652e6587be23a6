"""A cancelled analysis ends as cancelled, whatever it was doing; never with a result and never with an error."""

from __future__ import annotations

import asyncio
import socket

import pytest

from pagegrade.gather.resolver import DNSResolver
from tests.gather.sites import Names, Site, gather_page, html, redirect, typed

ROUTES = {
    "/": redirect("/page"),
    "/page": html(
        "<!doctype html><title>x</title><link rel=stylesheet href=/a.css><img src=/b.png><script src=/c.js></script>"
        "<a href=/linked>one</a><link rel=alternate hreflang=de href=/de>"
    ),
    "/a.css": typed("@import '/d.css'; p{}", "text/css"),
    "/d.css": typed("p{}", "text/css"),
    "/c.js": typed("a();\n//# sourceMappingURL=c.js.map", "text/javascript"),
    "/robots.txt": typed("Sitemap: /s.xml\n", "text/plain"),
    "/s.xml": typed("<urlset><url><loc>https://example.com/</loc></url></urlset>", "application/xml"),
    "/favicon.ico": typed(b"\0\0\1\0", "image/x-icon"),
}
MOMENTS = 60


async def turns_of_an_analysis() -> int:
    """Turns of the loop that an analysis takes here when it is not cancelled."""
    async with Site(ROUTES) as site:
        task = asyncio.create_task(gather_page(site, resolver=Names({})))  # noqa: TID251 - awaited below
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        await task
    return turns


async def cancelled_after(turns: int) -> str:
    """The end of an analysis that is cancelled after so many turns of the loop."""
    async with Site(ROUTES) as site:
        task = asyncio.create_task(gather_page(site, resolver=Names({})))  # noqa: TID251 - awaited below
        for _ in range(turns):
            await asyncio.sleep(0)
        if task.done():
            return "done before"
        task.cancel()
        await asyncio.wait([task])
        for _ in range(20):
            # What the site has accepted becomes a connection that it can close.
            await asyncio.sleep(0)
        if task.cancelled():
            return "cancelled"
        return repr(task.exception() or "a result")


def test_an_analysis_can_be_cancelled_at_any_moment() -> None:
    """While it resolves, connects, waits for a head or a body, parses, or puts the parts together."""
    turns = asyncio.run(turns_of_an_analysis())
    ends = {moment: asyncio.run(cancelled_after(turns * moment // MOMENTS)) for moment in range(MOMENTS)}

    assert set(ends.values()) <= {"cancelled", "done before"}, ends
    assert list(ends.values()).count("cancelled") >= MOMENTS // 2


def test_a_cancellation_that_meets_the_answer_of_the_system_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """``asyncio.wait_for`` of Python 3.11 returns the answer instead."""
    row = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments, **_more: [row])

    async def meet() -> bool:
        loop = asyncio.get_running_loop()
        task = loop.create_task(DNSResolver().resolve("printer", local_names=True))
        call_soon = loop.call_soon_threadsafe

        def together(callback: object, *arguments: object) -> object:
            return call_soon(lambda: (callback(*arguments), task.cancel()))  # type: ignore[operator]

        monkeypatch.setattr(loop, "call_soon_threadsafe", together)
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(meet())
