"""The canonical URL is fetched once, if it is another URL of the site."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.canonical_probe import gather_canonical_probe
from pagegrade.model.artifacts import NotGathered, WellKnown
from tests.builders import make_well_known
from tests.gather.sites import Site, Visit, html, redirect


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
