"""The application on a real database, called without a socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import httpx

from pagegrade.clock import now_ms
from pagegrade.model.account import SCOPES, Account
from pagegrade.model.report import Report
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import pack_report
from pagegrade.service.access.operations import Vault
from pagegrade.service.accounts.sessions import start_session
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import finish_run
from pagegrade.web.app import App, make_app
from pagegrade.web.operations import Operation
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.session_cookie import SESSION, cookie_name
from pagegrade.worker.heartbeat import present
from tests.report_builders import make_report
from tests.store_builders import add_key, add_owner, make_database
from tests.waiting import wait_for

T = TypeVar("T")
BASE_URL = "https://reports.example.org"
REPORTS = "/api/v1/reports"
OPTIONS = ServiceOptions(base_url=BASE_URL, create_wait_s=0.0)
"""No worker runs in these tests, so nothing waits for an analysis."""


@dataclass(slots=True, kw_only=True)
class Instance:
    """The application, what it stands on, and Alice, who has a key of its own."""

    services: Services
    app: App
    client: httpx.AsyncClient
    alice: Account
    key: str

    async def call(
        self, method: str, path: str, *, key: str | None = "", headers: Mapping[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        """One request; with Alice's key unless another or ``None`` is given."""
        sent = dict(headers or {})
        secret = self.key if key == "" else key
        if secret is not None:
            sent.setdefault("Authorization", f"Bearer {secret}")
        return await self.client.request(method, path, headers=sent, **more)

    async def sign_in(self, account: Account | None = None) -> dict[str, str]:
        """The headers of a browser in which Alice, or another account, has signed in, on a page of ours."""
        owner = account or self.alice
        token = await self.services.database.write(lambda tx: start_session(tx, owner, "Firefox", now_ms()))
        return {"Cookie": f"{cookie_name(SESSION, BASE_URL)}={token}", "Sec-Fetch-Site": "same-origin"}

    async def page(
        self,
        method: str,
        path: str,
        *,
        account: Account | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        """One request for a page in a browser of its own in which Alice, or another account, has signed in."""
        self.client.cookies.clear()
        sent = {**await self.sign_in(account), **(headers or {})}
        return await self.call(method, path, key=None, headers=sent, **more)

    async def create(self, url: str = "https://example.com/", **fields: object) -> dict[str, Any]:
        """A new report of Alice."""
        answer = await self.call("POST", REPORTS, data={"url": url, **fields})
        if answer.status_code != 201:
            raise AssertionError(answer.text)
        made: dict[str, Any] = answer.json()["data"]
        return made

    async def finish(self, report: Report | PackedReport | None = None) -> None:
        """End every run that waits, as a worker would, and notify those who wait for it."""
        packed = report if isinstance(report, PackedReport) else pack_report(report or make_report())

        def work(tx: Transaction) -> list[int]:
            moment = now_ms()
            claimed = claim_runs(
                tx,
                worker="test",
                count=100,
                now_ms=moment,
                lease_ms=60_000,
                target_runs=100,
                target_runs_per_minute=1_000,
            )
            return [changed for run in claimed for changed in finish_run(tx, run, packed, moment)]

        for report_id in await self.services.database.write(work):
            self.services.changes.notify(report_id)

    async def until_awaited(self) -> None:
        """Return when a request waits for a report to be finished."""
        await wait_for(lambda: bool(self.services.changes._watchers), "a request that waits")

    def add_key(self, *scopes: str, account: Account | None = None, **more: Any) -> str:
        """The secret of one more key, Alice's unless another account is given."""
        owner = account or self.alice
        return add_key(self.services.database, owner.id, scopes=scopes or SCOPES, **more)[1]

    def add_bob(self) -> str:
        """The secret of a key of another account."""
        return add_owner(self.services.database, "Bob")[1]


@contextlib.asynccontextmanager
async def make_instance(
    tmp_path: Path, *, operations: Sequence[Operation] = ALL_OPERATIONS, peer: str = "127.0.0.1", **options: Any
) -> AsyncIterator[Instance]:
    """The application for the length of a block."""
    services = Services(
        database=make_database(tmp_path), options=replace(OPTIONS, **options), vault=Vault(keys=("k" * 32,))
    )
    try:
        alice, key = add_owner(services.database)
        app = make_app(services, operations=operations)
        transport = httpx.ASGITransport(app=app, client=(peer, 12345))
        async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
            yield Instance(services=services, app=app, client=client, alice=alice, key=key)
    finally:
        services.database.close()
        services.passwords.close()


@contextlib.asynccontextmanager
async def a_neighbour(instance: Instance) -> AsyncIterator[Instance]:
    """Another process that works on the same database, for the length of a block."""
    services = Services(database=open_database(instance.services.database.url), options=instance.services.options)
    try:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(present(services, "serve"))
            app = make_app(services)
            transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 12345))
            client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url=BASE_URL))
            yield Instance(services=services, app=app, client=client, alice=instance.alice, key=instance.key)
    finally:
        services.database.close()
        services.passwords.close()


def with_instance(
    tmp_path: Path,
    script: Callable[[Instance], Awaitable[T]],
    *,
    operations: Sequence[Operation] = ALL_OPERATIONS,
    **more: Any,
) -> T:
    """The result of a script for an instance of its own."""

    async def run() -> T:
        async with make_instance(tmp_path, operations=operations, **more) as instance:
            return await script(instance)

    return asyncio.run(run())
