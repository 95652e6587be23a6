"""Whole audits of generated sites say what is true of them: each URL, and each fault at its pages, exactly.

``PAGEGRADE_AUDIT_SIZES=10000,100000`` chooses other sizes of the sites that answer without requests, and
``PAGEGRADE_AUDIT_SERVED`` of those that are served on loopback. A size is the seed as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.service.audits.analysis import PAGES, analyze_folder
from pagegrade.service.audits.relations import write_relations
from pagegrade.store.analysis.relations import Relations, finding_pages, load_folder, open_relations
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import crawl_site
from tests.site_world.relations import ORIGIN
from tests.site_world.server import serving
from tests.site_world.simulated import crawl_world
from tests.site_world.world import ENDLESS, FAULTS, World, make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")
ALL: Final = sorted(FAULTS.keys() - ENDLESS)
WHOLE: Final = AuditSettings(rate_per_s=None, max_pages=10_000_000)
MADE: Final = [int(size) for size in os.environ.get("PAGEGRADE_AUDIT_SIZES", "12,1000").split(",")]
SERVED: Final = [int(size) for size in os.environ.get("PAGEGRADE_AUDIT_SERVED", "60").split(",")]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def site(size: int) -> World:
    """A site with every fault, if it is large enough for all of them."""
    is_small = size < 60
    return make_world(size, pages=size, templates=3 if is_small else 5, faults=() if is_small else ALL)


def truth(world: World) -> dict[str, tuple[str, int | None, int | None]]:
    """Path -> (state, status, clicks from the start), as the site knows them."""
    clicks = world.depths(declared=False, sitemap=False)
    found: dict[str, tuple[str, int | None, int | None]] = {}
    for path in world.depths():
        page = world.pages.get(path)
        status = page.status if page is not None else 200 if world.soft_404 else 404
        blocked = world.is_blocked(path)
        found[path] = ("blocked" if blocked else "fetched", None if blocked else status, clicks.get(path))
    return found


def said(database: Database, crawl: Crawl, folder: Path, origin: str) -> tuple[dict[str, Any], dict[str, set[str]]]:
    """Of each path (state, status, clicks), and for each site check the paths that it names."""
    database.read_here(lambda tx: write_relations(tx, crawl, folder))
    result = analyze_folder(folder)
    with open_relations(folder) as relations:
        load_folder(relations, folder)
        pages = _pages(relations, origin)
    checks = {one.number: one.check for one in result.findings if one.extent == "site"}
    named: dict[str, set[str]] = {}
    for number, page, _, _ in finding_pages(folder / PAGES):
        if number in checks:
            named.setdefault(checks[number], set()).add(page.removeprefix(origin))
    return pages, named


def _pages(relations: Relations, origin: str) -> dict[str, Any]:
    rows = relations.each("SELECT url, state, status, depth FROM pages")
    return {url.removeprefix(origin): (state, status, depth) for url, state, status, depth in rows}


@pytest.mark.parametrize("size", MADE)
def test_an_audit_says_what_is_true_of_its_site(database: Database, tmp_path: Path, size: int) -> None:
    """Whatever its size."""
    world = site(size)
    crawl = crawl_world(database, world, WHOLE)
    pages, named = said(database, crawl, tmp_path / "out", ORIGIN)

    assert pages == truth(world)
    assert named == world.expected
    assert (crawl.state, crawl.stop_reason, crawl.complete) == ("completed", "done", True)


@pytest.mark.parametrize("size", SERVED)
def test_a_site_that_is_served_is_known_as_it_is(database: Database, tmp_path: Path, size: int) -> None:
    """By requests, and from the HTML of its pages."""
    world = site(size)
    with serving(world) as served:
        crawl = crawl_site(database, served, WHOLE)
    pages, named = said(database, crawl, tmp_path / "out", served.origin)

    assert pages == truth(world)
    assert named == world.expected
    assert (crawl.state, crawl.stop_reason, crawl.complete) == ("completed", "done", True)
