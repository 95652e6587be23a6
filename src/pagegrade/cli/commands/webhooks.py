"""``pagegrade webhooks``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Final

import typer

from pagegrade.cli.database import in_account
from pagegrade.cli.options import Format
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import KINDS, MAX_WEBHOOKS, StoredDelivery, StoredWebhook
from pagegrade.render.escape import visible
from pagegrade.report.serialize import timestamp
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.operations import read_change, read_webhook
from pagegrade.store.engine.database import Transaction
from pagegrade.wiring import service_options

webhooks = typer.Typer(rich_markup_mode=None)

OwnerOfWebhook = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the webhook; optional if there is only one.")
]
Events = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="TYPE", help="Type of event to send, such as report.failed; repeatable."),
]
ProjectOfEvents = Annotated[
    str | None, typer.Option("--project", metavar="HOST", help="Only events of reports of this host.")
]
WebhookId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade webhooks list` shows it.")]

LISTED: Final = 1_000
"""Deliveries of one list, at most: the newest."""
COLUMNS: Final = {
    "id": "ID",
    "kind": "KIND",
    "status": "STATUS",
    "failing_since": "FAILING SINCE",
    "project": "PROJECT",
    "url": "URL",
}
DELIVERY_COLUMNS: Final = {
    "id": "ID",
    "type": "EVENT",
    "report_id": "REPORT",
    "audit_id": "AUDIT",
    "state": "STATE",
    "attempts": "ATTEMPTS",
    "http_status": "STATUS",
    "error": "ERROR",
    "next_attempt_at": "NEXT ATTEMPT",
    "created_at": "CREATED",
}


@webhooks.command("list")
def show_all(*, account_id: OwnerOfWebhook = None, format_name: Format = "text") -> None:
    """List the webhooks of an account, without their secrets."""
    check_format(format_name)
    found = in_account(
        account_id, lambda tx, caller: service.list_webhooks(tx, caller, ListPart(per_page=MAX_WEBHOOKS))
    )
    write_list([_entry(webhook) for webhook in found.items], COLUMNS, format_name)


@webhooks.command("create")
def create(
    url: Annotated[str, typer.Argument(metavar="URL", help="Receiver; for the kind email an address.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help=f"{', '.join(KINDS)}; without it webhook."),
    ] = None,
    event: Events = None,
    project: ProjectOfEvents = None,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Create a webhook and print its id and its secret."""
    try:
        new = read_webhook(kind=kind, url=url, events=event, project=project, options=service_options(workers=0))
        made = in_account(account_id, lambda tx, caller: service.create_webhook(tx, caller, new, now_ms()))
    except ValidationFailed as error:
        raise _first_of(error) from None
    sys.stderr.write(f"Created webhook {made.webhook.id}. {_SECRET_ONCE if made.secret else ''}".rstrip() + "\n")
    write_stdout("".join(f"{line}\n" for line in (made.webhook.id, made.secret) if line is not None))


