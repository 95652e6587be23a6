"""Requests that are executed once, without HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Caller, IdempotentRequest
from pagegrade.model.errors import IdempotencyKeyReused, NotFound, RateLimited, ReportDeleted
from pagegrade.service.idempotency import Executed, execute_once, is_executed
from pagegrade.service.unit_of_work import LoadByID
from pagegrade.store.engine.database import Database, Transaction
from tests.service.instance import caller_of
from tests.store_builders import NOW_MS, add_owner, make_database

REQUEST = IdempotentRequest(key_id=1, method="POST", path="/a", idempotency_key="k", request_sha256=b"x" * 32)


def allow() -> None:
    """Refuse nothing."""


def refuse() -> None:
    """The key started too many analyses."""
    raise RateLimited("Wait.", retry_after_s=1)


def created(_tx: Transaction, _caller: Caller) -> int:
    """A use case that creates report 7."""
    return 7


def loaded(_tx: Transaction, _caller: Caller, number: int) -> int:
    """A use case that loads it."""
    return number


def gone(_tx: Transaction, _caller: Caller, _number: int) -> int:
    """The same, after it was deleted."""
    raise NotFound


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[tuple[Database, Caller]]:
    """A database with Alice's account and key, and Alice."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    yield database, caller_of(account)
    database.close()


def executed(
    alone: tuple[Database, Caller],
    request: IdempotentRequest = REQUEST,
    *,
    check: Callable[[], None] = allow,
    load: LoadByID[int] = loaded,
) -> Executed[int]:
    """The request, in a transaction of its own."""
    database, caller = alone
    return database.write_here(
        lambda tx: execute_once(
            tx, caller, request, NOW_MS, check=check, create=created, resource_id=int, load_existing=load
        )
    )


def test_a_request_is_executed_once(alone: tuple[Database, Caller]) -> None:
    """Then it is answered with what it created, even for a key that may start nothing more."""
    database, caller = alone
    before = database.write_here(lambda tx: is_executed(tx, caller, REQUEST, NOW_MS))
    first, second = executed(alone), executed(alone, check=refuse)
    after = database.write_here(lambda tx: is_executed(tx, caller, REQUEST, NOW_MS))

    assert (before, first, second, after) == (False, Executed(7, is_new=True), Executed(7, is_new=False), True)


def test_a_refused_request_is_not_recorded(alone: tuple[Database, Caller]) -> None:
    """It can be sent again."""
    with pytest.raises(RateLimited):
        executed(alone, check=refuse)

    assert executed(alone).is_new


def test_a_key_stands_for_one_body(alone: tuple[Database, Caller]) -> None:
    """And what was created may be gone."""
    executed(alone)
    with pytest.raises(IdempotencyKeyReused):
        executed(alone, replace(REQUEST, request_sha256=b"y" * 32))
    with pytest.raises(ReportDeleted):
        executed(alone, load=gone)
