from __future__ import annotations

import asyncio

from pagegrade.gather.gatherers.cors_probe import MAX_BYTES, gather_cors_probe
from pagegrade.parse.http.cors import PROBE_ORIGIN
from tests.gather.sites import Asked, Reply, Site, Visit, html, redirect


def test_page_is_asked_for_once_more_from_another_site() -> None:
    """Only this request says so, and its body is not kept."""

    def page(asked: Asked) -> Reply:
        return html(f"<p>{asked.headers.get('origin', 'none')}" + "x" * 2 * MAX_BYTES)

    async def go() -> None:
        async with Site({"/a/b": page}) as site, Visit(site, "/a/b") as visit:
            found = await gather_cors_probe(visit)

            assert found.response.status == 200
            assert found.response.body == b""
            assert [asked.headers.get("origin") for asked in site.asked] == [None, PROBE_ORIGIN]

    asyncio.run(go())


def test_redirect_is_not_followed() -> None:
    """Its headers are the answer."""
    first = [html("<p>"), redirect("/elsewhere")]

    async def go() -> None:
        async with Site({"/": lambda _: first.pop(0)}) as site, Visit(site, "/") as visit:
            found = await gather_cors_probe(visit)

            assert found.response.status == 302
            assert site.paths() == ["/", "/"]

    asyncio.run(go())
