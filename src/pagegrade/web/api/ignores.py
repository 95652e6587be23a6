"""Ignore rules: findings that an account has decided to live with."""

from __future__ import annotations

from functools import partial
from typing import Final

import msgspec

from pagegrade.model.ignores import StoredIgnore
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.ignores import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.api.id_lists import answer_id_list
from pagegrade.web.http.body import JSON
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.ignore_requests import read_rule
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateIgnoreBody, IgnoreListQuery
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, hashed_tag, validators
from pagegrade.web.schemas.ignore import DeletedIgnore, IgnoreAnswer, IgnoreList, ignore_object

PATH: Final = "/api/v1/ignores"


async def create_ignore(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a rule; it applies from the next analysis on."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateIgnoreBody)
    rule = read_rule(fields, violations, request.received_at_ms)

    async def respond(stored: StoredIgnore) -> Response:
        data = ignore_object(stored)
        if request.preferences.minimal:
            data = msgspec.json.encode({"id": stored.rule.id, "object": "ignore"})
        body = enveloped(data, status=201)
        headers = (
            ("Location", f"{services.options.base_url}{PATH}/{stored.rule.id}"),
            *validators(hashed_tag(enveloped(ignore_object(stored)))),
            *request.preferences.applied(writing=True),
        )
        return Response(status_code=201, content=body, headers=headers)

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
        is_analysis=False,
    )


async def show_ignore(request: Request, work: UnitOfWork) -> Response:
    """Return a rule."""
    stored = await work.read(service.show_ignore, request.id)
    return fresh_answer(request, enveloped(ignore_object(stored)))


async def list_ignores(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's rules."""
    query = request.query(IgnoreListQuery)
    check, report_id = query.check, query.report_id
    return await answer_id_list(
        request,
        services,
        query,
        path=PATH,
        encode=ignore_object,
        read_page=lambda: work.read(
            service.list_ignores, page=query.page, per_page=query.per_page, check=check, report_id=report_id
        ),
        read_part=lambda part: work.read(service.walk_ignores, part, check=check, report_id=report_id),
    )


async def delete_ignore(request: Request, work: UnitOfWork) -> Response:
    """Delete a rule."""
    await work.write(service.delete_ignore, request.id)
    return deleted_answer("ignore", id=request.id)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_ignores",
        summary="List ignore rules",
        description="The rules of the account, newest first; those that have expired stay until they are deleted.",
        handler=list_ignores,
        scope="reports:read",
        for_projects=True,
        query=IgnoreListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: IgnoreList},
        tag="Ignore rules",
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_ignore",
        summary=N_("Ignore a finding"),
        description="From the next analysis on, the findings that the rule covers cost nothing and are listed as "
        "ignored with the reason. They count again when the rule expires, is deleted, or when they get worse than "
        "`state` and `places`. A rule with `selector` or `url_pattern` covers a finding if it covers each place.",
        handler=create_ignore,
        scope="ignores",
        for_projects=True,
        body=CreateIgnoreBody,
        body_types=(JSON,),
        headers=("Prefer", "Idempotency-Key"),
        answers={201: IgnoreAnswer},
        problems=("quota_exceeded",),
        tag="Ignore rules",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_ignore",
        summary="Show an ignore rule",
        description="A rule of the account, whether it has expired or not.",
        handler=show_ignore,
        scope="reports:read",
        for_projects=True,
        headers=("If-None-Match",),
        answers={200: IgnoreAnswer},
        tag="Ignore rules",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="delete_ignore",
        summary=N_("Delete an ignore rule"),
        description="Its findings count again from the next analysis on.",
        handler=delete_ignore,
        scope="ignores",
        for_projects=True,
        answers={200: DeletedIgnore},
        tag="Ignore rules",
    ),
)
