"""The runs of a report, and what changed between two of them."""

from __future__ import annotations

from functools import partial
from typing import Final

from pagegrade.service.container import Services
from pagegrade.service.reports import views as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CompareQuery, Paged
from pagegrade.web.request import Request
from pagegrade.web.responses import enveloped, fresh_answer, listed_answer
from pagegrade.web.schemas.report import ComparisonAnswer, RunAnswer, RunList, comparison_object, run_item, run_object

PATH: Final = "/api/v1/reports/{id}"


async def list_runs(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the runs of a report."""
    report_id = request.id
    query = request.query(Paged)
    options = services.options
    found = await work.read(
        service.list_runs, report_id, options, request.received_at_ms, page=query.page, per_page=query.per_page
    )
    return listed_answer(request, services, found, query, encode=run_item)


async def show_run(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a run and its results."""
    number = request.number("number")
    found = await work.read(service.show_run, request.id, services.options, request.received_at_ms, number=number)
    return fresh_answer(request, enveloped(run_object(found)))


async def compare_runs(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return what changed between two runs."""
    report_id = request.id
    query = request.query(CompareQuery)
    compared = await work.read(
        service.compare_runs,
        report_id,
        services.options,
        request.received_at_ms,
        before=query.from_,
        after=query.to,
    )
    return fresh_answer(request, enveloped(comparison_object(compared)))


_operation = partial(Operation, scope="reports:read", for_projects=True, tag="Runs")

OPERATIONS: Final = (
    _operation(
        path=f"{PATH}/runs",
        summary="List the runs of a report",
        description="The analyses of the report, newest first.",
        handler=list_runs,
        query=Paged,
        answers={200: RunList},
    ),
    _operation(
        path=f"{PATH}/runs/{{number}}",
        summary="Show a run",
        description="One analysis of the report, with its results. Once finished it never changes.",
        handler=show_run,
        answers={200: RunAnswer},
    ),
    _operation(
        path=f"{PATH}/compare",
        summary="Compare two runs",
        description="New, fixed, remaining and incomparable findings from the older run to the newer one.",
        handler=compare_runs,
        query=CompareQuery,
        headers=("Prefer",),
        answers={200: ComparisonAnswer},
    ),
)
