"""Monitors and silences, with their JSON.

A monitor makes reports and audits again on a schedule, with budgets. While a silence lasts, people get no messages
about a monitor or a site.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BaseModel, Field, WithJsonSchema

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.monitors import MAX_BUDGETS, MAX_REASON, MAX_SCHEDULE, Remind
from pagegrade.model.monitors import Budget as StoredBudget
from pagegrade.model.monitors import Monitor as StoredMonitor
from pagegrade.model.monitors import Silence as StoredSilence
from pagegrade.model.schema import Timestamp, about
from pagegrade.model.stored import MAX_TAG
from pagegrade.render.english import N_
from pagegrade.report.serialize import Analysis, timestamp
from pagegrade.service.container import Services
from pagegrade.service.monitors import operations as service
from pagegrade.service.monitors.operations import MonitorChange, read_budgets, read_schedule, read_timezone
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import Reads
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import MAX_TEXT, MonitorListQuery, PagedById, read_moment
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import (
    IDENTITY,
    answer_id_list,
    deleted_answer,
    enveloped,
    fresh_answer,
    precondition,
    written_answer,
)
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.shape import Document


class Budget(Document, frozen=True, kw_only=True):
    """A condition that is a breach when it holds."""

    condition: Annotated[str, about("The condition, in its shortest form.", "score<80")]
    state: Annotated[
        Literal["ok", "breached", "unknown"], about("State; `unknown` until a run has evaluated it.", "ok")
    ]
    since: Annotated[Timestamp | None, about("Time of the run that brought it there.", "2026-01-05T12:34:56.789Z")]
    analysis: Annotated[
        Analysis | None,
        about(
            "The engine of the last run that it was evaluated on; null before. The first run of another engine, "
            "device or ruleset crosses nothing."
        ),
    ]
    unmeasured_since: Annotated[
        Timestamp | None,
        about("Since when runs could not measure it, because there was no browser; null: the last run did.", None),
    ]


class Monitor(Document, frozen=True, kw_only=True):
    """A schedule for one report, one site audit or a set of pages."""

    id: Annotated[int, about("Grows with every new monitor; never used again.", 7, minimum=1)]
    object: Annotated[Literal["monitor"], about("The kind of object.", "monitor")]
    report_id: Annotated[int | None, about("The report that is analyzed again; null: something else.", 1042)]
    audit_id: Annotated[int | None, about("The audit whose site is crawled again; null: something else.", None, 12)]
    project: Annotated[str | None, about("The host whose pages are analyzed again; null: something else.", None)]
    sitemap: Annotated[str | None, about("The sitemap whose pages are analyzed again; null: something else.", None)]
    tag: Annotated[str | None, about("The tag of hosts whose pages are analyzed again; null: something else.", None)]
    pages_found: Annotated[
        int | None, about("Pages that these had when they were looked up last; null: no such set, or not yet.", None)
    ]
    parent_id: Annotated[int | None, about("The monitor of a set of pages that has this one; null: none.", None)]
    schedule: Annotated[str, about("hourly, daily, weekly, monthly, or a cron expression of five fields.", "daily")]
    timezone: Annotated[str, about("IANA name of the zone in which the schedule is read.", "Europe/Prague")]
    budgets: Annotated[list[Budget], about("Evaluated after each run of the report, or each crawl of the audit.")]
    paused: Annotated[bool, about("Nothing is due and no budget is evaluated.", False)]  # noqa: FBT003
    remind: Annotated[Remind, about("How often it is said again that the page is still bad.", "weekly")]
    next_run_at: Annotated[
        Timestamp | None, about("The next due time; null while it is paused.", "2026-01-06T03:17:12.000Z")
    ]
    last_run_at: Annotated[
        Timestamp | None, about("When it last queued a run or looked up a set; null: none.", "2026-01-05T03:17:14.120Z")
    ]
    unreachable_since: Annotated[
        Timestamp | None,
        about("Since when the page (in two analyses in a row) or sitemap cannot be reached; null: it can.", None),
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-02T08:00:00.000Z")]
    updated_at: Annotated[Timestamp, about("Time of its last change.", "2026-01-05T12:34:56.789Z")]


MonitorAnswer: Final = answer_with("MonitorAnswer", Monitor, "One monitor.", "The monitor.")
MonitorList: Final = cursor_list("MonitorList", Monitor, "Monitors.", "The monitors of this page.")
DeletedMonitor: Final = deleted(
    "DeletedMonitor",
    "monitor",
    "a monitor was deleted; its report or audit is kept",
    "The deleted monitor.",
    7,
)


def monitor_object(monitor: StoredMonitor) -> bytes:
    """The JSON object of a monitor."""
    pages = {} if monitor.pages is None else {monitor.pages.kind: monitor.pages.value}
    return msgspec.json.encode(
        Monitor(
            id=monitor.id,
            object="monitor",
            report_id=monitor.report_id,
            audit_id=monitor.audit_id,
            project=pages.get("project"),
            sitemap=pages.get("sitemap"),
            tag=pages.get("tag"),
            pages_found=monitor.pages_found,
            parent_id=monitor.parent_id,
            schedule=monitor.schedule,
            timezone=monitor.timezone,
            budgets=[_budget(budget) for budget in monitor.budgets],
            paused=monitor.paused,
            remind=monitor.remind,
            next_run_at=timestamp(monitor.next_run_at_ms),
            last_run_at=timestamp(monitor.last_run_at_ms),
            unreachable_since=timestamp(monitor.unreachable_since_ms),
            created_at=timestamp(monitor.created_at_ms),
            updated_at=timestamp(monitor.updated_at_ms),
        )
    )


def _budget(budget: StoredBudget) -> Budget:
    basis = budget.basis
    return Budget(
        condition=budget.condition,
        state=budget.state,
        since=timestamp(budget.since_ms),
        analysis=None if basis is None else Analysis(engine=basis.engine, device=basis.device),
        unmeasured_since=timestamp(budget.unmeasured_since_ms),
    )


class Silence(Document, frozen=True, kw_only=True):
    """A time in which people get no messages about one monitor or one site."""

    id: Annotated[int, about("Grows with every new silence; never used again.", 4, minimum=1)]
    object: Annotated[Literal["silence"], about("The kind of object.", "silence")]
    monitor_id: Annotated[int | None, about("The monitor it is about; null: a site.", 7)]
    project: Annotated[str | None, about("The site it is about; null: a monitor.", None, "example.com")]
    reason: Annotated[str, about("Reason for it.", "The shop moves to another server.")]
    author: Annotated[str, about("Present name of the person or the key; empty: it is gone.", "Example")]
    until: Annotated[Timestamp, about("Its end.", "2026-01-06T08:00:00.000Z")]
    created_at: Annotated[Timestamp, about("Its beginning.", "2026-01-05T12:34:56.789Z")]


SilenceAnswer: Final = answer_with("SilenceAnswer", Silence, "One silence.", "The silence.")
SilenceList: Final = cursor_list("SilenceList", Silence, "Silences.", "The silences of this page.")
EndedSilence: Final = deleted("EndedSilence", "silence", "a silence was ended", "The ended silence.", 4)


def silence_object(silence: StoredSilence) -> bytes:
    """The JSON object of a silence."""
    return msgspec.json.encode(
        Silence(
            id=silence.id,
            object="silence",
            monitor_id=silence.monitor_id,
            project=silence.project or None,
            reason=silence.reason,
            author=silence.author,
            until=timestamp(silence.until_ms),
            created_at=timestamp(silence.created_at_ms),
        )
    )


PATH: Final = "/api/v1/monitors"
_SCHEDULE: Final = (
    "`hourly`, `daily`, `weekly` or `monthly`, at a time that differs from monitor to monitor; or a cron expression of "
    "five fields, whose times are moved by up to ten minutes. At most every 10 minutes."
)
_BUDGETS: Final = (
    "Conditions that are breaches when they hold, such as `score<80`, `category.seo<70`, `high>0`, `check.noindex`, "
    "`lcp_ms>2500`, `score drop>=5` or `transfer_bytes rise>=20%` (than the median of the last five completed runs), "
    "each with an optional ` for 2`: only after so many runs in a row. Those of an audit are about `score`, "
    "`coverage`, `severity`, `result`, severities, `pages` that were read, and `check.ID` of site checks; they compare "
    "with the last five crawls that compare. In a form `budgets[]` several times, or one text with a condition a line."
)
_REMIND: Final = "Interval at which `monitor.reminder` says, after a run or crawl, that something is still bad."


class CreateMonitorBody(BaseModel):
    """A monitor for a report, a site audit or a set of pages; one of the five is needed."""

    report_id: int | None = Field(None, ge=1, le=2**53 - 1, description="The report to analyze again.", examples=[1042])
    audit_id: int | None = Field(None, ge=1, le=2**53 - 1, description="The audit to crawl again.", examples=[12])
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="All pages of this host with a report.", examples=["example.com"]
    )
    sitemap: str | None = Field(
        None,
        max_length=MAX_TEXT,
        description="The pages of this sitemap, or of that of the site with this URL; those without a report get one.",
        examples=["https://example.com/sitemap.xml"],
    )
    tag: str | None = Field(
        None, max_length=MAX_TAG, description="All pages of the hosts with this tag.", examples=["client a"]
    )
    schedule: str = Field(max_length=MAX_SCHEDULE, description=_SCHEDULE, examples=["daily"])
    timezone: str | None = Field(
        None,
        max_length=64,
        description="IANA name of the time zone in which the schedule is read; without it that of the account.",
        examples=["Europe/Prague"],
    )
    budgets: tuple[str, ...] | None = Field(
        None, max_length=MAX_BUDGETS, description=_BUDGETS, examples=[["score<80", "lcp_ms>2500 for 3"]]
    )
    paused: Literal[0, 1] | None = Field(None, description="1: create it without starting it.", examples=[0])
    remind: Remind | None = Field(None, description=f"{_REMIND} Without it `never`.", examples=["weekly"])


class UpdateMonitorBody(BaseModel):
    """Changes; all else stays."""

    schedule: str | None = Field(None, max_length=MAX_SCHEDULE, description=_SCHEDULE, examples=["30 6 * * 1-5"])
    timezone: str | None = Field(
        None, max_length=64, description="IANA name of the time zone.", examples=["Europe/Prague"]
    )
    budgets: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_BUDGETS,
        description=f"{_BUDGETS} They replace all that there were; those that stay keep their state. An empty list, "
        "or an empty field of a form, removes all.",
        examples=[["score<80"]],
    )
    paused: Literal[0, 1] | None = Field(
        None, description="1: pause it; 0: go on, with a run at once if one was due meanwhile.", examples=[1]
    )
    remind: Remind | None = Field(None, description=_REMIND, examples=["never"])


async def create_monitor(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a monitor; its first run is due at the next time of its schedule."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateMonitorBody, lists=("budgets",))
    sent = {"project": fields.project, "sitemap": fields.sitemap, "tag": fields.tag}
    pages = service.read_page_set(sent, services.options.analyze, violations)
    change = read_change(fields, violations, of_audit=fields.audit_id is not None)

    async def respond(monitor: StoredMonitor) -> Response:
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
            pages=pages,
        ),
        load_existing=service.show_monitor,
        respond=respond,
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
        monitor_object,
        lambda part: work.read(
            service.list_monitors,
            part,
            report_id=query.report_id,
            audit_id=query.audit_id,
            project=query.project,
            parent_id=query.parent_id,
        ),
        query,
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
        changed_tag=_precondition(request),
    )

    async def respond(monitor: StoredMonitor) -> Response:
        return _changed(request, services, monitor)

    return await idempotency.execute(
        fields,
        create=update,
        load_existing=service.show_monitor,
        respond=respond,
    )


async def delete_monitor(request: Request, work: UnitOfWork) -> Response:
    """Delete a monitor."""
    await work.write(service.delete_monitor, request.id, changed_tag=_precondition(request))
    return deleted_answer(DeletedMonitor(id=request.id))


def _changed(request: Request, services: Services, monitor: StoredMonitor, *, created: int | None = None) -> Response:
    """The answer to a change."""
    return written_answer(
        request,
        services,
        monitor_object(monitor),
        created=created,
        minimal=(*IDENTITY, "paused"),
        modified_ms=monitor.updated_at_ms,
    )


def _precondition(request: Request) -> Callable[[StoredMonitor], str | None] | None:
    return precondition(request, monitor_object, modified_ms=lambda monitor: monitor.updated_at_ms)


_CONDITIONS: Final = ("If-Match", "If-None-Match", "If-Unmodified-Since")


SILENCES_PATH: Final = "/api/v1/silences"


class CreateSilenceBody(BaseModel):
    """A silence of one monitor, or of one site."""

    monitor_id: int | None = Field(None, ge=1, le=2**53 - 1, description="Only events of this monitor.", examples=[7])
    project: str | None = Field(
        None,
        max_length=MAX_TEXT,
        description="All events of reports, monitors and audits of this host.",
        examples=["example.com"],
    )
    reason: str = Field(
        max_length=MAX_REASON, description="Reason for it.", examples=["The shop moves to another server."]
    )
    until: Annotated[int, WithJsonSchema({"type": "string", "format": "date-time"}), Reads(read_moment)] = Field(
        description="Its end, at most 90 days ahead (RFC 3339).", examples=["2026-01-06T08:00:00.000Z"]
    )


async def create_silence(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Begin a silence."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateSilenceBody)
    if violations:
        raise ValidationFailed(violations)

    async def respond(silence: StoredSilence) -> Response:
        return written_answer(request, services, silence_object(silence), created=silence.id)

    return await idempotency.execute(
        fields,
        create=partial(
            service.begin_silence,
            now_ms=request.received_at_ms,
            monitor_id=fields.monitor_id,
            project=fields.project or "",
            reason=fields.reason,
            until_ms=fields.until,
        ),
        load_existing=partial(service.show_silence, now_ms=request.received_at_ms),
        respond=respond,
    )


async def show_silence(request: Request, work: UnitOfWork) -> Response:
    """Return a silence."""
    found = await work.read(service.show_silence, request.id, request.received_at_ms)
    return fresh_answer(request, enveloped(silence_object(found)))


async def list_silences(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's silences."""
    return await answer_id_list(
        request, services, silence_object, lambda part: work.read(service.list_silences, request.received_at_ms, part)
    )


