"""Batches: many reports from one call, and how far they are. A batch holds no report; each lives on by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.stored import UNFINISHED, State
from pagegrade.parse.url import parse_target_url
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.bulk import create_reports
from pagegrade.service.reports.validation import NewReport, check_allowed
from pagegrade.service.retention import expired_before_ms
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import batches as store
from pagegrade.store.repositories.batches import BatchReport, StoredBatch

MAX_SHOWN: Final = 200
"""Characters of an unusable URL that the response repeats."""


class URLList(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a list of URLs."""

    urls: tuple[str, ...]
    """Canonical and different, in the order in which they came, at most ``AT_ONCE``."""
    refused: tuple[Mapping[str, str], ...]
    """The others: ``url``, ``code`` and ``message`` of each."""


class BatchState(msgspec.Struct, frozen=True, kw_only=True):
    """A batch and where its reports stand."""

    id: int
    created_at_ms: int
    refused: bytes
    """JSON array of what could not be used."""
    reports: tuple[BatchReport, ...]
    """Those that are still there, in the order of the URLs."""

    @property
    def unfinished(self) -> int:
        """Number of reports whose analysis has not ended."""
        return sum(report.state in UNFINISHED for report in self.reports)

    def count(self, state: State) -> int:
        """Return the number of reports in a state."""
        return sum(report.state == state for report in self.reports)


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


def show_batch(tx: Transaction, caller: Caller, batch_id: int, options: ServiceOptions, now_ms: int) -> BatchState:
    """A batch of the caller.

    Raises:
        NotFound: There is no such batch.
    """
    batch = store.load_batch(tx, caller.account.id, batch_id)
    if batch is None:
        raise NotFound
    expired = expired_before_ms(tx, options, now_ms)
    return _state(batch, store.load_batch_reports(tx, (batch.id,), expired_before_ms=expired)[batch.id])


def check_batch(tx: Transaction, caller: Caller, batch_id: int, options: ServiceOptions, now_ms: int) -> int:
    """Return the id of a batch of the caller; raises as ``show_batch``."""
    show_batch(tx, caller, batch_id, options, now_ms)
    return batch_id


def list_batches(
    tx: Transaction, caller: Caller, options: ServiceOptions, now_ms: int, *, page: int, per_page: int
) -> Listed[BatchState]:
    """A page of the caller's batches, newest first."""
    found, total = store.list_batches(tx, caller.account.id, page, per_page)
    expired = expired_before_ms(tx, options, now_ms)
    each = store.load_batch_reports(tx, [batch.id for batch in found], expired_before_ms=expired)
    return Listed(items=tuple(_state(batch, each[batch.id]) for batch in found), total=total)


def delete_batch(tx: Transaction, caller: Caller, batch_id: int) -> None:
    """Forget a batch of the caller; its reports stay.

    Raises:
        NotFound: There is no such batch.
    """
    if not store.delete_batch(tx, caller.account.id, batch_id):
        raise NotFound


def _state(batch: StoredBatch, found: Sequence[BatchReport]) -> BatchState:
    return BatchState(id=batch.id, created_at_ms=batch.created_at_ms, refused=batch.refused, reports=tuple(found))
