"""Use cases of projects: list, show, delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import RATINGS
from pagegrade.parse.url import project_of
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports.listing import WEEK_MS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import decisions, monitors, webhooks
from pagegrade.store.repositories import projects as store
from pagegrade.store.repositories.counts import count_matching
from pagegrade.store.repositories.projects import average_score, pages_that_got_worse

DELETED_AT_ONCE: Final = 200
"""Reports per transaction: a large project must not block the writer for other clients."""


class ProjectFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A project in figures."""

    name: str
    reports: int
    good: int
    decent: int
    bad: int
    failed: int
    """Number of reports whose last analysis failed; they may have an earlier result."""
    latest_at_ms: int
    """Time of the last analysis of one of its pages, or of the last request if none was analyzed."""
    average: float | None
    """Mean score of its newest reports; ``None`` without a score."""


class ListedProject(msgspec.Struct, frozen=True, kw_only=True):
    """A project in a list."""

    figures: ProjectFigures
    worse: int
    """Number of pages with fewer points than a week ago, on the same basis."""


class ProjectSize(msgspec.Struct, frozen=True, kw_only=True):
    """A project and the number of its reports, also of those that have expired and are not pruned yet."""

    name: str
    reports: int


def find_projects(
    tx: Transaction, caller: Caller, now_ms: int, *, page: int, per_page: int
) -> tuple[tuple[ListedProject, ...], int]:
    """(the caller's projects on a page, by name; how many there are on all pages)."""
    found, total = _page(tx, caller, page, per_page)
    worse = pages_that_got_worse(tx, caller.account.id, since_ms=now_ms - WEEK_MS) if found else ()
    number = Counter(project_of(one.url) for one in worse)
    return tuple(
        ListedProject(figures=_figures(tx, caller, project), worse=number[project.name]) for project in found
    ), total


def find_project(tx: Transaction, caller: Caller, typed: str) -> ProjectFigures:
    """A project of the caller. ``typed`` may be a host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    return _figures(tx, caller, _load(tx, caller, project_of(typed)))


def list_projects(tx: Transaction, caller: Caller, *, page: int = 1, per_page: int = 10) -> Listed[ProjectSize]:
    """A page of the caller's projects, by name. Reports that have expired count until they are pruned."""
    found, total = _page(tx, caller, page, per_page)
    return Listed(items=tuple(map(_size, found)), total=total)


def show_project(tx: Transaction, caller: Caller, typed: str) -> ProjectSize:
    """A project of the caller. ``typed`` may be a host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    return _size(_load(tx, caller, project_of(typed)))


def delete_project(tx: Transaction, caller: Caller, typed: str, *, limit: int = DELETED_AT_ONCE) -> tuple[int, ...]:
    """Delete reports of a project, up to ``limit``, its rules, silences and webhooks; ids of the reports that are gone.

    Call it again, in another transaction, until fewer than ``limit`` are: the last time with an empty answer at the
    most.
    """
    project = project_of(typed)
    if not caller.may_use(project):
        return ()
    decisions.delete_of_project(tx, caller.account.id, project)
    monitors.delete_of_project(tx, caller.account.id, project)
    webhooks.delete_of_project(tx, caller.account.id, project)
    return store.delete_from_project(tx, caller.account.id, project, limit=limit)


def _load(tx: Transaction, caller: Caller, name: str) -> store.Project:
    """A project that the caller can use; raises ``NotFound``."""
    project = store.load_project(tx, caller.account.id, name) if caller.may_use(name) else None
    if project is None:
        raise NotFound
    return project


def _page(tx: Transaction, caller: Caller, page: int, per_page: int) -> tuple[Sequence[store.Project], int]:
    """(projects on a page of those that the caller can use, how many there are on all pages)."""
    if caller.project is None:
        return store.list_projects(tx, caller.account.id, page, per_page)
    project = store.load_project(tx, caller.account.id, caller.project)
    found = () if project is None else (project,)
    return found if page == 1 else (), len(found)


def _size(project: store.Project) -> ProjectSize:
    return ProjectSize(name=project.name, reports=sum(project.counts.values()))


def _figures(tx: Transaction, caller: Caller, project: store.Project) -> ProjectFigures:
    rated = {grade: count_matching(project.counts, rating=rating) for grade, rating in RATINGS.items()}
    return ProjectFigures(
        name=project.name,
        reports=count_matching(project.counts),
        **rated,
        failed=count_matching(project.counts, state="failed"),
        latest_at_ms=store.latest_at_ms(tx, caller.account.id, project.name) or 0,
        average=average_score(tx, caller.account.id, project.name),
    )
