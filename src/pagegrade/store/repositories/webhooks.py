"""Webhooks of accounts, and their deliveries: claim what is due, record how an attempt ended, list them, send again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import Row, and_, bindparam, delete, func, insert, or_, select, text, update

from pagegrade.model.stored import ListPart
from pagegrade.model.webhooks import (
    MESSAGE_KINDS,
    ROTATION_MS,
    ClaimedWebhook,
    DisabledReason,
    DueDelivery,
    EventType,
    Kind,
    StoredDelivery,
    StoredWebhook,
    receiver_of,
)
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.repositories.installation import AgeMs, age_ms
from pagegrade.store.repositories.outbox import DIGEST_MS
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import deliveries, events, webhooks

SALT_BYTES: Final = 32
MAX_PAUSE_MS: Final = 25 * 3_600_000
"""Nothing is put off for longer; a time farther ahead was written by a clock that was set back since."""
PER_ACCOUNT: Final = 2
"""Webhooks of one account that are sent to at the same time."""
MAX_DIGEST: Final = 1_000
"""Events of one message; more than happen to the pages of an account in one window."""
MAX_WAITING: Final = 10_000
"""Deliveries that may wait for one webhook that does not accept them."""
FAILING_MS: Final = 3 * 86_400_000
"""A webhook that has accepted nothing for so long is disabled."""
KEPT_MS: Final = 30 * 86_400_000
"""Events and the log of their deliveries are kept for so long."""
_CANDIDATES: Final = 200

_DUE: Final = Prepared(
    text(
        "SELECT 1 FROM webhooks WHERE due_at_ms <= :now_ms AND disabled_at_ms IS NULL "
        "AND (lease_until_ms IS NULL OR lease_until_ms <= :now_ms OR lease_until_ms > :far_ms) LIMIT 1"
    )
)
_FREE: Final = or_(
    webhooks.c.lease_until_ms.is_(None),
    webhooks.c.lease_until_ms <= bindparam("now_ms"),
    webhooks.c.lease_until_ms > bindparam("far_ms"),
)
_WAITING: Final = (
    select(func.count(), func.min(deliveries.c.created_at_ms))
    .select_from(webhooks)
    .join(deliveries, deliveries.c.webhook_id == webhooks.c.id)
    .where(webhooks.c.disabled_at_ms.is_(None), webhooks.c.due_at_ms.is_not(None), deliveries.c.state == "waiting")
)
_EVENT_COLUMNS: Final = (
    deliveries.c.id,
    deliveries.c.attempts,
    events.c.public_id,
    events.c.type,
    events.c.report_id,
    events.c.audit_id,
    events.c.run_number,
    events.c.data,
    events.c.created_at_ms,
)


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


def list_webhooks(tx: Transaction, account_id: int, part: ListPart) -> tuple[StoredWebhook, ...]:
    """Some of the webhooks of an account, newest first."""
    mine = select(webhooks).where(webhooks.c.account_id == account_id)
    return tuple(map(webhook_of, rows_of(tx, mine, webhooks.c.id, part)))


def list_accounts_wanting(tx: Transaction, type_: EventType) -> tuple[int, ...]:
    """Ids of the accounts that get events of a type, whatever site they are about."""
    wanted = (" " + webhooks.c.events + " ").contains(f" {type_} ", autoescape=True)
    which = (webhooks.c.disabled_at_ms.is_(None), webhooks.c.project == "", wanted)
    return tuple(tx.execute(select(webhooks.c.account_id).where(*which).distinct()).scalars())


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


class AttemptOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The end of one attempt."""

    state: Literal["delivered", "retry", "failed"]
    http_status: int | None = None
    error: str | None = None
    answer: bytes = b""
    duration_ms: int = 0
    retry_at_ms: int | None = None
    """Time of the next attempt; of ``retry`` only."""
    pause_until_ms: int | None = None
    """Nothing else is sent to the webhook before; ``None``: at once."""
    gone: bool = False
    """The receiver wants nothing more."""


def count_waiting(tx: Transaction) -> tuple[int, int | None]:
    """(deliveries of all accounts that wait for webhooks that are not disabled, when the oldest of them was stored)."""
    count, oldest_ms = tx.execute(_WAITING).one()
    return int(count), oldest_ms


def has_due(tx: Transaction, now_ms: int) -> bool:
    """Return whether a webhook can be claimed; cheap."""
    now_ms = moment(tx, now_ms)
    return _DUE.first(tx, {"now_ms": now_ms, "far_ms": now_ms + MAX_PAUSE_MS}) is not None


