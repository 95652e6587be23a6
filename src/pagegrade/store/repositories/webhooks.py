"""Webhooks of accounts: create, show, list, change, delete."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, delete, func, insert, select, update

from pagegrade.model.webhooks import ROTATION_MS, DisabledReason, EventType, Kind, StoredWebhook
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.id_order import rows_beside
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import webhooks

SALT_BYTES: Final = 32


def add_webhook(
    tx: Transaction,
    account_id: int,
    *,
    kind: Kind,
    url: str,
    events: Sequence[EventType],
    project: str,
    now_ms: int,
) -> StoredWebhook:
    """Store a webhook; returned with its id."""
    new = {
        "account_id": account_id,
        "kind": kind,
        "url": url,
        "events": " ".join(events),
        "project": project,
        "secret_salt": secrets.token_bytes(SALT_BYTES),
        "created_at_ms": now_ms,
    }
    return webhook_of(tx.execute(insert(webhooks).values(new).returning(webhooks)).one())


def load_webhook(tx: Transaction, account_id: int, webhook_id: int) -> StoredWebhook | None:
    """A webhook of this account; ``None`` when there is none."""
    if not 0 < webhook_id <= GREATEST_ID:
        return None
    row = tx.execute(select(webhooks).where(webhooks.c.id == webhook_id, webhooks.c.account_id == account_id)).first()
    return None if row is None else webhook_of(row)


def find_webhook(tx: Transaction, webhook_id: int) -> StoredWebhook | None:
    """A webhook of any account, for a caller that has proven otherwise what it may do."""
    if not 0 < webhook_id <= GREATEST_ID:
        return None
    row = tx.execute(select(webhooks).where(webhooks.c.id == webhook_id)).first()
    return None if row is None else webhook_of(row)


def count_webhooks(tx: Transaction, account_id: int) -> int:
    """Number of webhooks of an account."""
    mine = webhooks.c.account_id == account_id
    return int(tx.execute(select(func.count()).select_from(webhooks).where(mine)).scalar_one())


def list_webhooks(tx: Transaction, account_id: int, page: int, per_page: int) -> tuple[tuple[StoredWebhook, ...], int]:
    """(the webhooks of a page, newest first; how many there are on all pages)."""
    total = count_webhooks(tx, account_id)
    skipped = (page - 1) * per_page
    if skipped >= total:
        return (), total
    mine = select(webhooks).where(webhooks.c.account_id == account_id)
    rows = tx.execute(mine.order_by(webhooks.c.id.desc()).limit(per_page).offset(skipped))
    return tuple(map(webhook_of, rows)), total


def list_accounts_wanting(tx: Transaction, type_: EventType) -> tuple[int, ...]:
    """Ids of the accounts that get events of a type, whatever site they are about."""
    wanted = (" " + webhooks.c.events + " ").contains(f" {type_} ", autoescape=True)
    which = (webhooks.c.disabled_at_ms.is_(None), webhooks.c.project == "", wanted)
    return tuple(tx.execute(select(webhooks.c.account_id).where(*which).distinct()).scalars())


def walk_webhooks(
    tx: Transaction, account_id: int, count: int, *, beside: int | None, backward: bool
) -> tuple[StoredWebhook, ...]:
    """The webhooks of an account after the id ``beside`` in the list, or before it; ``None``: from its beginning."""
    mine = select(webhooks).where(webhooks.c.account_id == account_id)
    return tuple(map(webhook_of, rows_beside(tx, mine, webhooks.c.id, count, beside=beside, backward=backward)))


def change_webhook(tx: Transaction, webhook_id: int, changes: Mapping[str, Any]) -> StoredWebhook:
    """Change columns of a webhook, which makes it another revision."""
    changed = update(webhooks).where(webhooks.c.id == webhook_id)
    values = {**changes, "revision": webhooks.c.revision + 1}
    return webhook_of(tx.execute(changed.values(values).returning(webhooks)).one())


def rotate_secret(tx: Transaction, webhook: StoredWebhook, now_ms: int) -> StoredWebhook:
    """Give a webhook a new secret; the previous one signs as well for ``ROTATION_MS``."""
    changes = {
        "secret_salt": secrets.token_bytes(SALT_BYTES),
        "previous_salt": webhook.secret_salt,
        "previous_until_ms": now_ms + ROTATION_MS,
    }
    return change_webhook(tx, webhook.id, changes)


def disable_webhook(tx: Transaction, webhook_id: int, reason: DisabledReason, now_ms: int) -> None:
    """Send nothing more to a webhook."""
    which = update(webhooks).where(webhooks.c.id == webhook_id, webhooks.c.disabled_at_ms.is_(None))
    values = {"disabled_at_ms": now_ms, "disabled_reason": reason, "due_at_ms": None}
    tx.execute(which.values(**values, revision=webhooks.c.revision + 1))


def delete_webhook(tx: Transaction, account_id: int, webhook_id: int) -> bool:
    """Delete a webhook of this account with the log of its deliveries; whether it was there."""
    if not 0 < webhook_id <= GREATEST_ID:
        return False
    which = (webhooks.c.id == webhook_id, webhooks.c.account_id == account_id)
    return tx.execute(delete(webhooks).where(*which)).rowcount == 1


def delete_of_project(tx: Transaction, account_id: int, project: str) -> None:
    """Delete the webhooks of this account that are limited to a project, with the log of their deliveries."""
    tx.execute(delete(webhooks).where(webhooks.c.account_id == account_id, webhooks.c.project == project))


def webhook_of(row: Row[Any]) -> StoredWebhook:
    """The webhook in a row of the table."""
    return StoredWebhook(
        id=row.id,
        account_id=row.account_id,
        kind=row.kind,
        url=row.url,
        events=tuple(row.events.split()),
        project=row.project,
        secret_salt=row.secret_salt,
        previous_salt=row.previous_salt,
        previous_until_ms=row.previous_until_ms,
        failures=row.failures,
        failing_since_ms=row.failing_since_ms,
        disabled_at_ms=row.disabled_at_ms,
        disabled_reason=row.disabled_reason,
        created_at_ms=row.created_at_ms,
        revision=row.revision,
    )
