"""Sites that mean harm cost a crawl bounded work, and lead it nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.audit import MAX_LINKS
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import Link, Page, make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")
INWARD = "http://169.254.169.254/latest/meta-data/"
ADMIN = "http://10.0.0.1/admin"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def test_a_million_links_cost_as_much_as_the_first_of_them(database: Database, tmp_path: Path) -> None:
    """S05: what is kept of a page is bounded, and the rest of the site is crawled."""
    world = make_world(51, pages=12)
    world.pages["/"].markup["footer"] = "".join(f"<a href=/x/{number}>x</a>" for number in range(1_000_000))
    world.disallowed.append("/x/")
    with serving(world) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    rows = by_path(found["pages"], site)

    assert crawl.urls <= MAX_LINKS + len(world.pages)
    assert sum(row["from_id"] == 1 for row in found["links"]) <= MAX_LINKS
    assert {path for path in world.pages if rows[path]["state"] != "fetched"} == set()


def test_no_site_leads_a_crawl_inward(database: Database, tmp_path: Path) -> None:
    """S04: addresses of networks inside are known as links, by whatever they are named, and never asked for."""
    world = make_world(52, pages=6)
    world.add(Page("/moved", status=302, redirect=ADMIN))
    world.pages["/"].links += [Link("/moved", "Moved"), Link(INWARD, "Inward")]
    world.pages["/product/"].canonical = ADMIN
    world.pages["/product/"].asset = f"{INWARD}style.css"
    world.pages["/product/"].markup["main"] = f'<iframe title="x" src="{INWARD}frame"></iframe>'
    with serving(world) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    rows = by_path(found["pages"], site)
    (style,) = found["assets"]

    assert {row["url"] for row in found["outside"]} == {INWARD, ADMIN, f"{INWARD}frame"}
    assert (rows["/moved"]["status"], rows["/moved"]["redirect_url"]) == (302, ADMIN)
    assert style["status"] is None
    assert rows.keys() == world.pages.keys()
