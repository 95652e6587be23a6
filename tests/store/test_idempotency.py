from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused
from pagegrade.store.database import Database, Transaction
from pagegrade.store.idempotency import (
    KEPT_MS,
    Begun,
    Replay,
    begin_answer,
    forget_answers,
    save_answer,
    set_report,
)
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

BODY = b'{"data": {"id": 1}, "status": 201}' + b" " * 100_000
HEADERS = {"Location": "https://h/api/v1/reports/1", "ETag": '"1-7"'}


class Caller:
    """Somebody who sends the same request again and again."""

    def __init__(self, database: Database, **request: Any) -> None:
        self.database = database
        self.request = {"key_id": 1, "method": "POST", "path": "/api/v1/reports", "idempotency_key": "k1", **request}

    def begin(
        self, *, sha: bytes = b"s" * 32, process: str = "now", now_ms: int = NOW_MS, **request: Any
    ) -> Begun | Replay:
        """Send it."""
        more: dict[str, Any] = {**self.request, **request}
        return self.database.write_here(
            lambda tx: begin_answer(tx, **more, request_sha256=sha, process=process, now_ms=now_ms)
        )

    def answer(self) -> None:
        """It was done."""
        self.database.write_here(lambda tx: save_answer(tx, **self.request, status=201, headers=HEADERS, body=BODY))

    def made(self, report_id: int) -> None:
        """The report exists, the answer does not yet."""
        self.database.write_here(lambda tx: set_report(tx, **self.request, report_id=report_id))


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    """Alice, with her key and a second one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    add_key(database, alice.id)
    yield Caller(database)
    database.close()


def test_a_repeated_request_gets_the_first_answer(caller: Caller) -> None:
    """Status, headers and body, byte for byte."""
    first = caller.begin()
    caller.answer()

    assert first == Begun(None)
    assert caller.begin() == Replay(201, HEADERS, BODY)
    assert caller.begin(process="after a restart") == Replay(201, HEADERS, BODY)


def test_a_request_that_is_being_answered_is_not_done_twice(caller: Caller) -> None:
    """And says when to come back."""
    caller.begin()

    with pytest.raises(IdempotencyInProgress) as told:
        caller.begin()

    assert told.value.retry_after_s


@pytest.mark.parametrize("answered", [True, False])
def test_a_key_stands_for_one_request(caller: Caller, *, answered: bool) -> None:
    """Another body with the same key is a mistake of the client, before and after the answer."""
    caller.begin()
    if answered:
        caller.answer()

    with pytest.raises(IdempotencyKeyReused):
        caller.begin(sha=b"other" * 6 + b"..")


@pytest.mark.parametrize(
    "other",
    [{"key_id": 2}, {"method": "PUT"}, {"path": "/api/v1/reports/1"}, {"idempotency_key": "K1"}],
    ids=lambda other: next(iter(other)),
)
def test_other_callers_and_calls_have_their_own_keys(caller: Caller, other: dict[str, Any]) -> None:
    """Nobody gets somebody else's answer."""
    caller.begin()
    caller.answer()

    assert caller.begin(**other) == Begun(None)


def test_what_a_dead_process_began_is_taken_over(caller: Caller) -> None:
    """With the report it made, so that there are not two; only one takes it over."""
    caller.begin(process="dead")
    caller.made(42)

    assert caller.begin(process="new") == Begun(42)
    with pytest.raises(IdempotencyInProgress):
        caller.begin(process="new")
    caller.answer()

    assert caller.begin(process="newer") == Replay(201, HEADERS, BODY)


def test_what_died_before_it_made_anything_is_done_anew(caller: Caller) -> None:
    """There is no report to answer with."""
    caller.begin(process="dead")

    assert caller.begin(process="new") == Begun(None)


def test_a_request_that_failed_leaves_no_trace(caller: Caller) -> None:
    """Its transaction was rolled back: the key is free, even for another body."""

    def fail(tx: Transaction) -> None:
        begin_answer(tx, **caller.request, request_sha256=b"s" * 32, process="now", now_ms=NOW_MS)
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        caller.database.write_here(fail)

    assert caller.begin(sha=b"2" * 32) == Begun(None)


def test_after_a_day_a_key_is_new(caller: Caller) -> None:
    """Whether or not the old answer has been deleted yet."""
    caller.begin()
    caller.answer()
    still = caller.begin(now_ms=NOW_MS + KEPT_MS - 1)
    anew = caller.begin(now_ms=NOW_MS + KEPT_MS, sha=b"other" * 6 + b"..")

    assert still == Replay(201, HEADERS, BODY)
    assert anew == Begun(None)


def test_old_answers_are_deleted_a_few_at_a_time(caller: Caller) -> None:
    """Oldest first; what is young stays."""
    for number in range(5):
        caller.begin(idempotency_key=f"k{number}", now_ms=NOW_MS + number)
    deleted = [caller.database.write_here(lambda tx: forget_answers(tx, NOW_MS + 4, limit=3)) for _ in range(3)]
    left = caller.database.read_here(
        lambda tx: tx.exec_driver_sql("SELECT idempotency_key FROM idempotency").scalars().all()
    )

    assert deleted == [3, 1, 0]
    assert left == ["k4"]


def test_answers_take_little_room(caller: Caller) -> None:
    """They are kept for a day, and every one holds a whole report."""
    caller.begin()
    caller.answer()
    size = caller.database.read_here(lambda tx: tx.exec_driver_sql("SELECT length(body) FROM idempotency").scalar_one())

    assert size < len(BODY) / 50
