"""Reports: their settings, the state of their analysis, and a summary of the last successful results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal_column,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from pagegrade.model.stored import UNFINISHED, PackedReport, Privacy, State, StoredReport
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import Kind, count_change, uncount_details
from pagegrade.store.repositories.host_slots import hasten_lines, hide_orphaned_visits
from pagegrade.store.schema.tables import batch_reports, batches, reports, runs

NAMES: Final = (
    "id",
    "account_id",
    "url",
    "project",
    "privacy",
    "password_hash",
    "password_version",
    "slug",
    "state",
    "rating",
    "score",
    "run_number",
    "summary",
    "error",
    "generated_at_ms",
    "created_at_ms",
    "updated_at_ms",
    "revision",
    "render",
    "device",
    "pending_run",
    "access",
)
"""Fields of ``StoredReport`` in the order in which ``REPORT_COLUMNS`` reads them."""
REPORT_COLUMNS: Final = tuple(reports.c[name] for name in NAMES)
GREATEST_ID: Final = (1 << 63) - 1
"""Largest value of the column; the driver rejects larger numbers."""

# Literals, because a list parameter has variable length, and such a statement cannot be prepared.
_unfinished: Final = or_(*(reports.c.state == literal_column(f"'{state}'") for state in sorted(UNFINISHED)))
is_live: Final = or_(reports.c.dated_at_ms >= bindparam("expired_before"), _unfinished)
"""Condition: the report has not expired at ``expired_before``. Reports with an unfinished analysis do not expire."""
is_expired: Final = and_(reports.c.dated_at_ms < bindparam("expired_before"), not_(_unfinished))
"""The opposite of ``is_live``."""

_NEW: Final = (
    "account_id",
    "url",
    "project",
    "privacy",
    "password_hash",
    "password_version",
    "slug",
    "state",
    "dated_at_ms",
    "created_at_ms",
    "updated_at_ms",
    "revision",
    "render",
    "device",
    "access",
)
"""Columns of a new report; the others start empty."""

# Statements are built once: building one costs more than executing it.
_OWN: Final = select(*REPORT_COLUMNS).where(
    reports.c.id == bindparam("report"), reports.c.account_id == bindparam("account")
)
_LOAD: Final = Prepared(_OWN)
_LOAD_LIVE: Final = Prepared(_OWN.where(is_live))
_LOAD_ANY: Final = select(*REPORT_COLUMNS).where(reports.c.id == bindparam("report"))
_LOAD_BY_SLUG: Final = select(*REPORT_COLUMNS).where(reports.c.slug == bindparam("slug"))
_ADD: Final = Prepared(
    insert(reports).values({name: bindparam(f"new_{name}") for name in _NEW}).returning(*REPORT_COLUMNS)
)
_LOAD_BY_SLUG_LIVE: Final = _LOAD_BY_SLUG.where(is_live)
_KINDS: Final = (reports.c.account_id, reports.c.project, reports.c.state, reports.c.rating)
_BATCH_COLUMNS: Final = (batches.c.id, batches.c.refused, batches.c.created_at_ms)


def report_of(row: Any) -> StoredReport:
    """Convert a row of ``REPORT_COLUMNS`` to a report."""
    # Without a loop, because lists convert many rows: pairing names with values takes three times as long.
    (
        number,
        account_id,
        url,
        project,
        privacy,
        password_hash,
        password_version,
        slug,
        state,
        rating,
        score,
        run_number,
        summary,
        error,
        generated_at_ms,
        created_at_ms,
        updated_at_ms,
        revision,
        render,
        device,
        pending_run,
        access,
    ) = row
    return StoredReport(
        id=number,
        account_id=account_id,
        url=url,
        project=project,
        privacy=privacy,
        password_hash=password_hash,
        password_version=password_version,
        slug=slug,
        state=state,
        rating=rating,
        score=score,
        run_number=run_number,
        summary=summary,
        error=error,
        generated_at_ms=generated_at_ms,
        created_at_ms=created_at_ms,
        updated_at_ms=updated_at_ms,
        revision=revision,
        render=render,
        device=device,
        pending_run=pending_run,
        access=access,
    )


def add_report(
    tx: Transaction,
    *,
    account_id: int,
    url: str,
    project: str,
    privacy: int,
    password_hash: str | None,
    slug: str,
    now_ms: int,
    render: int | None = None,
    device: str | None = None,
    access: int | None = None,
) -> StoredReport:
    """Add a report whose first run is to be queued.

    Args:
        tx: Transaction that also queues the run.
        url: Canonical URL.
        privacy: One of ``Privacy``.
        password_hash: ``None`` without a password.
        slug: 22 random characters.
        render: 1: in a browser, 0: without; ``None`` for the default of the installation.
        device: Device that the browser emulates; ``None`` for the default.
        access: Id of an access profile, or 0 for none; ``None`` for that of the origin.
    """
    values = {
        "new_account_id": account_id,
        "new_url": url,
        "new_project": project,
        "new_privacy": privacy,
        "new_password_hash": password_hash,
        "new_password_version": 0 if password_hash is None else 1,
        "new_slug": slug,
        "new_state": "queued",
        "new_dated_at_ms": now_ms,
        "new_created_at_ms": now_ms,
        "new_updated_at_ms": now_ms,
        "new_revision": 1,
        "new_render": render,
        "new_device": device,
        "new_access": access,
    }
    (row,) = _ADD.rows(tx, values)
    count_change(tx, account_id, project, was=None, is_=("queued", None))
    return report_of(row)


def load_report(
    tx: Transaction, account_id: int, report_id: int, *, expired_before_ms: int | None = None
) -> StoredReport | None:
    """Load a report of this account.

    Args:
        expired_before_ms: Finished reports dated before this time count as deleted; ``None`` without expiry.

    Returns:
        ``None`` if it does not exist, belongs to another account, or has expired.
    """
    if not 0 < report_id <= GREATEST_ID:
        return None
    parameters = {"report": report_id, "account": account_id}
    if expired_before_ms is None:
        row = _LOAD.first(tx, parameters)
    else:
        row = _LOAD_LIVE.first(tx, {**parameters, "expired_before": expired_before_ms})
    return None if row is None else report_of(row)


def load_report_by_slug(tx: Transaction, slug: str, *, expired_before_ms: int | None = None) -> StoredReport | None:
    """Load the report behind a share link, of any account; ``None`` as for ``load_report``."""
    if expired_before_ms is None:
        row = tx.execute(_LOAD_BY_SLUG, {"slug": slug}).first()
    else:
        row = tx.execute(_LOAD_BY_SLUG_LIVE, {"slug": slug, "expired_before": expired_before_ms}).first()
    return None if row is None else report_of(row)


def save_settings(
    tx: Transaction,
    report: StoredReport,
    *,
    privacy: int,
    password_hash: str | None,
    password_version: int,
    now_ms: int,
    rendering: tuple[int | None, str | None] | None = None,
    access: tuple[int | None] | None = None,
) -> StoredReport:
    """Change the settings of a report and return it. Equal settings change nothing.

    ``rendering`` is (render, device) of the report, and ``access`` holds its access; ``None`` keeps them.
    """
    render, device = (report.render, report.device) if rendering is None else rendering
    changes = {
        "privacy": privacy,
        "password_hash": password_hash,
        "password_version": password_version,
        "render": render,
        "device": device,
        "access": report.access if access is None else access[0],
    }
    if all(getattr(report, name) == value for name, value in changes.items()):
        return report
    changes["updated_at_ms"] = now_ms
    parameters = {f"new_{name}": value for name, value in changes.items()}
    row = tx.execute(_change_statement(tuple(changes)), {**parameters, "report": report.id}).one()
    return report_of(row)


def make_private(tx: Transaction, account_id: int, origins: Sequence[str], now_ms: int) -> int:
    """Let an account alone read its reports of some origins which anyone with their link can read; their number."""
    if not origins:
        return 0
    begins = or_(*map(is_of_origin, origins))
    public = (reports.c.account_id == account_id, reports.c.privacy == Privacy.PUBLIC, begins)
    values = {"privacy": int(Privacy.PRIVATE), "updated_at_ms": now_ms, "revision": reports.c.revision + 1}
    return tx.execute(update(reports).where(*public).values(values)).rowcount


def is_of_origin(origin: str, url: ColumnElement[str] = reports.c.url) -> ColumnElement[bool]:
    """Condition: the URL, by default that of the report, is of an origin."""
    # A text behind "/" is before the same with "0", the next character, on every database.
    return and_(url >= f"{origin}/", url < f"{origin}0")


def mark_report(
    tx: Transaction,
    report_id: int,
    *,
    state: State,
    now_ms: int,
    packed: PackedReport | None = None,
    run_number: int | None = None,
    pending_run: int | None = None,
) -> bool:
    """Store the state of a report's analysis; while a run follows by itself, its beginning changes nothing.

    Args:
        tx: Transaction that also changes the run.
        packed: Outcome of a finished run. Successful results replace the previous ones; a failure keeps them and sets
            ``error``; the first failure shows the facts gathered about the page.
        pending_run: Number of the run that follows it by itself; ``None``: none does.

    Returns:
        Whether the report exists (it may have been deleted during its run).

    Raises:
        ValueError: The run is finished without an outcome, or unfinished with one.
    """
    if (state in UNFINISHED) != (packed is None):
        raise ValueError(f"the state {state} {'needs no' if packed else 'needs an'} outcome")
    row = tx.execute(_LOAD_ANY, {"report": report_id}).first()
    if row is None:
        return False
    report = report_of(row)
    if packed is None and report.pending_run is not None:
        return True
    changes = {**_outcome(report, state, packed, run_number), "pending_run": pending_run}
    if all(getattr(report, name) == value for name, value in changes.items()):
        return True
    if changes.get("generated_at_ms") is not None:
        changes["dated_at_ms"] = changes["generated_at_ms"]
    changes["updated_at_ms"] = now_ms
    parameters = {f"new_{name}": value for name, value in changes.items()}
    tx.execute(_change_statement(tuple(changes)), {**parameters, "report": report_id})
    rating = changes.get("rating", report.rating)
    count_change(tx, report.account_id, report.project, was=(report.state, report.rating), is_=(state, rating))
    return True


def await_pending(tx: Transaction, report_id: int, *, state: State, now_ms: int) -> None:
    """Make the run that follows by itself one that was asked for: the report is unfinished until it has ended."""
    tx.execute(update(reports).where(reports.c.id == report_id).values(pending_run=None))
    mark_report(tx, report_id, state=state, now_ms=now_ms)


def _outcome(report: StoredReport, state: State, packed: PackedReport | None, run_number: int | None) -> dict[str, Any]:
    """Return the columns for the state of the analysis."""
    shows_results = report.generated_at_ms is not None
    if packed is None:
        # Facts of a first failure are not a result: they are removed when the next run begins.
        kept: dict[str, Any] = {} if shows_results else {"summary": None, "run_number": None}
        return {"state": state, "error": None, **kept}
    if packed.state == "failed":
        seen = {} if shows_results else {"summary": packed.summary, "run_number": run_number}
        return {"state": state, "error": packed.error, **seen}
    return {
        "state": state,
        "error": None,
        "rating": packed.rating,
        "score": packed.score,
        "summary": packed.summary,
        "run_number": run_number,
        "generated_at_ms": packed.generated_at_ms,
    }


@cache
def _change_statement(names: tuple[str, ...]) -> ReturningUpdate[Any]:
    """Return the statement that sets these columns and increments the revision."""
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in names}
    return (
        update(reports)
        .where(reports.c.id == bindparam("report"))
        .values(**values, revision=reports.c.revision + 1)
        .returning(*REPORT_COLUMNS)
    )


def delete_report(tx: Transaction, account_id: int, report_id: int) -> bool:
    """Delete a report of this account with all its runs; return whether it existed."""
    if not 0 < report_id <= GREATEST_ID:
        return False
    return _delete(tx, reports.c.id == report_id, reports.c.account_id == account_id) == 1


def delete_reports(tx: Transaction, report_ids: tuple[int, ...]) -> int:
    """Delete reports of any account with all their runs; return their number."""
    return _delete(tx, reports.c.id.in_(report_ids)) if report_ids else 0


def delete_of_account(tx: Transaction, account_id: int, *, limit: int) -> tuple[int, ...]:
    """Delete up to ``limit`` reports of an account with all their runs; return their ids."""
    mine = select(reports.c.id).where(reports.c.account_id == account_id).order_by(reports.c.id).limit(limit)
    ids = tuple(tx.execute(mine).scalars())
    delete_reports(tx, ids)
    return ids


def _delete(tx: Transaction, *which: ColumnElement[bool]) -> int:
    uncount_details(tx, runs.c.report_id.in_(select(reports.c.id).where(*which)))
    left = (
        select(batch_reports.c.batch_id)
        .distinct()
        .where(batch_reports.c.report_id.in_(select(reports.c.id).where(*which)))
    )
    batch_ids = tuple(tx.execute(left).scalars())
    waited = _targets_waited_for(tx, *which)
    gone: dict[tuple[int, str, Kind], int] = {}
    for account_id, project, state, rating in tx.execute(delete(reports).where(*which).returning(*_KINDS)):
        key = (account_id, project, (state, rating))
        gone[key] = gone.get(key, 0) + 1
    for (account_id, project, kind), count in gone.items():
        count_change(tx, account_id, project, was=kind, is_=None, reports=count)
    if batch_ids:
        # A batch is deleted with its last report: its rejected lines may contain the same site.
        is_empty = ~exists().where(batch_reports.c.batch_id == batches.c.id)
        tx.execute(delete(batches).where(batches.c.id.in_(batch_ids), is_empty))
    if gone:
        hide_orphaned_visits(tx)
    hasten_lines(tx, waited)
    return sum(gone.values())


def _targets_waited_for(tx: Transaction, *which: ColumnElement[bool]) -> list[str]:
    """Return the targets that queued runs of reports wait for: others may have waited behind them."""
    if not is_shared(tx):
        return []
    queued = (runs.c.state == "queued", runs.c.report_id.in_(select(reports.c.id).where(*which)))
    return list(tx.execute(select(runs.c.target).distinct().where(*queued)).scalars())


AT_ONCE: Final = 200
"""Maximum number of URLs of one statement."""


def find_urls(
    tx: Transaction, account_id: int, urls: Sequence[str], *, expired_before_ms: int | None = None
) -> dict[str, int]:
    """Return the URLs that the account has reports for, each with the id of its newest report.

    Args:
        urls: Canonical URLs.
        expired_before_ms: Finished reports dated before this time count as deleted; ``None`` without expiry.
    """
    found: dict[str, int] = {}
    for start in range(0, len(urls), AT_ONCE):
        some = tuple(urls[start : start + AT_ONCE])
        statement = (
            select(reports.c.url, reports.c.id)
            .where(reports.c.account_id == account_id, reports.c.url.in_(some))
            .order_by(reports.c.id)
        )
        if expired_before_ms is not None:
            statement = statement.where(is_live)
        rows = tx.execute(statement, {} if expired_before_ms is None else {"expired_before": expired_before_ms})
        found.update((url, number) for url, number in rows)
    return found


class StoredBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch."""

    id: int
    refused: bytes
    """JSON array of the rejected URLs."""
    created_at_ms: int


class BatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """State of a report of a batch."""

    id: int
    url: str
    state: State
    rating: int | None
    score: int | None


def add_batch(tx: Transaction, account_id: int, report_ids: Sequence[int], *, refused: bytes, now_ms: int) -> int:
    """Store a batch of reports of the account and return its id."""
    new = insert(batches).values(account_id=account_id, refused=refused, created_at_ms=now_ms).returning(batches.c.id)
    number: int = tx.execute(new).scalar_one()
    rows = [
        {"batch_id": number, "position": position, "report_id": report_id}
        for position, report_id in enumerate(report_ids)
    ]
    if rows:
        tx.execute(insert(batch_reports), rows)
    return number


def load_batch(tx: Transaction, account_id: int, batch_id: int) -> StoredBatch | None:
    """Load a batch of this account; ``None`` if it does not exist."""
    if not 0 < batch_id <= GREATEST_ID:
        return None
    row = tx.execute(
        select(*_BATCH_COLUMNS).where(batches.c.id == batch_id, batches.c.account_id == account_id)
    ).first()
    return None if row is None else StoredBatch(id=row[0], refused=row[1], created_at_ms=row[2])


def list_batches(tx: Transaction, account_id: int, page: int, per_page: int) -> tuple[tuple[StoredBatch, ...], int]:
    """Return (batches of a page, newest first; total number)."""
    mine = batches.c.account_id == account_id
    total: int = tx.execute(select(func.count()).select_from(batches).where(mine)).scalar_one()
    skipped = (page - 1) * per_page
    if skipped >= total:
        return (), total
    rows = tx.execute(select(*_BATCH_COLUMNS).where(mine).order_by(batches.c.id.desc()).limit(per_page).offset(skipped))
    return tuple(StoredBatch(id=row[0], refused=row[1], created_at_ms=row[2]) for row in rows), total


