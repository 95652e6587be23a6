"""Projects: the hosts of an account's reports, with how many there are and how they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from sqlalchemy import bindparam, select

from pagegrade.model.stored import State
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import WHOLE_ACCOUNT, Kind, count_projects, load_counts
from pagegrade.store.repositories.reports import GREATEST_ID, delete_reports
from pagegrade.store.schema.tables import report_counts, reports

# One look at the end of an index for each: a greatest value of many groups would read all of them.
_LATEST: Final = Prepared(
    select(reports.c.dated_at_ms)
    .where(reports.c.account_id == bindparam("account"), reports.c.project == bindparam("project"))
    .order_by(reports.c.dated_at_ms.desc())
    .limit(1)
)


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """One host."""

    name: str
    counts: Mapping[Kind, int]
    """(state, rating) -> reports."""


def list_projects(tx: Transaction, account_id: int, page: int, per_page: int) -> tuple[tuple[Project, ...], int]:
    """(the projects of a page by name, how many there are on all pages)."""
    total = count_projects(tx, account_id)
    skipped = (page - 1) * per_page
    if skipped >= total or skipped > GREATEST_ID:
        return (), total
    mine = (report_counts.c.account_id == account_id, report_counts.c.project != WHOLE_ACCOUNT)
    names = (
        select(report_counts.c.project)
        .where(*mine)
        .group_by(report_counts.c.project)
        .order_by(report_counts.c.project)
        .limit(per_page)
        .offset(skipped)
    )
    found: dict[str, dict[tuple[State, int | None], int]] = {name: {} for name in tx.execute(names).scalars()}
    rows = tx.execute(
        select(report_counts.c.project, report_counts.c.state, report_counts.c.rating, report_counts.c.count).where(
            *mine, report_counts.c.project.in_(tuple(found))
        )
    )
    for name, state, rating, count in rows:
        found[name][state, rating or None] = count
    return tuple(Project(name=name, counts=counts) for name, counts in found.items()), total


def load_project(tx: Transaction, account_id: int, name: str) -> Project | None:
    """A project of the account; ``None`` when it has no report there."""
    counts = load_counts(tx, account_id, name) if name else {}
    return Project(name=name, counts=counts) if counts else None


def latest_at_ms(tx: Transaction, account_id: int, name: str) -> int | None:
    """When a page of the project was last analyzed, or asked for where none ever was; ``None``: it has no report."""
    row = _LATEST.first(tx, {"account": account_id, "project": name})
    return None if row is None else int(row[0])


def delete_from_project(tx: Transaction, account_id: int, name: str, *, limit: int) -> tuple[int, ...]:
    """Delete up to ``limit`` reports of a project with all their runs; the ids of those that are gone."""
    ids = tuple(
        tx.execute(
            select(reports.c.id)
            .where(reports.c.account_id == account_id, reports.c.project == name)
            .order_by(reports.c.id)
            .limit(limit)
        ).scalars()
    )
    delete_reports(tx, ids)
    return ids
