"""Outbox: events are written with the change that they report, and delivered after the commit.

A row of ``events`` is made only where a webhook of the account wants it, together with one row of ``deliveries`` for
each of those webhooks. A webhook is the unit that a process claims: it is sent to by one process at a time, and a
webhook that answers slowly delays only itself.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, insert, select, text

from pagegrade.model.stored import GRADES, StoredRun
from pagegrade.model.webhooks import MAX_PAYLOAD_BYTES, MESSAGE_KINDS, Event, receiver_of
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.monitors import is_silent
from pagegrade.store.repositories.run_history import latest_comparable, latest_completed, latest_finished
from pagegrade.store.schema.tables import deliveries, events, webhooks

DIGEST_MS: Final = 30_000
"""Length of a window: its first event opens it, and all events until its end are one message."""
RESERVED_BYTES: Final = 4_000
"""Of ``MAX_PAYLOAD_BYTES``: for what is added to an event when it is delivered."""

_WANTING: Final = Prepared(
    text(
        "SELECT id, kind, events FROM webhooks WHERE account_id = :account_id AND disabled_at_ms IS NULL "
        "AND (project = '' OR project = :project) ORDER BY id"
    )
)
_HASTEN: Final = text(
    "UPDATE webhooks SET due_at_ms = :due_at_ms WHERE id = :id AND (due_at_ms IS NULL OR due_at_ms > :due_at_ms)"
)
_RECEIVERS: Final = (
    select(webhooks.c.id, webhooks.c.kind, webhooks.c.url, webhooks.c.served_at_ms)
    .where(
        webhooks.c.account_id == bindparam("account_id"),
        webhooks.c.kind.in_(sorted(MESSAGE_KINDS)),
        webhooks.c.disabled_at_ms.is_(None),
    )
    .order_by(webhooks.c.id)
)
# Windows end after the last claim, which took everything that was due; a delivery that failed has no window any more.
_WINDOW: Final = text(
    "SELECT MIN(due_at_ms) FROM deliveries WHERE webhook_id IN :ids AND state = 'waiting' AND attempts = 0 "
    "AND due_at_ms > :after_ms AND due_at_ms <= :longest_ms"
).bindparams(bindparam("ids", expanding=True))
_REPORT: Final = text("SELECT url, project, score, rating, pending_run FROM reports WHERE id = :id")


def add_event(tx: Transaction, event: Event) -> bool:
    """Write an event to the outbox, in the transaction of the change that it reports; at the end of that change.

    People get none of a monitor or a site that is silent; programs get all.

    Returns:
        False where no webhook of the account wants it; then nothing was written.
    """
    which = {"account_id": event.account_id, "project": event.project}
    rows = _WANTING.rows(tx, which)
    wanting = [(number, kind) for number, kind, types in rows if event.type in types.split()]
    if any(kind in MESSAGE_KINDS for _, kind in wanting) and is_silent(
        tx, event.account_id, monitor_id=event.monitor_id, project=event.project, at_ms=event.at_ms
    ):
        wanting = [(number, kind) for number, kind in wanting if kind not in MESSAGE_KINDS]
    return bool(wanting) and _write(tx, event, wanting)


def add_test_event(tx: Transaction, event: Event, webhook_id: int, kind: str) -> None:
    """Write an event for one webhook, whatever it subscribes to."""
    _write(tx, event, [(webhook_id, kind)])


def add_notice(tx: Transaction, event: Event) -> None:
    """Write an event for all message targets of an account, whatever they subscribe to."""
    which = {"account_id": event.account_id, "project": event.project}
    wanting = [(number, kind) for number, kind, _ in _WANTING.rows(tx, which) if kind in MESSAGE_KINDS]
    if wanting:
        _write(tx, event, wanting)


def _write(tx: Transaction, event: Event, wanting: list[tuple[int, str]]) -> bool:
    data, run_number = _payload_of(tx, event)
    new = insert(events).values(
        public_id=f"msg_{secrets.token_hex(16)}",
        account_id=event.account_id,
        report_id=event.report_id,
        audit_id=event.audit_id,
        monitor_id=event.monitor_id,
        type=event.type,
        run_number=run_number,
        data=encode_data(data),
        created_at_ms=event.at_ms,
    )
    event_id = tx.execute(new.returning(events.c.id)).scalar_one()
    gathered = event.type != "webhook.test" and any(kind in MESSAGE_KINDS for _, kind in wanting)
    windows = _window_ends(tx, event) if gathered else {}
    for webhook_id, _ in wanting:
        due_at_ms = windows.get(webhook_id, event.at_ms)
        if webhook_id in windows and event.told_at_ms is not None:
            due_at_ms = event.told_at_ms
        row = {"event_id": event_id, "webhook_id": webhook_id, "state": "waiting"}
        tx.execute(insert(deliveries).values(**row, due_at_ms=due_at_ms, created_at_ms=event.at_ms))
        tx.execute(_HASTEN, {"id": webhook_id, "due_at_ms": due_at_ms})
    return True


def _window_ends(tx: Transaction, event: Event) -> dict[int, int]:
    """Return when the message of an event is due, by webhook: at the end of the open window of its receiver.

    One that is not open opens with the event. The rows are locked, so that no process claims a webhook between looking
    for its window and adding to it; all of the account, in the same order as everywhere.
    """
    rows = tx.execute(_RECEIVERS.with_for_update() if is_shared(tx) else _RECEIVERS, {"account_id": event.account_id})
    receivers: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        receivers.setdefault(receiver_of(row.kind, row.url), []).append(row)
    longest_ms = event.at_ms + DIGEST_MS
    ends: dict[int, int] = {}
    for held in receivers.values():
        after_ms = max(event.at_ms, *(row.served_at_ms for row in held))
        window = {"ids": [row.id for row in held], "after_ms": after_ms, "longest_ms": longest_ms}
        found: int | None = tx.execute(_WINDOW, window).scalar_one()
        ends |= dict.fromkeys(window["ids"], longest_ms if found is None else found)
    return ends


def encode_data(data: dict[str, Any]) -> bytes:
    """Return the JSON of an event's data, small enough to be delivered: long lists are cut, other members left out."""
    packed = msgspec.json.encode(data)
    while len(packed) > MAX_PAYLOAD_BYTES - RESERVED_BYTES:
        sizes = {name: len(msgspec.json.encode(value)) for name, value in data.items() if name != "truncated"}
        largest = max(sizes, key=sizes.__getitem__)
        value = data[largest]
        shorter = {largest: value[: len(value) // 2]} if isinstance(value, list) and len(value) > 1 else {}
        data = {**{name: kept for name, kept in data.items() if name != largest}, **shorter, "truncated": True}
        packed = msgspec.json.encode(data)
    return packed


def _payload_of(tx: Transaction, event: Event) -> tuple[dict[str, Any], int | None]:
    """(members of the payload; number of the run that they are about)."""
    data: dict[str, Any] = {}
    number = None
    report = None if event.report_id is None else tx.execute(_REPORT, {"id": event.report_id}).first()
    if report is not None:
        run = latest_finished(tx, event.report_id or 0)
        shown = report if run is None else run
        result = GRADES.get(shown.rating or 0)
        data["report"] = {
            "id": event.report_id,
            "url": report.url,
            "project": report.project,
            "score": shown.score,
            "result": result,
        }
        if run is not None:
            number = run.number
            data["run"] = {"number": number, "engine": run.engine, "ruleset": run.ruleset}
            if run.basis is not None:
                data["analysis"] = {"engine": run.basis.engine, "device": run.basis.device}
            if report.pending_run is not None:
                data["rendered"] = {"state": "pending", "run": report.pending_run}
            data["change"] = _change_of(tx, run)
            if run.error is not None:
                error = msgspec.json.decode(run.error)
                data["error"] = {name: error.get(name) for name in ("code", "reason", "message")}
    return {**data, **event.data}, number


def _change_of(tx: Transaction, run: StoredRun) -> dict[str, Any]:
    """The change of the score since the last run that compares, or what keeps the last one from being compared."""
    if run.basis is None:
        return {"score": None}
    before = latest_comparable(tx, run)
    if before is not None:
        both = before.score is not None and run.score is not None
        return {"score": (run.score or 0) - (before.score or 0) if both else None, "since": before.number}
    other = latest_completed(tx, run.report_id, before=run.number)
    differs_in = () if other is None or other.basis is None else other.basis.differences(run.basis)
    return {"score": None, **({"differs_in": differs_in} if differs_in else {})}