def claim_webhooks(
    tx: Transaction, *, worker: str, count: int, now_ms: int, lease_ms: int
) -> tuple[ClaimedWebhook, ...]:
    """Take up to ``count`` webhooks with what is to be sent to each; accounts take turns.

    The webhooks of an account with one receiver of messages are taken together, as one.

    Args:
        lease_ms: Time after which another process may take a webhook of which nothing was recorded.
    """
    now_ms = moment(tx, now_ms)
    times = {"now_ms": now_ms, "far_ms": now_ms + MAX_PAUSE_MS}
    due = (
        select(webhooks)
        .where(webhooks.c.due_at_ms <= now_ms, webhooks.c.disabled_at_ms.is_(None), _FREE)
        .order_by(webhooks.c.served_at_ms, webhooks.c.id)
        .limit(_CANDIDATES)
    )
    if is_shared(tx):
        due = due.with_for_update(skip_locked=True)
    candidates = {row.id: row for row in tx.execute(due, times)}
    busy = _count_busy(tx, {row.account_id for row in candidates.values()}, now_ms)
    claimed: list[ClaimedWebhook] = []
    # The first of each account before the second of any.
    for most in range(1, PER_ACCOUNT + 1):
        for row in tuple(candidates.values()):
            if len(claimed) >= count:
                return tuple(claimed)
            if row.id not in candidates or busy.get(row.account_id, 0) >= most:
                continue
            found = [(each, _due_of(tx, each, now_ms)) for each in _same_receiver(tx, row, candidates, times)]
            for each, due_now in found:
                del candidates[each.id]
                if not due_now:
                    _note_next(tx, each.id)
            taken = [each for each, due_now in found if due_now]
            if not taken:
                continue
            ids = tuple([each.id for each in taken])
            values = {"worker": worker, "lease_until_ms": now_ms + lease_ms, "served_at_ms": now_ms}
            tx.execute(update(webhooks).where(webhooks.c.id.in_(ids)).values(values))
            busy[row.account_id] = busy.get(row.account_id, 0) + len(ids)
            together = tuple(each for _, due_now in found for each in due_now)
            claimed.append(ClaimedWebhook(webhook=webhook_of(taken[0]), deliveries=together, others=ids[1:]))
    return tuple(claimed)


def record_attempt(
    tx: Transaction, claimed: ClaimedWebhook, outcomes: Sequence[AttemptOutcome], *, worker: str, now_ms: int
) -> bool:
    """Record how the attempts at the deliveries of a claim ended, and let go of the webhook.

    Returns:
        True if this disabled a webhook because it fails for too long.
    """
    now_ms = moment(tx, now_ms)
    which = select(webhooks).where(webhooks.c.id.in_(claimed.ids), webhooks.c.worker == worker).order_by(webhooks.c.id)
    rows = tx.execute(which.with_for_update() if is_shared(tx) else which).all()
    if not rows:
        # Deleted, or given to another process after the lease had ended: that one records its own attempt.
        return False
    for due, outcome in zip(claimed.deliveries, outcomes, strict=True):
        _record(tx, due, outcome, now_ms)
    disabled = [row.id for row in rows if _let_go(tx, row, outcomes[-1], now_ms)]
    return bool(disabled)


def _let_go(tx: Transaction, row: Row[Any], last: AttemptOutcome, now_ms: int) -> bool:
    """Let go of a webhook after an attempt; return true if this disabled it because it fails for too long."""
    pause_until_ms = None if last.pause_until_ms is None else min(last.pause_until_ms, now_ms + MAX_PAUSE_MS)
    succeeded = last.state == "delivered"
    failing_since_ms = None if succeeded else min(row.failing_since_ms or now_ms, now_ms)
    values: dict[str, Any] = {
        "worker": None,
        "lease_until_ms": pause_until_ms,
        "failures": 0 if succeeded else row.failures + 1,
        "failing_since_ms": failing_since_ms,
    }
    tx.execute(update(webhooks).where(webhooks.c.id == row.id).values(values))
    if last.gone:
        disable_webhook(tx, row.id, "gone", now_ms)
        return False
    fails_for_ms = 0 if failing_since_ms is None else age_ms(tx, now_ms) - failing_since_ms
    if not succeeded and (fails_for_ms >= FAILING_MS or _has_too_many(tx, row.id)):
        disable_webhook(tx, row.id, "failing", now_ms)
        return True
    _note_next(tx, row.id)
    return False


