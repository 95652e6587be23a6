"""Many reports from one list of addresses: validate it, find existing reports, compute the capacity, and batches of it.

The list is evaluated again at each submission: reports may have changed since an earlier preview. A batch holds no
report; each lives on by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.gather.guard import Guard
from pagegrade.model.account import Caller, limit_of
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.stored import UNFINISHED, Priority, State
from pagegrade.parse.url import parse_target_url
from pagegrade.service.accounts.quotas import check_browser_time, quotas_of
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.operations import check_capacity, count_reports, store_report
from pagegrade.service.reports.validation import NewReport, check_allowed
from pagegrade.service.retention import expired_before_ms
from pagegrade.service.runs.options import policy_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.repositories import reports as store
from pagegrade.store.repositories.accounts import load_month
from pagegrade.store.repositories.reports import BatchReport, StoredBatch, find_urls

MAX_EVALUATED: Final = 2_000
"""Lines that are read; one takes up to a tenth of a millisecond, and half a million fit into a form."""
MAX_REFUSED: Final = 50
"""Refused lines that are listed; further ones are counted."""
COMMENT: Final = "#"


class RefusedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is no address of a page we may analyze."""

    number: int
    """From 1."""
    typed: str
    code: str
    """Reason, as a stable code."""
    message: str
    """Reason, as a sentence."""


class ReadURLs(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a submitted list."""

    urls: tuple[str, ...]
    """Canonical and different, in the order in which they came, at most ``AT_ONCE``."""
    refused: tuple[RefusedLine, ...]
    """The first of the lines that cannot be used, at most ``MAX_REFUSED``."""
    refused_count: int
    """Lines that cannot be used."""
    repeated: int
    """Lines that name an address again."""
    left_out: int
    """Further addresses, beyond the limit of one submission, and lines that were not read."""


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    """Number of reports that an account can create now."""

    reports: int | None
    """Reports until a quota of the account is used up; ``None`` without a quota."""
    runs: int
    """Free slots in the account's part of the queue."""

    @property
    def size(self) -> int:
        """The smaller one of both."""
        return self.runs if self.reports is None else min(self.reports, self.runs)


def read_url_list(text: str, options: ServiceOptions) -> ReadURLs:
    """Evaluate a list of addresses, one a line; blank lines and those that begin with ``#`` mean nothing.

    Args:
        text: As typed; the caller bounds its length.
    """
    urls: dict[str, None] = {}
    refused: list[RefusedLine] = []
    evaluated = refused_count = repeated = left_out = 0
    for number, line in enumerate(text.splitlines(), start=1):
        typed = line.strip()
        if not typed or typed.startswith(COMMENT):
            continue
        if evaluated == MAX_EVALUATED:
            left_out += 1
            continue
        evaluated += 1
        try:
            url = parse_target_url(typed).url
            if Guard(policy_of(url, options.analyze)).check_url(url) is not None:
                # The reason costs more than the answer, and is shown for the first lines alone.
                if len(refused) == MAX_REFUSED:
                    refused_count += 1
                    continue
                check_allowed(url, options.analyze)
        except InvalidInput as error:
            refused_count += 1
            if len(refused) < MAX_REFUSED:
                code = error.reason or error.code
                refused.append(RefusedLine(number=number, typed=typed, code=code, message=error.message))
            continue
        if url in urls:
            repeated += 1
        elif len(urls) < AT_ONCE:
            urls[url] = None
        else:
            left_out += 1
    return ReadURLs(
        urls=tuple(urls),
        refused=tuple(refused),
        refused_count=refused_count,
        repeated=repeated,
        left_out=left_out,
    )


def find_known(
    tx: Transaction, caller: Caller, urls: Sequence[str], options: ServiceOptions, now_ms: int
) -> Mapping[str, int]:
    """Those of the canonical addresses that the caller has reports of, each with the newest report's id."""
    return find_urls(tx, caller.account.id, urls, expired_before_ms=expired_before_ms(tx, options, now_ms))


def find_capacity(tx: Transaction, caller: Caller, options: ServiceOptions, now_ms: int) -> Capacity:
    """Return the number of reports that the caller can create now."""
    account_id = caller.account.id
    quotas = quotas_of(caller.account, options)
    reports = limit_of(quotas, "reports")
    if reports is not None:
        reports = max(0, reports - count_reports(tx, account_id, options, now_ms))
    analyses = limit_of(quotas, "analyses_per_month")
    if analyses is not None:
        left = max(0, analyses - load_month(tx, account_id, now_ms).analyses)
        reports = left if reports is None else min(reports, left)
    own = options.account_queue - count_unfinished(tx, account_id)
    whole = options.queue - count_unfinished(tx, None)
    return Capacity(reports=reports, runs=max(0, min(own, whole)))


def find_known_and_capacity(
    tx: Transaction, caller: Caller, urls: Sequence[str], options: ServiceOptions, now_ms: int
) -> tuple[Mapping[str, int], Capacity]:
    """Return ``find_known`` and ``find_capacity`` of one moment."""
    return find_known(tx, caller, urls, options, now_ms), find_capacity(tx, caller, options, now_ms)


def create_unknown_reports(
    tx: Transaction,
    caller: Caller,
    new_reports: Sequence[NewReport],
    options: ServiceOptions,
    now_ms: int,
    *,
    password_hash: str | None,
) -> tuple[int, ...]:
    """Create those of the reports whose URL has none yet; takes and raises what ``create_reports`` does."""
    known = find_known(tx, caller, [new_report.target.url for new_report in new_reports], options, now_ms)
    left = [new_report for new_report in new_reports if new_report.target.url not in known]
    return create_reports(tx, caller, left, options, now_ms, password_hash=password_hash)


def create_reports(
    tx: Transaction,
    caller: Caller,
    new_reports: Sequence[NewReport],
    options: ServiceOptions,
    now_ms: int,
    *,
    password_hash: str | None = None,
) -> tuple[int, ...]:
    """Store new reports, whose runs wait behind what else the account asks for; all of them or none.

    Args:
        new_reports: What ``read_new_report`` gave, at most ``AT_ONCE``.
        password_hash: Of the one password of all; ``None`` exactly where they have none.

    Returns:
        Their ids, in the same order.

    Raises:
        QuotaExceeded: The account's quota is too low for all of them.
        Unavailable: The queue is too full.
    """
    if any((new_report.password is None) != (password_hash is None) for new_report in new_reports):
        raise ValueError("the hash must be of the password that was sent")
    if len(new_reports) > AT_ONCE:
        raise ValueError(f"at most {AT_ONCE} reports are made in one go")
    check_capacity(tx, caller.account, options, now_ms, wanted=len(new_reports))
    if any(new_report.render == 1 for new_report in new_reports):
        check_browser_time(tx, caller.account, options, now_ms)
    made = (
        store_report(tx, caller, new_report, options, now_ms, password_hash=password_hash, priority=Priority.BULK)
        for new_report in new_reports
    )
    return tuple(stored.report.id for stored in made)


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
