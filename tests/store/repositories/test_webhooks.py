from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.webhooks import ROTATION_MS, StoredWebhook
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import delete_account, mark_erasing
from pagegrade.store.repositories.webhooks import (
    add_webhook,
    change_webhook,
    count_webhooks,
    delete_webhook,
    disable_webhook,
    find_webhook,
    list_webhooks,
    load_webhook,
    rotate_secret,
)
from tests.store_builders import NOW_MS, add_owner, make_database

URL = "https://hook.example/path?x=1"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts."""
    made = make_database(tmp_path)
    add_owner(made)
    add_owner(made, "Bob")
    yield made
    made.close()


def add(database: Database, account_id: int = 1, **more: Any) -> StoredWebhook:
    """A webhook."""
    values: dict[str, Any] = {"kind": "webhook", "url": URL, "events": ("report.completed",), "project": "", **more}
    return database.write_here(lambda tx: add_webhook(tx, account_id, now_ms=NOW_MS, **values))


def test_a_webhook_is_found_by_its_account_only(database: Database) -> None:
    """Or through a proof of another kind; numbers beyond those of a database find nothing."""
    made = add(database, events=("report.failed", "report.completed"), project="example.com")

    assert (made.events, made.url, made.disabled_at_ms, made.revision) == (
        ("report.failed", "report.completed"),
        URL,
        None,
        1,
    )
    assert database.read_here(lambda tx: load_webhook(tx, 1, made.id)) == made
    assert database.read_here(lambda tx: load_webhook(tx, 2, made.id)) is None
    assert database.read_here(lambda tx: find_webhook(tx, made.id)) == made
    for number in (0, -1, 1 << 63, made.id + 1):
        assert database.read_here(lambda tx, number=number: load_webhook(tx, 1, number)) is None  # type: ignore[misc]
        assert database.read_here(lambda tx, number=number: find_webhook(tx, number)) is None  # type: ignore[misc]
        assert not database.write_here(lambda tx, number=number: delete_webhook(tx, 1, number))  # type: ignore[misc]


def test_webhooks_are_listed_by_page(database: Database) -> None:
    """Newest first, of one account."""
    made = [add(database).id for _ in range(3)]
    add(database, 2)
    first, total = database.read_here(lambda tx: list_webhooks(tx, 1, 1, 2))
    rest, _ = database.read_here(lambda tx: list_webhooks(tx, 1, 2, 2))

    assert ([each.id for each in (*first, *rest)], total) == (made[::-1], 3)
    assert database.read_here(lambda tx: list_webhooks(tx, 1, 3, 2)) == ((), 3)
    assert database.read_here(lambda tx: count_webhooks(tx, 2)) == 1


def test_a_rotation_keeps_the_previous_secret_for_a_day(database: Database) -> None:
    """Every salt is new, and a change is another revision."""
    made = add(database)
    rotated = database.write_here(lambda tx: rotate_secret(tx, made, NOW_MS))

    assert rotated.secret_salt != made.secret_salt
    assert (rotated.previous_salt, rotated.previous_until_ms) == (made.secret_salt, NOW_MS + ROTATION_MS)
    assert rotated.revision == made.revision + 1


def test_changes_and_the_end(database: Database) -> None:
    """The first reason for which a webhook was disabled stays; a second deletion finds nothing."""
    made = add(database)
    changed = database.write_here(lambda tx: change_webhook(tx, made.id, {"project": "example.org"}))

    assert (changed.project, changed.revision) == ("example.org", 2)
    for reason in ("gone", "failing"):
        database.write_here(lambda tx, reason=reason: disable_webhook(tx, made.id, reason, NOW_MS))  # type: ignore[misc]
    found = database.read_here(lambda tx: find_webhook(tx, made.id))

    assert found is not None
    assert (found.disabled_reason, found.disabled_at_ms, found.revision) == ("gone", NOW_MS, 3)
    assert not database.write_here(lambda tx: delete_webhook(tx, 2, made.id))
    assert database.write_here(lambda tx: delete_webhook(tx, 1, made.id))
    assert not database.write_here(lambda tx: delete_webhook(tx, 1, made.id))


def test_webhooks_go_with_their_account(database: Database) -> None:
    """Nothing of them stays."""
    made = add(database)
    database.write_here(lambda tx: mark_erasing(tx, 1, NOW_MS))
    database.write_here(lambda tx: delete_account(tx, 1))

    assert database.read_here(lambda tx: find_webhook(tx, made.id)) is None
