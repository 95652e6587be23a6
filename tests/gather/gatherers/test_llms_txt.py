from __future__ import annotations

import asyncio

from pagegrade.gather.gatherers.llms_txt import MAX_BYTES, gather_llms_txt
from tests.gather.sites import Site, Visit, html, typed


def test_file_of_the_origin_is_asked_for() -> None:
    """At its one place, up to its limit."""

    async def go() -> None:
        routes = {"/a/b": html("<p>"), "/llms.txt": typed("x" * (MAX_BYTES + 1), "text/plain")}
        async with Site(routes) as site, Visit(site, "/a/b") as visit:
            found = await gather_llms_txt(visit)

            assert (found.response.status, found.response.truncated) == (200, "limit")
            assert site.paths() == ["/a/b", "/llms.txt"]

    asyncio.run(go())
