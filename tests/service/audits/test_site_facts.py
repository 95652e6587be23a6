"""Questions that a crawl asks of the site once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.audit import AuditSettings
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import crawl_site
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


@pytest.mark.parametrize("soft_404", [False, True])
def test_sitemaps_are_read_and_unknown_paths_tried(database: Database, *, soft_404: bool) -> None:
    """Three URLs that nothing leads to, with what they say."""
    with serving(make_world(41, pages=12, soft_404=soft_404)) as site:
        crawl = crawl_site(database, site)
    facts = crawl.facts

    assert facts is not None
    assert [(one.url, one.status, one.error) for one in facts.sitemaps] == [(f"{site.origin}/sitemap.xml", 200, "")]
    assert facts.sitemaps[0].urls == len(site.world.sitemap())
    assert [probe.status for probe in facts.probes] == [200 if soft_404 else 404] * 3
    assert all(probe.words and probe.simhash for probe in facts.probes if soft_404)


def test_a_crawl_can_do_without_sitemaps(database: Database) -> None:
    """Then only what links lead to is found."""
    with serving(make_world(43, pages=12, faults=("orphan",))) as site:
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, sitemaps=False))

    assert crawl.facts is not None
    assert crawl.facts.sitemaps == ()
    assert site.world.expected["orphan-pages"].isdisjoint(site.fetched())


def test_a_sitemap_is_read_that_the_site_need_not_declare(database: Database) -> None:
    """With the pages that no link leads to, although no other sitemap was asked for."""
    with serving(make_world(43, pages=12, faults=("orphan",))) as site:
        given = AuditSettings(rate_per_s=None, sitemaps=False, sitemap=f"{site.origin}/sitemap.xml")
        crawl = crawl_site(database, site, given)

    assert crawl.facts is not None
    assert [(one.url, one.status) for one in crawl.facts.sitemaps] == [(given.sitemap, 200)]
    assert site.world.expected["orphan-pages"] <= set(site.fetched())


def test_a_given_sitemap_that_is_not_there_is_said_beside_those_that_are(database: Database) -> None:
    """The crawl goes on with what the site declares."""
    with serving(make_world(43, pages=6)) as site:
        given = f"{site.origin}/other.xml"
        crawl = crawl_site(database, site, AuditSettings(rate_per_s=None, sitemap=given))

    assert crawl.facts is not None
    assert [(one.url, one.status, one.error) for one in crawl.facts.sitemaps] == [
        (given, 404, "http"),
        (f"{site.origin}/sitemap.xml", 200, ""),
    ]
