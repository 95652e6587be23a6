"""Analyses that one request counts for its key."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.model.account import Account
from pagegrade.model.errors import RateLimited
from pagegrade.service.accounts.access import KeyUses
from pagegrade.service.accounts.admission import Admission
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Buckets, MemoryBuckets
from pagegrade.web.rate_limit import ANALYSES, RateLimit
from tests.service.instance import caller_of
from tests.store_builders import NOW_MS

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
