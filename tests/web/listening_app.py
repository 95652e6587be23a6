"""The application on a real database behind our own server on the loopback, for clients that are not ours."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pagegrade.model.account import Account
from pagegrade.service.access.operations import Vault
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.web.app import make_app
from pagegrade.web.server.serve import serve
from tests.store_builders import add_owner, make_database

START_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """The origin, the services below it, and Alice's key."""

    url: str
    services: Services
    alice: Account
    key: str


def _nothing(_services: Services, _alice: Account) -> None:
    """An empty instance."""


@contextlib.contextmanager
def listening_app(
    tmp_path: Path, *, furnish: Callable[[Services, Account], None] = _nothing, **options: Any
) -> Iterator[Listening]:
    """The application, listening for the length of a block. No worker runs, so reports stay queued.

    Args:
        tmp_path: For the database.
        furnish: Puts something into the database first.
        options: Of the service.
    """
    services = Services(
        database=make_database(tmp_path),
        vault=Vault(keys=("k" * 32,)),
        options=ServiceOptions(
            create_wait_s=0.0, requests_per_minute=1_000_000, analyses_per_minute=1_000_000, wrong_keys_per_minute=10**6
        ),
    )
    services.options = replace(services.options, **options)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    ready = threading.Event()
    urls: list[str] = []

    def announce(url: str) -> None:
        services.options = replace(services.options, base_url=url)
        urls.append(url)
        ready.set()

    async def run() -> None:
        await serve(make_app(services), hosts=["127.0.0.1"], port=0, stop=stop, ready=announce, grace_s=1.0)

    def work() -> None:
        with contextlib.closing(loop):
            loop.run_until_complete(run())

    alice, key = add_owner(services.database)
    furnish(services, alice)
    thread = threading.Thread(target=work, name="listening-instance")
    thread.start()
    try:
        if not ready.wait(START_S):
            raise AssertionError("the server did not start")
        yield Listening(url=urls[0], services=services, alice=alice, key=key)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(START_S)
        services.database.close()
        services.passwords.close()
