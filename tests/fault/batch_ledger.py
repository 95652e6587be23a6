"""Batches that clients were promised: each has all its reports exactly once, whatever happened to the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Final

from tests.server import OWNER, Server

BATCHES: Final = "/api/v1/batches"
ENDED: Final = frozenset({"completed", "failed"})
BATCH_EVERY: Final = 5
"""Requests of a client of which one is for a batch ..."""
BATCH_REPORTS: Final = 3
"""... of so many reports."""


@dataclass(frozen=True, slots=True)
class Promise:
    """A batch as it was answered with 202."""

    number: int
    urls: tuple[str, ...]
    reports: dict[int, str]
    """Id -> URL."""
    key: str
    secret: object


@dataclass(slots=True)
class BatchLedger:
    """Batches as a client outside of the system wrote them down."""

    accepted: dict[str, Promise] = field(default_factory=dict)
    """By Idempotency-Key."""
    violations: list[str] = field(default_factory=list)

    def post(
        self, server: Server, urls: tuple[str, ...], *, key: str, secret: object = OWNER, timeout_s: float = 20.0
    ) -> Promise | None:
        """Ask for a batch; what was promised, ``None`` when no answer came or it was refused.

        The same key promises the same batch, however often it is sent.
        """
        try:
            reply = server.call(
                "POST",
                BATCHES,
                key=secret,
                body=json.dumps({"urls": urls}).encode(),
                headers={"Content-Type": "application/json", "Idempotency-Key": key},
                timeout_s=timeout_s,
            )
        except (OSError, HTTPException):
            return None
        if reply.status != 202:
            return None
        reports = {report["id"]: report["url"] for report in reply.data["reports"]}
        promise = Promise(reply.data["id"], urls, reports, key, secret)
        if self.accepted.setdefault(key, promise) != promise:
            self.violations.append(f"key {key} gave {self.accepted[key]} and then {promise}")
        if sorted(reports.values()) != sorted(urls):
            self.violations.append(f"batch {promise.number} has {reports} and not {urls}")
        return promise

    def check(self, server: Server) -> None:
        """Hold every promise against the API, once all reports have ended.

        Raises:
            AssertionError: A batch or a report of it is gone, doubled, unfinished or another one.
        """
        for promise in tuple(self.accepted.values()):
            batch = server.call("GET", f"{BATCHES}/{promise.number}", key=promise.secret).data
            found = [(report["id"], report["url"]) for report in batch["reports"]]
            assert sorted(found) == sorted(promise.reports.items())
            assert {report["state"] for report in batch["reports"]} <= ENDED, batch
            assert self.post(server, promise.urls, key=promise.key, secret=promise.secret) == promise
        assert self.violations == []


def check_all_or_none(stored: list[str], batches: list[tuple[str, ...]]) -> None:
    """Hold batches against the URLs in the database: all reports of a batch are there once, or none is.

    Raises:
        AssertionError: A batch is there in part or twice.
    """
    for urls in batches:
        counts = {stored.count(url) for url in urls}
        assert counts in ({0}, {1}), (urls, counts)
