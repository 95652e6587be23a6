"""The frontier ends where a site does not, and one process at a time writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.audit import AuditSettings
from pagegrade.service.audits.frontier import Frontier
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import CrawlTakenOver, last_crawl, take_crawl
from tests.service.audits.crawling import by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import ENDLESS, make_world
from tests.store_builders import NOW_MS, make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


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


def test_patterns_leave_pages_out(database: Database, tmp_path: Path) -> None:
    """They are known as links out of the scope."""
    world = make_world(23, pages=20)
    with serving(world) as site:
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, exclude=("/news/",)))
    found = relations(database, crawl, tmp_path / "out")

    assert by_path(found["pages"], site).keys() == {p for p in world.pages if not p.startswith("/news/")}
    assert any("/news/" in row["url"] for row in found["outside"])
