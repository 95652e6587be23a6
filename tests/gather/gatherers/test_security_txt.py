from __future__ import annotations

import asyncio

from pagegrade.gather.gatherers.security_txt import MAX_BYTES, gather_security_txt
from tests.gather.sites import Site, Visit, html, typed


def test_file_of_the_origin_is_asked_for() -> None:
    """At its one place, up to its limit."""

    async def go() -> None:
        routes = {"/a/b": html("<p>"), "/.well-known/security.txt": typed("x" * (MAX_BYTES + 1), "text/plain")}
        async with Site(routes) as site, Visit(site, "/a/b") as visit:
            found = await gather_security_txt(visit)

            assert (found.response.status, found.response.truncated) == (200, "limit")
            assert site.paths() == ["/a/b", "/.well-known/security.txt"]

    asyncio.run(go())
