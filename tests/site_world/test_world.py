"""The sites keep the promises that tests of audits rely on."""

from __future__ import annotations

from http.client import HTTPConnection

import pytest

from tests.site_world.server import serving
from tests.site_world.world import ENDLESS, FAULTS, make_world


def test_a_seed_decides_everything() -> None:
    """Two sites of one seed are equal; another seed makes another site."""
    finite = FAULTS.keys() - ENDLESS
    one, same, other = (make_world(seed, faults=sorted(finite)) for seed in (1, 1, 2))

    assert one.pages == same.pages
    assert one.expected == same.expected
    assert one.pages.keys() != other.pages.keys()


@pytest.mark.parametrize("pages", [12, 30, 3_000])
def test_every_page_of_a_sound_site_is_reached_by_links(pages: int) -> None:
    """A site without faults has no expected finding and no page that only the sitemap names."""
    world = make_world(3, pages=pages)

    assert world.expected == {}
    assert world.depths(sitemap=False).keys() == world.pages.keys()
    assert max(depth or 0 for depth in world.depths().values()) <= 5


def test_every_fault_can_stand_beside_every_other() -> None:
    """A site with all faults expects each of them at pages that a crawl knows."""
    world = make_world(4, pages=90, faults=FAULTS)
    known = world.depths()

    assert {path for paths in world.expected.values() for path in paths} <= known.keys()
    assert all(world.expected.values())


def test_the_site_is_served_as_it_is_described() -> None:
    """Statuses, redirects and the log of requests are those of the description."""
    world = make_world(5, faults=["redirect-chain", "broken-link", "refusing", "calendar"])
    with serving(world) as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=30)
        statuses, targets = {}, {}
        for path in world.pages:
            connection.request("GET", path, headers={"User-Agent": "test"})
            answer = connection.getresponse()
            statuses[path] = answer.status
            targets[path] = (answer.getheader("Location") or "").removeprefix(site.origin) or None
            answer.read()
        connection.request("GET", "/calendar/day-41")
        day = connection.getresponse().read()
        connection.close()

    refused = {path for path, page in world.pages.items() if page.refusals}

    assert statuses == {path: 503 if path in refused else page.status for path, page in world.pages.items()}
    assert targets == {path: page.redirect for path, page in world.pages.items()}
    assert b"day-42" in day
    assert site.fetched() == [*world.pages, "/calendar/day-41"]
    assert site.at_once == 1
