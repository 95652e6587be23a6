"""What the tests of misuse have in common."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from tests.server import OWNER, Reply, Server

JSON = "application/json"
REPORTS = "/api/v1/reports"
T = TypeVar("T")


def rows(*ids: str) -> pytest.MarkDecorator:
    """Which rows of the hostile-input matrix a test covers; ``tests/contract/test_hostile_rows.py`` reads it."""
    return pytest.mark.rows(*ids)


def post(server: Server, body: bytes, media_type: str | None = JSON, **headers: str) -> Reply:
    """A body as it is, sent to make a report."""
    sent = {"Prefer": "respond-async", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if media_type is not None:
        sent["Content-Type"] = media_type
    return server.call("POST", REPORTS, body=body, headers=sent)


def ask_for(server: Server, url: str, *, key: object = OWNER, **fields: object) -> Reply:
    """The answer to a wish for a report that nobody waits for."""
    return server.call("POST", REPORTS, key=key, form={"url": url, **fields}, headers={"Prefer": "respond-async"})


def count(server: Server, key: object = OWNER) -> int:
    """How many reports an account has."""
    total: int = server.call("GET", REPORTS, key=key).json["meta"]["total"]
    return total


def at_once(number: int, work: Callable[[int], T]) -> list[T]:
    """The results of ``work(0)``, ``work(1)``... run in as many threads."""
    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(work, range(number)))
