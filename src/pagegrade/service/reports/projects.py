"""Use cases of projects: list, show, tag, delete."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.stored import MAX_TAG, MAX_TAGS, RATINGS, SiteQuery
from pagegrade.parse.url import project_of
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports.listing import WEEK_MS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import decisions, monitors, webhooks
from pagegrade.store.repositories import projects as store
from pagegrade.store.repositories.counts import count_matching
from pagegrade.store.repositories.projects import EVERY, average_score, pages_that_got_worse

DELETED_AT_ONCE: Final = 200
"""Reports per transaction: a large project must not block the writer for other clients."""
_JOINERS: Final = "\u200c\u200d"
"""Format characters that words of some languages and emoji have inside."""


class ProjectFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A project in figures."""

    name: str
    reports: int
    good: int
    decent: int
    bad: int
    failed: int
    """Number of reports whose last analysis failed; they may have an earlier result."""
    tags: tuple[str, ...]
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
    tags: tuple[str, ...]


def find_projects(
    tx: Transaction, caller: Caller, now_ms: int, *, page: int, per_page: int, query: SiteQuery = EVERY
) -> tuple[tuple[ListedProject, ...], int]:
    """(the caller's projects on a page, how many there are on all pages)."""
    found, total = _page(tx, caller, page, per_page, query)
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


def list_projects(
    tx: Transaction, caller: Caller, *, page: int = 1, per_page: int = 10, query: SiteQuery = EVERY
) -> Listed[ProjectSize]:
    """A page of the caller's projects. Reports that have expired count until they are pruned."""
    found, total = _page(tx, caller, page, per_page, query)
    return Listed(items=tuple(map(_size, found)), total=total)


def show_project(tx: Transaction, caller: Caller, typed: str) -> ProjectSize:
    """A project of the caller. ``typed`` may be a host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    return _size(_load(tx, caller, project_of(typed)))


def list_tags(tx: Transaction, caller: Caller) -> tuple[str, ...]:
    """Return the tags of the caller's projects, each once, in alphabetical order."""
    return store.list_tags(tx, caller.account.id)


def read_tags(texts: Iterable[str], field: str = "tags") -> tuple[str, ...]:
    """Return tags in the form in which they are kept: small letters, single spaces, each once.

    Args:
        texts: As typed; empty ones mean nothing.
        field: Where they were typed.

    Raises:
        ValidationFailed: There are more than ``MAX_TAGS``, one is longer than ``MAX_TAG``, or has a comma or
            characters that nobody sees and could type again.
    """
    tags = tuple(dict.fromkeys(" ".join(each.lower().split()) for each in texts if each.strip()))
    if len(tags) > MAX_TAGS:
        raise _refused(field, "too_many", f"At most {MAX_TAGS} tags.", MAX_TAGS)
    if any(len(tag) > MAX_TAG for tag in tags):
        raise _refused(field, "too_long", f"At most {MAX_TAG} characters each.", MAX_TAG)
    if not all(map(_is_visible, tags)):
        raise _refused(field, "invalid", "A tag has no commas, and no control or format characters.")
    return tags


def _is_visible(tag: str) -> bool:
    kinds = {unicodedata.category(character) for character in tag if character not in _JOINERS}
    return "," not in tag and kinds.isdisjoint({"Cc", "Cf", "Cs"}) and tag == tag.strip(_JOINERS)


def _refused(field: str, code: str, message: str, limit: int | None = None) -> ValidationFailed:
    return ValidationFailed([Violation(field=field, place="body", code=code, message=message, limit=limit)])


def tag_project(tx: Transaction, caller: Caller, typed: str, tags: Sequence[str]) -> ProjectSize:
    """Give a project these tags, as ``read_tags`` returns them, in place of those that it had.

    Raises:
        NotFound: The caller has no report there.
    """
    hold_account(tx, caller.account.id)
    project = _load(tx, caller, project_of(typed))
    store.set_tags(tx, caller.account.id, {project.name: tags})
    return _size(_load(tx, caller, project.name))


def find_named(tx: Transaction, caller: Caller, names: Iterable[str]) -> tuple[ProjectSize, ...]:
    """Return those of the projects that the caller has, each once."""
    usable = dict.fromkeys(filter(caller.may_use, names))
    return tuple(map(_size, store.load_projects(tx, caller.account.id, usable)))


def tag_projects(
    tx: Transaction, caller: Caller, names: Iterable[str], *, add: Sequence[str], remove: Sequence[str]
) -> None:
    """Add and remove tags of those of the projects that the caller has, of all or of none.

    Raises:
        ValidationFailed: One of them would have more than ``MAX_TAGS``.
    """
    hold_account(tx, caller.account.id)
    tags = {
        project.name: read_tags((*(tag for tag in project.tags if tag not in remove), *add), "add")
        for project in find_named(tx, caller, names)
    }
    store.set_tags(tx, caller.account.id, tags)


def delete_project(tx: Transaction, caller: Caller, typed: str, *, limit: int = DELETED_AT_ONCE) -> tuple[int, ...]:
    """Delete reports of a project, up to ``limit``, its rules, tags and so on; ids of the reports that are gone.

    Call it again, in another transaction, until fewer than ``limit`` are: the last time with an empty answer at the
    most.
    """
    project = project_of(typed)
    if not caller.may_use(project):
        return ()
    decisions.delete_of_project(tx, caller.account.id, project)
    monitors.delete_of_project(tx, caller.account.id, project)
    webhooks.delete_of_project(tx, caller.account.id, project)
    store.set_tags(tx, caller.account.id, {project: ()})
    return store.delete_from_project(tx, caller.account.id, project, limit=limit)


def _load(tx: Transaction, caller: Caller, name: str) -> store.Project:
    """A project that the caller can use; raises ``NotFound``."""
    project = store.load_project(tx, caller.account.id, name) if caller.may_use(name) else None
    if project is None:
        raise NotFound
    return project


def _page(
    tx: Transaction, caller: Caller, page: int, per_page: int, query: SiteQuery
) -> tuple[Sequence[store.Project], int]:
    """(projects on a page of those that the caller can use, how many there are on all pages)."""
    if caller.project is None:
        return store.list_projects(tx, caller.account.id, page, per_page, query)
    project = store.load_project(tx, caller.account.id, caller.project)
    is_found = project is not None and query.search in project.name and (not query.tag or query.tag in project.tags)
    found = (project,) if project is not None and is_found else ()
    return found if page == 1 else (), len(found)


def _size(project: store.Project) -> ProjectSize:
    return ProjectSize(name=project.name, reports=sum(project.counts.values()), tags=project.tags)


def _figures(tx: Transaction, caller: Caller, project: store.Project) -> ProjectFigures:
    rated = {grade: count_matching(project.counts, rating=rating) for grade, rating in RATINGS.items()}
    return ProjectFigures(
        name=project.name,
        tags=project.tags,
        reports=count_matching(project.counts),
        **rated,
        failed=count_matching(project.counts, state="failed"),
        latest_at_ms=store.latest_at_ms(tx, caller.account.id, project.name) or 0,
        average=average_score(tx, caller.account.id, project.name),
    )
