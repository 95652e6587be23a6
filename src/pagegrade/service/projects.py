"""Use cases of projects: list, show, delete."""

from __future__ import annotations

from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.parse.url import project_of
from pagegrade.service.reports import Listed
from pagegrade.service.representation import project_object
from pagegrade.store import projects as store
from pagegrade.store.database import Transaction

DELETED_AT_ONCE: Final = 200
"""Reports of one transaction: the writer must not be kept from everybody else for as long as a large project takes."""


def list_projects(tx: Transaction, caller: Caller, *, page: int = 1, per_page: int = 10) -> Listed:
    """A page of the caller's projects, by name. Reports that have expired count until they are pruned."""
    found, total = store.list_projects(tx, caller.account.id, page, per_page)
    return Listed(items=tuple(project_object(project) for project in found), total=total)


def show_project(tx: Transaction, caller: Caller, typed: str) -> bytes:
    """A project of the caller: a JSON object. ``typed`` may be a host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    project = store.load_project(tx, caller.account.id, project_of(typed))
    if project is None:
        raise NotFound
    return project_object(project)


def delete_project(tx: Transaction, caller: Caller, typed: str, *, limit: int = DELETED_AT_ONCE) -> tuple[int, ...]:
    """Delete reports of a project, up to ``limit``; the ids of those that are gone.

    Call it again, in another transaction, until fewer than ``limit`` are: the last time with an empty answer at the
    most.
    """
    return store.delete_from_project(tx, caller.account.id, project_of(typed), limit=limit)
