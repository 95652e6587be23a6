"""Monitors of an account: their list, and the form that creates, changes and deletes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import Role
from pagegrade.model.errors import QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.monitors import MAX_BUDGETS, MAX_CONDITION, MAX_SCHEDULE, Monitor
from pagegrade.model.stored import StoredReport
from pagegrade.render.english import N_
from pagegrade.service.monitors import operations as service
from pagegrade.service.monitors.operations import MonitorChange
from pagegrade.service.monitors.validation import read_budgets, read_schedule, read_timezone
from pagegrade.service.reports.operations import find_report
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.field_messages import problems_of, refusal_of
from pagegrade.web.pages.forms import read_form, read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
from pagegrade.web.parameters import MonitorListQuery
from pagegrade.web.problems import problem_of
from pagegrade.web.request import Request

PATH: Final = "/monitors"
PER_PAGE: Final = 25
SAID: Final = {
    "created": N_("The monitor was created."),
    "saved": N_("The monitor was saved."),
    "deleted": N_("The monitor was deleted."),
}


async def show_monitors(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a page of the monitors, newest first."""
    sent = read_query(request)
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(MonitorListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    found, urls = await work.read(
        service.list_with_urls, view.options, view.now_ms, page=query.page, per_page=query.per_page
    )
    said = SAID.get(sent.get("said", ""))
    size = "" if query.per_page == PER_PAGE else f"&per_page={query.per_page}"
    return view.page(
        "monitors.html.jinja",
        rows=[(monitor, short_url(urls.get(monitor.report_id, ""))) for monitor in found.items],
        total=found.total,
        last_page=max(1, -(-found.total // query.per_page)),
        page=query.page,
        url=lambda number: f"{PATH}?page={number}{size}",
        said=None if said is None else view.texts.gettext(said),
        timezone=view.admitted.person.timezone,
    )


async def ask_to_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a new monitor of a report."""
    report = await work.read(find_report, request.id, view.options, view.now_ms)
    return _form(view, report, None)


async def create_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store a monitor and go to the list."""
    report = await work.read(find_report, request.id, view.options, view.now_ms)
    form = await read_form(request)
    try:
        change = _read(form)
        await work.write(service.create_monitor, change, view.options, view.now_ms, report_id=report.id)
    except ValidationFailed as error:
        return _form(view, report, None, sent=form, problems=problems_of(view.texts, error.violations), status=422)
    except QuotaExceeded as error:
        problems = {"": refusal_of(view.texts, error)}
        return _form(view, report, None, sent=form, problems=problems, status=problem_of(error).status)
    return go(f"{PATH}?said=created")


async def edit_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a monitor."""
    monitor = await work.read(service.show_monitor, request.id)
    report = await work.read(find_report, monitor.report_id, view.options, view.now_ms)
    return _form(view, report, monitor)


async def save_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Change a monitor and go to the list."""
    monitor = await work.read(service.show_monitor, request.id)
    form = await read_form(request)
    try:
        await work.write(service.update_monitor, monitor.id, _read(form), view.now_ms)
    except ValidationFailed as error:
        report = await work.read(find_report, monitor.report_id, view.options, view.now_ms)
        return _form(view, report, monitor, sent=form, problems=problems_of(view.texts, error.violations), status=422)
    return go(f"{PATH}?said=saved")


async def remove_monitor(request: Request, work: UnitOfWork) -> Response:
    """Delete a monitor and go to the list."""
    await work.write(service.delete_monitor, request.id)
    return go(f"{PATH}?said=deleted")


def _read(form: Mapping[str, str]) -> MonitorChange:
    """Read the monitor that a form describes.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    violations: list[Violation] = []
    timezone = form.get("timezone", "").strip()
    change = MonitorChange(
        schedule=read_schedule(form.get("schedule", ""), violations),
        timezone=read_timezone(timezone, violations) if timezone else None,
        budgets=read_budgets((form.get("budgets", ""),), violations),
        paused="paused" in form,
    )
    if violations:
        raise ValidationFailed(violations)
    return change


def _form(
    view: View,
    report: StoredReport,
    monitor: Monitor | None,
    *,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Return the form; ``monitor`` is ``None`` for a new one."""
    values: Mapping[str, str] = {"schedule": "daily", "timezone": view.admitted.person.timezone}
    if monitor is not None:
        conditions = "\n".join(budget.condition for budget in monitor.budgets)
        values = {"schedule": monitor.schedule, "timezone": monitor.timezone, "budgets": conditions}
        values = {**values, "paused": "1"} if monitor.paused else values
    return view.page(
        "monitor.html.jinja",
        status=status,
        report=report,
        monitor=monitor,
        crumb=short_url(report.url, MAX_CRUMB),
        values=values if sent is None else sent,
        problems=problems or {},
        max_schedule=MAX_SCHEDULE,
        max_budgets=MAX_BUDGETS * (MAX_CONDITION + 2),
        timezone=view.admitted.person.timezone,
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="show_monitors",
        summary="The list of monitors",
        handler=show_monitors,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/reports/{id}/monitor",
        name="ask_to_monitor",
        summary="How to monitor a report",
        handler=ask_to_monitor,
        access="account",
        role=Role.EDITOR,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/reports/{id}/monitor",
        name="start_to_monitor",
        summary=N_("Monitor a report"),
        handler=create_monitor,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="edit_monitor",
        summary="A monitor",
        handler=edit_monitor,
        access="account",
        role=Role.EDITOR,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}",
        name="save_monitor",
        summary=N_("Change a monitor"),
        handler=save_monitor,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/delete",
        name="remove_monitor",
        summary=N_("Delete a monitor"),
        handler=remove_monitor,
        access="account",
        tag=PAGES,
    ),
)
