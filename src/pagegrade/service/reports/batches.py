"""Batches: many reports from one call, and how far they are. A batch holds no report; each lives on by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.stored import GRADES, UNFINISHED
from pagegrade.parse.url import parse_target_url
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.bulk import create_reports
from pagegrade.service.reports.operations import Listed, expired_before_ms
from pagegrade.service.reports.serializers import timestamp
from pagegrade.service.reports.validation import NewReport, check_allowed
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import batches as store
from pagegrade.store.repositories.batches import BatchReport, StoredBatch

MAX_SHOWN: Final = 200
"""Characters of an unusable URL that the response repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class URLList:
    """Content of a list of URLs."""

    urls: tuple[str, ...]
    """Canonical and different, in the order in which they came, at most ``AT_ONCE``."""
    refused: tuple[Mapping[str, str], ...]
    """The others: ``url``, ``code`` and ``message`` of each."""


def read_urls(typed: Sequence[str], options: ServiceOptions) -> URLList:
    """Evaluate URLs as they were sent; takes up to a tenth of a millisecond for each.

    Args:
        typed: At most twice ``AT_ONCE``; empty ones mean nothing.
        options: Of the installation.
    """
    urls: dict[str, None] = {}
    refused: list[Mapping[str, str]] = []
    for text in typed:
        if not text.strip():
            continue
        try:
            url = parse_target_url(text).url
            check_allowed(url, options.analyze)
        except InvalidInput as error:
            refused.append({"url": text[:MAX_SHOWN], "code": error.reason or error.code, "message": error.message})
            continue
        if url in urls:
            message = "The URL is in the list already."
            refused.append({"url": text[:MAX_SHOWN], "code": "repeated", "message": message})
        elif len(urls) == AT_ONCE:
            message = f"A batch has at most {AT_ONCE} reports."
            refused.append({"url": text[:MAX_SHOWN], "code": "too_many", "message": message})
        else:
            urls[url] = None
    return URLList(urls=tuple(urls), refused=tuple(refused))


def create_batch(
    tx: Transaction,
    caller: Caller,
    new_reports: Sequence[NewReport],
    options: ServiceOptions,
    now_ms: int,
    *,
    refused: Sequence[Mapping[str, str]],
    password_hash: str | None,
) -> int:
    """Store a batch and its reports, all or none, whose runs wait behind what else the account asks for; its id.

    Raises:
        QuotaExceeded: The account may not have all of them.
        Unavailable: The queue is full.
    """
    ids = create_reports(tx, caller, new_reports, options, now_ms, password_hash=password_hash)
    return store.add_batch(tx, caller.account.id, ids, refused=msgspec.json.encode(refused), now_ms=now_ms)


def show_batch(
    tx: Transaction, caller: Caller, batch_id: int, options: ServiceOptions, now_ms: int
) -> tuple[dict[str, Any], int]:
    """(the members of a batch of the caller, how many of its reports are unfinished).

    Raises:
        NotFound: There is no such batch.
    """
    batch = store.load_batch(tx, caller.account.id, batch_id)
    if batch is None:
        raise NotFound
    expired = expired_before_ms(options, now_ms)
    found = store.load_batch_reports(tx, (batch.id,), expired_before_ms=expired)[batch.id]
    members = _members(batch, found)
    members["refused"] = msgspec.json.decode(batch.refused)
    members["reports"] = [_report(report) for report in found]
    return members, members["queued"]


def check_batch(tx: Transaction, caller: Caller, batch_id: int, options: ServiceOptions, now_ms: int) -> int:
    """Return the id of a batch of the caller; raises as ``show_batch``."""
    show_batch(tx, caller, batch_id, options, now_ms)
    return batch_id


def list_batches(
    tx: Transaction, caller: Caller, options: ServiceOptions, now_ms: int, *, page: int, per_page: int
) -> Listed:
    """A page of the caller's batches, newest first, without their reports."""
    found, total = store.list_batches(tx, caller.account.id, page, per_page)
    expired = expired_before_ms(options, now_ms)
    each = store.load_batch_reports(tx, [batch.id for batch in found], expired_before_ms=expired)
    return Listed(items=tuple(msgspec.json.encode(_members(batch, each[batch.id])) for batch in found), total=total)


def delete_batch(tx: Transaction, caller: Caller, batch_id: int) -> None:
    """Forget a batch of the caller; its reports stay.

    Raises:
        NotFound: There is no such batch.
    """
    if not store.delete_batch(tx, caller.account.id, batch_id):
        raise NotFound


def _members(batch: StoredBatch, found: Sequence[BatchReport]) -> dict[str, Any]:
    states = [report.state for report in found]
    return {
        "id": batch.id,
        "object": "batch",
        "total": len(found),
        "queued": sum(state in UNFINISHED for state in states),
        "completed": states.count("completed"),
        "failed": states.count("failed"),
        "created_at": timestamp(batch.created_at_ms),
    }


def _report(report: BatchReport) -> dict[str, Any]:
    return {
        "id": report.id,
        "object": "report",
        "url": report.url,
        "state": report.state,
        "result": None if report.rating is None else GRADES[report.rating],
        "score": report.score,
    }
