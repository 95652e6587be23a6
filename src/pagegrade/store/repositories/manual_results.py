"""Results of success criteria that persons recorded for reports."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select, update

from pagegrade.model.account import Caller
from pagegrade.model.report import ManualResult
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import accounts, api_keys, manual_results, reports

_COLUMNS = (
    manual_results.c.criterion,
    manual_results.c.outcome,
    manual_results.c.note,
    manual_results.c.evidence,
    manual_results.c.at_ms,
    manual_results.c.page_sha256,
)


def load_results(tx: Transaction, report_id: int) -> tuple[ManualResult, ...]:
    """Return the results of a report, one for each criterion at most, by its number as text."""
    joined = manual_results.outerjoin(accounts, accounts.c.id == manual_results.c.person_id).outerjoin(
        api_keys, api_keys.c.id == manual_results.c.key_id
    )
    author = func.coalesce(api_keys.c.name, accounts.c.name, "").label("author")
    query = (
        select(*_COLUMNS, author)
        .select_from(joined)
        .where(manual_results.c.report_id == report_id)
        .order_by(manual_results.c.criterion)
    )
    return tuple(
        ManualResult(**{**row, "page_sha256": bytes(row["page_sha256"])}) for row in tx.execute(query).mappings()
    )


def save_result(tx: Transaction, caller: Caller, report_id: int, result: ManualResult) -> None:
    """Store a result of the caller in place of the one that its criterion had; the report counts as changed."""
    delete_result(tx, report_id, result.criterion, now_ms=result.at_ms)
    row = {column.name: getattr(result, column.name) for column in _COLUMNS}
    author = {"person_id": caller.person.id} if caller.key is None else {"key_id": caller.key.id}
    tx.execute(insert(manual_results).values(report_id=report_id, **author, **row))


def delete_result(tx: Transaction, report_id: int, criterion: str, *, now_ms: int) -> None:
    """Delete the result of a criterion, if there is one; the report counts as changed."""
    mine = (manual_results.c.report_id == report_id, manual_results.c.criterion == criterion)
    tx.execute(delete(manual_results).where(*mine))
    changed = {"revision": reports.c.revision + 1, "updated_at_ms": now_ms}
    tx.execute(update(reports).where(reports.c.id == report_id).values(changed))
