"""Numbers of reports by filter, updated with every change, so that lists need not count.

Every function that changes the state, the result or the existence of a report calls ``count_change`` in the same
transaction. Rows that reach zero are deleted: the projects of an account are exactly those that have rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, bindparam, delete, func, select, text, union_all, update
from sqlalchemy.dialects import sqlite

from pagegrade.model.stored import State
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.tables import accounts, report_counts, run_details, run_pictures, runs

WHOLE_ACCOUNT: Final = ""
"""Stands for all projects: no host is empty."""
UNRATED: Final = 0
"""Stands for a missing result."""

Kind = tuple[State, int | None]
"""(state, rating) of a report."""

_KEY: Final = ("account_id", "project", "state", "rating")
_ROW: Final = tuple(report_counts.c[name] == bindparam(f"the_{name}") for name in _KEY)
_VALUES: Final[dict[str, BindParameter[Any]]] = {
    **{name: bindparam(f"the_{name}") for name in _KEY},
    "count": bindparam("by"),
}
_ADD: Final = Prepared(
    sqlite.insert(report_counts)
    .values(_VALUES)
    .on_conflict_do_update(index_elements=_KEY, set_={"count": report_counts.c.count + bindparam("by")})
)
_SUBTRACT: Final = Prepared(update(report_counts).where(*_ROW).values(count=report_counts.c.count - bindparam("by")))
_SWEEP: Final = Prepared(delete(report_counts).where(*_ROW, report_counts.c.count <= 0))
# Over a network each statement costs a round trip while the account is locked, so this is a single statement.
_WERE: Final = (
    "FROM report_counts WHERE account_id = :account_id AND project IN (:project, :whole) "
    "AND state = :was_state AND rating = :was_rating AND count"
)
_LEAVE: Final = (
    f"gone AS (DELETE {_WERE} <= :by), less AS (UPDATE report_counts SET count = count - :by "  # noqa: S608 - our words
    f"{_WERE.removeprefix('FROM report_counts ')} > :by)"
)
_ENTER: Final = (
    "INSERT INTO report_counts (account_id, project, state, rating, count) VALUES "
    "(:account_id, :project, :is_state, :is_rating, :by), (:account_id, :whole, :is_state, :is_rating, :by) "
    "ON CONFLICT (account_id, project, state, rating) DO UPDATE SET count = report_counts.count + excluded.count"
)
_APPEAR: Final = Prepared(text(_ENTER))
_MOVE: Final = Prepared(text(f"WITH {_LEAVE} {_ENTER}"))
_VANISH: Final = Prepared(text(f"WITH {_LEAVE} SELECT 1"))
_OF_PROJECT: Final = Prepared(
    select(report_counts.c.state, report_counts.c.rating, report_counts.c.count).where(
        report_counts.c.account_id == bindparam("account"), report_counts.c.project == bindparam("project")
    )
)


def count_change(
    tx: Transaction, account_id: int, project: str, *, was: Kind | None, is_: Kind | None, reports: int = 1
) -> None:
    """Update the counters after reports of a project changed from one kind to another.

    Args:
        tx: Transaction that changes the reports.
        was: Previous kind; ``None`` for new reports.
        is_: New kind; ``None`` for deleted reports.
    """
    if was == is_ or reports == 0:
        return
    if is_shared(tx):
        _count_at_once(tx, account_id, project, was=was, is_=is_, reports=reports)
        return
    for where in (project, WHOLE_ACCOUNT):
        if is_ is not None:
            _ADD.rows(tx, _parameters(account_id, where, is_, reports))
        if was is not None:
            parameters = _parameters(account_id, where, was, reports)
            _SUBTRACT.rows(tx, parameters)
            del parameters["by"]
            _SWEEP.rows(tx, parameters)


def _count_at_once(
    tx: Transaction, account_id: int, project: str, *, was: Kind | None, is_: Kind | None, reports: int
) -> None:
    values: dict[str, object] = {"account_id": account_id, "project": project, "whole": WHOLE_ACCOUNT, "by": reports}
    if was is not None:
        values |= {"was_state": was[0], "was_rating": was[1] or UNRATED}
    if is_ is not None:
        values |= {"is_state": is_[0], "is_rating": is_[1] or UNRATED}
    statement = _APPEAR if was is None else _VANISH if is_ is None else _MOVE
    statement.rows(tx, values)


def load_counts(tx: Transaction, account_id: int, project: str | None = None) -> dict[Kind, int]:
    """Return (state, rating) -> number of reports of the account, or of one project."""
    rows = _OF_PROJECT.rows(tx, {"account": account_id, "project": project or WHOLE_ACCOUNT})
    return {(state, rating or None): count for state, rating, count in rows}


def count_matching(counts: Mapping[Kind, int], *, state: State | None = None, rating: int | None = None) -> int:
    """Return the number of reports that match a filter; ``None`` does not filter."""
    return sum(
        count
        for (of_state, of_rating), count in counts.items()
        if state in {None, of_state} and rating in {None, of_rating}
    )


def count_projects(tx: Transaction, account_id: int) -> int:
    """Return the number of projects of an account."""
    counted = tx.execute(
        select(func.count(report_counts.c.project.distinct())).where(
            report_counts.c.account_id == account_id, report_counts.c.project != WHOLE_ACCOUNT
        )
    )
    return int(counted.scalar_one())


def _parameters(account_id: int, project: str, kind: Kind, reports: int) -> dict[str, object]:
    state, rating = kind
    return {
        "the_account_id": account_id,
        "the_project": project,
        "the_state": state,
        "the_rating": rating or UNRATED,
        "by": reports,
    }


def uncount_details(tx: Transaction, *which: ColumnElement[bool]) -> None:
    """Subtract the matching runs, which are about to be deleted, from the stored bytes of their accounts."""
    each = union_all(
        *(
            select(runs.c.account_id, func.length(stored.c.body).label("bytes"))
            .join(stored, stored.c.run_id == runs.c.id)
            .where(*which)
            for stored in (run_details, run_pictures)
        )
    ).subquery()
    sizes = select(each.c.account_id, func.sum(each.c.bytes)).group_by(each.c.account_id)
    for account_id, size in tx.execute(sizes).all():
        less = accounts.c.stored_bytes - size
        tx.execute(update(accounts).where(accounts.c.id == account_id).values(stored_bytes=less))