async def end_silence(request: Request, work: UnitOfWork) -> Response:
    """End a silence."""
    await work.write(service.end_silence, request.id, request.received_at_ms)
    return deleted_answer(EndedSilence(id=request.id))


_of_monitors = partial(Operation, scope="monitors", tag="Monitors")
_of_silences = partial(Operation, scope="monitors", tag="Silences")

OPERATIONS: Final = (
    _of_monitors(
        path=PATH,
        summary="List monitors",
        description="The monitors of the account, newest first: in numbered pages, or from cursor to cursor.",
        handler=list_monitors,
        query=MonitorListQuery,
        answers={200: MonitorList},
    ),
    _of_monitors(
        method="POST",
        path=PATH,
        summary=N_("Monitor a report, an audit or many pages"),
        description="Analyzes the page of a report or crawls the site of an audit again on a schedule. A due time is "
        "skipped while an analysis of the report or a crawl of the audit is unfinished; due times that were missed "
        "count as one. The budgets are evaluated after every run of the report and every crawl of the audit, also "
        "after those that were not scheduled. A monitor of a set of pages (`project`, `sitemap` or `tag`) is due at "
        "once: each time it is due it looks the pages up, at most 500, and keeps a monitor for each of them, which "
        "`GET /api/v1/monitors?parent_id=` lists, and which its own changes change.",
        handler=create_monitor,
        body=CreateMonitorBody,
        answers={201: MonitorAnswer},
        answer_headers=("Last-Modified",),
    ),
    _of_monitors(
        path=f"{PATH}/{{id}}",
        summary="Show a monitor",
        description="A monitor of the account with the state of its budgets.",
        handler=show_monitor,
        headers=("If-Modified-Since",),
        answers={200: MonitorAnswer},
    ),
    _of_monitors(
        method="PUT",
        path=f"{PATH}/{{id}}",
        summary=N_("Change a monitor"),
        description="Changes what is sent; all else stays as it is.",
        handler=update_monitor,
        body=UpdateMonitorBody,
        headers=(*_CONDITIONS, "Idempotency-Key"),
        answers={200: MonitorAnswer},
    ),
    _of_monitors(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete a monitor"),
        description="Deletes the monitor with its breach marks. The report with its runs or the audit with its "
        "crawls stays.",
        handler=delete_monitor,
        headers=_CONDITIONS,
        answers={200: DeletedMonitor},
    ),
    _of_silences(
        path=SILENCES_PATH,
        summary="List silences",
        description="The silences of the account that are not over, newest first.",
        handler=list_silences,
        query=PagedById,
        answers={200: SilenceList},
    ),
    _of_silences(
        method="POST",
        path=SILENCES_PATH,
        summary=N_("Begin a silence"),
        description="Until its end people get no messages about the monitor or the site, by e-mail or chat; webhooks "
        "of programs get all events. Runs and budgets go on. A page that became bad meanwhile and still is, is told "
        "once it is over.",
        handler=create_silence,
        body=CreateSilenceBody,
        answers={201: SilenceAnswer},
    ),
    _of_silences(
        path=f"{SILENCES_PATH}/{{id}}",
        summary="Show a silence",
        description="A silence of the account that is not over.",
        handler=show_silence,
        answers={200: SilenceAnswer},
    ),
    _of_silences(
        method="DELETE",
        path=f"{SILENCES_PATH}/{{id}}",
        summary=N_("End a silence"),
        description="Ends it now. The log of the account keeps who began it, and why.",
        handler=end_silence,
        answers={200: EndedSilence},
    ),
)
