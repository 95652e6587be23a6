from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, MonthUsage, month_of
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.account_usage import (
    SHOWN_MONTHS,
    count_analysis,
    count_browser,
    count_pages,
    load_month,
    load_months,
)
from pagegrade.store.repositories.audits import delete_audit
from pagegrade.store.repositories.crawls import advance_crawl
from pagegrade.store.repositories.reports import delete_report
from tests.audit_builders import claim, make_audit
from tests.queue_builders import Queue
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

DAY_MS = 86_400_000


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


def test_each_month_and_account_counts_for_itself(database: Database) -> None:
    """Usage of one is not that of another."""
    alice, bob = (add_owner(database, name)[0].id for name in ("Alice", "Bob"))
    database.write_here(lambda tx: count_analysis(tx, alice, NOW_MS - 1))
    for _ in range(2):
        database.write_here(lambda tx: count_analysis(tx, alice, NOW_MS))
        database.write_here(lambda tx: count_browser(tx, alice, 1_500, NOW_MS))

    this = MonthUsage(202601, analyses=2, browser_ms=3_000)

    assert database.read_here(lambda tx: load_month(tx, alice, NOW_MS)) == this
    assert database.read_here(lambda tx: load_months(tx, alice)) == (this, MonthUsage(202512, analyses=1))
    assert database.read_here(lambda tx: load_month(tx, bob, NOW_MS)) == MonthUsage(202601)


def test_the_newest_months_are_listed(database: Database) -> None:
    """As many as are shown."""
    alice = add_owner(database, "Alice")[0].id
    for number in range(SHOWN_MONTHS + 1):
        moment = NOW_MS - 31 * number * DAY_MS
        database.write_here(lambda tx, moment=moment: count_analysis(tx, alice, moment))  # type: ignore[misc]

    assert len(database.read_here(lambda tx: load_months(tx, alice))) == SHOWN_MONTHS


def test_what_was_analyzed_counts_after_its_deletion(database: Database) -> None:
    """A run that a request joins is not another one."""
    alice = add_owner(database, "Alice")[0].id
    queue = Queue(database, alice)
    report_id = queue.add("https://a.example/").report_id
    queue.again(report_id)
    database.write_here(lambda tx: delete_report(tx, alice, report_id))

    assert database.read_here(lambda tx: load_month(tx, alice, NOW_MS)).analyses == 1


def test_pages_of_a_crawl_are_counted_once(database: Database) -> None:
    """By what was fetched since the last time; the deletion of the audit takes nothing back."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    audit = make_audit(database, alice)
    crawl = claim(database)

    assert crawl is not None
    for fetched in (3, 3, 5):
        known = replace(crawl, fetched=fetched)
        database.write_here(lambda tx, known=known: advance_crawl(tx, known, now_ms()))  # type: ignore[misc]
    database.write_here(lambda tx: delete_audit(tx, audit.id))
    database.write_here(lambda tx: count_pages(tx, crawl.id, 9, now_ms()))

    found = database.read_here(lambda tx: load_months(tx, alice.account.id))

    assert found == (MonthUsage(month_of(now_ms()), audit_pages=5),)
