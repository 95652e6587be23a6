"""Helpers for requests about reports, shared by the API and the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, NotFound, Unavailable, ValidationFailed, Violation
from pagegrade.model.stored import RATINGS, ListQuery
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
