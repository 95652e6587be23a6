"""Monitors of accounts: their rows, those that are due, and silences, in which people get no messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    union_all,
    update,
)

from pagegrade.model.account import Caller
from pagegrade.model.monitors import Budget, Crossing, Monitor, PageSet, Remind, Silence
from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import accounts, api_keys, audits, monitor_crossings, monitors, reports, silences

MAX_CROSSINGS: Final = 500
"""Of one report that are read at once, however many monitors it has."""
_DUE: Final = (
    select(monitors)
    .where(monitors.c.paused == 0, monitors.c.due_at_ms <= bindparam("now_ms"))
    .order_by(monitors.c.due_at_ms)
    .limit(bindparam("count"))
)
HOUR_MS: Final = 3_600_000
_LONGEST_MS: Final = {"hourly": 2 * HOUR_MS, "daily": 49 * HOUR_MS, "weekly": 15 * 24 * HOUR_MS}
"""Name of a schedule -> time within which it is due twice, with an hour for a change of clocks."""
_IS_NAMED: Final = monitors.c.schedule.in_(_LONGEST_MS)
_FAR: Final = select(monitors).where(
    monitors.c.paused == 0,
    monitors.c.due_at_ms > bindparam("now_ms") + _LONGEST_MS["hourly"],
    or_(
        and_(~_IS_NAMED, monitors.c.due_at_ms > bindparam("now_ms") + _LONGEST_MS["daily"]),
        *(
            and_(monitors.c.schedule == name, monitors.c.due_at_ms > bindparam("now_ms") + longest_ms)
            for name, longest_ms in _LONGEST_MS.items()
        ),
    ),
)
_EARLIEST_DUE: Final = select(func.min(monitors.c.due_at_ms)).where(monitors.c.paused == 0)
_COUNT: Final = select(monitors.c.paused, func.count()).group_by(monitors.c.paused)
_OF_REPORT: Final = select(monitors).where(monitors.c.report_id == bindparam("report_id")).order_by(monitors.c.id)
_OF_AUDIT: Final = select(monitors).where(monitors.c.audit_id == bindparam("audit_id")).order_by(monitors.c.id)
_OF_PARENT: Final = select(monitors).where(monitors.c.parent_id == bindparam("parent_id")).order_by(monitors.c.id)
_read_budgets: Final = msgspec.json.Decoder(tuple[Budget, ...]).decode
_ALTERABLE: Final = (
    "schedule",
    "timezone",
    "paused",
    "due_at_ms",
    "last_due_at_ms",
    "last_run_at_ms",
    "failures",
    "unreachable_since_ms",
    "updated_at_ms",
    "remind",
    "told_at_ms",
    "pages_found",
)


def add_monitor(
    tx: Transaction,
    *,
    account_id: int,
    report_id: int | None = None,
    audit_id: int | None = None,
    schedule: str,
    timezone: str,
    jitter: int,
    budgets: tuple[Budget, ...],
    paused: bool,
    remind: Remind = "never",
    due_at_ms: int,
    now_ms: int,
    pages: PageSet | None = None,
    parent_id: int | None = None,
) -> Monitor:
    """Store a monitor of a report, an audit or a set of pages; returned with its id."""
    new = {
        "account_id": account_id,
        "report_id": report_id,
        "audit_id": audit_id,
        "schedule": schedule,
        "timezone": timezone,
        "jitter": jitter,
        "budgets": msgspec.json.encode(budgets),
        "paused": int(paused),
        "remind": remind,
        "pages_kind": None if pages is None else pages.kind,
        "pages_of": None if pages is None else pages.value,
        "parent_id": parent_id,
        "due_at_ms": due_at_ms,
        "failures": 0,
        "created_at_ms": now_ms,
        "updated_at_ms": now_ms,
        "revision": 1,
    }
    return _monitor(tx.execute(insert(monitors).values(new).returning(monitors)).one())


def load_monitor(tx: Transaction, account_id: int, monitor_id: int) -> Monitor | None:
    """A monitor of this account; ``None`` when there is none."""
    if not 0 < monitor_id <= GREATEST_ID:
        return None
    row = tx.execute(select(monitors).where(monitors.c.id == monitor_id, monitors.c.account_id == account_id)).first()
    return None if row is None else _monitor(row)


def count_monitors(
    tx: Transaction,
    account_id: int,
    *,
    report_id: int | None = None,
    audit_id: int | None = None,
    project: str | None = None,
    parent_id: int | None = None,
) -> int:
    """Number of monitors that ``list_monitors`` lists, the paused ones included."""
    which = _which(account_id, report_id, audit_id, project, parent_id)
    return int(tx.execute(select(func.count()).select_from(monitors).where(*which)).scalar_one())


def count_by_project(tx: Transaction, account_id: int, names: Sequence[str]) -> dict[str, int]:
    """Name of a project -> number of monitors that ``list_monitors`` lists of it; without those that have none."""
    mine = (monitors.c.account_id == account_id, monitors.c.parent_id.is_(None))
    of_things = [
        select(table.c.project)
        .join(monitors, column == table.c.id)
        .where(*mine, table.c.account_id == account_id, table.c.project.in_(names))
        for table, column in ((reports, monitors.c.report_id), (audits, monitors.c.audit_id))
    ]
    of_sets = select(monitors.c.pages_of).where(
        *mine, monitors.c.pages_kind == "project", monitors.c.pages_of.in_(names)
    )
    found = union_all(*of_things, of_sets).subquery()
    rows = tx.execute(select(found.c.project, func.count()).group_by(found.c.project))
    return {name: int(count) for name, count in rows}


def count_used(tx: Transaction, account_id: int) -> int:
    """Number of monitors of an account as quotas count them: with those of each page of a set."""
    mine = monitors.c.account_id == account_id
    return int(tx.execute(select(func.count()).select_from(monitors).where(mine)).scalar_one())


def list_monitors(
    tx: Transaction,
    account_id: int,
    part: ListPart,
    *,
    report_id: int | None = None,
    audit_id: int | None = None,
    project: str | None = None,
    parent_id: int | None = None,
) -> tuple[Monitor, ...]:
    """Some of the monitors of an account, newest first; ``None`` stands for any report, audit or project.

    Those of the pages of a set are listed for it (``parent_id``) and for their reports.
    """
    query = select(monitors).where(*_which(account_id, report_id, audit_id, project, parent_id))
    return tuple(map(_monitor, rows_of(tx, query, monitors.c.id, part)))


def list_of_report(tx: Transaction, report_id: int) -> tuple[Monitor, ...]:
    """The monitors of a report, the oldest first."""
    return tuple(map(_monitor, tx.execute(_OF_REPORT, {"report_id": report_id})))


def list_of_audit(tx: Transaction, audit_id: int) -> tuple[Monitor, ...]:
    """The monitors of an audit, the oldest first."""
    return tuple(map(_monitor, tx.execute(_OF_AUDIT, {"audit_id": audit_id})))


def list_of_parent(tx: Transaction, parent_id: int) -> tuple[Monitor, ...]:
    """The monitors of the pages of a set, the oldest first."""
    return tuple(map(_monitor, tx.execute(_OF_PARENT, {"parent_id": parent_id})))


def list_bad_pages(tx: Transaction, parent_ids: Sequence[int]) -> tuple[Monitor, ...]:
    """The monitors of pages of these sets that breach a budget or cannot be reached, the oldest first."""
    bad = (monitors.c.parent_id.in_(parent_ids), monitors.c.told_at_ms.is_not(None))
    return tuple(map(_monitor, tx.execute(select(monitors).where(*bad).order_by(monitors.c.id)))) if parent_ids else ()


def list_due(tx: Transaction, now_ms: int, count: int) -> tuple[Monitor, ...]:
    """Return up to ``count`` monitors that are due, those that have been for the longest first."""
    return tuple(map(_monitor, tx.execute(_DUE, {"now_ms": now_ms, "count": count})))


def list_far(tx: Transaction, now_ms: int) -> tuple[Monitor, ...]:
    """Return the monitors whose due time may lie farther ahead than their schedule allows: rarely any but monthly."""
    return tuple(map(_monitor, tx.execute(_FAR, {"now_ms": now_ms})))


def save_monitor(tx: Transaction, monitor: Monitor) -> Monitor | None:
    """Write a monitor as it shall be, if its row still has the revision it was read with.

    Returns:
        The monitor with its next revision; ``None`` when it was changed or deleted meanwhile.
    """
    values: dict[str, Any] = {name: getattr(monitor, name) for name in _ALTERABLE}
    values |= {
        "paused": int(monitor.paused),
        "budgets": msgspec.json.encode(monitor.budgets),
        "revision": monitor.revision + 1,
    }
    which = (monitors.c.id == monitor.id, monitors.c.revision == monitor.revision)
    row = tx.execute(update(monitors).where(*which).values(values).returning(monitors)).first()
    return None if row is None else _monitor(row)


def delete_monitor(tx: Transaction, account_id: int, monitor_id: int) -> bool:
    """Delete a monitor of this account; whether it was there."""
    if not 0 < monitor_id <= GREATEST_ID:
        return False
    which = (monitors.c.id == monitor_id, monitors.c.account_id == account_id)
    return tx.execute(delete(monitors).where(*which)).rowcount == 1


def count_all(tx: Transaction) -> tuple[int, int]:
    """(monitors of all accounts that are not paused, those that are)."""
    found = {paused: int(count) for paused, count in tx.execute(_COUNT)}
    return found.get(0, 0), found.get(1, 0)


def earliest_due_ms(tx: Transaction) -> int | None:
    """The earliest due time of all monitors that are not paused; ``None``: there are none."""
    found: int | None = tx.execute(_EARLIEST_DUE).scalar_one()
    return found


def add_crossing(tx: Transaction, account_id: int, run_id: int, crossing: Crossing) -> None:
    """Store that budgets crossed their limits at a run, or that the page could not be reached."""
    new = {
        "run_id": run_id,
        "monitor_id": crossing.monitor_id,
        "kind": crossing.kind,
        "account_id": account_id,
        "report_id": crossing.report_id,
        "run_number": crossing.run_number,
        "at_ms": crossing.at_ms,
        "budgets": msgspec.json.encode(crossing.budgets),
    }
    tx.execute(insert(monitor_crossings), new)


def list_crossings(tx: Transaction, report_id: int, *, from_run: int) -> tuple[Crossing, ...]:
    """The last ``MAX_CROSSINGS`` crossings of a report at its runs from this number on, in the order of the runs."""
    crossings = monitor_crossings
    rows = tx.execute(
        select(crossings)
        .where(crossings.c.report_id == report_id, crossings.c.run_number >= from_run)
        .order_by(crossings.c.run_number.desc(), crossings.c.monitor_id.desc(), crossings.c.kind.desc())
        .limit(MAX_CROSSINGS)
    )
    return tuple(map(_crossing, rows))[::-1]


def list_recent_crossings(
    tx: Transaction, account_id: int, project: str, *, since_ms: int, count: int
) -> tuple[Crossing, ...]:
    """Return the last crossings of an account's reports of one project, the newest first."""
    crossings = monitor_crossings
    rows = tx.execute(
        select(crossings)
        .join(reports, reports.c.id == crossings.c.report_id)
        .where(crossings.c.account_id == account_id, crossings.c.at_ms >= since_ms, reports.c.project == project)
        .order_by(crossings.c.at_ms.desc(), crossings.c.run_id.desc(), crossings.c.monitor_id, crossings.c.kind)
        .limit(count)
    )
    return tuple(map(_crossing, rows))