def release_webhook(tx: Transaction, claimed: ClaimedWebhook, *, worker: str, until_ms: int | None = None) -> None:
    """Let go of a webhook to which nothing was sent.

    Args:
        until_ms: Time until which nothing is sent to it; ``None``: it may be claimed at once.
    """
    mine = update(webhooks).where(webhooks.c.id.in_(claimed.ids), webhooks.c.worker == worker)
    tx.execute(mine.values(worker=None, lease_until_ms=until_ms))


def release_every_webhook(tx: Transaction) -> None:
    """Let go of all webhooks that a process before this one claimed, where there is one process at a time."""
    tx.execute(update(webhooks).where(webhooks.c.worker.is_not(None)).values(worker=None, lease_until_ms=None))


def enable_deliveries(tx: Transaction, webhook_id: int) -> None:
    """Go on with the deliveries that wait for a webhook, now."""
    enabled = update(webhooks).where(webhooks.c.id == webhook_id)
    tx.execute(enabled.values(failures=0, failing_since_ms=None, worker=None, lease_until_ms=None))
    _note_next(tx, webhook_id)


def list_deliveries(tx: Transaction, webhook_id: int, part: ListPart) -> tuple[StoredDelivery, ...]:
    """Some of the deliveries in the log of a webhook, newest first."""
    mine = _logged().where(deliveries.c.webhook_id == webhook_id)
    return tuple(map(_stored, rows_of(tx, mine, deliveries.c.id, part)))


def count_deliveries(tx: Transaction, webhook_id: int) -> int:
    """Number of deliveries in the log of a webhook."""
    mine = deliveries.c.webhook_id == webhook_id
    return int(tx.execute(select(func.count()).select_from(deliveries).where(mine)).scalar_one())


def load_delivery(tx: Transaction, webhook_id: int, delivery_id: int) -> StoredDelivery | None:
    """A delivery of this webhook; ``None`` when there is none."""
    if not 0 < delivery_id <= GREATEST_ID:
        return None
    row = tx.execute(_logged().where(deliveries.c.id == delivery_id, deliveries.c.webhook_id == webhook_id)).first()
    return None if row is None else _stored(row)


def send_again(tx: Transaction, webhook_id: int, delivery_id: int, now_ms: int) -> None:
    """Send a delivery again now, with the whole schedule of retries; its ``webhook-id`` stays."""
    again = update(deliveries).where(deliveries.c.id == delivery_id, deliveries.c.webhook_id == webhook_id)
    tx.execute(again.values(state="waiting", attempts=0, due_at_ms=now_ms))
    # A pause after failures ends, too; a process that is sending now goes on.
    idle = update(webhooks).where(webhooks.c.id == webhook_id, webhooks.c.worker.is_(None))
    tx.execute(idle.values(lease_until_ms=None))
    _note_next(tx, webhook_id)


def forget_events(tx: Transaction, age: AgeMs, *, limit: int) -> int:
    """Delete up to ``limit`` events that had their time with the log of their deliveries; the number of them."""
    is_old = events.c.created_at_ms < age - KEPT_MS
    old = select(events.c.id).where(is_old).order_by(events.c.created_at_ms).limit(limit)
    return tx.execute(delete(events).where(events.c.id.in_(old))).rowcount


def bound_due_times(tx: Transaction, now_ms: int) -> int:
    """Make deliveries due that wait for a time farther ahead than any pause is; the number of them.

    Such a time was written by a clock that is ahead, or was set back since. Before the first attempt a delivery waits
    for the end of its window at most.
    """
    now_ms = moment(tx, now_ms)
    is_far = or_(
        deliveries.c.due_at_ms > now_ms + MAX_PAUSE_MS,
        and_(deliveries.c.attempts == 0, deliveries.c.due_at_ms > now_ms + DIGEST_MS),
    )
    far = (deliveries.c.state == "waiting", is_far)
    count = tx.execute(update(deliveries).where(*far).values(due_at_ms=now_ms)).rowcount
    is_due = select(deliveries.c.id).where(
        deliveries.c.webhook_id == webhooks.c.id, deliveries.c.state == "waiting", deliveries.c.due_at_ms <= now_ms
    )
    late = (webhooks.c.due_at_ms > now_ms, is_due.exists())
    tx.execute(update(webhooks).where(*late).values(due_at_ms=now_ms))
    return count


def _count_busy(tx: Transaction, account_ids: set[int], now_ms: int) -> dict[int, int]:
    if not account_ids:
        return {}
    sending = (
        select(webhooks.c.account_id, func.count())
        .where(
            webhooks.c.account_id.in_(account_ids), webhooks.c.worker.is_not(None), webhooks.c.lease_until_ms > now_ms
        )
        .group_by(webhooks.c.account_id)
    )
    return {account_id: int(number) for account_id, number in tx.execute(sending)}


