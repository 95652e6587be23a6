"""Ignore rules: findings that an account has decided to live with."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.outcome import StoredIgnore
from pagegrade.model.schema import Count, Timestamp, about
from pagegrade.render.english import N_
from pagegrade.report.serialize import format_timestamp, timestamp
from pagegrade.service.container import Services
from pagegrade.service.ignores import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateIgnoreBody, IgnoreListQuery
from pagegrade.web.report_requests import read_rule, refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import answer_id_list, deleted_answer, enveloped, fresh_answer, written_answer
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.shape import Document


class Ignore(Document, frozen=True, kw_only=True):
    """Findings of one check that cost nothing."""

    id: Annotated[int, about("Grows with every new rule; never used again.", 12, minimum=1)]
    object: Annotated[Literal["ignore"], about("The kind of object.", "ignore")]
    check: Annotated[str, about("Id of the check.", "image-alt")]
    report_id: Annotated[int | None, about("The one report it is for; null: those of its project, or all.", 1042)]
    project: Annotated[str | None, about("The one project it is for; null: all.", None, "example.com")]
    selector: Annotated[str | None, about("Only places in elements that match; null: all.", ".banner img")]
    url_pattern: Annotated[
        str | None, about("Only places that name a matching URL; null: all.", None, "https://cdn.example/*")
    ]
    state: Annotated[str | None, about("The worst state of the check that is ignored; null: any.", "missing")]
    places: Annotated[Count | None, about("The most places that are ignored; null: any number.", 2)]
    reason: Annotated[str, about("Reason to ignore the finding.", "The banner is replaced in May.")]
    author: Annotated[str, about("Name of the account that made it.", "Example")]
    expires_at: Annotated[
        Timestamp | None, about("From then on findings count again; null: never.", "2027-05-01T00:00:00.000Z")
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]


IgnoreAnswer: Final = answer_with("IgnoreAnswer", Ignore, "One ignore rule.", "The rule.")
IgnoreList: Final = cursor_list("IgnoreList", Ignore, "Ignore rules.", "The rules of this page.")
DeletedIgnore: Final = deleted("DeletedIgnore", "ignore", "an ignore rule was deleted", "The deleted rule.", 12)


def ignore_object(stored: StoredIgnore) -> bytes:
    """The JSON object of a rule."""
    rule = stored.rule
    return msgspec.json.encode(
        Ignore(
            id=rule.id or 0,
            object="ignore",
            check=rule.check,
            report_id=stored.report_id,
            project=rule.project or None,
            selector=rule.selector or None,
            url_pattern=rule.url_pattern or None,
            state=rule.state,
            places=rule.places,
            reason=rule.reason,
            author=rule.author,
            expires_at=None if rule.expires_at is None else format_timestamp(rule.expires_at),
            created_at=timestamp(stored.created_at_ms),
        )
    )


PATH: Final = "/api/v1/ignores"


async def create_ignore(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a rule; it applies from the next analysis on."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateIgnoreBody)
    rule = read_rule(fields, violations, request.received_at_ms)

    async def respond(stored: StoredIgnore) -> Response:
        return written_answer(request, services, ignore_object(stored), created=stored.rule.id)

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_ignore,
            rule=rule,
            options=services.options,
            now_ms=request.received_at_ms,
            report_id=fields.report_id,
        ),
        resource_id=lambda stored: stored.rule.id or 0,
        load_existing=service.show_ignore,
        respond=respond,
    )


async def show_ignore(request: Request, work: UnitOfWork) -> Response:
    """Return a rule."""
    stored = await work.read(service.show_ignore, request.id)
    return fresh_answer(request, enveloped(ignore_object(stored)))


async def list_ignores(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's rules."""
    query = request.query(IgnoreListQuery)
    return await answer_id_list(
        request,
        services,
        ignore_object,
        lambda part: work.read(service.list_ignores, part, check=query.check, report_id=query.report_id),
        query,
    )


async def delete_ignore(request: Request, work: UnitOfWork) -> Response:
    """Delete a rule."""
    await work.write(service.delete_ignore, request.id)
    return deleted_answer(DeletedIgnore(id=request.id))


_reading = partial(Operation, scope="reports:read", for_projects=True, tag="Ignore rules")
_writing = partial(Operation, scope="ignores", for_projects=True, tag="Ignore rules")

OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List ignore rules",
        description="The rules of the account, newest first; those that have expired stay until they are deleted.",
        handler=list_ignores,
        query=IgnoreListQuery,
        answers={200: IgnoreList},
    ),
    _writing(
        method="POST",
        path=PATH,
        summary=N_("Ignore a finding"),
        description="From the next analysis on, the findings that the rule covers cost nothing and are listed as "
        "ignored with the reason. They count again when the rule expires, is deleted, or when they get worse than "
        "`state` and `places`. A rule with `selector` or `url_pattern` covers a finding if it covers each place.",
        handler=create_ignore,
        body=CreateIgnoreBody,
        answers={201: IgnoreAnswer},
    ),
    _reading(
        path=f"{PATH}/{{id}}",
        summary="Show an ignore rule",
        description="A rule of the account, whether it has expired or not.",
        handler=show_ignore,
        answers={200: IgnoreAnswer},
    ),
    _writing(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete an ignore rule"),
        description="Its findings count again from the next analysis on.",
        handler=delete_ignore,
        answers={200: DeletedIgnore},
    ),
)
