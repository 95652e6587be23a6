"""A sample of a site in a real browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.model.audit import AuditSettings, Crawl, ProofMethod, SiteFacts
from pagegrade.service.audits.analysis import analyze_folder
from pagegrade.service.audits.drawn_sample import MAX_DRAWN, MAX_UNPROVED, sample_of, sample_size
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_segments import PageRow
from tests.service.audits.crawling import OPTIONS, crawl_site, relations
from tests.site_world.server import serving
from tests.site_world.world import make_world
from tests.store_builders import make_file

DRAWN = AuditSettings(rate_per_s=None, render=True)
FAINT = '<p class="note" style="color:#ccc;background:#fff">Ask for the price of delivery</p>'
CANONICAL = (
    "<script>addEventListener('load', () => document.querySelector('link[rel=canonical]').href = '/other')</script>"
)
pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def test_a_page_of_each_template_is_drawn_once(database: Database, tmp_path: Path, program: Path) -> None:
    """A finding that only a browser shows is one of the site, on the page where it was seen."""
    world = make_world(81, pages=24, templates=2)
    by_template = Counter(page.template for page in world.pages.values() if page.status == 200)
    for page in world.pages.values():
        if page.template == "product":
            page.markup["main"] = FAINT
        if page.template == "guide":
            page.canonical = page.path
            page.markup["footer"] = CANONICAL
    options = replace(OPTIONS, render=RenderOptions(program=program, loads=1, network="none"))
    with serving(world) as site:
        # So short that each page has a slice of its own.
        crawl = crawl_site(database, site, DRAWN, options=options, slice_s=0.5)
    found = relations(database, crawl, tmp_path / "out")
    pages = {row["page_id"]: row["url"].removeprefix(site.origin) for row in found["pages"]}
    drawn = Counter(pages[row["page_id"]] for row in found["rendered"] if row["check_id"] == "color-contrast")
    templates = [world.pages[path].template for path in drawn]
    result = analyze_folder(tmp_path / "out")
    said = {one.check: [place.url for place in one.places] for one in result.findings}

    assert by_template["product"] > 1
    assert drawn["/"] == 1
    assert set(drawn.values()) == {1}
    assert templates.count("product") == templates.count("guide") == 1
    assert [world.pages[url.removeprefix(site.origin)].template for url in said["template-contrast"]] == ["product"]
    assert [world.pages[url.removeprefix(site.origin)].template for url in said["changed-by-scripts"]] == ["guide"]
    assert {row["key"]: row["value"] for row in found["site"]}["rendered"] == "1"


def test_without_a_browser_nothing_is_said(database: Database, tmp_path: Path) -> None:
    """The checks say what they lack."""
    with serving(make_world(81, pages=12)) as site:
        crawl = crawl_site(database, site, DRAWN)
    relations(database, crawl, tmp_path / "out")
    result = analyze_folder(tmp_path / "out")
    reasons = {one.check: one.reason for one in result.not_evaluated}

    assert {reasons[name] for name in ("template-contrast", "template-speed", "changed-by-scripts")} == {
        "No page was drawn in a browser."
    }


def test_a_browser_that_cannot_be_started_costs_the_crawl_nothing(database: Database, tmp_path: Path) -> None:
    """Each page is tried once."""
    options = replace(OPTIONS, render=RenderOptions(program=tmp_path / "no-browser"))
    with serving(make_world(81, pages=6)) as site:
        crawl = crawl_site(database, site, DRAWN, options=options)
    found = relations(database, crawl, tmp_path / "out")

    assert crawl.complete
    assert found["rendered"] == []
    assert {row["key"]: row["value"] for row in found["site"]}["rendered"] == "0"


@pytest.mark.parametrize(
    ("account_id", "proof", "most"), [(None, None, MAX_DRAWN), (7, None, MAX_UNPROVED), (7, "dns", MAX_DRAWN)]
)
def test_who_may_have_how_many_pages_drawn(account_id: int | None, proof: ProofMethod | None, most: int) -> None:
    """The person at the command line says whose the site is; an account has to prove it."""
    crawl = Crawl(
        id=1,
        account_id=account_id,
        number=1,
        start_url="https://example.com/",
        state="crawling",
        settings=DRAWN,
        secret=b"",
        facts=SiteFacts(proof=proof),
        created_at_ms=0,
    )

    assert sample_size(crawl) == most


@pytest.mark.parametrize("templates", [MAX_UNPROVED, MAX_UNPROVED + 1])
def test_the_start_page_comes_first_and_then_the_largest_templates(templates: int) -> None:
    """Of each template the page that was found first; at the limit and one past it."""
    shapes = [tuple(range(100 * number, 100 * number + 16)) for number in range(templates)]
    rows = [PageRow(1, template=shapes[0], score=80), PageRow(2, template=tuple(range(900, 916)))]
    firsts = []
    for number, shape in enumerate(shapes[1:], 1):
        firsts.append(len(rows) + 1)
        rows += [PageRow(len(rows) + 1 + step, template=shape, score=80) for step in range(number + 1)]

    assert sample_of(reversed(rows), MAX_UNPROVED) == [1, *reversed(firsts)][:MAX_UNPROVED]
