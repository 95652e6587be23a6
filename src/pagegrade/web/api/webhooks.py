"""Webhooks: deliveries of events to the URLs, chat channels and e-mail addresses of an account."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from pagegrade.model.webhooks import StoredDelivery, StoredWebhook
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.validation import read_change, read_webhook
from pagegrade.web.api.id_lists import answer_id_list
from pagegrade.web.http.body import JSON
from pagegrade.web.http.conditional import may_change
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateWebhookBody, DeliveryListQuery, UpdateWebhookBody, WebhookListQuery
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import enveloped, fresh_answer, hashed_tag, validators
from pagegrade.web.schemas.webhook import (
    DeletedWebhook,
    DeliveryAnswer,
    DeliveryList,
    WebhookAnswer,
    WebhookList,
    WebhookSecretAnswer,
    delivery_object,
    webhook_object,
)

PATH: Final = "/api/v1/webhooks"
TAG: Final = "Webhooks"


async def create_webhook(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a webhook; its secret is in this answer and in no other."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateWebhookBody, lists=("events",))
    new = read_webhook(
        kind=fields.kind,
        url=fields.url,
        events=fields.events,
        project=fields.project,
        options=services.options,
        violations=violations,
    )

    async def respond(made: service.WithSecret) -> Response:
        return _with_secret(request, services, made, status=201)

    return await idempotency.execute(
        fields,
        create=partial(service.create_webhook, new=new, now_ms=request.received_at_ms),
        resource_id=lambda made: made.webhook.id,
        load_existing=service.show_without_secret,
        respond=respond,
        is_analysis=False,
    )


async def show_webhook(request: Request, work: UnitOfWork) -> Response:
    """Return a webhook, without its secret."""
    stored = await work.read(service.show_webhook, request.id)
    return fresh_answer(request, enveloped(webhook_object(stored)))


async def list_webhooks(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's webhooks."""
    query = request.query(WebhookListQuery)
    return await answer_id_list(
        request,
        services,
        query,
        path=PATH,
        encode=webhook_object,
        read_page=lambda: work.read(service.list_webhooks, page=query.page, per_page=query.per_page),
        read_part=lambda part: work.read(service.walk_webhooks, part),
    )


