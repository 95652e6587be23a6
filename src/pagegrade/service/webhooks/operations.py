"""Webhooks of an account: create, show, list, change, rotate, test, delete; their deliveries: list, send again.

The validation of their fields needs no database and no network: the API, pages and the command line use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import (
    Condition,
    InvalidURL,
    NotFound,
    QuotaExceeded,
    URLNotAllowed,
    ValidationFailed,
    Violation,
    refuse_if_changed,
)
from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import (
    EVENT_TYPES,
    KINDS,
    MAX_WEBHOOKS,
    MESSAGE_KINDS,
    Event,
    EventType,
    Kind,
    StoredDelivery,
    StoredWebhook,
    receiver_of,
)
from pagegrade.parse.mail import domain_of
from pagegrade.parse.url import origin, parse_target_url, project_of
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import check_allowed
from pagegrade.service.webhooks.deliveries import (
    KEY_NAME,
    RECEIVERS,
    is_token_of,
    make_key,
    secret_of,
    webhook_of_token,
)
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import webhooks as delivery_store
from pagegrade.store.repositories import webhooks as store
from pagegrade.store.repositories.installation import load_secret
from pagegrade.store.repositories.monitors import is_silent
from pagegrade.store.repositories.outbox import add_test_event

DEFAULT_EVENTS: Final[tuple[EventType, ...]] = (
    "report.failed",
    "report.regressed",
    "report.recovered",
    "monitor.unreachable",
    "monitor.reminder",
    "audit.failed",
    "audit.regressed",
    "audit.recovered",
    "quota.low",
)
"""Of messages where none are chosen; a webhook gets all."""
MAILTO: Final = "mailto:"
_ALL: Final = ListPart(per_page=MAX_WEBHOOKS)
_NEWEST: Final = ListPart(per_page=1)


class Hearers(msgspec.Struct, frozen=True, kw_only=True):
    """Receivers of certain events."""

    kinds: tuple[Kind, ...]
    """Those of the webhooks in use that get them, oldest first."""
    is_sure: bool
    """No other webhook may get some of them, as those for one project may where the project is not known."""
    is_silent: bool
    """People get no messages, because of a silence."""


class NewWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook that can be stored."""

    kind: Kind
    url: str
    events: tuple[EventType, ...]
    project: str


class WebhookChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changes to a webhook; ``None``: stays as it is."""

    url: str | None = None
    events: tuple[EventType, ...] | None = None
    project: str | None = None
    disabled: bool | None = None


def read_webhook(
    *,
    kind: str | None,
    url: str | None,
    events: Sequence[str] | None,
    project: str | None,
    options: ServiceOptions,
    violations: Sequence[Violation] = (),
) -> NewWebhook:
    """Read a new webhook.

    Args:
        kind: One of ``KINDS``; ``None``: ``webhook``.
        url: As typed; of e-mail an address, with or without ``mailto:``.
        events: Types; ``None`` or empty: the usual ones.
        project: Host; ``None`` or empty: any.
        violations: Found before; their fields are not looked at again.

    Raises:
        ValidationFailed: Fields cannot be used; all of them are named.
    """
    found = list(violations)
    kind_ = _read_kind(kind or "webhook", found)
    url_ = _read_url(kind_, url, options, found)
    events_ = _read_events(events, found) if events else EVENT_TYPES if kind_ == "webhook" else DEFAULT_EVENTS
    project_ = _read_project(project, found)
    if found:
        raise ValidationFailed(found)
    return NewWebhook(kind=kind_, url=url_, events=events_, project=project_)


def read_change(
    kind: Kind,
    *,
    url: str | None,
    events: Sequence[str] | None,
    project: str | None,
    disabled: int | None,
    options: ServiceOptions,
    violations: Sequence[Violation] = (),
) -> WebhookChange:
    """Read changes to a webhook of a kind; ``None``: stays as it is.

    Raises:
        ValidationFailed: Fields cannot be used; all of them are named.
    """
    found = list(violations)
    change = WebhookChange(
        url=None if url is None else _read_url(kind, url, options, found),
        events=_read_events(events, found) if events else None,
        project=None if project is None else _read_project(project, found),
        disabled=None if disabled is None else bool(disabled),
    )
    if found:
        raise ValidationFailed(found)
    return change


def _refuse(found: list[Violation], field: str, code: str, message: str, allowed: tuple[str, ...] = ()) -> None:
    if all(violation.field != field for violation in found):
        found.append(Violation(field=field, place="body", code=code, message=message, allowed=allowed))


def _read_kind(kind: str, found: list[Violation]) -> Kind:
    for known in KINDS:
        if known == kind:
            return known
    _refuse(found, "kind", "not_in", f"Must be one of {', '.join(KINDS)}.", KINDS)
    return "webhook"


def _read_url(kind: Kind, url: str | None, options: ServiceOptions, found: list[Violation]) -> str:
    if not url:
        _refuse(found, "url", "required", "Required.")
        return ""
    if kind == "email":
        return _read_recipient(url, options, found)
    try:
        target = parse_target_url(url).document_url
        check_allowed(target, options.analyze)
        if kind in RECEIVERS:
            RECEIVERS[kind].destination(target, "")
    except (InvalidURL, URLNotAllowed) as error:
        _refuse(found, "url", error.reason or error.code, error.message)
        return ""
    return target


def _read_recipient(url: str, options: ServiceOptions, found: list[Violation]) -> str:
    address = url.strip().removeprefix(MAILTO)
    if domain_of(address) is None:
        _refuse(found, "url", "not_an_address", "Must be an e-mail address like name@example.com.")
    elif options.mail is None:
        _refuse(
            found, "url", "mail_not_configured", "This installation sends no e-mail; its operator sets "
            "PAGEGRADE_SMTP_URL and PAGEGRADE_MAIL_DOMAINS."
        )  # fmt: skip
    elif not options.mail.allows(address):
        _refuse(
            found, "url", "recipient_not_allowed", "The operator allows no e-mail to this domain "
            "(PAGEGRADE_MAIL_DOMAINS)."
        )  # fmt: skip
    return MAILTO + address


def _read_events(events: Sequence[str], found: list[Violation]) -> tuple[EventType, ...]:
    unknown = [each for each in events if each not in EVENT_TYPES]
    if unknown:
        _refuse(found, "events", "not_in", f"Must be one or more of {', '.join(EVENT_TYPES)}.", EVENT_TYPES)
    return tuple(known for known in EVENT_TYPES if known in events)


def _read_project(project: str | None, found: list[Violation]) -> str:
    name = project_of(project) if project else ""
    if project and not name:
        _refuse(found, "project", "invalid", "Must be a host, like example.com.")
    return name


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


def list_webhooks(tx: Transaction, caller: Caller, part: ListPart) -> Listed[StoredWebhook]:
    """Some of the caller's webhooks, newest first."""
    account_id = caller.account.id
    read = partial(store.list_webhooks, tx, account_id)
    return read_part(read, lambda webhook: webhook.id, part, lambda: store.count_webhooks(tx, account_id))


