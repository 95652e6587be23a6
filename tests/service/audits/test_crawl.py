"""Crawls of generated sites find exactly what there is, whatever interrupts them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.model.errors import URLNotAllowed
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.crawl import begin_crawl, run_crawl
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import CrawlTakenOver, last_crawl, take_crawl
from tests.service.audits.crawling import FAST, OPTIONS, by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import ENDLESS, FAULTS, Page, World, make_world
from tests.store_builders import NOW_MS, make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")
ALL = tuple(name for name in FAULTS if name not in ENDLESS)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def expected(world: World) -> dict[str, tuple[str, int | None, int | None]]:
    """Path -> (state, status, clicks from the start), as the site knows them."""
    clicks = world.depths(declared=False, sitemap=False)
    found: dict[str, tuple[str, int | None, int | None]] = {}
    for path in world.depths():
        page = world.pages.get(path)
        status = page.status if page is not None else 200 if world.soft_404 else 404
        blocked = world.is_blocked(path)
        found[path] = ("blocked", None, clicks.get(path)) if blocked else ("fetched", status, clicks.get(path))
    return found


@pytest.mark.parametrize(("seed", "pages", "faults"), [(1, 12, ()), (2, 60, ALL)])
def test_a_crawl_finds_every_page_with_its_status_and_depth(
    database: Database, tmp_path: Path, seed: int, pages: int, faults: tuple[str, ...]
) -> None:
    """Exactly, on sites with all kinds of faults."""
    world = make_world(seed, pages=pages, faults=faults)
    with serving(world) as site:
        crawl = crawl_site(database, site)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)
    found = {path: (row["state"], row["status"], row["depth"]) for path, row in rows.items()}
    wanted = expected(world)

    assert found.keys() - wanted.keys() == set()
    assert wanted.keys() - found.keys() == set()
    # A redirect is no click, so what lies behind it is as near as it.
    assert {path: found[path][:2] for path in found} == {path: wanted[path][:2] for path in wanted}
    assert (crawl.state, crawl.stop_reason, crawl.complete) == ("completed", "done", True)


def test_depths_are_those_of_the_shortest_way(database: Database, tmp_path: Path) -> None:
    """Also of pages whose pattern had to wait."""
    world = make_world(5, pages=170, templates=1)
    with serving(world) as site:
        crawl = crawl_site(database, site)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)

    assert {path: row["depth"] for path, row in rows.items()} == world.depths()


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


@pytest.mark.parametrize("fault", sorted(ENDLESS))
def test_endless_sites_end(database: Database, tmp_path: Path, fault: str) -> None:
    """A path that repeats itself by its shape, a calendar by the number of pages; the site itself is found first."""
    world = make_world(11, pages=30, faults=(fault,))
    with serving(world) as site:
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, max_pages=200))
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)
    own = {path for path in world.depths() if not any(path.startswith(prefix) for prefix in world.traps)}

    assert {path for path in own if rows[path]["state"] != "fetched"} == set()
    assert crawl.stop_reason == ("done" if fault == "growing" else "max_depth")
    assert crawl.fetched <= 200
    if fault == "growing":
        assert "growing" in {row.get("trap") for row in rows.values()}


async def go_on(database: Database, crawl_id: int, *, interrupted: bool) -> Crawl | None:
    """Work on a crawl; ``None`` where it was interrupted after something more was stored."""
    loop = asyncio.get_running_loop()
    before = database.read_here(last_crawl)
    assert before is not None
    stored = asyncio.Event()

    def watch(frontier: Frontier) -> None:
        if frontier.crawl.fetched > before.fetched:
            stored.set()

    async with Children(1) as children:
        task = loop.create_task(run_crawl(database, crawl_id, options=OPTIONS, children=children, watch=watch))
        if interrupted:
            waiting = loop.create_task(stored.wait())
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return None


def test_a_crawl_that_was_interrupted_goes_on(database: Database, tmp_path: Path) -> None:
    """All that was stored stays, and nothing of it is fetched again."""
    world = make_world(13, pages=90, faults=("broken-link",))
    with serving(world) as site:
        begun = database.write_here(lambda tx: begin_crawl(tx, f"{site.origin}/", FAST, options=OPTIONS))
        interrupts = 0
        crawl: Crawl | None = None
        while crawl is None:
            crawl = asyncio.run(go_on(database, begun.id, interrupted=interrupts < 3))
            interrupts += crawl is None
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)
    asked = [path for path in site.fetched() if path in world.pages]

    assert interrupts
    assert rows.keys() == expected(world).keys()
    # At most the open batch is fetched again.
    assert len(asked) - len(set(asked)) <= 64 * interrupts


def test_who_goes_on_with_a_crawl_shuts_out_the_other(database: Database) -> None:
    """Two processes on one folder: the first one stops and has written nothing more."""
    world = make_world(17, pages=60)

    taken: list[int] = []

    def take_over(frontier: Frontier) -> None:
        if frontier.crawl.fetched and not taken:
            taken.append(frontier.crawl.fetched)
            database.write_here(lambda tx: take_crawl(tx, frontier.crawl.id, NOW_MS))

    with serving(world) as site, pytest.raises(CrawlTakenOver):
        crawl_site(database, site, slice_s=0.2, watch=take_over)
    left = database.read_here(last_crawl)

    assert left is not None
    assert (left.epoch, left.state) == (2, "crawling")


def test_a_start_page_that_cannot_be_reached_fails_the_crawl(database: Database) -> None:
    """With its reason; nothing is claimed of the site."""
    with serving(make_world(1)) as site:
        pass
    crawl = crawl_site(database, site)

    assert (crawl.state, crawl.stop_reason, crawl.complete) == ("paused", "robots_unreachable", False)
    assert crawl.resume_at_ms is not None


def test_an_address_that_must_not_be_contacted_is_refused(database: Database) -> None:
    """Before anything is stored."""
    with pytest.raises(URLNotAllowed):
        database.write_here(lambda tx: begin_crawl(tx, "http://10.0.0.1/", AuditSettings(), options=AnalyzeOptions()))

    assert database.read_here(last_crawl) is None


def test_a_list_is_fetched_and_no_link_followed(database: Database, tmp_path: Path) -> None:
    """Only the pages that were named."""
    world = make_world(19, pages=20)
    with serving(world) as site:
        wanted = sorted(path for path in world.pages if path.startswith("/guide/"))[:3]
        settings = AuditSettings(
            rate_per_s=None, urls=tuple(site.origin + path for path in wanted), follows=False, sitemaps=False
        )
        crawl = crawl_site(database, site, settings)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)

    assert {path for path, row in rows.items() if row["state"] == "fetched"} == {"/", *wanted}


def test_patterns_leave_pages_out(database: Database, tmp_path: Path) -> None:
    """They are known as links out of the scope."""
    world = make_world(23, pages=20)
    with serving(world) as site:
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, exclude=("/news/",)))
    found = relations(database, crawl, tmp_path / "out")

    assert by_path(found["pages"], site).keys() == {p for p in world.pages if not p.startswith("/news/")}
    assert any("/news/" in row["url"] for row in found["outside"])


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
