"""Claims of crawls: one worker at a time for a crawl, a target and an account's turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import Crawl
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.audits import stop_crawl
from pagegrade.store.repositories.crawls import (
    MAX_LEASE_MS,
    CrawlFigures,
    CrawlTakenOver,
    advance_crawl,
    change_crawl,
    count_crawls,
    end_crawl,
    extend_crawl,
    has_due_crawl,
    release_crawl,
    release_every_crawl,
)
from pagegrade.store.schema.tables import crawls
from tests import audit_builders
from tests.audit_builders import make_audit
from tests.database_clock import make_clock, move, show
from tests.store_builders import add_owner, make_database

MINUTE_MS = 60_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    make_clock(made)
    yield made
    made.close()


def claim(database: Database, *, at_ms: int | None = None, account_crawls: int = 1) -> Crawl | None:
    """The crawl that a worker goes on with at this time, whosever clock counts."""
    move(database, 0 if at_ms is None else at_ms - now_ms())
    return audit_builders.claim(database, at_ms=at_ms, account_crawls=account_crawls)


def owner(database: Database, name: str) -> Caller:
    """An account that has signed in."""
    return Caller(account=add_owner(database, name)[0])


def test_a_crawl_has_one_worker_until_its_lease_is_over(database: Database) -> None:
    """Then another one goes on, and the first writes nothing more."""
    audit = make_audit(database, owner(database, "Alice"))
    first = claim(database)

    assert first is not None
    nothing = claim(database)
    extended = database.write_here(lambda tx: extend_crawl(tx, first, now_ms=now_ms(), lease_ms=2 * MINUTE_MS))
    later = claim(database, at_ms=now_ms() + MINUTE_MS + 1)
    second = claim(database, at_ms=now_ms() + 3 * MINUTE_MS)

    assert second is not None
    lost = database.write_here(lambda tx: extend_crawl(tx, first, now_ms=now_ms(), lease_ms=MINUTE_MS))
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: advance_crawl(tx, first, now_ms()))
    database.write_here(lambda tx: release_crawl(tx, first, now_ms()))

    assert (first.audit_id, first.state, first.tries) == (audit.id, "crawling", 1)
    assert (nothing, extended, later, lost) == (None, True, None, False)
    assert (second.id, second.epoch, second.tries) == (first.id, first.epoch + 1, 2)
    assert claim(database) is None  # who lost a crawl does not release it


def test_what_was_stored_counts_the_tries_anew(database: Database) -> None:
    """Also a slice that ended in order."""
    make_audit(database, owner(database, "Alice"))
    tries: list[int] = []
    for step in (advance_crawl, None, release_crawl):
        crawl = claim(database, at_ms=now_ms() + (len(tries) + 1) * 10 * MINUTE_MS)
        assert crawl is not None
        tries.append(crawl.tries)
        if step is not None:
            database.write_here(partial(step, crawl=crawl, now_ms=now_ms()))
    last = database.read_here(lambda tx: tx.execute(select(crawls.c.tries)).scalar_one())

    assert (tries, last) == ([1, 1, 2], 0)


def test_accounts_and_targets_have_one_crawl_at_a_time(database: Database) -> None:
    """A second crawl of an account waits for its first; nobody else's crawl of the same site begins."""
    alice, bob = owner(database, "Alice"), owner(database, "Bob")
    first = make_audit(database, alice, "https://www.example.com/")
    make_audit(database, alice, "https://example.org/")
    same = make_audit(database, bob, "https://shop.example.com/")
    claimed = claim(database)

    assert claimed is not None
    waiting = (claim(database), database.read_here(lambda tx: has_due_crawl(tx, now_ms=now_ms(), account_crawls=1)))
    more = claim(database, account_crawls=2)

    assert more is not None
    database.write_here(lambda tx: release_crawl(tx, claimed, now_ms()))
    theirs = claim(database)

    assert theirs is not None
    ended = database.write_here(
        lambda tx: end_crawl(tx, theirs, "completed", reason="done", complete=True, now_ms=now_ms())
    )

    assert claimed.audit_id == first.id
    assert waiting == (None, False)
    assert more.start_url == "https://example.org/"
    assert theirs.audit_id == same.id  # it waited for longer than the one that was released
    assert ended.finished_at_ms is not None