def find_hearers(
    tx: Transaction, caller: Caller, types: frozenset[EventType], project: str, now_ms: int, *, monitor_id: int | None
) -> Hearers:
    """Return who gets events of one of these types about a project, and a monitor of the caller if there is one.

    Args:
        project: Empty for events that may be about any: only webhooks for every project get all of them.
    """
    found = store.list_webhooks(tx, caller.account.id, _ALL)
    wanting = [each for each in reversed(found) if each.disabled_at_ms is None and not types.isdisjoint(each.events)]
    silent = is_silent(tx, caller.account.id, monitor_id=monitor_id, project=project, at_ms=now_ms)
    return Hearers(
        kinds=tuple(
            each.kind
            for each in wanting
            if each.project in {"", project} and not (silent and each.kind in MESSAGE_KINDS)
        ),
        is_sure=bool(project) or not any(each.project for each in wanting),
        is_silent=silent,
    )


def list_with_deliveries(tx: Transaction, caller: Caller) -> tuple[tuple[StoredWebhook, StoredDelivery | None], ...]:
    """Return (webhook, its newest delivery) of all webhooks of the caller, the newest first."""
    found = store.list_webhooks(tx, caller.account.id, _ALL)
    return tuple(
        (webhook, next(iter(delivery_store.list_deliveries(tx, webhook.id, _NEWEST)), None)) for webhook in found
    )


def update_webhook(
    tx: Transaction,
    caller: Caller,
    webhook_id: int,
    change: WebhookChange,
    now_ms: int,
    *,
    changed_tag: Condition[StoredWebhook] = None,
) -> StoredWebhook:
    """Change a webhook of the caller; what waits for one that is enabled again is delivered.

    Raises:
        NotFound: There is no such webhook.
        PreconditionFailed: It has changed since the client read it.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    refuse_if_changed(webhook, changed_tag)
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
    tx: Transaction, caller: Caller, webhook_id: int, *, changed_tag: Condition[StoredWebhook] = None
) -> None:
    """Delete a webhook of the caller with the log of its deliveries.

    Raises:
        NotFound: There is no such webhook.
        PreconditionFailed: It has changed since the client read it.
    """
    refuse_if_changed(show_webhook(tx, caller, webhook_id), changed_tag)
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
    (delivery,) = delivery_store.list_deliveries(tx, webhook.id, _NEWEST)
    return delivery


def list_deliveries(tx: Transaction, caller: Caller, webhook_id: int, part: ListPart) -> Listed[StoredDelivery]:
    """Some of the deliveries to a webhook, newest first.

    Raises:
        NotFound: There is no such webhook.
    """
    webhook = show_webhook(tx, caller, webhook_id)
    read = partial(delivery_store.list_deliveries, tx, webhook.id)
    return read_part(read, lambda each: each.id, part, lambda: delivery_store.count_deliveries(tx, webhook.id))


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
    for each in store.list_webhooks(tx, found.account_id, _ALL):
        if receiver_of(each.kind, each.url) == receiver_of(found.kind, found.url):
            store.disable_webhook(tx, each.id, "unsubscribed", now_ms)


def shown_url(webhook: StoredWebhook) -> str:
    """The URL as it may be shown: that of a chat or push service is a secret, and only its origin is shown."""
    if webhook.kind in RECEIVERS:
        return f"{origin(webhook.url)}/…"
    return webhook.url


def _shown_secret(tx: Transaction, webhook: StoredWebhook) -> str | None:
    return secret_of(make_key(tx), webhook.secret_salt) if webhook.kind == "webhook" else None
