"""Webhooks of an account: create, show, list, change, rotate, test, delete; their deliveries: list, send again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, PreconditionFailed, QuotaExceeded
from pagegrade.model.webhooks import MAX_WEBHOOKS, Event, StoredDelivery, StoredWebhook, receiver_of
from pagegrade.parse.url import origin
from pagegrade.service.id_lists import Listed, Part, Walked, walk
from pagegrade.service.webhooks.payload import KEY_NAME, is_token_of, make_key, secret_of, webhook_of_token
from pagegrade.service.webhooks.validation import NewWebhook, WebhookChange
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import deliveries as delivery_store
from pagegrade.store.repositories import webhooks as store
from pagegrade.store.repositories.installation import load_secret
from pagegrade.store.repositories.outbox import add_test_event


class WithSecret(msgspec.Struct, frozen=True):
    """A webhook, and its secret where it is to be shown."""

    webhook: StoredWebhook
    secret: str | None


def create_webhook(tx: Transaction, caller: Caller, new: NewWebhook, now_ms: int) -> WithSecret:
    """Store a valid webhook of the caller; its secret is shown this once.

    Raises:
        QuotaExceeded: The account has ``MAX_WEBHOOKS`` already.
    """
    account_id = caller.account.id
    if store.count_webhooks(tx, account_id) >= MAX_WEBHOOKS:
        raise QuotaExceeded(f"An account has at most {MAX_WEBHOOKS} webhooks; delete one first.")
    made = store.add_webhook(
        tx, account_id, kind=new.kind, url=new.url, events=new.events, project=new.project, now_ms=now_ms
    )
    return WithSecret(made, _shown_secret(tx, made))


def show_webhook(tx: Transaction, caller: Caller, webhook_id: int) -> StoredWebhook:
    """Return a webhook of the caller.

    Raises:
        NotFound: There is no such webhook.
    """
    found = store.load_webhook(tx, caller.account.id, webhook_id)
    if found is None:
        raise NotFound
    return found


def show_without_secret(tx: Transaction, caller: Caller, webhook_id: int) -> WithSecret:
    """Return a webhook of the caller as a repeated request sees it.

    Raises:
        NotFound: There is no such webhook.
    """
    return WithSecret(show_webhook(tx, caller, webhook_id), None)


def list_webhooks(tx: Transaction, caller: Caller, *, page: int, per_page: int) -> Listed[StoredWebhook]:
    """A page of the caller's webhooks, newest first."""
    found, total = store.list_webhooks(tx, caller.account.id, page, per_page)
    return Listed(items=found, total=total)


def list_with_deliveries(tx: Transaction, caller: Caller) -> tuple[tuple[StoredWebhook, StoredDelivery | None], ...]:
    """Return (webhook, its newest delivery) of all webhooks of the caller, the newest first."""
    found, _ = store.list_webhooks(tx, caller.account.id, 1, MAX_WEBHOOKS)
    return tuple(
        (webhook, next(iter(delivery_store.list_deliveries(tx, webhook.id, 1, 1)[0]), None)) for webhook in found
    )


def walk_webhooks(tx: Transaction, caller: Caller, part: Part) -> Walked[StoredWebhook]:
    """Some of the caller's webhooks, newest first."""
    account_id = caller.account.id
    read = partial(store.walk_webhooks, tx, account_id)
    return walk(read, lambda webhook: webhook.id, part, lambda: store.count_webhooks(tx, account_id))


def update_webhook(
    tx: Transaction,
    caller: Caller,
    webhook_id: int,
    change: WebhookChange,
    now_ms: int,
    *,
    holds: Callable[[StoredWebhook], str | None] | None = None,
) -> StoredWebhook:
    """Change a webhook of the caller; what waits for one that is enabled again is delivered.

    Args:
        tx: Transaction.
        caller: Whose it must be.
        webhook_id: Any number.
        change: A valid one.
        now_ms: The time.
        holds: Returns the entity tag of the webhook where the client does not know it as it is; ``None``: the client
            did not ask.

    Raises:
        NotFound: There is no such webhook.
        PreconditionFailed: It has changed since the client read it.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    _check_condition(webhook, holds)
    columns: dict[str, Any] = {
        name: value
        for name, value in (
            ("url", change.url),
            ("events", None if change.events is None else " ".join(change.events)),
            ("project", change.project),
        )
        if value is not None
    }
    if change.disabled is False and webhook.disabled_at_ms is not None:
        columns |= {"disabled_at_ms": None, "disabled_reason": None}
    if columns:
        webhook = store.change_webhook(tx, webhook.id, columns)
    if change.disabled is True:
        store.disable_webhook(tx, webhook.id, "by_owner", now_ms)
    elif "disabled_at_ms" in columns or "url" in columns:
        delivery_store.enable_deliveries(tx, webhook.id)
    return show_webhook(tx, caller, webhook.id)


def delete_webhook(
    tx: Transaction, caller: Caller, webhook_id: int, *, holds: Callable[[StoredWebhook], str | None] | None = None
) -> None:
    """Delete a webhook of the caller with the log of its deliveries.

    Raises:
        NotFound: There is no such webhook.
        PreconditionFailed: It has changed since the client read it.
    """
    _check_condition(show_webhook(tx, caller, webhook_id), holds)
    store.delete_webhook(tx, caller.account.id, webhook_id)


def rotate_secret(tx: Transaction, caller: Caller, webhook_id: int, now_ms: int) -> WithSecret:
    """Give a webhook a new secret, which is shown this once; for a day deliveries are signed with both.

    Raises:
        NotFound: There is no such webhook, or it is of a kind without a secret.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    if webhook.kind != "webhook":
        raise NotFound
    rotated = store.rotate_secret(tx, webhook, now_ms)
    return WithSecret(rotated, _shown_secret(tx, rotated))


