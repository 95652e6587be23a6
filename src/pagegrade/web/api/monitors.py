"""Monitors: reports and audits that are made again on a schedule, with budgets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.monitors import Monitor
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.monitors import operations as service
from pagegrade.service.monitors.operations import MonitorChange, read_budgets, read_schedule, read_timezone
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.api.id_lists import answer_id_list
from pagegrade.web.http.body import JSON
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateMonitorBody, MonitorListQuery, UpdateMonitorBody
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import IDENTITY, deleted_answer, enveloped, fresh_answer, precondition, written_answer
from pagegrade.web.schemas.monitor import DeletedMonitor, MonitorAnswer, MonitorList, monitor_object

PATH: Final = "/api/v1/monitors"


async def create_monitor(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a monitor; its first run is due at the next time of its schedule."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateMonitorBody, lists=("budgets",))
    change = read_change(fields, violations, of_audit=fields.audit_id is not None)

    async def respond(monitor: Monitor) -> Response:
        return _changed(request, services, monitor, created=monitor.id)

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_monitor,
            change=change,
            options=services.options,
            now_ms=request.received_at_ms,
            report_id=fields.report_id,
            audit_id=fields.audit_id,
        ),
        resource_id=lambda monitor: monitor.id,
        load_existing=service.show_monitor,
        respond=respond,
        is_analysis=False,
    )


def read_change(
    fields: CreateMonitorBody | UpdateMonitorBody, violations: list[Violation], *, of_audit: bool
) -> MonitorChange:
    """Read the members of a monitor from a body.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    change = MonitorChange(
        schedule=None if fields.schedule is None else read_schedule(fields.schedule, violations),
        timezone=None if fields.timezone is None else read_timezone(fields.timezone, violations),
        budgets=None if fields.budgets is None else read_budgets(fields.budgets, violations, of_audit=of_audit),
        paused=None if fields.paused is None else fields.paused == 1,
        remind=fields.remind,
    )
    if violations:
        raise ValidationFailed(violations)
    return change


async def show_monitor(request: Request, work: UnitOfWork) -> Response:
    """Return a monitor."""
    monitor = await work.read(service.show_monitor, request.id)
    return fresh_answer(request, enveloped(monitor_object(monitor)), modified_ms=monitor.updated_at_ms)


async def list_monitors(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's monitors, or those at a cursor."""
    query = request.query(MonitorListQuery)
    return await answer_id_list(
        request,
        services,
        query,
        encode=monitor_object,
        read=lambda part: work.read(
            service.list_monitors, part, report_id=query.report_id, audit_id=query.audit_id, project=query.project
        ),
    )


async def update_monitor(request: Request, work: UnitOfWork, idempotency: Idempotency, services: Services) -> Response:
    """Change a monitor."""
    refuse_when_draining(services)
    monitor_id = request.id
    fields, violations = await request.fields(UpdateMonitorBody, lists=("budgets",))
    known = await work.read(service.show_monitor, monitor_id)
    update = partial(
        service.update_monitor,
        monitor_id=monitor_id,
        change=read_change(fields, violations, of_audit=known.audit_id is not None),
        now_ms=request.received_at_ms,
        may_change=_precondition(request),
    )

    async def respond(monitor: Monitor) -> Response:
        return _changed(request, services, monitor)

    if idempotency.key is None:
        return await respond(await work.write(update))
    return await idempotency.execute(
        fields,
        create=update,
        resource_id=lambda monitor: monitor.id,
        load_existing=service.show_monitor,
        respond=respond,
        is_analysis=False,
    )


async def delete_monitor(request: Request, work: UnitOfWork) -> Response:
    """Delete a monitor."""
    await work.write(service.delete_monitor, request.id, may_change=_precondition(request))
    return deleted_answer(DeletedMonitor(id=request.id))


def _changed(request: Request, services: Services, monitor: Monitor, *, created: int | None = None) -> Response:
    """The answer to a change."""
    return written_answer(
        request,
        services,
        monitor_object(monitor),
        created=created,
        minimal=(*IDENTITY, "paused"),
        modified_ms=monitor.updated_at_ms,
    )


def _precondition(request: Request) -> Callable[[Monitor], str | None] | None:
    return precondition(request, monitor_object, modified_ms=lambda monitor: monitor.updated_at_ms)


_CONDITIONS: Final = ("If-Match", "If-None-Match", "If-Unmodified-Since")


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_monitors",
        summary="List monitors",
        description="The monitors of the account, newest first: in numbered pages, or from cursor to cursor.",
        handler=list_monitors,
        scope="monitors",
        query=MonitorListQuery,
        answers={200: MonitorList},
        tag="Monitors",
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_monitor",
        summary=N_("Monitor a report or an audit"),
        description="Analyzes the page of a report or crawls the site of an audit again on a schedule. A due time is "
        "skipped while an analysis of the report or a crawl of the audit is unfinished; due times that were missed "
        "count as one. The budgets are evaluated after every run of the report and every crawl of the audit, also "
        "after those that were not scheduled.",
        handler=create_monitor,
        scope="monitors",
        body=CreateMonitorBody,
        body_types=(JSON,),
        answers={201: MonitorAnswer},
        answer_headers=("Last-Modified",),
        tag="Monitors",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_monitor",
        summary="Show a monitor",
        description="A monitor of the account with the state of its budgets.",
        handler=show_monitor,
        scope="monitors",
        headers=("If-Modified-Since",),
        answers={200: MonitorAnswer},
        tag="Monitors",
    ),
    Operation(
        method="PUT",
        path=f"{PATH}/{{id}}",
        name="update_monitor",
        summary=N_("Change a monitor"),
        description="Changes what is sent; all else stays as it is.",
        handler=update_monitor,
        scope="monitors",
        body=UpdateMonitorBody,
        body_types=(JSON,),
        headers=(*_CONDITIONS, "Idempotency-Key"),
        answers={200: MonitorAnswer},
        tag="Monitors",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="delete_monitor",
        summary=N_("Delete a monitor"),
        description="Deletes the monitor with its breach marks. The report with its runs or the audit with its "
        "crawls stays.",
        handler=delete_monitor,
        scope="monitors",
        headers=_CONDITIONS,
        answers={200: DeletedMonitor},
        tag="Monitors",
    ),
)