def load_batch_reports(
    tx: Transaction, batch_ids: Sequence[int], *, expired_before_ms: int | None
) -> dict[int, list[BatchReport]]:
    """Return batch -> its remaining reports, in the order of the request."""
    found: dict[int, list[BatchReport]] = {number: [] for number in batch_ids}
    rows = tx.execute(
        select(
            batch_reports.c.batch_id,
            reports.c.id,
            reports.c.url,
            reports.c.state,
            reports.c.rating,
            reports.c.score,
            reports.c.dated_at_ms,
        )
        .join(reports, reports.c.id == batch_reports.c.report_id)
        .where(batch_reports.c.batch_id.in_(tuple(batch_ids)))
        .order_by(batch_reports.c.batch_id, batch_reports.c.position)
    )
    for batch_id, number, url, state, rating, score, dated_at_ms in rows:
        if state in UNFINISHED or dated_at_ms >= (expired_before_ms or 0):
            report = BatchReport(id=number, url=url, state=state, rating=rating, score=score)
            found[batch_id].append(report)
    return found


def delete_batch(tx: Transaction, account_id: int, batch_id: int) -> bool:
    """Delete a batch of this account, without its reports; return whether it existed."""
    if not 0 < batch_id <= GREATEST_ID:
        return False
    which: tuple[ColumnElement[bool], ...] = (batches.c.id == batch_id, batches.c.account_id == account_id)
    return tx.execute(delete(batches).where(*which)).rowcount == 1