def send_test(tx: Transaction, caller: Caller, webhook_id: int, now_ms: int) -> StoredDelivery:
    """Write an event of type ``webhook.test`` to the outbox for this webhook alone.

    Raises:
        NotFound: There is no such webhook, or it is disabled.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    if webhook.disabled_at_ms is not None:
        raise NotFound
    event = Event("webhook.test", caller.account.id, "", None, None, now_ms, {"webhook_id": webhook.id})
    add_test_event(tx, event, webhook.id, webhook.kind)
    (delivery,), _ = delivery_store.list_deliveries(tx, webhook.id, 1, 1)
    return delivery


def list_deliveries(
    tx: Transaction, caller: Caller, webhook_id: int, *, page: int, per_page: int
) -> Listed[StoredDelivery]:
    """A page of the deliveries to a webhook, newest first.

    Raises:
        NotFound: There is no such webhook.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    found, total = delivery_store.list_deliveries(tx, webhook.id, page, per_page)
    return Listed(items=found, total=total)


def walk_deliveries(tx: Transaction, caller: Caller, webhook_id: int, part: Part) -> Walked[StoredDelivery]:
    """Some of the deliveries to a webhook, newest first.

    Raises:
        NotFound: There is no such webhook.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    read = partial(delivery_store.walk_deliveries, tx, webhook.id)
    return walk(read, lambda each: each.id, part, lambda: delivery_store.count_deliveries(tx, webhook.id))


def send_again(tx: Transaction, caller: Caller, webhook_id: int, delivery_id: int, now_ms: int) -> StoredDelivery:
    """Send a delivery again, with the same ``webhook-id``.

    Raises:
        NotFound: There is no such delivery, or the webhook is disabled.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    delivery = delivery_store.load_delivery(tx, webhook.id, delivery_id)
    if delivery is None or webhook.disabled_at_ms is not None:
        raise NotFound
    delivery_store.send_again(tx, webhook.id, delivery.id, now_ms)
    again = delivery_store.load_delivery(tx, webhook.id, delivery.id)
    if again is None:
        raise NotFound
    return again


def find_subscription(tx: Transaction, token: str) -> StoredWebhook:
    """Return the target of an unsubscription link.

    Raises:
        NotFound: The link was never made, or its target is gone.
    """
    number = webhook_of_token(token)
    webhook = None if number is None else store.find_webhook(tx, number)
    key = load_secret(tx, KEY_NAME)
    if webhook is None or key is None or not is_token_of(token, key, webhook):
        raise NotFound
    return webhook


def unsubscribe(tx: Transaction, token: str, now_ms: int) -> None:
    """Send nothing more to the target of an unsubscription link; doing it again is no error.

    All webhooks of the account with this receiver are disabled, because their events are the same messages.

    Raises:
        NotFound: The link was never made, or its target is gone.
    """
    found = find_subscription(tx, token)
    others, _ = store.list_webhooks(tx, found.account_id, 1, MAX_WEBHOOKS)
    for each in others:
        if receiver_of(each.kind, each.url) == receiver_of(found.kind, found.url):
            store.disable_webhook(tx, each.id, "unsubscribed", now_ms)


def shown_url(webhook: StoredWebhook) -> str:
    """The URL as it may be shown: that of a chat channel is a secret, and only its origin is shown."""
    if webhook.kind in ("slack", "discord", "teams"):
        return f"{origin(webhook.url)}/…"
    return webhook.url


def _check_condition(webhook: StoredWebhook, holds: Callable[[StoredWebhook], str | None] | None) -> None:
    etag = None if holds is None else holds(webhook)
    if etag is not None:
        raise PreconditionFailed(etag)


def _shown_secret(tx: Transaction, webhook: StoredWebhook) -> str | None:
    return secret_of(make_key(tx), webhook.secret_salt) if webhook.kind == "webhook" else None
