"""A site that is crawled again is asked what has changed, and the crawl finds what one from the beginning would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pagegrade.model.artifacts import Response
from pagegrade.model.audit import AuditSettings, Crawl, URLState, WaitingURL
from pagegrade.service.audits.earlier import carry_over
from pagegrade.service.audits.visits import Visit
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import FAST, by_path, crawl_site, relations
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import ENDLESS, FAULTS, Link, make_world
from tests.store_builders import make_file

pytestmark = pytest.mark.backend("sqlite", reason="an audit of the command line has its own file")
ALL = tuple(name for name in FAULTS if name not in ENDLESS)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A file of an audit."""
    made = make_file(tmp_path)
    yield made
    made.close()


def pages_of(database: Database, crawl: Crawl, site: SiteServer, folder: Path) -> dict[str, dict[str, Any]]:
    """Rows of pages by path, without what differs between two crawls of one site: ids, times and probes."""
    found = relations(database, crawl, folder / str(crawl.number))
    names = {row["page_id"]: row["url"] for row in found["pages"]}
    rows = by_path(found["pages"], site)
    for row in rows.values():
        row["links"] = sorted(
            (one["kind"], str(names.get(one["to_id"])), one["place"], str(one["anchor"]), one["nofollow"])
            for one in found["links"]
            if one["from_id"] == row["page_id"]
        )
        row["found"] = sorted(
            (one["check_id"], one["state"], one["lost"], one["total"], one["signature"])
            for one in found["found"]
            if one["page_id"] == row["page_id"]
        )
    return rows


def facts(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Facts of each page, whichever crawl read it."""
    left_out = {"time_ms", "carried_from"}
    return {
        path: {name: value for name, value in row.items() if name not in left_out and not name.endswith("_id")}
        for path, row in rows.items()
    }


def test_an_unchanged_site_sends_next_to_nothing_and_is_known_as_before(database: Database, tmp_path: Path) -> None:
    """Bytes by the site's own log; the third crawl names the one that read a page, not the one between."""
    world = make_world(5, pages=30, faults=ALL)
    with serving(world) as site:
        site.has_validators = True
        first = pages_of(database, crawl_site(database, site), site, tmp_path)
        whole, site.page_bytes = site.page_bytes, 0
        second = pages_of(database, crawl_site(database, site), site, tmp_path)
        asked, site.page_bytes = site.page_bytes, 0
        third = pages_of(database, crawl_site(database, site), site, tmp_path)
    carried = {path for path, row in second.items() if row.get("carried_from")}

    assert facts(second) == facts(first)
    assert facts(third) == facts(first)
    assert asked < 0.25 * whole
    assert carried == {path for path, row in first.items() if row["status"] == 200 and "words" in row}
    assert {row.get("carried_from") for row in third.values() if row.get("carried_from")} == {1}


def test_what_has_changed_is_read_anew(database: Database, tmp_path: Path) -> None:
    """A text, a new page, and one that is gone; the others are carried over."""
    world = make_world(9, pages=16)
    with serving(world) as site:
        site.has_validators = True
        crawl_site(database, site)
        changed, gone = sorted(path for path, page in world.pages.items() if path.startswith("/guide/") and page.h1)[
            -2:
        ]
        world.pages[changed].title = "Another title"
        world.pages[changed].links.append(Link("/brand-new", "New"))
        world.add(replace(world.pages[changed], path="/brand-new", title="Brand new"))
        del world.pages[gone]
        again = pages_of(database, crawl_site(database, site), site, tmp_path)
    rows = {path: row for path, row in again.items() if path in {changed, "/brand-new", gone}}

    assert (rows[changed]["title"], rows[changed].get("carried_from")) == ("Another title", None)
    assert (rows["/brand-new"]["title"], rows["/brand-new"].get("carried_from")) == ("Brand new", None)
    assert (rows[gone]["status"], rows[gone].get("carried_from")) == (404, None)
    assert sum(row.get("carried_from") == 1 for row in again.values()) > 12


def test_a_site_without_validators_is_known_by_its_answers(database: Database, tmp_path: Path) -> None:
    """All of it is sent; what is the same is not read a second time."""
    world = make_world(6, pages=12)
    with serving(world) as site:
        first = pages_of(database, crawl_site(database, site), site, tmp_path)
        whole, site.page_bytes = site.page_bytes, 0
        second = pages_of(database, crawl_site(database, site), site, tmp_path)

    assert site.page_bytes == whole
    assert facts(second) == facts(first)
    assert {row["carried_from"] for row in second.values()} == {1}


@pytest.mark.parametrize("change", ["sheet", "header", "fresh", "parameters"])
def test_nothing_is_carried_over_that_may_be_read_otherwise(database: Database, tmp_path: Path, change: str) -> None:
    """A style sheet that hides something else, another header of the same page, or other settings."""
    world = make_world(8, pages=12, faults=("broken-asset",))
    sheet = world.add(replace(world.pages["/"], path="/site.css", links=[], in_sitemap=False))
    for page in world.pages.values():
        page.asset = page.asset or sheet.path
    changes: dict[str, dict[str, Any]] = {"fresh": {"fresh": True}, "parameters": {"drop_parameters": ("from",)}}
    with serving(world) as site:
        site.has_validators = True
        crawl_site(database, site)
        if change == "sheet":
            site.sheet = "h1 { display: none }"
        if change == "header":
            site.headers = (("X-Frame-Options", "DENY"),)
        again: AuditSettings = structs.replace(FAST, **changes.get(change, {}))
        rows = pages_of(database, crawl_site(database, site, again), site, tmp_path)

    assert {row.get("carried_from") for row in rows.values()} == {None}


@pytest.mark.parametrize(
    ("truncated", "size", "has_marks"),
    [(None, 9, True), ("limit", 3_000_000, True), ("limit", 2_999_999, False), ("clock", 3_000_000, False)],
)
def test_an_answer_that_was_cut_by_chance_is_not_known_again(truncated: Any, size: int, *, has_marks: bool) -> None:
    """The next one may be longer; one that is too large is cut at the same place again."""
    row = WaitingURL(url_id=1, url="https://example.com/", host_no=0, pattern_no=1, depth=0, lane=0, tries=0)
    visit = Visit(row=row, state=URLState.FETCHED)
    answer = Response(url=row.url, status=200, headers=(("ETag", '"a"'),), body=b"x" * size, truncated=truncated)

    assert not carry_over(visit, answer, None)
    assert (visit.validator, bool(visit.seen)) == (('"a"', True) if has_marks else ("", False))
