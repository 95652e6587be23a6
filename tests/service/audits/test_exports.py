"""The sitemap of a crawl; tables in parts are in tests/web/test_audit_files.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import NewURL, SettledURL, URLState
from pagegrade.model.errors import NotFound
from pagegrade.service.audits import exports
from pagegrade.store.repositories.crawl_segments import PageRow, SitemapRow, add_segments, pack_segment
from pagegrade.store.repositories.crawl_urls import add_urls, settle_urls
from pagegrade.store.repositories.crawls import advance_crawl
from tests.audit_builders import claim, fail, make_audit
from tests.store_builders import add_owner, make_database

ROWS = [
    PageRow(page_id=1, read=True, canonical_id=1),
    PageRow(page_id=2, read=True),
    PageRow(page_id=3, read=True, noindex=True),
    PageRow(page_id=4, read=True, canonical_id=1),
    PageRow(page_id=5, read=True, refusal="challenge"),
    PageRow(page_id=6, read=False),
    PageRow(page_id=7, read=True),
]
DATES = [SitemapRow(1, "2026-01-05", ""), SitemapRow(2, "<yesterday>", ""), SitemapRow(3, "2026-01-05", "")]


def test_a_sitemap_has_the_pages_that_search_engines_should_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the dates that the site says; and none that is an error, a duplicate, a wall or asks to be left out."""
    database = make_database(tmp_path)
    caller = Caller(account=add_owner(database)[0])
    audit = make_audit(database, caller)
    crawl = claim(database)
    if crawl is None:
        raise AssertionError("no crawl was claimed")
    counted = replace(crawl, urls=7, fetched=7, segments=1)
    urls = [f"https://example.com/{number}" for number in range(1, 8)]

    def work(tx: Any) -> None:
        add_urls(tx, crawl.id, [NewURL(at, at, 0, 0, 0, 0, URLState.WAITING, url) for at, url in enumerate(urls, 1)])
        statuses = {7: 404}
        done = [SettledURL(at, URLState.FETCHED, 0, 0, statuses.get(at, 200), None, at, 0) for at in range(1, 8)]
        settle_urls(tx, crawl.id, done)
        add_segments(tx, crawl.id, 0, {"pages": pack_segment(ROWS), "sitemap": pack_segment(DATES)})
        advance_crawl(tx, counted, now_ms())

    database.write_here(work)
    fail(database, counted, reason="max_pages")
    whole = database.read_here(lambda tx: exports.export_sitemap(tx, caller, audit.id))

    def part_of(part: int) -> exports.Exported:
        return database.read_here(lambda tx: exports.export_sitemap(tx, caller, audit.id, part=part))

    monkeypatch.setattr(exports, "PART_ROWS", 1)
    parts = [part_of(1), part_of(2)]
    with pytest.raises(NotFound):
        part_of(3)
    database.close()

    assert whole.listed == ((urls[0], "2026-01-05"), (urls[1], ""))
    assert [(part.listed, part.more) for part in parts] == [(whole.listed[:1], True), (whole.listed[1:], False)]
