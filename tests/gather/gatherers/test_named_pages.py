from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest

from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.gather.gatherers.named_pages import gather_alternates, gather_canonical_probe, gather_link_probes
from pagegrade.gather.outgoing_proxy import read_proxy
from pagegrade.model.artifacts import AlternatePage, Alternates, LinkProbes, NotGathered, Response, WellKnown
from tests.builders import make_well_known
from tests.gather.sites import HTML, Dying, Names, Reply, Site, Visit, html, make_options, redirect, typed

BACK = '<link rel="alternate" hreflang="en" href="/">'
OTHER = '<link rel="alternate" hreflang="en" href="/other">'
ALLOW_ALL = WellKnown(requested_url="x", response=Response(url="x", status=404))


def gathered(link: str, *, robots: str = "User-agent: *\nAllow: /") -> object:
    """The artifact of a page with that head."""

    async def go() -> object:
        robots_txt = make_well_known(robots, url="https://example.com/robots.txt")
        pages = {
            "/a": html(link),
            "/b": html("<meta name=robots content=noindex>"),
            "/old": redirect("/b", 301),
        }
        async with Site(pages) as site, Visit(site, "/a", artifacts={"robots_txt": robots_txt}) as page:
            return await gather_canonical_probe(page)

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("href", "status", "hops"), [("/b", 200, 0), ("/old", 200, 1), ("/gone", 404, 0)], ids=["page", "moved", "gone"]
)
def test_another_page_of_the_site_is_fetched(href: str, status: int, hops: int) -> None:
    """With the redirects on the way to it."""
    found = gathered(f"<link rel=canonical href={href}>")

    assert isinstance(found, WellKnown)
    assert (found.response.status, len(found.hops)) == (status, hops)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "<link rel=canonical href=/a>",
        "<link rel=canonical href=https://elsewhere.example/>",
        "<link rel=canonical href=/b><link rel=canonical href=/c>",
        "<link rel=canonical media=print href=/b>",
    ],
)
def test_own_url_other_sites_and_contradictions_are_not_asked_for(link: str) -> None:
    """Other checks say what is wrong with them."""
    found = gathered(link)

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"


def test_robots_txt_is_obeyed() -> None:
    """It is not fetched where robots may not fetch it."""
    found = gathered("<link rel=canonical href=/b>", robots="User-agent: *\nDisallow: /b")

    assert isinstance(found, NotGathered)
    assert found.code == "skipped"


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


def robots(body: str) -> WellKnown:
    """A file with these rules."""
    return WellKnown(requested_url="x", response=Response(url="x", status=200, body=body.encode()))


def probe(
    page: str, routes: dict[str, Any] | None = None, *, artifacts: dict[str, object] | None = None, **more: Any
) -> tuple[LinkProbes | NotGathered, list[str]]:
    """The artifact of a page with this body, and the requests it took."""
    site = Site({"/": html(page), **(routes or {})})
    known = {"robots_txt": ALLOW_ALL, "load_samples": (1.0,)} if artifacts is None else artifacts

    async def go() -> LinkProbes | NotGathered:
        async with site, Visit(site, artifacts=known, **more) as context:
            del site.asked[:]
            return await gather_link_probes(context)

    found = asyncio.run(go())
    return found, sorted(asked.line.rpartition(" ")[0] for asked in site.asked)


def test_pages_of_the_own_host_are_asked_for_once() -> None:
    """Not other sites, not the page itself, not what asks to be left alone or seems to do something."""
    found, lines = probe(
        "<a href=/a>1</a><a href=/a#x>2</a><a href=b?c>3</a><a href=#top>4</a><a href=/>5</a>"
        "<a href=https://other.example/>6</a><a href=mailto:a@example.com>7</a><a href=/no rel=nofollow>8</a>"
        "<a href=/log-out>9</a><a href='/cart?add=1'>10</a><a href=http://127.0.0.1:1/>11</a>",
        {"/a": html("<p>"), "/b?c": redirect("/a", 301)},
    )

    assert isinstance(found, LinkProbes)
    assert lines == ["GET /a", "HEAD /a", "HEAD /a", "HEAD /b?c"]
    assert found.found == 2
    assert [(item.response.status if item.response else None, len(item.hops)) for item in found.items] == [
        (200, 0),
        (200, 1),
    ]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_no_more_than_the_limit(count: int) -> None:
    """The first ones, and how many there are."""
    page = "".join(f"<a href=/{n}>{n}</a>" for n in range(3))
    routes = {f"/{n}": html("<p>") for n in range(3)}
    found, lines = probe(page, routes, options=make_options(limits=GatherLimits(links=count)))

    assert lines == [f"HEAD /{n}" for n in range(min(count, 3))]
    assert isinstance(found, LinkProbes)
    assert found.found == 3


