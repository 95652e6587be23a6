"""``pagegrade webhooks``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from pagegrade.cli.database import opened
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import MAX_WEBHOOKS, StoredDelivery, StoredWebhook
from pagegrade.render.escape import visible
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.access import choose_account
from pagegrade.service.webhooks import operations as service
from pagegrade.service.webhooks.operations import read_change, read_webhook
from pagegrade.store.engine.database import Transaction
from pagegrade.wiring import service_options

T = TypeVar("T")
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


def create(
    url: str, *, kind: str | None, events: Sequence[str] | None, project: str | None, account_id: int | None
) -> None:
    """Create a webhook; its id goes to stdout, and below it the secret where its kind has one."""
    try:
        new = read_webhook(kind=kind, url=url, events=events, project=project, options=service_options(workers=0))
        made = _write(account_id, lambda tx, caller: service.create_webhook(tx, caller, new, now_ms()))
    except ValidationFailed as error:
        raise _first_of(error) from None
    except QuotaExceeded as error:
        raise InvalidInput(error.message) from None
    sys.stderr.write(f"Created webhook {made.webhook.id}. {_SECRET_ONCE if made.secret else ''}".rstrip() + "\n")
    write_stdout("".join(f"{line}\n" for line in (made.webhook.id, made.secret) if line is not None))


def change(
    webhook_id: int,
    *,
    url: str | None,
    events: Sequence[str] | None,
    project: str | None,
    disabled: bool | None,
    account_id: int | None,
) -> None:
    """Change a webhook, disable it, or enable it again."""
    options = service_options(workers=0)

    def work(tx: Transaction, caller: Caller) -> StoredWebhook:
        kind = service.show_webhook(tx, caller, webhook_id).kind
        changed = read_change(kind, url=url, events=events, project=project, disabled=disabled, options=options)
        return service.update_webhook(tx, caller, webhook_id, changed, now_ms())

    try:
        webhook = _write(account_id, _known(webhook_id, work))
    except ValidationFailed as error:
        raise _first_of(error) from None
    sys.stderr.write(f"Webhook {webhook.id} is {'enabled' if webhook.disabled_at_ms is None else 'disabled'}.\n")


def rotate(webhook_id: int, account_id: int | None) -> None:
    """Give a webhook a new secret, which alone goes to stdout."""
    rotated = _write(
        account_id, _known(webhook_id, lambda tx, caller: service.rotate_secret(tx, caller, webhook_id, now_ms()))
    )
    sys.stderr.write(f"{_SECRET_ONCE} For 24 hours deliveries are signed with the previous one, too.\n")
    write_stdout(f"{rotated.secret}\n")


def send_test(webhook_id: int, account_id: int | None) -> None:
    """Send a test event to a webhook; the id of the delivery goes to stdout."""
    sent = _write(
        account_id, _known(webhook_id, lambda tx, caller: service.send_test(tx, caller, webhook_id, now_ms()))
    )
    sys.stderr.write("The test event waits for a server or worker to send it.\n")
    write_stdout(f"{sent.id}\n")


def retry(webhook_id: int, delivery_id: int, account_id: int | None) -> None:
    """Send a delivery again."""

    def work(tx: Transaction, caller: Caller) -> StoredDelivery:
        return service.send_again(tx, caller, webhook_id, delivery_id, now_ms())

    _write(account_id, _known(webhook_id, work, more=f" with a delivery {delivery_id}"))
    sys.stderr.write(f"Delivery {delivery_id} waits for a server or worker to send it.\n")


def delete(webhook_id: int, account_id: int | None) -> None:
    """Delete a webhook with the log of its deliveries."""
    _write(account_id, _known(webhook_id, lambda tx, caller: service.delete_webhook(tx, caller, webhook_id)))
    sys.stderr.write(f"Webhook {webhook_id} is deleted.\n")


def show_all(account_id: int | None, format_name: str) -> None:
    """Write the webhooks of an account to stdout, without their secrets."""
    check_format(format_name)
    found = _write(account_id, lambda tx, caller: service.list_webhooks(tx, caller, ListPart(per_page=MAX_WEBHOOKS)))
    write_list([_entry(webhook) for webhook in found.items], COLUMNS, format_name)


def show_deliveries(webhook_id: int, account_id: int | None, format_name: str) -> None:
    """Write the newest deliveries to a webhook to stdout."""
    check_format(format_name)
    found = _write(
        account_id,
        _known(
            webhook_id,
            lambda tx, caller: service.list_deliveries(tx, caller, webhook_id, ListPart(per_page=LISTED)),
            more="",
        ),
    )
    write_list([_delivery(each) for each in found.items], DELIVERY_COLUMNS, format_name)


_SECRET_ONCE: Final = "The secret is shown this one time."  # noqa: S105 - no secret


def _first_of(error: ValidationFailed) -> InvalidInput:
    return InvalidInput(error.violations[0].message)


def _write(account_id: int | None, work: Callable[[Transaction, Caller], T]) -> T:
    """Run a use case for an account; ``None``: the only one that works."""
    with opened() as database:
        return database.write_here(lambda tx: work(tx, Caller(account=choose_account(tx, account_id, now_ms()))))


def _known(
    webhook_id: int, work: Callable[[Transaction, Caller], T], *, more: str = " that this can be done with"
) -> Callable[[Transaction, Caller], T]:
    def named(tx: Transaction, caller: Caller) -> T:
        try:
            return work(tx, caller)
        except NotFound:
            raise NotFound(
                f"The account has no webhook {webhook_id}{more}; `pagegrade webhooks list` shows them."
            ) from None

    return named


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
