"""Relations of a crawl say what the site is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import by_path, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import Page, make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def test_depths_are_those_of_the_shortest_way(database: Database, tmp_path: Path) -> None:
    """Also of pages whose pattern had to wait."""
    world = make_world(5, pages=170, templates=1)
    with serving(world) as site:
        crawl = crawl_site(database, site)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)

    assert {path: row["depth"] for path, row in rows.items()} == world.depths()


def test_pages_that_are_shown_without_a_click_are_as_near(database: Database, tmp_path: Path) -> None:
    """In a frame, or in place of the page by a refresh."""
    world = make_world(6, pages=4, templates=1)
    for path in ("/framed", "/next"):
        world.add(Page(path, title=path, h1=path, text=path))
    world.pages["/product/"].markup["main"] = '<iframe src="/framed" title="x"></iframe>'
    world.pages["/product/"].headers = (("Refresh", "30; url=/next"),)
    with serving(world) as site:
        crawl = crawl_site(database, site)
    rows = by_path(relations(database, crawl, tmp_path / "out")["pages"], site)

    assert [rows[path]["depth"] for path in ("/product/", "/framed", "/next")] == [1, 1, 1]


def test_a_site_on_this_machine_needs_no_https(database: Database, tmp_path: Path) -> None:
    """As the check of a page says; its score is not capped for it."""
    with serving(make_world(3, pages=5)) as site:
        crawl = crawl_site(database, site)
    facts = {row["key"]: row["value"] for row in relations(database, crawl, tmp_path / "out")["site"]}

    assert crawl.start_url.startswith("http:")
    assert str(facts["https"]) == "1"


def test_findings_come_with_examples_of_their_looks(database: Database, tmp_path: Path) -> None:
    """A few for each look over all pages; the points of a page add up to what it lost."""
    with serving(make_world(31, pages=12)) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    shown = [row["signature"] for row in found["evidence"]]
    lost = dict.fromkeys((row["page_id"] for row in found["pages"]), 0.0)
    for row in found["found"]:
        lost[row["page_id"]] += row["lost"]
    scored = {row["page_id"]: 100 - row["score"] for row in found["pages"] if row.get("score") is not None}

    assert set(shown) <= {row["signature"] for row in found["found"]}
    assert max(map(shown.count, shown)) <= 5
    assert scored
    assert {page: lost[page] for page in scored} == pytest.approx(scored, abs=0.51)


def test_a_link_that_nobody_sees_is_none_without_a_text(database: Database, tmp_path: Path) -> None:
    """A menu that is closed names nothing; a link that is seen and has no text has an empty one."""
    world = make_world(8, pages=4, templates=1)
    for path in ("/closed", "/seen"):
        world.add(Page(path, title=path, h1=path, text=path))
    world.pages["/"].markup["header"] = '<ul hidden><li><a href="/closed">Closed</a></ul><a href="/seen"></a>'
    with serving(world) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    ids = {path: row["page_id"] for path, row in by_path(found["pages"], site).items()}
    texts = {row["to_id"]: row["anchor"] for row in found["links"] if row["from_id"] == ids["/"]}

    assert (texts[ids["/closed"]], texts[ids["/seen"]]) == (None, "")


def test_redirects_and_sitemap_are_written_with_their_pages(database: Database, tmp_path: Path) -> None:
    """Their number in a row and their target; ids are those of the pages."""
    world = make_world(37, pages=20, faults=("redirect-chain", "redirect-loop"))
    with serving(world) as site:
        crawl = crawl_site(database, site)
    found = relations(database, crawl, tmp_path / "out")
    rows = by_path(found["pages"], site)
    (chain,) = world.expected["redirect-chains"]
    loop = min(world.expected["redirect-loops"])
    after = world.pages[chain].redirect
    ids = {row["page_id"] for row in found["pages"]} | {row["target_id"] for row in found["outside"]}

    assert after is not None
    assert (rows[chain]["hops"], rows[chain]["redirect_id"]) == (2, rows[after]["page_id"])
    assert rows[loop]["hops"] == 10
    assert {row["page_id"] for row in found["sitemap"]} == {rows[page.path]["page_id"] for page in world.sitemap()}
    assert {row["to_id"] for row in found["links"]} <= ids
    assert {row["key"] for row in found["site"]} >= {"complete", "fetched", "found", "probes", "robots", "start"}