def test_robots_txt_is_kept() -> None:
    """A barred link is not requested; where everything is barred, or the file could not be had, none is."""
    page = "<a href=/a>1</a><a href=/b>2</a>"
    routes = {"/a": html("<p>"), "/b": html("<p>")}
    some, lines = probe(page, routes, artifacts={"robots_txt": robots("User-agent: *\nDisallow: /a")})
    none, nothing = probe(page, routes, artifacts={"robots_txt": robots("User-agent: *\nDisallow: /")})
    unknown, silence = probe(page, routes, artifacts={"robots_txt": NotGathered(code="timeout")})

    assert isinstance(some, LinkProbes)
    assert lines == ["HEAD /b"]
    assert isinstance(none, NotGathered)
    assert isinstance(unknown, NotGathered)
    assert (nothing, silence) == ([], [])


def test_no_links_and_no_request_to_check_them() -> None:
    """The first is a fact, the second is not."""
    assert probe("<p>") == (LinkProbes(), [])

    found, lines = probe("<a href=/a>1</a>", options=make_options(subresources=False))

    assert isinstance(found, NotGathered)
    assert lines == []


def test_markup_that_cannot_be_read() -> None:
    """It says so."""
    with pytest.raises(OffloadFailed):
        probe("<a href=/a>1</a>", offload=Dying("find_named_urls"))


def test_pages_with_linked_sections_are_read() -> None:
    """The first few of them, with one request more; what has no text or is no page says nothing."""
    text = "<p>" + "Ponds need care in every season. " * 20
    page = (
        "<a href=/plants#lilies>1</a><a href=/plants#reeds>2</a><a href=/plants#%E6%B1%A0>3</a>"
        "<a href=/app#a>4</a><a href=/gone#a>5</a><a href=/plain>6</a>"
    )
    routes = {
        "/plants": html(f"<h2 id=lilies>x</h2><h2 id='\u6c60'>x</h2>{text}"),
        "/app": html("<div id=root></div><script src=a.js></script>"),
        "/plain": html(text),
    }
    found, lines = probe(page, routes)

    assert isinstance(found, LinkProbes)
    assert [(one.url.rpartition("/")[2], one.missing) for one in found.sections] == [
        ("plants", ("reeds",)),
        ("app", None),
    ]
    assert [line for line in lines if line.startswith("GET")] == ["GET /app", "GET /gone", "GET /plants"]


@pytest.mark.parametrize(
    ("names", "proxy", "found"),
    [
        ({}, False, "moved.example"),
        ({"moved.example": "127.0.0.1"}, False, ""),
        ({}, True, ""),
    ],
)
def test_host_that_most_links_lead_to_is_looked_up(names: dict[str, str], found: str, *, proxy: bool) -> None:
    """Not where a proxy knows the names, as ours then say nothing of them; no request is made of it."""
    page = "".join(f"<a href=http://moved.example/{number}>{number}</a>" for number in range(10))
    site = Site({"/": html(page)})

    async def go() -> LinkProbes | NotGathered:
        known = {"robots_txt": ALLOW_ALL, "load_samples": (1.0,)}
        resolver = Names({**names, "shop.example": "127.0.0.1"})
        async with site:
            url = site.origin.replace("127.0.0.1", "shop.example")
            async with Visit(site, url=url, resolver=resolver, artifacts=known) as context:
                if proxy:
                    guard = context.client.guard
                    way = read_proxy("http://127.0.0.1:9", resolves=True)
                    guard.policy = dataclasses.replace(guard.policy, proxy=way)
                return await gather_link_probes(context)

    seen = asyncio.run(go())

    assert isinstance(seen, LinkProbes)
    assert seen.lost_host == found
    assert len(site.asked) == 1


def test_page_that_was_not_looked_up_says_nothing_of_names() -> None:
    """The machine may have no network at all."""
    page = "".join(f"<a href=http://moved.example/{number}>{number}</a>" for number in range(10))

    assert probe(page) == (LinkProbes(), [])
