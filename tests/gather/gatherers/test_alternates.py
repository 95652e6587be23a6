from __future__ import annotations

import asyncio
from typing import Any

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.gatherers.alternates import gather_alternates
from pagegrade.model.artifacts import AlternatePage, Alternates, NotGathered
from tests.gather.sites import HTML, Dying, Reply, Site, Visit, html, make_options, redirect, typed

BACK = '<link rel="alternate" hreflang="en" href="/">'
OTHER = '<link rel="alternate" hreflang="en" href="/other">'


def named(*paths: str) -> str:
    """A page with these language versions."""
    return "".join(f'<link rel="alternate" hreflang="de" href="{path}">' for path in paths)


def read(page: str, routes: dict[str, Any] | None = None, **more: Any) -> tuple[Alternates | NotGathered, list[str]]:
    """The artifact, and the paths that were asked for."""
    site = Site({"/": html(page), **(routes or {})})

    async def go() -> Alternates | NotGathered:
        async with site, Visit(site, **more) as context:
            del site.asked[:]
            return await gather_alternates(context)

    return asyncio.run(go()), site.paths()


def verdicts(page: str, routes: dict[str, Any] | None = None, **more: Any) -> list[bool | None]:
    """The verdict for each requested version: it links back, or not."""
    found, _ = read(page, routes, **more)
    assert isinstance(found, Alternates)
    return [item.links_back for item in found.items]


def test_versions_are_read_for_a_link_back() -> None:
    """In the head or in a header; redirects are followed."""
    routes = {
        "/back": html(BACK),
        "/header": Reply(headers=(HTML, ("Link", '</>; rel="alternate"; hreflang="en"'))),
        "/other": html(OTHER),
        "/moved": redirect("/back"),
    }

    assert verdicts(named("/back", "/header", "/other", "/moved"), routes) == [True, True, False, True]


def test_what_is_no_page_says_nothing() -> None:
    """An error, another type, a refused connection, and a head that is longer than what is read."""
    routes = {
        "/pdf": typed("%PDF", "application/pdf"),
        "/long": html("<style>" + "x" * 600_000 + "</style>" + BACK),
        "/body": html("<body><p>" + "x" * 600_000),
    }
    page = named("/gone", "/pdf", "/long", "/body", "http://127.0.0.1:9/")
    found, _ = read(page, routes)

    assert isinstance(found, Alternates)
    assert [item.links_back for item in found.items] == [None, None, None, False, None]
    assert [item.status for item in found.items] == [404, 200, 200, 200, None]
    assert found.items[-1].failure is not None


def test_a_page_that_kills_its_parser_says_nothing() -> None:
    """The others are read."""
    assert verdicts(named("/back"), {"/back": html(BACK)}, offload=Dying("names_alternate")) == [None]


def test_the_page_itself_is_left_out_and_there_is_a_limit() -> None:
    """Five are asked for at most, and all are counted."""
    page = named("/", *(f"/{n}" for n in range(6)), "/0")
    found, paths = read(page, {f"/{n}": html(BACK) for n in range(6)}, options=make_options(limits=GatherLimits()))

    assert isinstance(found, Alternates)
    assert (sorted(paths), found.found) == ([f"/{n}" for n in range(5)], 6)


def test_no_versions_and_no_request_for_them() -> None:
    """The first is a fact, the second is not."""
    assert read("<p>") == (Alternates(), [])
    assert isinstance(read(named("/a"), options=make_options(subresources=False))[0], NotGathered)
    assert AlternatePage(url="x").links_back is None
