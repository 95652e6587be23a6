"""What calls about reports have in common, whether a program or a person makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, NotFound, Unavailable, ValidationFailed, Violation
from pagegrade.model.report_list import ListQuery
from pagegrade.model.stored import RATINGS
from pagegrade.parse.url import project_of
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports import projects
from pagegrade.service.reports.validation import NewReport, read_new_report
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import CLOSE
from pagegrade.web.parameters import CreateReportBody, ReportListQuery, ReportWalkQuery
from pagegrade.web.problems import Rejected
from pagegrade.web.request import Request

T = TypeVar("T")
RETRY_AFTER_S: Final = 1
"""Another process is about to take over."""


def list_query(query: ReportListQuery) -> ListQuery:
    """Return which of the caller's reports a query of a page asks for."""
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
    """Return which of the caller's reports a query of the API asks for."""
    return replace(
        list_query(query),
        url=query.url,
        privacy=query.privacy,
        updated_since_ms=query.updated_since,
        sort_by=query.sort_by,
    )


def evaluate_fields(violations: Sequence[Violation], read: Callable[[], T]) -> T:
    """Return what ``read`` makes of the fields, or report everything that is wrong with them at once.

    Raises:
        ValidationFailed: Fields cannot be used.
        URLNotAllowed: Nothing is wrong but that the address must not be contacted.
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
    """Return the report that the fields of a request or a form ask for.

    Raises:
        ValidationFailed: Fields cannot be used.
        URLNotAllowed: Nothing is wrong but that the address must not be contacted.
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
        ),
    )


def refuse_when_draining(services: Services) -> None:
    """Begin nothing new in a process that was told to stop.

    Raises:
        Rejected: It was.
    """
    if services.draining:
        told = Unavailable("This process is about to stop; try again.", retry_after_s=RETRY_AFTER_S)
        raise Rejected(told.code, told.message, headers=(("Retry-After", str(RETRY_AFTER_S)), CLOSE))


def typed_project(request: Request) -> str:
    """The project as it stands in the path.

    Raises:
        NotFound: It is no host.
    """
    typed = request.path_params["project"]
    if not project_of(typed):
        raise NotFound
    return str(typed)


async def delete_project_in_parts(work: UnitOfWork, services: Services, typed: str) -> int:
    """Delete every report of a project of the caller, a part at a time, and tell who waits; how many there were.

    Raises:
        NotFound: There was none.
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