def _which(
    account_id: int, report_id: int | None, audit_id: int | None, project: str | None, parent_id: int | None
) -> list[ColumnElement[bool]]:
    which = [monitors.c.account_id == account_id]
    if parent_id is not None:
        which.append(monitors.c.parent_id == parent_id)
    elif report_id is None:
        which.append(monitors.c.parent_id.is_(None))
    if report_id is not None:
        which.append(monitors.c.report_id == report_id)
    if audit_id is not None:
        which.append(monitors.c.audit_id == audit_id)
    if project is not None:
        of_reports, of_audits = (
            select(table.c.id).where(table.c.account_id == account_id, table.c.project == project)
            for table in (reports, audits)
        )
        of_set = and_(monitors.c.pages_kind == "project", monitors.c.pages_of == project)
        which.append(or_(monitors.c.report_id.in_(of_reports), monitors.c.audit_id.in_(of_audits), of_set))
    return which


def _monitor(row: Row[Any]) -> Monitor:
    members = dict(row._mapping)  # noqa: SLF001 - the public name of a row's columns
    members["budgets"] = _read_budgets(members["budgets"])
    members["paused"] = bool(members["paused"])
    kind, value = members.pop("pages_kind"), members.pop("pages_of")
    members["pages"] = None if kind is None else PageSet(kind=kind, value=value)
    return Monitor(**members)


