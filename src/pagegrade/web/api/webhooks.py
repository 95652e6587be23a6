"""Webhooks: deliveries of events to the URLs, chat channels and e-mail addresses of an account."""

from __future__ import annotations

from functools import partial
from typing import Final

from pagegrade.model.webhooks import StoredDelivery
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.operations import read_change, read_webhook
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateWebhookBody, PagedById, UpdateWebhookBody
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
from pagegrade.web.schemas.webhook import (
    DeletedWebhook,
    DeliveryAnswer,
    DeliveryList,
    WebhookAnswer,
    WebhookList,
    WebhookSecretAnswer,
    delivery_object,
    webhook_object,
    webhook_with_secret,
)

PATH: Final = "/api/v1/webhooks"


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
        return _with_secret(request, services, made, created=made.webhook.id)

    return await idempotency.execute(
        fields,
        create=partial(service.create_webhook, new=new, now_ms=request.received_at_ms),
        resource_id=lambda made: made.webhook.id,
        load_existing=service.show_without_secret,
        respond=respond,
    )


async def show_webhook(request: Request, work: UnitOfWork) -> Response:
    """Return a webhook, without its secret."""
    stored = await work.read(service.show_webhook, request.id)
    return fresh_answer(request, enveloped(webhook_object(stored)))


async def list_webhooks(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's webhooks."""
    return await answer_id_list(request, services, webhook_object, lambda part: work.read(service.list_webhooks, part))


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
        service.update_webhook,
        webhook.id,
        change,
        request.received_at_ms,
        changed_tag=precondition(request, webhook_object),
    )
    return written_answer(request, services, webhook_object(changed))


async def delete_webhook(request: Request, work: UnitOfWork) -> Response:
    """Delete a webhook with the log of its deliveries."""
    await work.write(service.delete_webhook, request.id, changed_tag=precondition(request, webhook_object))
    return deleted_answer(DeletedWebhook(id=request.id))


async def rotate_secret(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Give a webhook a new secret."""
    rotated = await work.write(service.rotate_secret, request.id, request.received_at_ms)
    return _with_secret(request, services, rotated)


async def test_webhook(request: Request, work: UnitOfWork) -> Response:
    """Send a test event to a webhook."""
    delivery = await work.write(service.send_test, request.id, request.received_at_ms)
    return Response(status_code=202, content=enveloped(delivery_object(delivery), status=202))


async def list_deliveries(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the deliveries to a webhook."""
    return await answer_id_list(
        request, services, delivery_object, lambda part: work.read(service.list_deliveries, request.id, part)
    )


async def retry_delivery(request: Request, work: UnitOfWork) -> Response:
    """Send a delivery again."""
    numbers = request.id, request.number("delivery")
    delivery: StoredDelivery = await work.write(service.send_again, *numbers, request.received_at_ms)
    return Response(status_code=202, content=enveloped(delivery_object(delivery), status=202))


def _with_secret(
    request: Request, services: Services, made: service.WithSecret, *, created: int | None = None
) -> Response:
    return written_answer(
        request,
        services,
        webhook_with_secret(made.webhook, made.secret),
        created=created,
        shown=webhook_object(made.webhook),
        minimal=IDENTITY if made.secret is None else None,
    )


_operation = partial(Operation, scope="webhooks", tag="Webhooks")

OPERATIONS: Final = (
    _operation(
        path=PATH,
        summary="List webhooks",
        description="The webhooks of the account, newest first, without their secrets.",
        handler=list_webhooks,
        query=PagedById,
        answers={200: WebhookList},
    ),
    _operation(
        method="POST",
        path=PATH,
        summary=N_("Create a webhook"),
        description="From now on the events are sent to the URL as `webhooks` below describes them: signed by "
        "Standard Webhooks, at least once, in ten attempts over about three days. `secret` is in this answer and in "
        "no other, also not in the answer to a repeated request.",
        handler=create_webhook,
        body=CreateWebhookBody,
        answers={201: WebhookSecretAnswer},
    ),
    _operation(
        path=f"{PATH}/{{id}}",
        summary="Show a webhook",
        description="A webhook of the account, without its secret.",
        handler=show_webhook,
        answers={200: WebhookAnswer},
    ),
    _operation(
        method="PUT",
        path=f"{PATH}/{{id}}",
        summary=N_("Change a webhook"),
        description="Fields that are not sent stay as they are. `disabled=0` enables a webhook again that was "
        "disabled; what waits for it is then delivered.",
        handler=update_webhook,
        body=UpdateWebhookBody,
        headers=("If-Match", "If-None-Match"),
        answers={200: WebhookAnswer},
    ),
    _operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete a webhook"),
        description="With the log of its deliveries; what waits for it is not sent.",
        handler=delete_webhook,
        headers=("If-Match", "If-None-Match"),
        answers={200: DeletedWebhook},
    ),
    _operation(
        method="POST",
        path=f"{PATH}/{{id}}/rotate",
        name="rotate_webhook_secret",
        summary=N_("Rotate the secret of a webhook"),
        description="The new secret is in this answer and in no other. For 24 hours deliveries carry a signature with "
        "either secret, so that receivers can change over. Chat channels and e-mail have no secret: 404.",
        handler=rotate_secret,
        answers={200: WebhookSecretAnswer},
        answer_headers=("ETag",),
    ),
    _operation(
        method="POST",
        path=f"{PATH}/{{id}}/test",
        summary=N_("Send a test event"),
        description="An event of type `webhook.test`, to this webhook alone, as any other. A disabled one: 404.",
        handler=test_webhook,
        answers={202: DeliveryAnswer},
    ),
    _operation(
        path=f"{PATH}/{{id}}/deliveries",
        name="list_webhook_deliveries",
        summary="List the deliveries to a webhook",
        description="Newest first, of the last 30 days, each with the last answer of the receiver.",
        handler=list_deliveries,
        query=PagedById,
        answers={200: DeliveryList},
    ),
    _operation(
        method="POST",
        path=f"{PATH}/{{id}}/deliveries/{{delivery}}/retry",
        name="retry_webhook_delivery",
        summary=N_("Send a delivery again"),
        description="Now, and with the whole schedule of retries; the `webhook-id` stays. A disabled webhook: 404.",
        handler=retry_delivery,
        answers={202: DeliveryAnswer},
    ),
)
