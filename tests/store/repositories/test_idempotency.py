from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.account import IdempotentRequest
from pagegrade.model.errors import IdempotencyKeyReused
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.idempotency import (
    KEPT_MS,
    add_request,
    find_request,
    forget_requests,
)
from pagegrade.store.repositories.installation import AgeMs, follow_clock
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

REQUEST = IdempotentRequest(
    key_id=1, method="POST", path="/api/v1/reports", idempotency_key="https://secret.example/", request_sha256=b"s" * 32
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """With Alice, her key and a second one."""
    made = make_database(tmp_path)
    make_clock(made)
    alice, _ = add_owner(made, "Alice")
    add_key(made, alice.id)
    yield made
    made.close()


def add(database: Database, request: IdempotentRequest = REQUEST, report_id: int = 7, now_ms: int = NOW_MS) -> None:
    """The request makes a report."""
    show(database, now_ms)
    database.write_here(lambda tx: add_request(tx, request, report_id, now_ms))


def find(database: Database, request: IdempotentRequest = REQUEST, now_ms: int = NOW_MS) -> int | None:
    """The report that it made."""
    show(database, now_ms)
    return database.write_here(lambda tx: find_request(tx, request, now_ms))


def test_a_repeated_request_finds_its_report(database: Database) -> None:
    """As often as it is repeated."""
    assert find(database) is None
    add(database)

    assert [find(database), find(database)] == [7, 7]


def test_a_key_stands_for_one_request(database: Database) -> None:
    """Another body with the same key is a mistake of the client."""
    add(database)

    with pytest.raises(IdempotencyKeyReused):
        find(database, replace(REQUEST, request_sha256=b"t" * 32))


@pytest.mark.parametrize(
    "other", [{"key_id": 2}, {"method": "PUT"}, {"path": "/api/v1/reports/1"}, {"idempotency_key": "k2"}], ids=str
)
def test_other_callers_and_calls_have_their_own_keys(database: Database, other: dict[str, Any]) -> None:
    """No request finds the report of another one."""
    add(database)

    assert find(database, replace(REQUEST, **other)) is None


def test_a_request_that_failed_leaves_no_record(database: Database) -> None:
    """Its transaction was rolled back: the key is free, even for another body."""

    def work(tx: Transaction) -> None:
        add_request(tx, REQUEST, 7, NOW_MS)
        raise LookupError

    with pytest.raises(LookupError):
        database.write_here(work)

    assert find(database, replace(REQUEST, request_sha256=b"t" * 32)) is None


@pytest.mark.parametrize(("after_ms", "found"), [(KEPT_MS - 1, 7), (KEPT_MS, None)])
def test_a_key_is_forgotten_after_a_day(database: Database, after_ms: int, found: int | None) -> None:
    """Not a millisecond earlier; then it may stand for any request."""
    add(database)

    assert find(database, now_ms=NOW_MS + after_ms) == found


def test_a_forgotten_key_may_be_used_again(database: Database) -> None:
    """Also where the old record was not swept yet."""
    add(database)
    later = NOW_MS + KEPT_MS
    request = replace(REQUEST, request_sha256=b"t" * 32)

    before = find(database, request, later)
    add(database, request, 8, later)

    assert before is None
    assert find(database, request, later) == 8


def test_the_key_itself_is_not_stored(database: Database) -> None:
    """Clients put anything there, the address of the page for one."""
    add(database)

    rows = database.read_here(lambda tx: tx.exec_driver_sql("SELECT * FROM idempotency").all())

    assert b"secret.example" not in repr(rows).encode()
    assert not any("secret" in str(value) for row in rows for value in row)


def test_a_jump_of_the_clock_forgets_no_key(database: Database) -> None:
    """A request that is repeated while the clock is ahead is not executed again."""
    show(database, NOW_MS)
    database.write_here(partial(follow_clock, now_ms=NOW_MS))
    add(database)

    assert find(database, now_ms=NOW_MS + 400 * KEPT_MS) == 7
    assert find(database, now_ms=NOW_MS) == 7


def test_old_records_are_swept_oldest_first(database: Database) -> None:
    """A few at a time, and none that still counts."""
    for number in range(5):
        add(database, replace(REQUEST, idempotency_key=f"k{number}"), number + 1, NOW_MS + number)

    swept = [
        database.write_here(lambda tx: forget_requests(tx, AgeMs(NOW_MS + 4 + KEPT_MS), limit=3)) for _ in range(3)
    ]

    assert swept == [3, 1, 0]
    assert find(database, replace(REQUEST, idempotency_key="k4")) == 5
