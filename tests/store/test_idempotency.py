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
    give_up_answer,
    name_answerer,
    save_answer,
    set_report,
)
from pagegrade.store.processes import Process, beat
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

BODY = b'{"data": {"id": 1}, "status": 201}' + b" " * 100_000
HEADERS = {"Location": "https://h/api/v1/reports/1", "ETag": '"1-7"'}


SILENT_MS = 30_000


class Caller:
    """Somebody who sends the same request again and again."""

    def __init__(self, database: Database, **request: Any) -> None:
        self.database = database
        self.request = {"key_id": 1, "method": "POST", "path": "/api/v1/reports", "idempotency_key": "k1", **request}

    def begin(
        self, *, sha: bytes = b"s" * 32, by: str = "now/1", now_ms: int = NOW_MS, **request: Any
    ) -> Begun | Replay:
        """Send it; a request of a process gets it."""
        more: dict[str, Any] = {**self.request, **request, "answerer": by, "silent_ms": SILENT_MS}
        return self.database.write_here(lambda tx: begin_answer(tx, **more, request_sha256=sha, now_ms=now_ms))

    def answer(self, by: str = "now/1", body: bytes = BODY) -> bool:
        """It was done; whether that is kept."""
        return self.database.write_here(
            lambda tx: save_answer(tx, **self.request, answerer=by, status=201, headers=HEADERS, body=body)
        )

    def give_up(self, by: str) -> bool:
        """Whoever was answering does not."""
        return self.database.write_here(lambda tx: give_up_answer(tx, **self.request, answerer=by))

    def made(self, report_id: int) -> None:
        """The report exists, the answer does not yet."""
        self.database.write_here(lambda tx: set_report(tx, **self.request, report_id=report_id))

    def live(self, name: str, now_ms: int = NOW_MS) -> None:
        """A process says that it does."""
        show(self.database, now_ms)
        process = Process(name=name, kind="serve", version="1", host="ant.example", pid=1)
        self.database.write_here(lambda tx: beat(tx, process, now_ms))


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Caller]:
    """Alice, with her key and a second one."""
    database = make_database(tmp_path)
    make_clock(database)
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
    assert caller.begin(by="after a restart/1") == Replay(201, HEADERS, BODY)


@pytest.mark.backend("postgresql", reason="elsewhere there is one process, which knows what it is doing")
def test_what_another_process_is_answering_is_not_done_twice(caller: Caller) -> None:
    """As long as it lives; whoever asks is told when to come back."""
    caller.live("other")
    caller.begin(by="other/1")
    caller.made(42)
    with pytest.raises(IdempotencyInProgress) as told:
        caller.begin()
    show(caller.database, NOW_MS + SILENT_MS)

    assert told.value.retry_after_s
    assert caller.begin() == Begun(42)


@pytest.mark.backend("postgresql", reason="as above")
def test_what_another_process_has_given_up_is_done_at_once(caller: Caller) -> None:
    """Though it lives; only whoever was answering can give it up, and nothing that was answered."""
    caller.live("other")
    caller.begin(by="other/1")
    caller.made(42)
    given_up = [caller.give_up(by) for by in ("now/1", "other/2", "other/1", "other/1")]
    begun = caller.begin()
    caller.answer()

    assert given_up == [False, False, True, False]
    assert begun == Begun(42)
    assert not caller.give_up("now/1")
    assert caller.begin(by="third/1") == Replay(201, HEADERS, BODY)


def test_whoever_was_thought_dead_overwrites_nothing(caller: Caller) -> None:
    """Neither the answer of those who took over, nor, earlier, their right to give one."""
    caller.begin(by="asleep/1")
    caller.made(42)
    caller.begin(by="now/1")
    early = caller.answer("asleep/1", b"late")
    caller.answer("now/1")
    late = caller.answer("asleep/1", b"later")
    twice = caller.answer("now/1", b"once more")

    assert (early, late, twice) == (False, False, False)
    assert caller.begin(by="third/1") == Replay(201, HEADERS, BODY)


def test_another_request_of_the_same_process_takes_over(caller: Caller) -> None:
    """The process knows that the one before is not answering any more, also if it lives."""
    caller.live("now")
    caller.begin(by="now/1")
    caller.made(42)
    begun = caller.begin(by="now/2")

    assert begun == Begun(42)
    assert not caller.answer("now/1")
    assert caller.answer("now/2")


def test_no_two_requests_are_called_the_same() -> None:
    """And each says which process it is of."""
    names = {name_answerer("process") for _ in range(100)}

    assert len(names) == 100
    assert {name.partition("/")[0] for name in names} == {"process"}
    assert max(map(len, names)) <= 64


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
    """With the report it made, so that there are not two."""
    caller.begin(by="dead/1")
    caller.made(42)
    begun = caller.begin(by="new/1")
    caller.answer("new/1")

    assert begun == Begun(42)
    assert caller.begin(by="newer/1") == Replay(201, HEADERS, BODY)


def test_what_died_before_it_made_anything_is_done_anew(caller: Caller) -> None:
    """There is no report to answer with; also a name of an earlier version is of nobody who lives."""
    caller.begin(by="dead/1")
    caller.begin(by="0123456789abcdef", idempotency_key="k2")

    assert caller.begin(by="new/1") == Begun(None)
    assert caller.begin(by="new/1", idempotency_key="k2") == Begun(None)


def test_a_request_that_failed_leaves_no_trace(caller: Caller) -> None:
    """Its transaction was rolled back: the key is free, even for another body."""

    def fail(tx: Transaction) -> None:
        more: dict[str, Any] = {**caller.request, "answerer": "now/1", "silent_ms": SILENT_MS}
        begin_answer(tx, **more, request_sha256=b"s" * 32, now_ms=NOW_MS)
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
