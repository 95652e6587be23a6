"""Admission of one request, without HTTP: keys, sessions, and what each refusal costs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import NotFound, RateLimited, Unauthenticated
from pagegrade.service.accounts.access import KeyUses, make_secret
from pagegrade.service.accounts.admission import ANALYSES, Admission, RateLimit, SignInNeeded
from pagegrade.service.accounts.sessions import start_session
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Buckets, MemoryBuckets
from pagegrade.store.engine.database import Database
from tests.service.instance import caller_of
from tests.store_builders import NOW_MS, add_owner, make_database

LIMITED = ServiceOptions(requests_per_minute=2, wrong_keys_per_minute=2)


def admission(limits: Buckets, key: str | None = None, token: str = "", **more: Any) -> Admission:
    """The credentials of one request of one client."""
    made = Admission(
        limits=limits,
        key_uses=KeyUses(),
        options=LIMITED,
        now_ms=NOW_MS,
        client=lambda: "203.0.113.9",
        key=lambda: (key, key is not None),
        sessions=lambda: (token,) if token else (),
    )
    made.access = more.get("access", "anyone")
    return made


def admitted(database: Database, one: Admission) -> Caller:
    """The caller, after everything that a request goes through."""
    asyncio.run(one.prepare())
    return database.read_here(one.admit)


def test_a_key_may_send_so_many_requests(tmp_path: Path) -> None:
    """The refused one costs nothing and says how long to wait."""
    database = make_database(tmp_path)
    _, key = add_owner(database)
    limits = MemoryBuckets(lambda: 0.0)
    names = [admitted(database, admission(limits, key)).account.name for _ in range(2)]
    with pytest.raises(RateLimited) as caught:
        admitted(database, admission(limits, key))
    database.close()

    assert (names, caught.value.retry_after_s) == (["Alice", "Alice"], 30)


def test_a_client_may_try_so_many_wrong_keys(tmp_path: Path) -> None:
    """A right key from the same address is admitted all the same."""
    database = make_database(tmp_path)
    _, key = add_owner(database)
    limits = MemoryBuckets(lambda: 0.0)
    refused: list[str] = []
    for _ in range(3):
        with pytest.raises((Unauthenticated, RateLimited)) as caught:
            admitted(database, admission(limits, make_secret()))
        refused.append(caught.type.__name__)
    caller = admitted(database, admission(limits, key))
    database.close()

    assert (refused, caller.account.name) == (["Unauthenticated", "Unauthenticated", "RateLimited"], "Alice")


def test_a_page_needs_a_session_and_an_administrator_for_some(tmp_path: Path) -> None:
    """Pages of administrators do not exist for others."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    token = database.write_here(lambda tx: start_session(tx, account, "Firefox", NOW_MS))
    caller = admitted(database, admission(MemoryBuckets(), token=token, access="account"))
    with pytest.raises(SignInNeeded):
        admitted(database, admission(MemoryBuckets(), access="account"))
    with pytest.raises(NotFound):
        admitted(database, admission(MemoryBuckets(), token=token, access="admin"))
    database.close()

    assert caller.account.id == account.id


def test_identification_counts_nothing(tmp_path: Path) -> None:
    """Pages for everyone only show the menu of who is signed in."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    token = database.write_here(lambda tx: start_session(tx, account, "Firefox", NOW_MS))
    one, other = admission(MemoryBuckets(), token=token), admission(MemoryBuckets(), token="x" * 43)
    found = database.read_here(one.identify), database.read_here(other.identify)
    database.close()

    assert found[0] is not None
    assert (found[0].account.id, found[1], one.standings, one.secret) == (account.id, None, {}, token)


ALICE = caller_of(Account(id=1, name="Alice", email="alice@example.org", created_at_ms=NOW_MS))
OPTIONS = ServiceOptions(analyses_per_minute=1)


def a_request(limits: Buckets) -> tuple[RateLimit, Admission]:
    """One that was admitted."""
    admission = Admission(
        limits=limits,
        key_uses=KeyUses(),
        options=OPTIONS,
        now_ms=NOW_MS,
        client=str,
        key=lambda: (None, False),
        sessions=tuple,
    )
    admission.caller = ALICE
    return RateLimit(limits, OPTIONS, admission), admission


def test_an_analysis_counts_once_for_a_request() -> None:
    """However often it is asked for; the next request is refused."""

    async def script() -> None:
        limits = MemoryBuckets(lambda: 0.0)
        first, admission = a_request(limits)
        await first.take_analysis()
        await first.take_analysis()
        assert admission.standings[ANALYSES].remaining == 0
        with pytest.raises(RateLimited):
            await a_request(limits)[0].take_analysis()

    asyncio.run(script())


def test_an_analysis_that_was_not_started_is_given_back() -> None:
    """And leaves no trace in the headers; a refused one gives back nothing."""

    async def script() -> None:
        limits = MemoryBuckets(lambda: 0.0)
        first, admission = a_request(limits)
        await first.take_analysis()
        refused, _ = a_request(limits)
        await refused.count_analysis()
        await refused.forget_analysis()
        with pytest.raises(RateLimited):
            await a_request(limits)[0].take_analysis()
        await first.forget_analysis()
        assert ANALYSES not in admission.standings
        await a_request(limits)[0].take_analysis()

    asyncio.run(script())
