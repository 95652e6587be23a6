"""Helpers that the tests of misuse share."""

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
    """Mark the rows of the hostile matrix that a test covers; ``tests/contract/test_hostile_rows.py`` reads it."""
    return pytest.mark.rows(*ids)


def post(server: Server, body: bytes, media_type: str | None = JSON, **headers: str) -> Reply:
    """A body as it is, sent to make a report."""
    sent = {"Prefer": "respond-async", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if media_type is not None:
        sent["Content-Type"] = media_type
    return server.call("POST", REPORTS, body=body, headers=sent)


def ask_for(server: Server, url: str, *, key: object = OWNER, **fields: object) -> Reply:
    """The answer to a request for a report, without waiting for it."""
    return server.call("POST", REPORTS, key=key, form={"url": url, **fields}, headers={"Prefer": "respond-async"})


def count(server: Server, key: object = OWNER) -> int:
    """The number of reports of an account."""
    total: int = server.call("GET", REPORTS, key=key).json["meta"]["total"]
    return total


def at_once(number: int, work: Callable[[int], T]) -> list[T]:
    """The results of ``work(0)``, ``work(1)``... run in as many threads."""
    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(work, range(number)))
