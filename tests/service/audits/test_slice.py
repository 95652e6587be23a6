"""A slice asks politely: by the log of the site itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from itertools import pairwise
from pathlib import Path

import pytest

from pagegrade.model.audit import AuditSettings, URLState, WaitingURL
from pagegrade.parse.http.access import read_access
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.crawl import begin_crawl
from pagegrade.service.audits.frontier import open_frontier
from pagegrade.service.audits.pace import Pace
from pagegrade.service.audits.slice import Slice
from pagegrade.service.audits.visits import Visit, settled_of
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_urls import ASSET_LANE
from tests.service.audits.crawling import FAST, OPTIONS, by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import Page, make_world
from tests.store_builders import make_file
from tests.waiting import HANG_S

SECRET = "n0t-Shown-1"
pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def test_each_url_is_fetched_once_and_robots_txt_is_obeyed(database: Database) -> None:
    """By the log of the site."""
    world = make_world(7, pages=40, faults=("blocked-in-sitemap", "redirect-chain", "refusing"))
    with serving(world) as site:
        crawl_site(database, site)
    asked = [path for path in site.fetched() if world.at(path) is not None]
    refused = {page.path for page in world.pages.values() if page.refusals}

    assert not any(world.is_blocked(path) for path in asked)
    assert sorted(asked) == sorted([*set(asked), *refused])


def test_requests_keep_their_distance(database: Database) -> None:
    """Starts by the log of the site; two at a time at most."""
    with serving(make_world(3, pages=9, templates=1)) as site:
        crawl_site(database, site, AuditSettings(rate_per_s=20.0, max_pages=12))
    starts = sorted(one.at_s for one in site.starts)
    gaps = [later - earlier for earlier, later in pairwise(starts)]

    assert len(starts) > 12
    # The log notes when a request was read, a little later than it began.
    assert sum(gaps) / len(gaps) >= 0.045
    assert site.at_once <= 2


@pytest.mark.parametrize("lane", [0, ASSET_LANE])
def test_a_long_pause_between_two_requests_for_a_file_is_not_waited_for(database: Database, lane: int) -> None:
    """Another request was answered 429 while HEAD was under way: a slice ends in time; the file comes later."""
    world = make_world(31, pages=2)
    world.add(Page("/price.pdf", head_status=403))
    with serving(world) as site:
        begun = database.write_here(lambda tx: begin_crawl(tx, f"{site.origin}/", FAST, options=OPTIONS))

        async def work() -> tuple[Visit, Pace]:
            frontier = await open_frontier(database, begun)
            row = WaitingURL(2, f"{site.origin}/price.pdf", frontier.host_number(site.origin), 0, 1, lane, 0)
            async with Children(1) as children, Slice(frontier, options=OPTIONS, children=children) as one:
                await one.client.permit(begun.start_url)
                pace = one._pace(row.host_no)
                for _ in range(2):
                    pace.start()
                pace.end(429, 0.1, "3600")
                visits = one._visit_asset(row) if lane else one._visit(row)
                return await asyncio.wait_for(visits, HANG_S), pace

        visit, pace = asyncio.run(work())
    settled = settled_of(visit, 0)

    assert [one.method for one in site.starts] == ["HEAD"]
    assert (visit.state, settled.state, settled.tries) == (URLState.THROTTLED, URLState.WAITING, 1)
    assert (pace.under_way, pace.refuses) == (0, False)
    assert 3_500 < pace.ready_in_s() <= 3_600


def test_no_address_that_acts_is_asked_for(database: Database, tmp_path: Path) -> None:
    """It is known, with the reason why nothing is known of it."""
    world = make_world(29, pages=12)
    world.add(Page("/account/logout", title="Bye"))
    world.pages["/"].links += [type(world.pages["/"].links[0])("/account/logout", "Log out")]
    with serving(world) as site:
        crawl = crawl_site(database, site)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)

    assert "/account/logout" not in site.fetched()
    assert (rows["/account/logout"]["state"], rows["/account/logout"]["trap"]) == ("not_fetched", "acts")


def test_files_of_pages_are_asked_for_once_after_the_pages(database: Database, tmp_path: Path) -> None:
    """A style sheet that was read for a page is not asked for again; a limit of pages does not count files."""
    world = make_world(41, pages=12, faults=("broken-asset",))
    (broken,) = world.expected["broken-assets"]
    with serving(world) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    (asset,) = found["assets"]
    (link,) = (row for row in found["links"] if row["kind"] == "asset")
    pages = by_path(found["pages"], site)

    assert [one.method for one in site.starts if one.path == "/lost.css"] == ["GET"]
    assert (asset["url"], asset["kind"], asset["status"]) == (f"{site.origin}/lost.css", "stylesheet", 404)
    assert (link["from_id"], link["to_id"]) == (pages[broken]["page_id"], asset["asset_id"])
    assert "/lost.css" not in pages
    assert {row["key"]: row["value"] for row in found["site"]}["assets"] == "1"
    assert crawl.fetched == len(pages)


def test_an_access_goes_to_its_origin_and_stays_secret(database: Database, tmp_path: Path) -> None:
    """Robots read their file as all robots do; what a page repeats of the access is not kept."""
    world = make_world(43, pages=6)
    world.pages["/"].title = f"Chairs for {SECRET}"
    with serving(world) as site, serving(make_world(44, pages=2)) as other:
        world.pages["/"].asset = "/moved.css"
        world.add(Page("/moved.css", status=302, redirect=f"{other.origin}/a.css"))
        access = read_access(origins=[site.origin], user="reader", password=SECRET)
        crawl = crawl_site(
            database, site, options=replace(OPTIONS, access=access, allow_networks=(ip_network("127.0.0.0/8"),))
        )
    found = relations(database, crawl, tmp_path / "out")
    sent = {one.path for one in site.starts if one.authorization}
    bare = {one.path for one in site.starts if not one.authorization}

    assert bare == {"/robots.txt", "/"}
    assert {"/", "/sitemap.xml"} <= sent
    assert [(one.path, one.authorization) for one in other.starts] == [("/a.css", "")]
    assert by_path(found["pages"], site)["/"]["title"] == "Chairs for …"
    assert {"key": "access", "value": "Analyzed with an access that visitors without it do not have."} in found["site"]
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*.db*"))


@pytest.mark.parametrize("has_door", [True, False])
def test_a_rule_that_search_engines_do_not_get_counts_for_nothing(
    database: Database, tmp_path: Path, *, has_door: bool
) -> None:
    """Sites on staging ask not to be indexed; where visitors get the pages as well, the rule counts."""
    world = make_world(46, pages=4)
    world.pages["/"].noindex = True
    with serving(world) as site:
        site.needs_access = has_door
        access = read_access(origins=[site.origin], user="reader", password=SECRET)
        crawl = crawl_site(database, site, options=replace(OPTIONS, access=access))
    found = relations(database, crawl, tmp_path / "out")
    page = by_path(found["pages"], site)["/"]
    said = {one["key"]: one["value"] for one in found["site"]}

    assert page["noindex"] is not has_door
    assert ("status 401" in said["visitors"]) is has_door