def _same_receiver(
    tx: Transaction, row: Row[Any], candidates: dict[int, Row[Any]], times: dict[str, int]
) -> list[Row[Any]]:
    """Return the candidates that are one message with ``row``, itself among them.

    None while one that is due is held by a transaction that adds to its window: they are claimed together afterwards.
    """
    if row.kind not in MESSAGE_KINDS:
        return [row]
    of_account = (webhooks.c.account_id == row.account_id, webhooks.c.kind == row.kind)
    due_now = (webhooks.c.due_at_ms <= times["now_ms"], webhooks.c.disabled_at_ms.is_(None), _FREE)
    receiver = receiver_of(row.kind, row.url)
    ids = {
        each.id
        for each in tx.execute(select(webhooks.c.id, webhooks.c.url).where(*of_account, *due_now), times)
        if receiver_of(row.kind, each.url) == receiver
    }
    found = [each for each in candidates.values() if each.id in ids]
    return found if len(found) == len(ids) else []


def _due_of(tx: Transaction, row: Any, now_ms: int) -> tuple[DueDelivery, ...]:
    found = tx.execute(
        select(*_EVENT_COLUMNS)
        .join(events, events.c.id == deliveries.c.event_id)
        .where(deliveries.c.webhook_id == row.id, deliveries.c.state == "waiting", deliveries.c.due_at_ms <= now_ms)
        .order_by(deliveries.c.due_at_ms, deliveries.c.id)
        .limit(MAX_DIGEST if row.kind in MESSAGE_KINDS else 1)
    )
    return tuple(
        DueDelivery(
            id=each.id,
            attempts=each.attempts,
            event_id=each.public_id,
            type=each.type,
            report_id=each.report_id,
            audit_id=each.audit_id,
            run_number=each.run_number,
            data=each.data,
            at_ms=each.created_at_ms,
        )
        for each in found
    )


def _record(tx: Transaction, due: DueDelivery, outcome: AttemptOutcome, now_ms: int) -> None:
    values = {
        "state": "waiting" if outcome.state == "retry" else outcome.state,
        "attempts": due.attempts + 1,
        "due_at_ms": outcome.retry_at_ms if outcome.state == "retry" else None,
        "attempted_at_ms": now_ms,
        "http_status": outcome.http_status,
        "error": outcome.error,
        "answer": outcome.answer or None,
        "duration_ms": outcome.duration_ms,
    }
    # Sent again by its owner meanwhile: then it stays due.
    same = (deliveries.c.id == due.id, deliveries.c.state == "waiting", deliveries.c.attempts == due.attempts)
    tx.execute(update(deliveries).where(*same).values(values))


def _note_next(tx: Transaction, webhook_id: int) -> None:
    """Write when the next delivery of a webhook is due."""
    waiting = (deliveries.c.webhook_id == webhook_id, deliveries.c.state == "waiting")
    next_ms = select(func.min(deliveries.c.due_at_ms)).where(*waiting).scalar_subquery()
    enabled = (webhooks.c.id == webhook_id, webhooks.c.disabled_at_ms.is_(None))
    tx.execute(update(webhooks).where(*enabled).values(due_at_ms=next_ms))


def _has_too_many(tx: Transaction, webhook_id: int) -> bool:
    waiting = select(deliveries.c.id).where(deliveries.c.webhook_id == webhook_id, deliveries.c.state == "waiting")
    counted = select(func.count()).select_from(waiting.limit(MAX_WAITING + 1).subquery())
    return int(tx.execute(counted).scalar_one()) > MAX_WAITING


def _logged() -> Any:
    about = (events.c.public_id, events.c.type, events.c.report_id, events.c.audit_id)
    return select(deliveries, *about).join(events, events.c.id == deliveries.c.event_id)


def _stored(row: Row[Any]) -> StoredDelivery:
    return StoredDelivery(
        id=row.id,
        event_id=row.public_id,
        type=row.type,
        report_id=row.report_id,
        audit_id=row.audit_id,
        state=row.state,
        attempts=row.attempts,
        due_at_ms=row.due_at_ms,
        attempted_at_ms=row.attempted_at_ms,
        http_status=row.http_status,
        error=row.error,
        answer=row.answer,
        duration_ms=row.duration_ms,
        created_at_ms=row.created_at_ms,
    )
