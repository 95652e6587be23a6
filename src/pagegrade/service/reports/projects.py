"""Use cases of projects: list, show, tag, delete."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.outcome import Importance
from pagegrade.model.stored import MAX_TAG, MAX_TAGS, RATINGS, SiteQuery
from pagegrade.parse.url import project_of
from pagegrade.report.gates import SEVERITIES
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports.listing import WEEK_MS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import decisions, monitors, webhooks
from pagegrade.store.repositories import projects as store
from pagegrade.store.repositories.counts import count_matching
from pagegrade.store.repositories.projects import EVERY, SitePage, average_score

DELETED_AT_ONCE: Final = 200
"""Reports per transaction: a large project must not block the writer for other clients."""
SITE_PAGES: Final = 200
"""Pages of each project that a list of projects looks at, the newest ones."""
_JOINERS: Final = "\u200c\u200d"
"""Format characters that words of some languages and emoji have inside."""


class _Counts(msgspec.Struct):
    """``PackedReport.summary``, of which the findings by severity are read."""

    counts: dict[str, int] | None = None


_read_counts: Final = msgspec.json.Decoder(_Counts).decode


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
    """A project in a list. Besides the first three members, all is of its newest ``SITE_PAGES`` pages."""

    figures: ProjectFigures
    monitors: int
    pages: int
    """Number of pages that the rest is of."""
    worse: int
    """Number of pages with fewer points than a week ago, on the same basis."""
    change: float | None
    """Mean of the points that its pages gained in a week; those that were not analyzed in it gained none. ``None``: no
    page was analyzed in it whose score compares with an earlier one."""
    is_incomparable: bool
    """Pages that had a score a week ago were analyzed again since, and none was whose score compares."""
    worst: SitePage | None
    """Page with the lowest score; ``None`` without a score."""
    severities: Mapping[Importance, int]
    """Number of findings; only severities with findings, the worst first."""


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
    names = [project.name for project in found]
    pages = store.pages_of_projects(tx, caller.account.id, names, since_ms=now_ms - WEEK_MS, count=SITE_PAGES)
    watched = monitors.count_by_project(tx, caller.account.id, names) if names else {}
    return tuple(
        _listed(_figures(tx, caller, each, pages[each.name]), pages[each.name], watched.get(each.name, 0))
        for each in found
    ), total


def _listed(figures: ProjectFigures, pages: Sequence[SitePage], watched: int) -> ListedProject:
    scored = [page for page in pages if page.score is not None]
    recent = [page for page in scored if page.is_recent]
    changes = [page.score - page.before for page in recent if page.score is not None and page.before is not None]
    same = len(scored) - len(recent)
    counts: Counter[str] = Counter()
    for page in pages:
        if page.summary is not None:
            counts.update(_read_counts(page.summary).counts or {})
    return ListedProject(
        figures=figures,
        monitors=watched,
        pages=len(pages),
        worse=sum(change < 0 for change in changes),
        change=sum(changes) / (len(changes) + same) if changes else None,
        is_incomparable=not changes and any(page.was_scored for page in recent),
        worst=min(scored, key=lambda page: page.score or 0, default=None),
        severities={name: counts[name] for name in reversed(SEVERITIES) if counts[name]},
    )


def find_project(tx: Transaction, caller: Caller, typed: str) -> ProjectFigures:
    """A project of the caller. ``typed`` may be a host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    project = _load(tx, caller, project_of(typed))
    return _figures(tx, caller, project, ())


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


def _figures(tx: Transaction, caller: Caller, project: store.Project, pages: Sequence[SitePage]) -> ProjectFigures:
    """Return the figures of a project.

    Args:
        pages: The newest ones, which may save reading it again; none: they are not known.
    """
    rated = {grade: count_matching(project.counts, rating=rating) for grade, rating in RATINGS.items()}
    number = count_matching(project.counts)
    scores = [page.score for page in pages if page.score is not None]
    if len(pages) < number:
        average = average_score(tx, caller.account.id, project.name)
    else:
        average = sum(scores) / len(scores) if scores else None
    latest = pages[0].dated_at_ms if pages else store.latest_at_ms(tx, caller.account.id, project.name)
    return ProjectFigures(
        name=project.name,
        tags=project.tags,
        reports=number,
        **rated,
        failed=count_matching(project.counts, state="failed"),
        latest_at_ms=latest or 0,
        average=average,
    )
