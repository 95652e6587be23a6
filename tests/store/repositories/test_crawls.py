"""Rows of crawls: one process at a time writes, and each knows what the one before stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from pagegrade.model.audit import AuditSettings, Crawl, CrawlHost, Probe, SiteFacts
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import (
    CrawlTakenOver,
    add_crawl,
    advance_crawl,
    end_crawl,
    is_of_these_rules,
    last_completed,
    last_crawl,
    list_hosts,
    save_hosts,
    take_crawl,
)
from pagegrade.store.schema.tables import crawls
from tests.store_builders import NOW_MS, make_database

START = "https://example.com/"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def begin(database: Database, url: str = START) -> Crawl:
    """Another crawl."""
    settings = AuditSettings(exclude=("/private/",), max_pages=7)
    return database.write_here(lambda tx: add_crawl(tx, url, settings, secret=bytes(range(16)), now_ms=NOW_MS))


def test_crawls_of_a_site_are_numbered(database: Database) -> None:
    """Those of another site on their own."""
    assert database.read_here(last_crawl) is None
    made, found = [], []
    for url in (START, START, "https://example.org/"):
        made.append(begin(database, url))
        found.append(database.read_here(last_crawl))

    assert [crawl.number for crawl in made] == [1, 2, 1]
    assert found == made
    assert made[0].settings.exclude == ("/private/",)


def test_the_last_completed_crawl_before_one_is_found(database: Database) -> None:
    """Not one that has failed, of another site, or after it."""
    made = [begin(database), begin(database), begin(database, "https://example.org/"), begin(database), begin(database)]
    for crawl, state in zip(made, ("completed", "failed", "completed", "queued", "completed"), strict=True):
        database.write_here(
            lambda tx, crawl=crawl, state=state: end_crawl(  # type: ignore[misc]
                tx, crawl, state, reason="done", complete=True, now_ms=NOW_MS
            )
        )
    found = [database.read_here(lambda tx, one=one: last_completed(tx, one)) for one in made]  # type: ignore[misc]

    assert [None if one is None else one.id for one in found] == [None, made[0].id, None, made[0].id, made[0].id]
    assert database.read_here(lambda tx: is_of_these_rules(tx, made[0].id))
    database.write_here(lambda tx: tx.execute(update(crawls).values(engine="0.0.1")))

    assert not database.read_here(lambda tx: is_of_these_rules(tx, made[0].id))


def test_who_takes_a_crawl_shuts_out_the_one_before(database: Database) -> None:
    """A process that was stopped and wakes up writes nothing."""
    begun = begin(database).id
    first = database.write_here(lambda tx: take_crawl(tx, begun, NOW_MS))
    counted = replace(first, urls=3, fetched=2, facts=SiteFacts(probes=(Probe(url=START, status=404),)))
    database.write_here(lambda tx: advance_crawl(tx, counted, NOW_MS))
    second = database.write_here(lambda tx: take_crawl(tx, begun, NOW_MS))
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: advance_crawl(tx, replace(counted, fetched=9), NOW_MS))
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: end_crawl(tx, first, "failed", reason="done", complete=False, now_ms=NOW_MS))

    assert (second.epoch, second.urls, second.fetched, second.facts) == (2, 3, 2, counted.facts)
    assert database.read_here(last_crawl) == second


def test_an_end_is_stored_with_its_reason(database: Database) -> None:
    """And taken back by who goes on."""
    begun = begin(database).id
    crawl = database.write_here(lambda tx: take_crawl(tx, begun, NOW_MS))
    paused = database.write_here(
        lambda tx: end_crawl(
            tx, crawl, "paused", reason="site_refuses", complete=False, now_ms=NOW_MS, resume_at_ms=NOW_MS + 5
        )
    )
    again = database.write_here(lambda tx: take_crawl(tx, crawl.id, NOW_MS))

    assert (paused.state, paused.stop_reason, paused.resume_at_ms, paused.finished_at_ms) == (
        "paused",
        "site_refuses",
        NOW_MS + 5,
        None,
    )
    assert (again.state, again.stop_reason, again.resume_at_ms) == ("crawling", None, None)
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: take_crawl(tx, 99, NOW_MS))


def test_hosts_are_stored_as_they_are_now(database: Database) -> None:
    """New ones and known ones alike."""
    crawl = begin(database)
    hosts = [CrawlHost(host_no=0, origin="https://example.com"), CrawlHost(host_no=1, origin="http://example.com")]
    database.write_here(lambda tx: save_hosts(tx, crawl.id, hosts))
    hosts[0].robots, hosts[0].robots_status, hosts[0].robots_at_ms = b"User-agent: *", 200, NOW_MS
    database.write_here(lambda tx: save_hosts(tx, crawl.id, hosts[:1]))

    assert database.read_here(lambda tx: list_hosts(tx, crawl.id)) == hosts
