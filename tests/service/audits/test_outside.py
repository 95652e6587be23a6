"""Targets of links to other sites, by the logs of those sites."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.json import encode

from pagegrade.clock import now_ms
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import Answer, ResolveError
from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.crawl import begin_crawl, run_crawl, run_slice
from pagegrade.service.audits.frontier import open_frontier
from pagegrade.service.audits.outside import MAX_OF_HOST, ask_outside
from pagegrade.service.runs.options import policy_of
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import change_crawl, take_crawl
from tests.service.audits.crawling import OPTIONS, crawl_site, relations
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import Link, Page, World, make_world
from tests.store_builders import make_file

NEAR = replace(OPTIONS, allow_networks=(ip_network("127.0.0.0/8"),))
EXTERNAL = AuditSettings(rate_per_s=None, external=True)
pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


class Names:
    """Every name is this machine."""

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """The address of this machine."""
        return Answer(host=host, addresses=("127.0.0.1",))

    async def texts(self, name: str) -> tuple[str, ...]:
        """No name has any."""
        return ()


def _linking(*targets: str) -> World:
    world = make_world(71, pages=6)
    world.pages["/"].links += [Link(target, f"Other {number}") for number, target in enumerate(targets)]
    return world


def _answers(
    database: Database, crawl: Crawl, folder: Path, other: SiteServer
) -> dict[str, tuple[int | None, str | None]]:
    rows = relations(database, crawl, folder)["outside"]
    return {row["url"].removeprefix(other.origin): (row["status"], row["error"]) for row in rows}


def test_each_target_is_asked_for_once_after_the_pages(database: Database, tmp_path: Path) -> None:
    """With HEAD where that is answered well; robots.txt of the other site is obeyed; an error is asked for again."""
    paths = ("/there", "/gone", "/moved", "/private/page", "/broken")
    with serving(make_world(72, pages=2)) as other:
        others = other.world
        for page in (
            Page("/there"),
            Page("/gone", status=410),
            Page("/moved", status=301, redirect="/there"),
            Page("/private/page"),
            Page("/broken", status=500),
            Page("/account/logout"),
        ):
            others.add(page)
        others.disallowed.append("/private/")
        with serving(_linking(*(f"{other.origin}{path}" for path in (*paths, "/account/logout")))) as site:
            crawl = crawl_site(database, site, EXTERNAL, options=NEAR)
    asked = [(one.method, one.path) for one in other.starts]
    found = relations(database, crawl, tmp_path / "out")

    assert _answers(database, crawl, tmp_path / "out", other) == {
        "/there": (200, None),
        "/gone": (410, None),
        "/moved": (200, None),
        "/private/page": (None, "robots"),
        "/broken": (500, None),
        "/account/logout": (None, None),
    }
    assert asked.count(("HEAD", "/gone")) == asked.count(("GET", "/gone")) == 1
    assert asked.count(("HEAD", "/broken")) == 2
    assert {"/private/page", "/account/logout"}.isdisjoint(path for _, path in asked)
    assert max(one.at_s for one in site.starts) < min(one.at_s for one in other.starts)
    assert {row["key"]: row["value"] for row in found["site"]}["external"] == "1"
    assert crawl.complete


def test_nothing_is_asked_for_without_the_setting(database: Database, tmp_path: Path) -> None:
    """The check is not evaluated then."""
    with serving(make_world(72, pages=2)) as other, serving(_linking(f"{other.origin}/there")) as site:
        crawl = crawl_site(database, site, options=NEAR)
    facts = {row["key"]: row["value"] for row in relations(database, crawl, tmp_path / "out")["site"]}

    assert other.starts == []
    assert facts["external"] == "0"


def test_what_is_left_out_of_the_site_is_not_asked_for(database: Database, tmp_path: Path) -> None:
    """Neither from the beginning nor while the crawl is under way; what lies beside a folder is."""
    world = make_world(74, pages=30)
    with serving(world) as site:
        excluded = AuditSettings(rate_per_s=None, external=True, exclude=("/guide/*",))
        crawl_site(database, site, excluded, options=NEAR)
        at_first = [one.path for one in site.starts if one.path.startswith("/guide/")]
        begun = database.write_here(lambda tx: begin_crawl(tx, f"{site.origin}/", EXTERNAL, options=NEAR))

        async def work() -> list[str]:
            async with Children(1) as children:
                crawl = await database.write(lambda tx: take_crawl(tx, begun.id, now_ms()))
                frontier = await open_frontier(database, crawl)
                assert await run_slice(database, frontier, options=NEAR, children=children, slice_s=0.05) is None
                before = [one.path for one in site.starts if one.path.startswith("/guide/")]
                await database.write(lambda tx: change_crawl(tx, frontier.crawl, settings=encode(excluded)))
                await run_crawl(database, begun.id, options=NEAR, children=children)
                return before

        before = asyncio.run(work())

    assert at_first == []
    assert [one.path for one in site.starts if one.path.startswith("/guide/")] == before


def test_a_host_is_asked_for_so_many_targets_and_no_more(database: Database, tmp_path: Path) -> None:
    """One at the limit, and one past it."""
    with serving(make_world(72, pages=2)) as other:
        targets = [f"{other.origin}/{number}" for number in range(MAX_OF_HOST + 1)]
        with serving(_linking(*targets)) as site:
            crawl = crawl_site(database, site, EXTERNAL, options=NEAR)
    answers = list(_answers(database, crawl, tmp_path / "out", other).values())

    assert answers.count((404, None)) == MAX_OF_HOST
    assert answers.count((None, None)) == 1


def test_a_host_that_turns_away_is_left_alone(database: Database, tmp_path: Path) -> None:
    """Its other targets are not asked for, and not taken for broken."""
    with serving(make_world(72, pages=2)) as other:
        other.world.add(Page("/first", refusals=9))
        other.world.add(Page("/second"))
        with serving(_linking(f"{other.origin}/first", f"{other.origin}/second")) as site:
            crawl = crawl_site(database, site, EXTERNAL, options=NEAR)

    assert _answers(database, crawl, tmp_path / "out", other) == {"/first": (503, None), "/second": (None, "throttled")}
    assert "/second" not in {one.path for one in other.starts}


class NoNames(Names):
    """Only this machine has a name."""

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """The address of this machine for a number, and for its name."""
        if host.endswith(".example.com"):
            raise ResolveError("dns_nxdomain", "There is no such host.")
        return await super().resolve(host, local_names=local_names)


def test_a_host_that_does_not_exist_is_named(database: Database, tmp_path: Path) -> None:
    """Already its robots.txt cannot be asked for; each target says so after the second try."""
    targets = ("http://gone.example.com/one", "http://gone.example.com/two")
    with serving(_linking(*targets)) as site:
        crawl = crawl_site(database, site, options=OPTIONS)

        async def ask() -> list[bool]:
            taken = await database.write(lambda tx: take_crawl(tx, crawl.id, 1))
            frontier = await open_frontier(database, taken)
            client = HTTPClient(guard=Guard(policy_of(site.origin, OPTIONS)), resolver=NoNames())
            async with Children(1) as children:
                done = [await ask_outside(frontier, client, children, 5.0, distance_s=0.1) for _ in range(2)]
            await client.aclose()
            return done

        done = asyncio.run(ask())
    rows = relations(database, crawl, tmp_path / "out")["outside"]

    assert done == [False, True]
    assert {row["url"]: row["error"] for row in rows} == dict.fromkeys(targets, "dns_nxdomain")


def test_a_host_whose_robots_txt_leads_nowhere_does_exist(database: Database, tmp_path: Path) -> None:
    """The reason is that of another host: its pages are not asked for, and not said to be gone."""
    with serving(make_world(72, pages=2)) as other:
        other.world.add(Page("/there"))
        other.world.add(Page("/robots.txt", status=301, redirect="http://gone.example.com/robots.txt"))
        with serving(_linking(f"{other.origin}/there")) as site:
            crawl = crawl_site(database, site, options=NEAR)

            async def ask() -> bool:
                taken = await database.write(lambda tx: take_crawl(tx, crawl.id, 1))
                frontier = await open_frontier(database, taken)
                client = HTTPClient(guard=Guard(policy_of(site.origin, NEAR)), resolver=NoNames())
                async with Children(1) as children:
                    done = await ask_outside(frontier, client, children, 5.0)
                await client.aclose()
                return done

            done = asyncio.run(ask())

    assert done
    assert _answers(database, crawl, tmp_path / "out", other) == {"/there": (None, "robots")}
    assert [one.path for one in other.starts] == ["/robots.txt"]


def test_targets_keep_their_distance_over_slices(database: Database) -> None:
    """Also between the last one of a slice and the first one of the next."""
    distance_s = 0.4
    with serving(make_world(72, pages=2)) as other:
        other.host = "other.example.com"
        targets = [f"{other.origin}/{number}" for number in range(4)]
        with serving(_linking(*targets)) as site:
            crawl = crawl_site(database, site, options=NEAR)
            rounds = asyncio.run(_ask_in_slices(database, crawl, distance_s))
    starts = [one.at_s for one in other.starts if one.method == "HEAD"]

    assert rounds > 1
    assert len(starts) == len(targets)
    assert all(later - earlier >= distance_s for earlier, later in pairwise(starts))


async def _ask_in_slices(database: Database, crawl: Crawl, distance_s: float) -> int:
    """Slices that end while they wait for the host; how many there were."""
    taken = database.write_here(lambda tx: take_crawl(tx, crawl.id, 0))
    frontier = await open_frontier(database, taken)
    rounds, is_over = 0, False
    async with Children(1) as children:
        while not is_over and rounds < 10:
            async with HTTPClient(guard=Guard(policy_of(crawl.start_url, NEAR)), resolver=Names()) as client:
                is_over = await ask_outside(frontier, client, children, 0.2, distance_s=distance_s)
            rounds += 1
    return rounds
