"""The frontier ends where a site does not, and one process at a time writes to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.audit import AuditSettings, Crawl, NewURL, URLState
from pagegrade.service.audits import frontier
from pagegrade.service.audits.analysis import analyze_folder
from pagegrade.service.audits.crawl import begin_crawl
from pagegrade.service.audits.frontier import Frontier, open_frontier
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_urls import add_urls, find_urls
from pagegrade.store.repositories.crawls import CrawlTakenOver, last_crawl, take_crawl
from tests.service.audits.crawling import OPTIONS, by_path, crawl_site, relations
from tests.site_world.relations import ORIGIN
from tests.site_world.server import serving
from tests.site_world.simulated import crawl_world
from tests.site_world.world import ENDLESS, Link, Page, World, make_world
from tests.store_builders import NOW_MS, make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


ENDS: Final[dict[str, tuple[str, str, int]]] = {
    "growing": ("done", "growing", 3),
    "repeated": ("done", "growing", 1),
    "facets": ("done", "sampled_out", 150),
    "months": ("done", "sampled_out", 250),
    # Nothing tells text that is made for every URL apart.
    "calendar": ("max_pages", "limit", 400),
}
"""Endless part of a site -> (why the crawl ends, why URLs are left out, the most pages of it that are fetched)."""


@pytest.mark.parametrize("trap", sorted(ENDLESS))
def test_endless_sites_end(database: Database, tmp_path: Path, trap: str) -> None:
    """Each kind of trap by its rule; the site itself is known whole, and what was left out has its reason."""
    world = make_world(11, pages=30, faults=(trap,))
    reason, why, most = ENDS[trap]
    crawl = crawl_world(database, world, AuditSettings(rate_per_s=None, max_pages=400, max_depth=1_000))
    rows = relations(database, crawl, tmp_path / "out")["pages"]
    states = {row["url"].removeprefix(ORIGIN): row["state"] for row in rows}
    (prefix,) = world.traps
    left_out = [row for row in rows if row.get("trap")]

    assert {path for path in world.pages if states[path] != "fetched"} == set()
    assert crawl.stop_reason == reason
    assert sum(path.startswith(prefix) and state == "fetched" for path, state in states.items()) <= most
    assert {row["trap"] for row in left_out} == {why}
    assert all(row["url"].startswith(ORIGIN + prefix) for row in left_out)


def test_a_shape_that_crowds_out_the_others_waits(database: Database, tmp_path: Path) -> None:
    """Of a limited number of pages, the few of another section are not lost behind hundreds of one."""
    world = make_world(12, pages=600, templates=1)
    for number in range(20):
        links = [Link(f"/about/{number}/deeper/page", "More")]
        world.add(Page(f"/about/{number}", title=f"About {number}", text=f"about {number}", links=links))
        world.add(Page(f"/about/{number}/deeper/page", title=f"Deeper {number}", text=f"deeper {number}"))
        world.pages["/"].links.append(Link(f"/about/{number}", "About"))
    shapes: dict[str, tuple[int, int]] = {}

    def watch(frontier: Frontier) -> None:
        shapes.update({one.text: (one.fetched, one.lane) for one in frontier.patterns.values()})

    crawl = crawl_world(database, world, AuditSettings(rate_per_s=None, max_pages=300), watch=watch)
    rows = relations(database, crawl, tmp_path / "out")["pages"]
    fetched = {row["url"].removeprefix(ORIGIN) for row in rows if row["state"] == "fetched"}

    assert {path for path in world.pages if path.startswith("/about/")} <= fetched
    assert shapes["example.com/product/{s}"][1] == 1
    assert crawl.stop_reason == "max_pages"


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


@pytest.mark.parametrize("state", list(URLState))
def test_what_was_not_asked_for_is_out_of_scope_where_it_is_left_out(database: Database, state: URLState) -> None:
    """For whatever reason; what was asked for stays, and so does what is too long to be read."""
    settings = AuditSettings(exclude=("/tag/*",))
    start = "https://example.com/"
    begun = database.write_here(lambda tx: begin_crawl(tx, start, settings, options=OPTIONS))
    paths = ("tag/a", "tag/b?c=1", "news")
    new = [NewURL(at, at, 0, 0, 1, 0, state, f"{start}{path}") for at, path in enumerate(paths, 1)]
    database.write_here(lambda tx: add_urls(tx, begun.id, new))

    async def work() -> None:
        crawl = await database.write(lambda tx: take_crawl(tx, begun.id, now_ms()))
        await (await open_frontier(database, crawl)).leave_out()

    asyncio.run(work())
    known = database.read_here(lambda tx: find_urls(tx, begun.id, (1, 2, 3)))
    kept = {URLState.FETCHED, URLState.FAILED, URLState.THROTTLED, URLState.TOO_LONG}
    after = state if state in kept else URLState.OUTSIDE

    assert [known[at][2] for at in (1, 2, 3)] == [after, after, state]


def test_patterns_leave_pages_out(database: Database, tmp_path: Path) -> None:
    """They are known as links out of the scope."""
    world = make_world(23, pages=20)
    with serving(world) as site:
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, exclude=("/news/",)))
    found = relations(database, crawl, tmp_path / "out")

    assert by_path(found["pages"], site).keys() == {p for p in world.pages if not p.startswith("/news/")}
    assert any("/news/" in row["url"] for row in found["outside"])


def spelled_site(seed: int, *, unequal: bool) -> World:
    """A site whose pages are linked with and without a final slash, and show the same, or but for a few of them."""
    world = make_world(seed, pages=300, templates=1)
    pages = [page for page in world.pages.values() if page.template == "product"]
    for at, page in enumerate(pages):
        twin = replace(page, path=f"{page.path}/", links=list(page.links), in_sitemap=False)
        if unequal and at >= len(pages) // 2:
            twin.text = f"{twin.text} {at}"
        world.add(twin)
        world.pages["/"].links.append(Link(twin.path, twin.h1))
    return world


@pytest.mark.parametrize("unequal", [False, True])
def test_a_page_is_fetched_under_one_of_two_spellings_that_show_the_same(
    database: Database, tmp_path: Path, *, unequal: bool
) -> None:
    """Once five pages have proved it; where one of fifty shows something else, all are fetched after all."""
    world = spelled_site(13, unequal=unequal)
    crawl = crawl_world(database, world, AuditSettings(rate_per_s=None))
    rows = relations(database, crawl, tmp_path / "out")["pages"]
    states = {row["url"].removeprefix(ORIGIN): row["state"] for row in rows}
    reasons = {row["url"].removeprefix(ORIGIN): row.get("trap") for row in rows}
    twins = {page.path.rstrip("/") for page in world.pages.values() if page.template == "product"}
    left_out = {path for path, why in reasons.items() if why == "variant"}
    result = analyze_folder(tmp_path / "out")
    variants = next(one.pages for one in result.findings if one.check == "url-variants")

    assert (crawl.stop_reason, crawl.complete) == ("done", True)
    assert all("fetched" in {states[path], states[f"{path}/"]} for path in twins)
    assert {row.get("trap") for row in rows} == {None} if unequal else {None, "variant"}
    assert result.coverage == 1.0
    if not unequal:
        assert len(left_out) > len(twins) * 0.7
        assert variants == 2 * len(twins)


def test_what_is_remembered_is_bounded_and_changes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frontier that forgets most URLs knows each once all the same, and forgets last what every page names."""
    world = make_world(17, pages=300)
    settings = AuditSettings(rate_per_s=None, max_pages=1_000)
    sizes: list[int] = []
    keeps_start: list[bool] = []

    def watch(known: Frontier) -> None:
        sizes.append(len(known._known))
        keeps_start.append(known._hash(known.crawl.start_url) in known._known)

    def clicks(crawl: Crawl, folder: str) -> dict[str, tuple[str, int | None]]:
        rows = relations(database, crawl, tmp_path / folder)["pages"]
        assert len(rows) == crawl.urls
        return {row["url"]: (row["state"], row.get("clicks")) for row in rows}

    remembered = crawl_world(database, world, settings)
    monkeypatch.setattr(frontier, "MAX_REMEMBERED", 100)
    forgotten = crawl_world(database, world, settings, watch=watch)

    assert max(sizes) == sizes[-1] == 100 < forgotten.urls
    assert all(keeps_start)
    assert clicks(forgotten, "forgotten") == clicks(remembered, "remembered")
