from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import Account, Caller
from pagegrade.model.monitors import Silence
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import Event
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.installation import trust_clock
from pagegrade.store.repositories.monitors import (
    KEPT_MS,
    add_monitor,
    add_silence,
    count_silences,
    delete_of_project,
    end_silence,
    forget_silences,
    is_silent,
    list_silences,
    load_silence,
)
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.webhooks import add_webhook
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

HOUR_MS = 3_600_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


class World:
    """An account with two monitors of one report."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.alice: Account = add_owner(database)[0]
        self.queue = Queue(database, self.alice.id)
        report_id = self.queue.add("https://a.example/").report_id
        new: dict[str, Any] = {"schedule": "daily", "timezone": "UTC", "jitter": 0, "budgets": (), "paused": True}
        self.monitors = [
            database.write_here(
                lambda tx: add_monitor(
                    tx, account_id=self.alice.id, report_id=report_id, due_at_ms=NOW_MS, now_ms=NOW_MS, **new
                )
            ).id
            for _ in range(2)
        ]

    def silence(self, caller: Caller | None = None, *, now_ms: int = NOW_MS, **about: Any) -> Silence:
        """An hour of silence."""
        values = {"monitor_id": None, "project": "", "reason": "Repair.", "until_ms": now_ms + HOUR_MS, **about}
        by = Caller(account=self.alice) if caller is None else caller
        return self.database.write_here(lambda tx: add_silence(tx, by, now_ms=now_ms, **values))

    def covers(self, monitor_id: int | None, project: str, at_ms: int = NOW_MS, account_id: int | None = None) -> bool:
        """True if people get no messages."""
        whose = self.alice.id if account_id is None else account_id
        return self.database.read_here(
            lambda tx: is_silent(tx, whose, monitor_id=monitor_id, project=project, at_ms=at_ms)
        )


def test_a_silence_covers_its_monitor_or_its_site_until_its_end(database: Database) -> None:
    """To the millisecond, and of its account only."""
    world = World(database)
    first, second = world.monitors
    bob = add_owner(database, "Bob")[0]
    world.silence(monitor_id=first)
    world.silence(project="b.example")
    end = NOW_MS + HOUR_MS

    assert [world.covers(first, "a.example", at_ms) for at_ms in (NOW_MS, end - 1, end)] == [True, True, False]
    assert [world.covers(second, "a.example"), world.covers(None, "a.example"), world.covers(None, "")] == [False] * 3
    assert [world.covers(None, "b.example"), world.covers(second, "b.example")] == [True, True]
    assert not world.covers(first, "b.example", account_id=bob.id)


def test_what_a_clock_ahead_began_is_no_silence_once_it_is_set_back(database: Database) -> None:
    """Clocks of machines differ by a few minutes at most."""
    world = World(database)
    world.silence(project="near.example", now_ms=NOW_MS + 300_000)
    world.silence(project="far.example", now_ms=NOW_MS + 300_001)

    assert (world.covers(None, "near.example"), world.covers(None, "far.example")) == (True, False)
    assert database.read_here(lambda tx: count_silences(tx, world.alice.id, NOW_MS)) == 1


def test_silences_name_who_began_them(database: Database) -> None:
    """A person or a key; those that are over are not listed, and kept for the log until they are old."""
    world = World(database)
    key = Caller(account=world.alice, key=add_key(database, world.alice.id, name="deploy")[0])
    first, second = world.silence(monitor_id=world.monitors[0]), world.silence(key, project="b.example")
    database.write_here(lambda tx: end_silence(tx, world.alice.id, first.id, NOW_MS + 1))
    later = NOW_MS + 2
    listed = database.read_here(lambda tx: list_silences(tx, world.alice.id, later, ListPart(per_page=10)))
    total = database.read_here(lambda tx: count_silences(tx, world.alice.id, later))
    over = database.read_here(lambda tx: load_silence(tx, world.alice.id, first.id, later))
    queue = world.queue
    kept = queue.rows("SELECT count(*) FROM silences")

    assert (first.author, second.author) == (world.alice.name, "deploy")
    assert (listed, total, over, kept) == ((second,), 1, None, [(2,)])

    database.write_here(lambda tx: trust_clock(tx, NOW_MS))
    for age, left in ((NOW_MS + 1 + KEPT_MS, 2), (NOW_MS + 2 + KEPT_MS, 1)):
        database.write_here(lambda tx, age=age: forget_silences(tx, age))  # type: ignore[misc]
        assert queue.rows("SELECT count(*) FROM silences") == [(left,)]
    database.write_here(lambda tx: delete_of_project(tx, world.alice.id, "b.example"))

    assert queue.rows("SELECT count(*) FROM silences") == [(0,)]


def test_people_get_no_messages_of_what_is_silent(database: Database) -> None:
    """Programs get all events."""
    world = World(database)

    def hook(tx: Any, kind: Any, url: str) -> None:
        add_webhook(tx, world.alice.id, kind=kind, url=url, events=("report.failed",), project="", now_ms=1)

    for kind, url in (("slack", "https://s.example/"), ("webhook", "https://h.example/")):
        database.write_here(lambda tx, kind=kind, url=url: hook(tx, kind, url))  # type: ignore[misc]
    world.silence(project="b.example")
    for project in ("b.example", "c.example"):
        event = Event("report.failed", world.alice.id, project, None, None, NOW_MS)
        database.write_here(lambda tx, event=event: add_event(tx, event))  # type: ignore[misc]
    query = "SELECT event_id, webhook_id FROM deliveries ORDER BY event_id, webhook_id"

    assert world.queue.rows(query) == [(1, 2), (2, 1), (2, 2)]
