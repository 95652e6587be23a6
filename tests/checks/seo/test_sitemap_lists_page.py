"""The traps of ``sitemap-lists-page``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from typing import Any

from pagegrade.model.artifacts import SitemapFile, Sitemaps
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import make_artifacts, make_well_known, outcome, run

PAGE = "<!doctype html><title>T</title>"


def file(**more: Any) -> SitemapFile:
    """A sitemap of ten addresses."""
    defaults = {"url": "https://example.com/s.xml", "source": "robots", "status": 200, "kind": "urlset"}
    return SitemapFile(**{**defaults, "url_count": 10, **more})


def sitemaps(*files: SitemapFile) -> Sitemaps:
    """Those files."""
    return Sitemaps(files=files)


def test_listed_and_not_listed() -> None:
    """One file that lists the page is enough."""
    found = outcome("sitemap-lists-page", PAGE, sitemaps=sitemaps(file(), file(lists_page=True)))

    assert found.state == "listed"
    assert outcome("sitemap-lists-page", PAGE, sitemaps=sitemaps(file())).state == "not_listed"


def test_a_page_that_is_barred_contradicts_its_entry() -> None:
    """By noindex, by another canonical address, and by robots.txt."""
    listed = sitemaps(file(lists_page=True))
    robots = make_well_known("User-agent: *\nDisallow: /", url="https://example.com/robots.txt")
    pages = [
        make_artifacts(f'{PAGE}<meta name="robots" content="noindex">', sitemaps=listed),
        make_artifacts(f'{PAGE}<link rel="canonical" href="https://example.com/other">', sitemaps=listed),
        make_artifacts(PAGE, sitemaps=listed, robots_txt=robots),
    ]

    assert [outcome("sitemap-lists-page", page).state for page in pages] == ["contradiction"] * 3


def test_a_barred_page_need_not_be_listed() -> None:
    """Nothing is missing then."""
    page = f'{PAGE}<meta name="robots" content="noindex">'

    assert isinstance(run("sitemap-lists-page", page, sitemaps=sitemaps(file())), NotApplicable)


def test_one_bot_and_own_canonical_are_no_contradiction() -> None:
    """The page may still be found under this address."""
    page = f'{PAGE}<meta name="bingbot" content="noindex"><link rel="canonical" href="https://example.com/">'

    assert outcome("sitemap-lists-page", page, sitemaps=sitemaps(file(lists_page=True))).state == "listed"


def test_what_was_not_read_is_not_called_missing() -> None:
    """A cut file, an index with more children than were read, and a file that failed may list the page."""
    unread = [
        sitemaps(file(truncated=True)),
        sitemaps(file(kind="index", url_count=3), file(source="index"), file(source="index")),
        sitemaps(file(), file(kind=None, error="timeout")),
    ]

    assert all(isinstance(run("sitemap-lists-page", PAGE, sitemaps=files), NotRun) for files in unread)


def test_an_index_read_to_its_end_is_evaluated() -> None:
    """All children were there."""
    files = sitemaps(file(kind="index", url_count=1), file(source="index"))

    assert outcome("sitemap-lists-page", PAGE, sitemaps=files).state == "not_listed"


def test_without_a_readable_sitemap_there_is_nothing_to_evaluate() -> None:
    """A missing sitemap is the business of another check."""
    files = sitemaps(file(status=404, kind=None, source="guessed", url_count=0))

    assert isinstance(run("sitemap-lists-page", PAGE, sitemaps=files), NotApplicable)
