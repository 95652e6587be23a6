"""Transactions of one request: who may begin one, and what a failure leaves behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import Caller
from pagegrade.model.errors import InsufficientScope, RateLimited, Unauthenticated, Unavailable
from pagegrade.service import unit_of_work
from pagegrade.service.accounts.access import KeyUses
from pagegrade.service.accounts.admission import Admission, SignInNeeded
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.service.unit_of_work import SEARCHES_AT_ONCE, UnitOfWork, of_account, search_slots
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import load_account
from tests.store_builders import add_key, add_owner, make_database
from tests.waiting import HANG_S

NOW_MS = 1_700_000_000_000


def admission(key: str | None = None, *, sessions: tuple[str, ...] = (), **options: Any) -> Admission:
    """The credentials of one request."""
    return Admission(
        limits=MemoryBuckets(),
        key_uses=KeyUses(),
        options=ServiceOptions(**options),
        now_ms=NOW_MS,
        client=lambda: "203.0.113.9",
        key=lambda: (key, key is not None),
        sessions=lambda: sessions,
    )


def run(tmp_path: Path, script: Callable[[Database, str], Awaitable[Any]]) -> Any:
    """The result of a script on a database with one account, whose key it gets."""
    database = make_database(tmp_path)
    try:
        _, key = add_owner(database)
        return asyncio.run(script(database, key))  # type: ignore[arg-type]
    finally:
        database.close()


def name(tx: Transaction, account_id: int) -> str:
    """A use case of an account."""
    account = load_account(tx, account_id)
    return "" if account is None else account.name


def test_the_first_use_case_admits_the_caller_and_the_next_do_not(tmp_path: Path) -> None:
    """One request counts once, however many use cases it runs."""

    async def script(database: Database, key: str) -> tuple[list[str], int]:
        who = admission(key)
        work = UnitOfWork(database, who)
        names = [await work.read(of_account(name)) for _ in range(3)]
        return names, who.standings["requests"].remaining

    names, remaining = run(tmp_path, script)

    assert (names, remaining) == (["Alice"] * 3, ServiceOptions().requests_per_minute - 1)


def test_nothing_is_read_for_who_is_not_admitted(tmp_path: Path) -> None:
    """Without a key, with a wrong one, without the scope, over the limit, and without a session."""
    read: list[Caller] = []

    def use_case(_tx: Transaction, caller: Caller) -> None:
        read.append(caller)

    async def script(database: Database, key: str) -> list[type[Exception]]:
        scoped, limited, page = admission(key), admission(key, requests_per_minute=0), admission()
        _, weak = add_key(database, 1, scopes=("reports:read",))
        scoped = admission(weak)
        scoped.scope, page.access = "reports:write", "account"
        refused: list[type[Exception]] = []
        for who in (admission(), admission("pgk_" + "0" * 49), scoped, limited, page):
            with pytest.raises((Unauthenticated, InsufficientScope, RateLimited, SignInNeeded)) as caught:
                await UnitOfWork(database, who).read(use_case)
            refused.append(caught.type)
        return refused

    assert run(tmp_path, script) == [Unauthenticated, Unauthenticated, InsufficientScope, RateLimited, SignInNeeded]
    assert read == []


def test_searches_of_one_account_keep_no_other_account_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor anything else that the same account reads; and none of its own waits for ever, nor do many of them."""
    monkeypatch.setattr(unit_of_work, "SEARCH_WAIT_S", 0.05)
    monkeypatch.setattr(unit_of_work, "SEARCHES_WAITING", 1)
    may_end, begun = threading.Event(), threading.Semaphore(0)

    def take_long(_tx: Transaction, _caller: Caller) -> str:
        begun.release()
        may_end.wait(HANG_S)
        return "found"

    async def script(database: Database, key: str) -> tuple[str, str, list[str]]:
        slots = search_slots()
        _, other = add_owner(database, "Bob")

        def work(key: str) -> UnitOfWork:
            return UnitOfWork(database, admission(key), slots)

        async with asyncio.TaskGroup() as group:
            long = [group.create_task(work(key).search(take_long)) for _ in range(SEARCHES_AT_ONCE)]
            for _ in long:
                await asyncio.to_thread(begun.acquire, timeout=HANG_S)
            ends = await asyncio.gather(*(work(key).search(of_account(name)) for _ in "ab"), return_exceptions=True)
            assert [type(end) for end in ends] == [Unavailable] * 2
            read = await work(key).read(of_account(name))
            beside = await work(other).search(of_account(name))
            may_end.set()
        return read, beside, [task.result() for task in long]

    assert run(tmp_path, script) == ("Alice", "Bob", ["found"] * SEARCHES_AT_ONCE)


def test_a_use_case_that_fails_writes_nothing(tmp_path: Path) -> None:
    """The transaction ends with it, whatever it wrote before."""

    def rename(tx: Transaction, caller: Caller) -> None:
        tx.exec_driver_sql("UPDATE accounts SET name = 'Mallory'")
        raise ValueError(caller.account.name)

    async def script(database: Database, key: str) -> str:
        work = UnitOfWork(database, admission(key))
        await work.admit()
        with pytest.raises(ValueError, match="Alice"):
            await work.write(rename)
        return await work.read(of_account(name))

    assert run(tmp_path, script) == "Alice"


def test_a_writer_must_be_admitted_before(tmp_path: Path) -> None:
    """A mistake of ours, and no request's."""

    async def script(database: Database, key: str) -> None:
        await UnitOfWork(database, admission(key)).write(of_account(name))

    with pytest.raises(RuntimeError, match="not admitted"):
        run(tmp_path, script)