def _crossing(row: Row[Any]) -> Crossing:
    return msgspec.convert(
        {
            "run_number": row.run_number,
            "kind": row.kind,
            "at_ms": row.at_ms,
            "monitor_id": row.monitor_id,
            "report_id": row.report_id,
            "budgets": msgspec.json.decode(row.budgets),
        },
        Crossing,
    )


KEPT_MS: Final = 90 * 86_400_000
"""So long a silence that is over is kept, for the log of the account."""
_AHEAD_MS: Final = 300_000
"""Clocks of machines differ by less; what one that was farther ahead began is no silence once it is set back."""
_COVERING: Final = Prepared(
    text(
        "SELECT 1 FROM silences WHERE account_id = :account_id AND until_ms > :at_ms AND created_at_ms <= :latest_ms "
        "AND (monitor_id IN (:monitor_id, (SELECT parent_id FROM monitors WHERE id = :monitor_id)) "
        "OR (project <> '' AND project = :project)) LIMIT 1"
    )
)


def add_silence(
    tx: Transaction, caller: Caller, *, monitor_id: int | None, project: str, reason: str, until_ms: int, now_ms: int
) -> Silence:
    """Store a silence of the caller; returned with its id."""
    new = {
        "account_id": caller.account.id,
        "monitor_id": monitor_id,
        "project": project,
        "reason": reason,
        "person_id": caller.person.id if caller.key is None else None,
        "key_id": None if caller.key is None else caller.key.id,
        "until_ms": until_ms,
        "created_at_ms": now_ms,
    }
    number: int = tx.execute(insert(silences).values(new).returning(silences.c.id)).scalar_one()
    return _silence(tx.execute(_query(silences.c.id == number)).one())


