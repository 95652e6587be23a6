"""Helpers for requests about reports, shared by the API and the pages: validation, ignore rules, waiting."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeVar

from msgspec.structs import replace
from pydantic import Field

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, NotFound, Unavailable, ValidationFailed, Violation
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.stored import MAX_TAG, RATINGS, ListQuery, SiteOrder, SiteQuery
from pagegrade.parse.url import project_of
from pagegrade.service.audits.operations import is_crawled
from pagegrade.service.container import Services
from pagegrade.service.ignores.validation import find_violations
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports import projects
from pagegrade.service.reports.operations import is_finished
from pagegrade.service.reports.validation import NewReport, read_new_report
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import CLOSE
from pagegrade.web.parameters import (
    MAX_SEARCH_CHARACTERS,
    CreateIgnoreBody,
    CreateReportBody,
    Paged,
    ReportListQuery,
    ReportWalkQuery,
)
from pagegrade.web.problems import Rejected
from pagegrade.web.request import Request

T = TypeVar("T")
RETRY_AFTER_S: Final = 1
"""Wait time until another process takes over."""


def list_query(query: ReportListQuery) -> ListQuery:
    """Convert the query of a page to a query for the caller's reports."""
    return ListQuery(
        search=query.search,
        project=query.project,
        rating=None if query.result is None else RATINGS[query.result],
        state=query.state,
        sort_by=query.sort_by,
        descending=query.sort == "desc",
        page=query.page,
        per_page=query.per_page,
    )


def walk_query(query: ReportWalkQuery) -> ListQuery:
    """Convert the query of the API to a query for the caller's reports."""
    return replace(
        list_query(query),
        url=query.url,
        privacy=query.privacy,
        updated_since_ms=query.updated_since,
        sort_by=query.sort_by,
    )


def evaluate_fields(violations: Sequence[Violation], read: Callable[[], T]) -> T:
    """Call ``read`` to evaluate the fields, and report all violations at once.

    Raises:
        ValidationFailed: Fields are not valid.
        URLNotAllowed: The only violation is that the address must not be contacted.
    """
    found: tuple[Violation, ...] = ()
    try:
        result = read()
    except ValidationFailed as error:
        found = error.violations
    except InvalidInput as error:
        if not violations:
            raise
        found = (Violation(field="url", place="body", code=error.reason or error.code, message=error.message),)
    else:
        if not violations:
            return result
    known = {violation.field for violation in violations}
    raise ValidationFailed([*violations, *(each for each in found if each.field not in known)])


def new_report_of(
    account: Account, options: ServiceOptions, fields: CreateReportBody, violations: Sequence[Violation]
) -> NewReport:
    """Return the new report described by the fields of a request or form.

    Raises:
        ValidationFailed: Fields are not valid.
        URLNotAllowed: The only violation is that the address must not be contacted.
    """
    return evaluate_fields(
        violations,
        lambda: read_new_report(
            fields.url or "",
            privacy=fields.privacy,
            password=fields.password,
            account=account,
            options=options,
            render=fields.render,
            device=fields.device,
            access=fields.access,
        ),
    )


def refuse_when_draining(services: Services) -> None:
    """Reject new work while the process shuts down.

    Raises:
        Rejected: The process shuts down.
    """
    if services.draining:
        error = Unavailable("This process is about to stop; try again.", retry_after_s=RETRY_AFTER_S)
        raise Rejected(error.code, error.message, headers=(("Retry-After", str(RETRY_AFTER_S)), CLOSE))


class ProjectListQuery(Paged):
    """Projects come in the order of their names, unless another is asked for."""

    search: str | None = Field(
        None, max_length=MAX_SEARCH_CHARACTERS, description="Only hosts that contain this.", examples=["example"]
    )
    tag: str | None = Field(
        None, max_length=MAX_TAG, description="Only hosts that have this tag.", examples=["client a"]
    )
    sort_by: SiteOrder = Field(
        "name", description="`score`: the mean of the newest 1,000 reports; `analyzed`: the last analysis."
    )
    sort: Literal["asc", "desc"] = Field("asc", description="Hosts without a value come last in both directions.")


def site_query(query: ProjectListQuery) -> SiteQuery:
    """Return the query of a list of projects; a name in another script is looked for as a whole."""
    text = (query.search or "").strip().lower()
    return SiteQuery(
        search=text if text.isascii() else project_of(text) or text,
        tag=" ".join((query.tag or "").lower().split()),
        sort_by=query.sort_by,
        descending=query.sort == "desc",
    )


def typed_project(request: Request) -> str:
    """Return the project as it stands in the path.

    Raises:
        NotFound: It is not a host name.
    """
    typed = request.path_params["project"]
    if not project_of(typed):
        raise NotFound
    return str(typed)


