from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service.unanswered import SURE_S, Unanswered
from pagegrade.store.database import Database
from pagegrade.store.idempotency import NOBODY, begin_answer
from pagegrade.store.opening import open_database
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

HERE: dict[str, Any] = {"key_id": 1, "method": "POST", "path": "/api/v1/reports", "idempotency_key": "k1"}
shared_only = pytest.mark.backend("postgresql", reason="one process knows what it is doing")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """With Alice and her key."""
    made = make_database(tmp_path)
    add_owner(made)
    yield made
    made.close()


def begin(database: Database) -> None:
    """A request of ours begins."""
    more: dict[str, Any] = {"answerer": "ours/1", "silent_ms": 30_000, "now_ms": NOW_MS}
    database.write_here(lambda tx: begin_answer(tx, **HERE, **more, request_sha256=b"s" * 32))


def answerers(database: Database) -> list[str]:
    """Who is answering."""
    return list(database.read_here(lambda tx: tx.exec_driver_sql("SELECT process FROM idempotency").scalars().all()))


@shared_only
def test_what_is_known_to_be_stored_is_given_up_at_once(database: Database) -> None:
    """Others need not wait for anything."""
    begin(database)
    unanswered = Unanswered(database)
    unanswered.give_up(HERE, "ours/1", begun=True)
    again = open_database(database.url)
    database.close()  # which waits for what is under way

    assert answerers(again) == [NOBODY]
    assert len(unanswered) == 0
    again.close()


@shared_only
def test_what_may_be_stored_later_is_given_up_then(database: Database) -> None:
    """Its write may still have been under way when the request went away."""
    clock = Clock()
    unanswered = Unanswered(database, clock)
    unanswered.give_up(HERE, "ours/1", begun=False)
    asyncio.run(unanswered.settle())
    begin(database)
    before = answerers(database)
    asyncio.run(unanswered.settle())

    assert before == ["ours/1"]
    assert answerers(database) == [NOBODY]
    assert len(unanswered) == 0


@shared_only
def test_what_was_never_stored_is_forgotten_in_the_end(database: Database) -> None:
    """When it can no longer come."""
    clock = Clock()
    unanswered = Unanswered(database, clock)
    unanswered.give_up(HERE, "ours/1", begun=False)
    left = []
    for pause_s in (0, SURE_S - 1, 1):
        clock.now += pause_s
        asyncio.run(unanswered.settle())
        left.append(len(unanswered))

    assert left == [1, 1, 0]


@shared_only
def test_what_cannot_be_told_now_is_told_later(database: Database) -> None:
    """The database was away in that moment."""
    begin(database)
    away = open_database(database.url)
    away.close()
    unanswered = Unanswered(away)
    unanswered.give_up(HERE, "ours/1", begun=True)
    with pytest.raises(Unavailable):
        asyncio.run(unanswered.settle())

    assert len(unanswered) == 1
    assert answerers(database) == ["ours/1"]

    unanswered._database = database
    asyncio.run(unanswered.settle())

    assert answerers(database) == [NOBODY]
    assert len(unanswered) == 0


@shared_only
def test_what_somebody_else_answers_by_now_is_left_to_them(database: Database) -> None:
    """Nothing of theirs is touched."""
    begin(database)
    unanswered = Unanswered(database)
    unanswered.give_up(HERE, "ours/2", begun=False)
    asyncio.run(unanswered.settle())

    assert answerers(database) == ["ours/1"]


def test_where_nobody_else_works_nobody_has_to_be_told(tmp_path: Path) -> None:
    """The memory of the process says what is being answered."""
    database = make_file(tmp_path)
    unanswered = Unanswered(database)
    unanswered.give_up(HERE, "ours/1", begun=True)
    database.close()

    assert len(unanswered) == 0
