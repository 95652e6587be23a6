"""Whole audits of generated sites say what is true of them: each URL, and each fault at its pages, exactly.

``PAGEGRADE_AUDIT_SIZES=10000,100000`` chooses other sizes of the sites that answer without requests,
``PAGEGRADE_AUDIT_SERVED`` of those that are served on loopback, ``PAGEGRADE_AUDIT_FLAWED`` the seeds of those whose
templates have faults. A size is the seed as well.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.service.audits.analysis import PAGES, analyze_folder
from pagegrade.service.audits.relations import write_relations
from pagegrade.store.analysis.causes import MIN_PAGES
from pagegrade.store.analysis.relations import Relations, finding_pages, load_folder, open_relations
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import crawl_site
from tests.site_world.relations import ORIGIN
from tests.site_world.server import serving
from tests.site_world.simulated import crawl_world
from tests.site_world.world import ENDLESS, FAULTS, KINDS, World, make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")
ALL: Final = sorted(FAULTS.keys() - ENDLESS)
WHOLE: Final = AuditSettings(rate_per_s=None, max_pages=10_000_000)
MADE: Final = [int(size) for size in os.environ.get("PAGEGRADE_AUDIT_SIZES", "12,1000").split(",")]
FLAWED: Final = [int(seed) for seed in os.environ.get("PAGEGRADE_AUDIT_FLAWED", "3").split(",")]
SERVED: Final = [int(size) for size in os.environ.get("PAGEGRADE_AUDIT_SERVED", "60").split(",")]

PICTURE: Final = '<img src="/p.png" width="120" height="60">'


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


def flaw(world: World, seed: int) -> dict[str, set[str]]:
    """Put pictures without a text into places of templates; returns fault -> its pages.

    How many pictures there are, where they stand and what their generated names are differs from page to page.
    """
    draw = random.Random(seed)  # noqa: S311 - a site, no secret
    truth: dict[str, set[str]] = {}
    kinds = sorted({page.template for page in world.pages.values() if page.template in KINDS})
    gallery, badge = kinds[0], kinds[-1]
    for path, page in world.pages.items():
        if page.status != 200 or page.redirect is not None:
            continue
        name = f"{draw.getrandbits(32):08x}"
        faults = {"logo": ("header", f'<a class="logo x{name}" href="/">{PICTURE}</a>')}
        if page.template == gallery:
            pictures = "".join(f'<figure id="f{name}{at}">{PICTURE}</figure>' for at in range(draw.randint(1, 5)))
            faults["gallery"] = (
                "main",
                f"{'<p>Before it.</p>' * draw.randint(0, 3)}<div class=gallery>{pictures}</div>",
            )
        if page.template == badge:
            faults["badge"] = ("footer", f'<p class="badge">{PICTURE}</p>')
        if page.template not in {gallery, badge} and draw.random() < 0.2:
            faults[f"promotion of {page.template}"] = ("main", f'<section class="promo">{PICTURE}</section>')
        for fault, (place, markup) in faults.items():
            page.markup[place] = page.markup.get(place, "") + markup
            truth.setdefault(fault, set()).add(path)
    # Faults of fewer pages are listed together.
    rare = [fault for fault, pages in truth.items() if len(pages) < MIN_PAGES]
    if various := [path for fault in rare for path in truth.pop(fault)]:
        truth["various"] = set(various)
    return truth


def groups(folder: Path, origin: str, check: str) -> list[set[str]]:
    """The pages of each finding of a check of pages."""
    result = analyze_folder(folder)
    numbers = {one.number for one in result.findings if one.check == check}
    found: dict[int, set[str]] = {}
    for number, page, _, _ in finding_pages(folder / PAGES):
        if number in numbers:
            found.setdefault(number, set()).add(page.removeprefix(origin))
    return list(found.values())


def agreement(truth: dict[str, set[str]], found: list[set[str]]) -> tuple[float, float]:
    """Precision and recall of findings as faults: by the finding that is most like each fault, page by page."""
    right = named = whole = 0
    for pages in truth.values():
        best = max(found, key=lambda one: len(one & pages) / len(one | pages), default=set())
        right, named, whole = right + len(best & pages), named + len(best), whole + len(pages)
    return right / max(1, named), right / whole


@pytest.mark.parametrize("seed", FLAWED)
def test_one_fault_of_a_template_is_one_finding(database: Database, tmp_path: Path, seed: int) -> None:
    """Of several faults of one check each is a finding, with its pages and no others; 95 of 100 at least."""
    world = make_world(seed, pages=30 + 10 * seed, templates=3 + seed % 3)
    truth = flaw(world, seed)
    with serving(world) as served:
        crawl = crawl_site(database, served, WHOLE)
    folder = tmp_path / "out"
    database.read_here(lambda tx: write_relations(tx, crawl, folder))
    found = groups(folder, served.origin, "image-alt")
    precision, recall = agreement(truth, found)

    assert len(found) == len(truth)
    assert min(precision, recall) >= 0.95
