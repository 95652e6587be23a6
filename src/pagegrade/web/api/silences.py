"""Silences: for a while people get no messages about a monitor or a site."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

from pydantic import BaseModel, Field, WithJsonSchema

from pagegrade.model.errors import ValidationFailed
from pagegrade.model.monitors import MAX_REASON, Silence
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.monitors import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.api.id_lists import answer_id_list
from pagegrade.web.http.body import JSON
from pagegrade.web.http.fields import Reads
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import MAX_TEXT, PagedById, read_moment
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, written_answer
from pagegrade.web.schemas.monitor import EndedSilence, SilenceAnswer, SilenceList, silence_object

PATH: Final = "/api/v1/silences"


class SilenceListQuery(PagedById):
    """Silences come newest first."""


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

    async def respond(silence: Silence) -> Response:
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
        resource_id=lambda silence: silence.id,
        load_existing=partial(service.show_silence, now_ms=request.received_at_ms),
        respond=respond,
        is_analysis=False,
    )


async def show_silence(request: Request, work: UnitOfWork) -> Response:
    """Return a silence."""
    found = await work.read(service.show_silence, request.id, request.received_at_ms)
    return fresh_answer(request, enveloped(silence_object(found)))


async def list_silences(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's silences."""
    query = request.query(SilenceListQuery)
    return await answer_id_list(
        request,
        services,
        query,
        encode=silence_object,
        read=lambda part: work.read(service.list_silences, request.received_at_ms, part),
    )


async def end_silence(request: Request, work: UnitOfWork) -> Response:
    """End a silence."""
    await work.write(service.end_silence, request.id, request.received_at_ms)
    return deleted_answer(EndedSilence(id=request.id))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_silences",
        summary="List silences",
        description="The silences of the account that are not over, newest first.",
        handler=list_silences,
        scope="monitors",
        query=SilenceListQuery,
        answers={200: SilenceList},
        tag="Silences",
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_silence",
        summary=N_("Begin a silence"),
        description="Until its end people get no messages about the monitor or the site, by e-mail or chat; webhooks "
        "of programs get all events. Runs and budgets go on. A page that became bad meanwhile and still is, is told "
        "once it is over.",
        handler=create_silence,
        scope="monitors",
        body=CreateSilenceBody,
        body_types=(JSON,),
        answers={201: SilenceAnswer},
        tag="Silences",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_silence",
        summary="Show a silence",
        description="A silence of the account that is not over.",
        handler=show_silence,
        scope="monitors",
        answers={200: SilenceAnswer},
        tag="Silences",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="end_silence",
        summary=N_("End a silence"),
        description="Ends it now. The log of the account keeps who began it, and why.",
        handler=end_silence,
        scope="monitors",
        answers={200: EndedSilence},
        tag="Silences",
    ),
)
