"""Events of quotas, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagegrade.model.account import Account
from pagegrade.service.accounts.quotas import find_low, set_quotas, warn_of_quotas
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import count_analysis
from pagegrade.store.repositories.webhooks import add_webhook, list_accounts_wanting
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

OPTIONS = ServiceOptions()
MONTH_MS = 31 * 86_400_000
HOOK: dict[str, Any] = {"kind": "webhook", "url": "https://h.example/", "project": "", "now_ms": 1}


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


def limited(database: Database, *, events: tuple[Any, ...] = ("quota.low",)) -> Account:
    """An account with ten analyses in a month, and a webhook."""
    alice, _ = add_owner(database)

    def work(tx: Any) -> Account:
        add_webhook(tx, alice.id, events=events, **HOOK)
        return set_quotas(tx, alice.id, plan=None, quotas={"analyses_per_month": 10, "audits": 0}, plans=())

    return database.write_here(work)


def use(database: Database, account: Account, count: int, *, now_ms: int = NOW_MS) -> int:
    """Ask for some analyses; the number of events that follow."""
    for _ in range(count):
        database.write_here(lambda tx: count_analysis(tx, account.id, now_ms))
    return database.write_here(lambda tx: warn_of_quotas(tx, account.id, OPTIONS, now_ms))


def told(database: Database) -> list[dict[str, Any]]:
    """The quotas of all events."""
    query = "SELECT data FROM events WHERE type = 'quota.low' ORDER BY id"
    rows = database.read_here(lambda tx: tx.exec_driver_sql(query).scalars().all())
    return [msgspec.json.decode(bytes(row))["quota"] for row in rows]


def test_each_share_is_told_once_in_a_month(database: Database) -> None:
    """At 80 per cent, not before, and at 100; a quota of nothing is never told, and the next month begins anew."""
    alice = limited(database)

    assert [use(database, alice, count) for count in (7, 1, 0, 1, 1, 0)] == [0, 1, 0, 0, 1, 0]
    assert use(database, alice, 9, now_ms=NOW_MS + MONTH_MS) == 1
    assert [(each["name"], each["used"], each["limit"], each["percent"]) for each in told(database)] == [
        ("analyses_per_month", 8, 10, 80),
        ("analyses_per_month", 10, 10, 100),
        ("analyses_per_month", 9, 10, 80),
    ]


def test_a_quota_that_is_used_up_at_once_is_told_once(database: Database) -> None:
    """Nobody needs to hear then that it is nearly used."""
    assert use(database, limited(database), 10) == 1
    assert [each["percent"] for each in told(database)] == [100]


def test_processes_at_the_same_moment_tell_once(database: Database) -> None:
    """They wait for each other."""
    alice = limited(database)
    for _ in range(8):
        database.write_here(lambda tx: count_analysis(tx, alice.id, NOW_MS))

    with ThreadPoolExecutor(4) as threads:
        made = threads.map(
            lambda _: database.write_here(lambda tx: warn_of_quotas(tx, alice.id, OPTIONS, NOW_MS)), range(4)
        )

    assert sorted(made) == [0, 0, 0, 1]


def test_who_asks_later_is_told_then(database: Database) -> None:
    """Nothing counts as told while nobody wanted it; an account that is gone has no quotas."""
    alice = limited(database, events=("report.failed",))
    before = use(database, alice, 8), database.read_here(lambda tx: list_accounts_wanting(tx, "quota.low"))
    database.write_here(lambda tx: add_webhook(tx, alice.id, events=("report.failed", "quota.low"), **HOOK))

    assert before == (0, ())
    assert database.read_here(lambda tx: list_accounts_wanting(tx, "quota.low")) == (alice.id,)
    assert use(database, alice, 0) == 1
    assert database.read_here(lambda tx: find_low(tx, 4711, OPTIONS, NOW_MS)) == ()