@webhooks.command("change")
def change(
    webhook_id: WebhookId,
    *,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Another receiver.")] = None,
    event: Events = None,
    project: ProjectOfEvents = None,
    disabled: Annotated[
        bool | None, typer.Option("--disable/--enable", help="Send nothing, or send again what waits.")
    ] = None,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Change the receiver, the project or all events of a webhook; disable or enable it."""
    options = service_options(workers=0)

    def work(tx: Transaction, caller: Caller) -> StoredWebhook:
        kind = service.show_webhook(tx, caller, webhook_id).kind
        changed = read_change(kind, url=url, events=event or None, project=project, disabled=disabled, options=options)
        return service.update_webhook(tx, caller, webhook_id, changed, now_ms())

    try:
        webhook = in_account(account_id, work, missing=_no_webhook(webhook_id))
    except ValidationFailed as error:
        raise _first_of(error) from None
    sys.stderr.write(f"Webhook {webhook.id} is {'enabled' if webhook.disabled_at_ms is None else 'disabled'}.\n")


@webhooks.command("rotate")
def rotate(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Give a webhook a new secret and print it; the previous one signs for 24 hours more."""
    rotated = in_account(
        account_id,
        lambda tx, caller: service.rotate_secret(tx, caller, webhook_id, now_ms()),
        missing=_no_webhook(webhook_id),
    )
    sys.stderr.write(f"{_SECRET_ONCE} For 24 hours deliveries are signed with the previous one, too.\n")
    write_stdout(f"{rotated.secret}\n")


@webhooks.command("test")
def send_test(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Send a test event and print the id of its delivery."""
    sent = in_account(
        account_id,
        lambda tx, caller: service.send_test(tx, caller, webhook_id, now_ms()),
        missing=_no_webhook(webhook_id),
    )
    sys.stderr.write("The test event waits for a server or worker to send it.\n")
    write_stdout(f"{sent.id}\n")


@webhooks.command("deliveries")
def show_deliveries(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None, format_name: Format = "text") -> None:
    """List the newest deliveries to a webhook."""
    check_format(format_name)
    found = in_account(
        account_id,
        lambda tx, caller: service.list_deliveries(tx, caller, webhook_id, ListPart(per_page=LISTED)),
        missing=_no_webhook(webhook_id, ""),
    )
    write_list([_delivery(each) for each in found.items], DELIVERY_COLUMNS, format_name)


@webhooks.command("retry")
def retry(
    webhook_id: WebhookId,
    delivery_id: Annotated[
        int, typer.Argument(metavar="DELIVERY", help="As `pagegrade webhooks deliveries` shows it.")
    ],
    *,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Send a delivery again."""

    def work(tx: Transaction, caller: Caller) -> StoredDelivery:
        return service.send_again(tx, caller, webhook_id, delivery_id, now_ms())

    in_account(account_id, work, missing=_no_webhook(webhook_id, f" with a delivery {delivery_id}"))
    sys.stderr.write(f"Delivery {delivery_id} waits for a server or worker to send it.\n")


@webhooks.command("delete")
def delete(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Delete a webhook with the log of its deliveries."""
    in_account(
        account_id, lambda tx, caller: service.delete_webhook(tx, caller, webhook_id), missing=_no_webhook(webhook_id)
    )
    sys.stderr.write(f"Webhook {webhook_id} is deleted.\n")


_SECRET_ONCE: Final = "The secret is shown this one time."  # noqa: S105 - no secret


def _first_of(error: ValidationFailed) -> InvalidInput:
    return InvalidInput(error.violations[0].message)


def _no_webhook(webhook_id: int, more: str = " that this can be done with") -> str:
    return f"The account has no webhook {webhook_id}{more}; `pagegrade webhooks list` shows them."


def _entry(webhook: StoredWebhook) -> Mapping[str, object]:
    return {
        "id": webhook.id,
        "kind": webhook.kind,
        "url": service.shown_url(webhook),
        "events": list(webhook.events),
        "project": webhook.project,
        "status": "enabled" if webhook.disabled_at_ms is None else webhook.disabled_reason,
        "failing_since": timestamp(webhook.failing_since_ms),
        "created_at": timestamp(webhook.created_at_ms),
    }


def _delivery(stored: StoredDelivery) -> Mapping[str, object]:
    answer = None if stored.answer is None else visible(stored.answer.decode("utf-8", "replace"), 4_096)
    return {
        "id": stored.id,
        "webhook_id": stored.event_id,
        "type": stored.type,
        "report_id": stored.report_id,
        "audit_id": stored.audit_id,
        "state": stored.state,
        "attempts": stored.attempts,
        "next_attempt_at": timestamp(stored.due_at_ms),
        "attempted_at": timestamp(stored.attempted_at_ms),
        "http_status": stored.http_status,
        "error": stored.error,
        "answer": answer,
        "duration_ms": stored.duration_ms,
        "created_at": timestamp(stored.created_at_ms),
    }