async def delete_project_in_parts(work: UnitOfWork, services: Services, typed: str) -> int:
    """Delete every report of a project of the caller in batches, notify waiting clients, and return the number.

    Raises:
        NotFound: The project has no reports.
    """
    count = 0
    while True:
        gone = await work.write(projects.delete_project, typed)
        for report_id in gone:
            services.changes.notify(report_id)
        count += len(gone)
        if len(gone) < projects.DELETED_AT_ONCE:
            break
    if not count:
        raise NotFound
    return count


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_rule(fields: CreateIgnoreBody, violations: list[Violation], now_ms: int) -> IgnoreRule:
    """Read a rule from a body.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    project = project_of(fields.project) if fields.project else ""

    def refuse(field: str, code: str, message: str) -> None:
        violations.append(Violation(field=field, place="body", code=code, message=message))

    if fields.project and not project:
        refuse("project", "invalid", "Must be a host, like example.com.")
    if fields.project and fields.report_id is not None:
        refuse("project", "not_with_report_id", "Send report_id or project, not both.")
    if fields.expires_at is not None and fields.expires_at <= now_ms:
        refuse("expires_at", "past", "Must be in the future.")
    rule = IgnoreRule(
        check=fields.check or "",
        reason=fields.reason or "",
        selector=fields.selector or "",
        project=project,
        url_pattern=fields.url_pattern or "",
        expires_at=None if fields.expires_at is None else _EPOCH + timedelta(milliseconds=fields.expires_at),
        state=fields.state or None,
        places=fields.places,
    )
    known = {violation.field for violation in violations}
    violations += [violation for violation in find_violations(rule) if violation.field not in known]
    if violations:
        raise ValidationFailed(violations)
    return rule


LOOK_EVERY_S: Final = 1.0
"""Polling interval without notifications: another process may have finished the run, or this one may shut down."""
LOOK_SELDOM_S: Final = 5.0
"""Polling interval while notifications arrive; it only matters if one is lost, which is rare."""


async def wait_until_finished(
    request: Request, work: UnitOfWork, services: Services, report_id: int, seconds: float
) -> None:
    """Return when the report is finished or gone, the time is over, the client hung up or the process is to stop.

    It returns early as well if connections are running out.

    Args:
        request: The request that waits; its body was read.
        report_id: Report of the caller.
        seconds: Maximum wait time; 0 returns at once.
    """
    if seconds <= 0:
        return
    with services.changes.watch(report_id) as changed:
        await _wait(
            request,
            work,
            services,
            seconds,
            changed=changed,
            is_over=lambda: work.read(is_finished, report_id),
            pause_s=lambda: _pause_s(services),
        )


async def wait_until_crawled(
    request: Request, work: UnitOfWork, services: Services, audit_id: int, seconds: float
) -> None:
    """Return when no crawl of the audit is under way, as ``wait_until_finished``; no event tells of their end."""
    if seconds <= 0:
        return
    await _wait(
        request,
        work,
        services,
        seconds,
        changed=asyncio.Event(),
        is_over=lambda: work.read(is_crawled, audit_id),
        pause_s=lambda: LOOK_EVERY_S,
    )


async def has_left(request: Request) -> bool:
    """Return true if the client hung up, without waiting for that; the body of the request was read."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0):
            await _listen(request, asyncio.Event())
    return request.gone


async def _wait(
    request: Request,
    work: UnitOfWork,
    services: Services,
    seconds: float,
    *,
    changed: asyncio.Event,
    is_over: Callable[[], Awaitable[bool]],
    pause_s: Callable[[], float],
) -> None:
    until = time.monotonic() + seconds
    with services.waits.hold(work.caller.account.id, changed) as wait:
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(_listen(request, changed))
            try:
                while not request.gone and not services.draining:
                    changed.clear()
                    if wait.is_over:
                        break
                    left = until - time.monotonic()
                    if left <= 0 or await _is_over(is_over):
                        break
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(left, pause_s())):
                            await changed.wait()
            finally:
                listening.cancel()


def _pause_s(services: Services) -> float:
    if not services.changes.hears_others:
        return LOOK_EVERY_S
    # Hundreds of requests may have started to wait at the same moment; jitter spreads their queries.
    return LOOK_SELDOM_S * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


async def _is_over(ask: Callable[[], Awaitable[bool]]) -> bool:
    try:
        return await ask()
    except Unavailable:
        # The database may be back in time; if not, the next read raises the error.
        return False


async def _listen(request: Request, changed: asyncio.Event) -> None:
    """Detect a disconnect of the client: no other event can follow the body."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    request.gone = True
    changed.set()