async def update_webhook(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Change a webhook."""
    fields, violations = await request.fields(UpdateWebhookBody, lists=("events",))
    webhook = await work.read(service.show_webhook, request.id)
    change = read_change(
        webhook.kind,
        url=fields.url,
        events=fields.events,
        project=fields.project,
        disabled=fields.disabled,
        options=services.options,
        violations=violations,
    )
    changed = await work.write(
        service.update_webhook, webhook.id, change, request.received_at_ms, holds=_condition(request)
    )
    body = enveloped(webhook_object(changed))
    if request.preferences.minimal:
        body = enveloped(_minimal("webhook", changed.id))
    headers = (*validators(_tag(changed)), *request.preferences.applied(writing=True))
    return Response(status_code=200, content=body, headers=headers)


async def delete_webhook(request: Request, work: UnitOfWork) -> Response:
    """Delete a webhook with the log of its deliveries."""
    number = request.id
    await work.write(service.delete_webhook, number, holds=_condition(request))
    members: dict[str, Any] = {"id": number, "object": "webhook", "deleted": True, "status": 200}
    return Response(status_code=200, content=msgspec.json.encode(members))


async def rotate_secret(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Give a webhook a new secret."""
    rotated = await work.write(service.rotate_secret, request.id, request.received_at_ms)
    return _with_secret(request, services, rotated, status=200)


async def test_webhook(request: Request, work: UnitOfWork) -> Response:
    """Send a test event to a webhook."""
    delivery = await work.write(service.send_test, request.id, request.received_at_ms)
    return Response(status_code=202, content=enveloped(delivery_object(delivery), status=202))


async def list_deliveries(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the deliveries to a webhook."""
    query = request.query(DeliveryListQuery)
    number = request.id
    return await answer_id_list(
        request,
        services,
        query,
        path=f"{PATH}/{number}/deliveries",
        encode=delivery_object,
        read_page=lambda: work.read(service.list_deliveries, number, page=query.page, per_page=query.per_page),
        read_part=lambda part: work.read(service.walk_deliveries, number, part),
    )


async def retry_delivery(request: Request, work: UnitOfWork) -> Response:
    """Send a delivery again."""
    numbers = request.id, request.number("delivery")
    delivery: StoredDelivery = await work.write(service.send_again, *numbers, request.received_at_ms)
    return Response(status_code=202, content=enveloped(delivery_object(delivery), status=202))


def _with_secret(request: Request, services: Services, made: service.WithSecret, *, status: int) -> Response:
    data = webhook_object(made.webhook, secret=made.secret)
    if request.preferences.minimal and made.secret is None:
        data = _minimal("webhook", made.webhook.id)
    location = (("Location", f"{services.options.base_url}{PATH}/{made.webhook.id}"),) if status == 201 else ()  # noqa: PLR2004 - Created
    headers = (*location, *validators(_tag(made.webhook)), *request.preferences.applied(writing=True))
    # A secret must stay in no cache.
    return Response(
        status_code=status, content=enveloped(data, status=status), headers=(*headers, ("Cache-Control", "no-store"))
    )


def _tag(webhook: StoredWebhook) -> str:
    return hashed_tag(enveloped(webhook_object(webhook)))


def _condition(request: Request) -> Callable[[StoredWebhook], str | None] | None:
    """The entity tag of a webhook that is not the one that the client knows; ``None``: the client did not ask."""
    if_match, if_none_match = request.header(b"if-match"), request.header(b"if-none-match")
    if if_match is None and if_none_match is None:
        return None

    def differs(webhook: StoredWebhook) -> str | None:
        etag = _tag(webhook)
        return None if may_change(if_match, if_none_match, None, etag=etag, modified_ms=0) else etag

    return differs


def _minimal(kind: str, number: int) -> bytes:
    return msgspec.json.encode({"id": number, "object": kind})


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_webhooks",
        summary="List webhooks",
        description="The webhooks of the account, newest first, without their secrets.",
        handler=list_webhooks,
        scope="webhooks",
        query=WebhookListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: WebhookList},
        tag=TAG,
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_webhook",
        summary=N_("Create a webhook"),
        description="From now on the events are sent to the URL as `webhooks` below describes them: signed by "
        "Standard Webhooks, at least once, in ten attempts over about three days. `secret` is in this answer and in "
        "no other, also not in the answer to a repeated request.",
        handler=create_webhook,
        scope="webhooks",
        body=CreateWebhookBody,
        body_types=(JSON,),
        headers=("Prefer", "Idempotency-Key"),
        answers={201: WebhookSecretAnswer},
        problems=("quota_exceeded",),
        tag=TAG,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_webhook",
        summary="Show a webhook",
        description="A webhook of the account, without its secret.",
        handler=show_webhook,
        scope="webhooks",
        headers=("If-None-Match",),
        answers={200: WebhookAnswer},
        tag=TAG,
    ),
    Operation(
        method="PUT",
        path=f"{PATH}/{{id}}",
        name="update_webhook",
        summary=N_("Change a webhook"),
        description="Fields that are not sent stay as they are. `disabled=0` enables a webhook again that was "
        "disabled; what waits for it is then delivered.",
        handler=update_webhook,
        scope="webhooks",
        body=UpdateWebhookBody,
        body_types=(JSON,),
        headers=("If-Match", "If-None-Match", "Prefer"),
        answers={200: WebhookAnswer},
        tag=TAG,
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="delete_webhook",
        summary=N_("Delete a webhook"),
        description="With the log of its deliveries; what waits for it is not sent.",
        handler=delete_webhook,
        scope="webhooks",
        headers=("If-Match", "If-None-Match"),
        answers={200: DeletedWebhook},
        tag=TAG,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/rotate",
        name="rotate_webhook_secret",
        summary=N_("Rotate the secret of a webhook"),
        description="The new secret is in this answer and in no other. For 24 hours deliveries carry a signature with "
        "either secret, so that receivers can change over. Chat channels and e-mail have no secret: 404.",
        handler=rotate_secret,
        scope="webhooks",
        answers={200: WebhookSecretAnswer},
        answer_headers=("ETag",),
        tag=TAG,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/test",
        name="test_webhook",
        summary=N_("Send a test event"),
        description="An event of type `webhook.test`, to this webhook alone, as any other. A disabled one: 404.",
        handler=test_webhook,
        scope="webhooks",
        answers={202: DeliveryAnswer},
        tag=TAG,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}/deliveries",
        name="list_webhook_deliveries",
        summary="List the deliveries to a webhook",
        description="Newest first, of the last 30 days, each with the last answer of the receiver.",
        handler=list_deliveries,
        scope="webhooks",
        query=DeliveryListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: DeliveryList},
        tag=TAG,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/deliveries/{{delivery}}/retry",
        name="retry_webhook_delivery",
        summary=N_("Send a delivery again"),
        description="Now, and with the whole schedule of retries; the `webhook-id` stays. A disabled webhook: 404.",
        handler=retry_delivery,
        scope="webhooks",
        answers={202: DeliveryAnswer},
        tag=TAG,
    ),
)
