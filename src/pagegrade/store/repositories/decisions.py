"""Decisions of people about findings: ignore rules, and results of success criteria that were evaluated by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, and_, delete, func, insert, or_, select, update

from pagegrade.model.account import Caller
from pagegrade.model.outcome import MAX_RULES, IgnoreRule, StoredIgnore
from pagegrade.model.report import ManualResult
from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import accounts, api_keys, ignores, manual_results, reports

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RESULT_COLUMNS = (
    manual_results.c.criterion,
    manual_results.c.outcome,
    manual_results.c.note,
    manual_results.c.evidence,
    manual_results.c.at_ms,
    manual_results.c.page_sha256,
)


def add_ignore(
    tx: Transaction, account_id: int, rule: IgnoreRule, *, report_id: int | None, now_ms: int
) -> StoredIgnore:
    """Store a rule; returned with its id."""
    new = {
        "account_id": account_id,
        "report_id": report_id,
        "project": rule.project,
        "check_id": rule.check,
        "selector": rule.selector,
        "url_pattern": rule.url_pattern,
        "reason": rule.reason,
        "author": rule.author,
        "state": rule.state,
        "places": rule.places,
        "expires_at_ms": None if rule.expires_at is None else (rule.expires_at - _EPOCH) // timedelta(milliseconds=1),
        "created_at_ms": now_ms,
    }
    return _stored_ignore(tx.execute(insert(ignores).values(new).returning(ignores)).one())


def load_ignore(tx: Transaction, account_id: int, ignore_id: int, *, project: str | None = None) -> StoredIgnore | None:
    """A rule of this account, and of this project unless that is ``None``; ``None`` when there is none."""
    if not 0 < ignore_id <= GREATEST_ID:
        return None
    which = [ignores.c.id == ignore_id, ignores.c.account_id == account_id]
    if project is not None:
        which.append(_is_of_project(project))
    row = tx.execute(select(ignores).where(*which)).first()
    return None if row is None else _stored_ignore(row)


def count_ignores(
    tx: Transaction,
    account_id: int,
    *,
    check: str | None = None,
    report_id: int | None = None,
    project: str | None = None,
) -> int:
    """Number of rules of an account, the expired ones included; ``None`` stands for any."""
    which = _which(account_id, check, report_id, project)
    return int(tx.execute(select(func.count()).select_from(ignores).where(*which)).scalar_one())


def list_ignores(
    tx: Transaction,
    account_id: int,
    part: ListPart,
    *,
    check: str | None = None,
    report_id: int | None = None,
    project: str | None = None,
) -> tuple[StoredIgnore, ...]:
    """Some of the rules of an account, newest first; ``None`` stands for any."""
    query = select(ignores).where(*_which(account_id, check, report_id, project))
    return tuple(map(_stored_ignore, rows_of(tx, query, ignores.c.id, part)))


def _which(account_id: int, check: str | None, report_id: int | None, project: str | None) -> list[ColumnElement[bool]]:
    which = [ignores.c.account_id == account_id]
    if check is not None:
        which.append(ignores.c.check_id == check)
    if report_id is not None:
        which.append(ignores.c.report_id == report_id)
    if project is not None:
        which.append(_is_of_project(project))
    return which


def _is_of_project(project: str) -> ColumnElement[bool]:
    """A rule of this project, or of a report of it."""
    ids = select(reports.c.id).where(reports.c.account_id == ignores.c.account_id, reports.c.project == project)
    return or_(ignores.c.project == project, and_(ignores.c.project == "", ignores.c.report_id.in_(ids)))


def list_rules_of_report(tx: Transaction, account_id: int, report_id: int) -> tuple[IgnoreRule, ...]:
    """The rules that apply to a report, the oldest first, the expired ones included."""
    project = select(reports.c.project).where(reports.c.id == report_id).scalar_subquery()
    rows = tx.execute(
        select(ignores)
        .where(
            ignores.c.account_id == account_id,
            or_(ignores.c.report_id.is_(None), ignores.c.report_id == report_id),
            or_(ignores.c.project == "", ignores.c.project == project),
        )
        .order_by(ignores.c.id)
        .limit(MAX_RULES)
    )
    return tuple(_stored_ignore(row).rule for row in rows)


def delete_ignore(tx: Transaction, account_id: int, ignore_id: int) -> bool:
    """Delete a rule of this account; whether it was there."""
    if not 0 < ignore_id <= GREATEST_ID:
        return False
    which = (ignores.c.id == ignore_id, ignores.c.account_id == account_id)
    return tx.execute(delete(ignores).where(*which)).rowcount == 1


def delete_of_project(tx: Transaction, account_id: int, project: str) -> None:
    """Delete the rules for one project of this account."""
    tx.execute(delete(ignores).where(ignores.c.account_id == account_id, ignores.c.project == project))


def _stored_ignore(row: Row[Any]) -> StoredIgnore:
    expires_at_ms = row.expires_at_ms
    return StoredIgnore(
        rule=IgnoreRule(
            id=row.id,
            check=row.check_id,
            reason=row.reason,
            selector=row.selector,
            project=row.project,
            url_pattern=row.url_pattern,
            author=row.author,
            expires_at=None if expires_at_ms is None else _EPOCH + timedelta(milliseconds=expires_at_ms),
            state=row.state,
            places=row.places,
        ),
        report_id=row.report_id,
        created_at_ms=row.created_at_ms,
    )


def load_results(tx: Transaction, report_id: int) -> tuple[ManualResult, ...]:
    """Return the results of a report, one for each criterion at most, by its number as text."""
    joined = manual_results.outerjoin(accounts, accounts.c.id == manual_results.c.person_id).outerjoin(
        api_keys, api_keys.c.id == manual_results.c.key_id
    )
    author = func.coalesce(api_keys.c.name, accounts.c.name, "").label("author")
    query = (
        select(*_RESULT_COLUMNS, author)
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
    row = {column.name: getattr(result, column.name) for column in _RESULT_COLUMNS}
    author = {"person_id": caller.person.id} if caller.key is None else {"key_id": caller.key.id}
    tx.execute(insert(manual_results).values(report_id=report_id, **author, **row))


def delete_result(tx: Transaction, report_id: int, criterion: str, *, now_ms: int) -> None:
    """Delete the result of a criterion, if there is one; the report counts as changed."""
    mine = (manual_results.c.report_id == report_id, manual_results.c.criterion == criterion)
    tx.execute(delete(manual_results).where(*mine))
    changed = {"revision": reports.c.revision + 1, "updated_at_ms": now_ms}
    tx.execute(update(reports).where(reports.c.id == report_id).values(changed))
