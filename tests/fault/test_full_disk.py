"""Hostile rows P01 and P02: a database that cannot grow, as the users of the API meet it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fault.full import no_room
from tests.web.calling import REPORTS, Instance, with_instance

Fill = Callable[[Instance], AbstractAsyncContextManager[None]]


@contextlib.asynccontextmanager
async def full_file(instance: Instance) -> AsyncIterator[None]:
    """P01: the file may not get larger."""

    def limit(pages: int) -> None:
        return instance.services.database.submit(
            lambda tx: tx.exec_driver_sql(f"PRAGMA max_page_count = {pages}").close()
        ).result()

    limit(1)  # SQLite takes the present size for it
    try:
        yield
    finally:
        limit(1_000_000)


@contextlib.asynccontextmanager
async def full_disk(_instance: Instance) -> AsyncIterator[None]:
    """P02: the system lets no file grow."""
    with no_room():
        yield


async def create_until_refused(instance: Instance) -> httpx.Response:
    """New reports with long addresses until one is not taken; what is said to that one."""
    for number in range(200):
        url = f"https://example.com/{number}/{'x' * 1900}"
        answer = await instance.call("POST", REPORTS, data={"url": url})
        if answer.status_code != 201:
            return answer
    raise AssertionError("everything was taken")


@pytest.mark.parametrize("fill", [full_file, full_disk])
def test_full_database_refuses_changes_and_answers_everything_else(tmp_path: Path, fill: Fill) -> None:
    """503 with the time to wait; reading goes on; and with room again, so does everything, without a restart."""

    async def script(instance: Instance) -> tuple[Any, ...]:
        first = await instance.create()
        async with fill(instance):
            refused = await create_until_refused(instance)
            listed = await instance.call("GET", REPORTS)
            shown = await instance.call("GET", f"{REPORTS}/{first['id']}")
            total = listed.json()["meta"]["total"]
            again = await instance.call("GET", REPORTS)
        healed = await instance.call("POST", REPORTS, data={"url": "https://example.com/healed"})
        after = await instance.call("GET", REPORTS)
        return refused, listed, shown, again, healed, total, after

    refused, listed, shown, again, healed, total, after = with_instance(
        tmp_path, script, requests_per_minute=10_000, analyses_per_minute=10_000
    )

    assert refused.status_code == 503
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "unavailable"
    assert int(refused.headers["retry-after"]) >= 1
    assert "sqlite" not in refused.text.lower()
    assert [answer.status_code for answer in (listed, shown, again, healed)] == [200, 200, 200, 201]
    assert after.json()["meta"]["total"] == total + 1