def test_crawls_are_counted_by_what_they_wait_for(database: Database) -> None:
    """The one that a worker can go on with is the one that must move."""
    alice, bob, eve = (owner(database, name) for name in ("Alice", "Bob", "Eve"))
    make_audit(database, alice, "https://www.example.com/")
    make_audit(database, alice, "https://example.org/")
    make_audit(database, bob, "https://shop.example.com/")
    running = claim(database)
    stopped = make_audit(database, eve, "https://example.net/").crawl
    asked = make_audit(database, eve, "https://example.edu/").crawl
    database.write_here(lambda tx: stop_crawl(tx, stopped, "paused", now_ms()))
    later = now_ms() + 3 * MINUTE_MS
    database.write_here(
        lambda tx: end_crawl(
            tx, asked, "paused", reason="site_refuses", complete=False, now_ms=now_ms(), resume_at_ms=later
        )
    )

    def count(at_ms: int, account_crawls: int = 1) -> CrawlFigures:
        move(database, at_ms - now_ms())
        return database.read_here(lambda tx: count_crawls(tx, now_ms=at_ms, account_crawls=account_crawls))

    first, free, after = count(now_ms()), count(now_ms(), 2), count(later)

    assert running is not None
    assert first.places == {"running": 1, "worker": 0, "account": 1, "target": 1, "site": 1, "paused": 1}
    assert free.places == {"running": 1, "worker": 1, "account": 0, "target": 1, "site": 1, "paused": 1}
    assert after.places == {"running": 0, "worker": 3, "account": 1, "target": 0, "site": 0, "paused": 1}
    assert first.still_ms < MINUTE_MS < after.still_ms


def test_a_paused_crawl_goes_on_when_it_may(database: Database) -> None:
    """One that a person paused never does by itself; whoever worked on it writes nothing more."""
    make_audit(database, owner(database, "Alice"))
    crawl = claim(database)

    assert crawl is not None
    now = now_ms()
    database.write_here(
        lambda tx: end_crawl(
            tx, crawl, "paused", reason="site_refuses", complete=False, now_ms=now, resume_at_ms=now + MINUTE_MS
        )
    )
    early, again = claim(database, at_ms=now), claim(database, at_ms=now + MINUTE_MS)

    assert again is not None
    database.write_here(lambda tx: stop_crawl(tx, again, "paused", now_ms()))
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: advance_crawl(tx, again, now_ms()))

    assert early is None
    assert (again.state, again.stop_reason) == ("crawling", None)
    assert claim(database, at_ms=now + 100 * MINUTE_MS) is None


@pytest.mark.parametrize("ahead_days", [1, 400])
def test_a_clock_that_was_ahead_stops_no_crawl(database: Database, ahead_days: int) -> None:
    """Its lease, its pause and its place at the site end by the clock that was set right, whatever they say."""
    ahead = ahead_days * 24 * 60 * MINUTE_MS
    alice, bob = owner(database, "Alice"), owner(database, "Bob")
    make_audit(database, alice, "https://www.example.com/")
    held = claim(database, at_ms=now_ms() + ahead)
    stopped = make_audit(database, bob, "https://example.org/").crawl
    database.write_here(
        lambda tx: end_crawl(
            tx, stopped, "paused", reason="site_refuses", complete=False, now_ms=now_ms() + ahead,
            resume_at_ms=now_ms() + ahead + MINUTE_MS,
        )
    )  # fmt: skip
    same_site = make_audit(database, owner(database, "Eve"), "https://shop.example.com/")
    move(database, 0)
    figures = database.read_here(lambda tx: count_crawls(tx, now_ms=now_ms(), account_crawls=1))
    found = [claim(database), claim(database)]

    assert held is not None
    assert figures.places["worker"] == 3
    assert None not in found
    assert {each.start_url for each in found if each} <= {held.start_url, stopped.start_url, same_site.crawl.start_url}


def test_a_lease_and_a_pause_hold_at_their_limits_and_not_past_them(database: Database) -> None:
    """A lease that is longer than any is none."""
    make_audit(database, owner(database, "Alice"))
    crawl = claim(database)

    assert crawl is not None
    now = now_ms() + MAX_LEASE_MS
    database.write_here(lambda tx: extend_crawl(tx, crawl, now_ms=now, lease_ms=10 * MAX_LEASE_MS))
    database.write_here(lambda tx: change_crawl(tx, crawl, lease_until_ms=now + MAX_LEASE_MS))
    show(database, now)
    at_limit = database.read_here(lambda tx: has_due_crawl(tx, now_ms=now, account_crawls=1))
    show(database, now - 1)
    past_it = database.read_here(lambda tx: has_due_crawl(tx, now_ms=now - 1, account_crawls=1))

    assert (at_limit, past_it) == (False, True)


def test_the_one_process_goes_on_with_every_crawl_at_its_start(database: Database) -> None:
    """No lease of the process before is waited for, which writes nothing more; that it died is a try."""
    make_audit(database, owner(database, "Alice"))
    before = claim(database)
    database.write_here(release_every_crawl)
    after = claim(database)

    assert before is not None
    assert after is not None
    assert (after.id, after.epoch, after.tries) == (before.id, before.epoch + 1, 2)
    with pytest.raises(CrawlTakenOver):
        database.write_here(lambda tx: advance_crawl(tx, before, now_ms()))
