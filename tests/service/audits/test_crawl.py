"""Crawls of generated sites find exactly what there is, whatever interrupts them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.model.errors import URLNotAllowed
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.crawl import begin_crawl, read_start, run_crawl, run_slice
from pagegrade.service.audits.frontier import Frontier, open_frontier
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import change_crawl, last_crawl, take_crawl
from tests.service.audits.crawling import FAST, OPTIONS, by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


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


@pytest.mark.parametrize("max_pages", [500, 20])
def test_what_is_excluded_while_a_crawl_is_under_way_is_left_out(
    database: Database, tmp_path: Path, max_pages: int
) -> None:
    """From the next slice on; also what would still wait at the end is out of scope then."""
    world = make_world(3, pages=60)
    with serving(world) as site:
        settings = replace(FAST, max_pages=max_pages, connections=1)
        begun = database.write_here(lambda tx: begin_crawl(tx, f"{site.origin}/", settings, options=OPTIONS))
        excluded = replace(settings, exclude=("/guide/*",))

        async def work() -> tuple[set[str], Crawl]:
            async with Children(1) as children:
                crawl = await database.write(lambda tx: take_crawl(tx, begun.id, now_ms()))
                frontier = await open_frontier(database, crawl)
                assert await run_slice(database, frontier, options=OPTIONS, children=children, slice_s=0.05) is None
                before = set(site.fetched())
                await database.write(lambda tx: change_crawl(tx, frontier.crawl, settings=encode(excluded)))
                return before, await run_crawl(database, begun.id, options=OPTIONS, children=children)

        before, crawl = asyncio.run(work())
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)
    guides = {path for path in world.pages if path.startswith("/guide/")}

    assert {path for path in site.fetched() if path.startswith("/guide/")} <= before
    assert rows.keys() & guides == before & guides
    assert guides - before
    assert crawl.stop_reason == ("done" if max_pages == 500 else "max_pages")
    assert len(rows.keys() - guides) > 20


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
    assert rows.keys() == world.depths().keys()
    # At most the open batch is fetched again.
    assert len(asked) - len(set(asked)) <= 64 * interrupts


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


@pytest.mark.parametrize(
    ("typed", "start", "sitemap"),
    [
        ("https://example.com/", "https://example.com/", False),
        ("https://example.com/sitemap_index.xml", "https://example.com/", True),
        ("https://example.com/docs/Sitemap.XML.gz?part=1", "https://example.com/docs/", True),
        ("https://example.com/a.xml/", "https://example.com/a.xml/", False),
        ("https://example.com/?page=a.xml", "https://example.com/?page=a.xml", False),
        ("https://example.com/xml", "https://example.com/xml", False),
    ],
)
def test_a_sitemap_in_place_of_a_start_page_begins_in_its_folder(typed: str, start: str, *, sitemap: bool) -> None:
    """Told by the end of its path alone."""
    assert read_start(typed) == (start, typed if sitemap else None)