def is_silent(tx: Transaction, account_id: int, *, monitor_id: int | None, project: str, at_ms: int) -> bool:
    """Return whether people get no messages about a monitor, or a site, at a moment."""
    which: dict[str, int | str] = {
        "account_id": account_id,
        "monitor_id": monitor_id or 0,
        "project": project,
        "at_ms": at_ms,
    }
    which |= {"latest_ms": at_ms + _AHEAD_MS}
    return _COVERING.first(tx, which) is not None


def load_silence(tx: Transaction, account_id: int, silence_id: int, now_ms: int) -> Silence | None:
    """A silence of this account that is not over; ``None`` when there is none."""
    if not 0 < silence_id <= GREATEST_ID:
        return None
    row = tx.execute(_query(silences.c.id == silence_id, *_lasting(account_id, now_ms))).first()
    return None if row is None else _silence(row)


def count_silences(tx: Transaction, account_id: int, now_ms: int) -> int:
    """Number of silences of an account that are not over."""
    query = select(func.count()).select_from(silences).where(*_lasting(account_id, now_ms))
    return int(tx.execute(query).scalar_one())


def list_silences(tx: Transaction, account_id: int, now_ms: int, part: ListPart) -> tuple[Silence, ...]:
    """Some of the silences that are not over, newest first."""
    return tuple(map(_silence, rows_of(tx, _query(*_lasting(account_id, now_ms)), silences.c.id, part)))


def end_silence(tx: Transaction, account_id: int, silence_id: int, now_ms: int) -> None:
    """Let a silence be over now; the log of the account keeps its reason."""
    which = (silences.c.id == silence_id, silences.c.account_id == account_id)
    tx.execute(update(silences).where(*which).values(until_ms=now_ms))


def delete_of_project(tx: Transaction, account_id: int, project: str) -> None:
    """Delete the silences of one project of this account, and the monitors of all its pages."""
    tx.execute(delete(silences).where(silences.c.account_id == account_id, silences.c.project == project))
    of_set = (monitors.c.pages_kind == "project", monitors.c.pages_of == project)
    tx.execute(delete(monitors).where(monitors.c.account_id == account_id, *of_set))


def forget_silences(tx: Transaction, age: AgeMs, *, limit: int = 1_000) -> int:
    """Delete silences that have been over for ``KEPT_MS``, at most ``limit``; returns how many."""
    old = select(silences.c.id).where(silences.c.until_ms < age - KEPT_MS).order_by(silences.c.until_ms).limit(limit)
    return tx.execute(delete(silences).where(silences.c.id.in_(old))).rowcount


def _lasting(account_id: int, now_ms: int) -> tuple[ColumnElement[bool], ...]:
    is_new = silences.c.created_at_ms <= now_ms + _AHEAD_MS
    return silences.c.account_id == account_id, silences.c.until_ms > now_ms, is_new


def _query(*which: ColumnElement[bool]) -> Select[Any]:
    joined = silences.outerjoin(accounts, accounts.c.id == silences.c.person_id).outerjoin(
        api_keys, api_keys.c.id == silences.c.key_id
    )
    author = func.coalesce(api_keys.c.name, accounts.c.name, "").label("author")
    return select(silences, author).select_from(joined).where(*which)


def _silence(row: Row[Any]) -> Silence:
    return Silence(
        id=row.id,
        monitor_id=row.monitor_id,
        project=row.project,
        reason=row.reason,
        author=row.author,
        until_ms=row.until_ms,
        created_at_ms=row.created_at_ms,
    )
