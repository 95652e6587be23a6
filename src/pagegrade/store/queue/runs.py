"""The queue: runs from their creation to their end, with recovery from crashes.

The row of a run is authoritative. Its attempt is the fencing token: every write to a run names its attempt, and has no
effect if the run has moved on, was assigned to another worker, or was deleted with its report.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, Literal

from sqlalchemy import bindparam, insert, text

from pagegrade.model.rendering import Device
from pagegrade.model.stored import UNFINISHED, ClaimedRun, PackedReport, Priority, Step, StoredReport, StoredRun
from pagegrade.model.webhooks import Event, EventType
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.admission import (
    AT_ACCOUNT,
    FURTHER,
    PATIENT,
    SUSPECT,
    admit_first,
    admit_run,
    next_turn,
    wait_in_line,
)
from pagegrade.store.queue.lease import MAX_LEASE_MS
from pagegrade.store.queue.procrastinate_queue import hasten_job
from pagegrade.store.repositories.accounts import count_analysis, count_browser
from pagegrade.store.repositories.host_slots import MAX_DELAY_MS, drop_visits, end_visits, hasten_lines
from pagegrade.store.repositories.monitor_outcomes import record_outcome
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.reports import await_pending, load_report, mark_report
from pagegrade.store.repositories.run_history import (
    NO_DEVICE,
    device_of,
    drop_pictures,
    load_run,
    save_detail,
    save_pictures,
)
from pagegrade.store.schema import tables

_NEW: Final = (
    "report_id",
    "account_id",
    "number",
    "url",
    "target",
    "priority",
    "state",
    "attempt",
    "leader_id",
    "available_at_ms",
    "created_at_ms",
    "traceparent",
    "turn",
    "offered",
    "share",
    "device",
    "follow_device",
)
_ADD: Final = Prepared(
    insert(tables.runs).values({name: bindparam(f"new_{name}") for name in _NEW}).returning(tables.runs.c.id)
)
_LAST_RUN: Final = Prepared(
    text("SELECT number, state, id FROM runs WHERE report_id = :report_id ORDER BY number DESC LIMIT 1")
)
# COALESCE prevents the planner from using the index of leaders: nearly every row has none.
_SAME: Final = Prepared(
    text(
        "SELECT id FROM runs WHERE account_id = :account_id AND url = :url AND state IN ('queued', 'running') "
        "AND COALESCE(leader_id, 0) = 0 AND device = :device "
        # Reports of one URL may be for those who are let in, or for everybody.
        "AND (SELECT COALESCE(access, -1) FROM reports WHERE reports.id = runs.report_id) "
        "= (SELECT COALESCE(access, -1) FROM reports WHERE reports.id = :report_id) "
        # Ignore rules of a report make its outcome differ from those of other reports.
        "AND NOT EXISTS (SELECT 1 FROM ignores WHERE ignores.report_id = runs.report_id) "
        "AND NOT EXISTS (SELECT 1 FROM ignores WHERE ignores.report_id = :report_id) ORDER BY id LIMIT 1"
    )
)
_HASTEN: Final = Prepared(
    text(
        "UPDATE runs SET priority = :priority WHERE id = :id AND state = 'queued' AND priority > :priority RETURNING id"
    )
)
_STEP: Final = text("UPDATE runs SET step = :step WHERE id = :id AND attempt = :attempt AND state = 'running'")
_EXTEND: Final = text(
    "UPDATE runs SET lease_until_ms = :lease_until_ms WHERE id = :id AND attempt = :attempt AND state = 'running' "
    "AND worker = :worker"
)
_SHARE: Final = Prepared(
    text("UPDATE runs SET share = :share WHERE id = :id AND attempt = :attempt AND state = 'running'")
)
_FINISHED: Final = Prepared(
    text("SELECT 1 FROM runs WHERE id = :id AND attempt = :attempt AND state IN ('completed', 'failed')")
)
_UNDER_WAY: Final = Prepared(text("SELECT 1 FROM runs WHERE id = :id AND attempt = :attempt AND state = 'running'"))
_ASKED: Final = Prepared(text("SELECT device, follow_device, target, priority, traceparent FROM runs WHERE id = :id"))
_FINISH: Final = Prepared(
    text(
        "UPDATE runs SET state = :state, rating = :rating, score = :score, engine = :engine, ruleset = :ruleset, "
        # Finished: the device that was used, not the one that was asked for. A failed run has none to speak of.
        "summary = :summary, error = :error, device = COALESCE(:device, device), "
        "started_at_ms = COALESCE(started_at_ms, :now_ms), finished_at_ms = :now_ms, lease_until_ms = NULL, "
        "worker = NULL "
        "WHERE id = :id AND attempt = :attempt AND state = :before "
        "RETURNING report_id, number, account_id, started_at_ms"
    )
)
_FOLLOWERS: Final = Prepared(
    text("SELECT id, attempt FROM runs WHERE leader_id = :id AND state = 'queued' ORDER BY id")
)
_COUNT_ANALYSIS: Final = Prepared(
    text(
        "UPDATE accounts SET analyses_total = analyses_total + 1, stored_bytes = stored_bytes + :bytes "
        # In the same statement, so that an account without webhooks needs no further one.
        "WHERE id = :account_id "
        "RETURNING (SELECT COUNT(*) FROM webhooks WHERE webhooks.account_id = accounts.id)"
    )
)
_PROJECT: Final = Prepared(text("SELECT project FROM reports WHERE id = :id"))
_RELEASE: Final = Prepared(
    text(
        "UPDATE runs SET state = 'queued', attempt = attempt - :uncounted, worker = NULL, lease_until_ms = NULL, "
        "available_at_ms = :available_at_ms, offered = :offered, share = :share "
        "WHERE id = :id AND attempt = :attempt AND state = 'running' "
        "RETURNING report_id, account_id, priority, turn, attempt, device"
    )
)


def enqueue_run(
    tx: Transaction,
    *,
    report: StoredReport,
    priority: int,
    target: str,
    now_ms: int,
    traceparent: str | None = None,
    device: Device | None = None,
    follow_device: Device | None = None,
    is_follow_up: bool = False,
) -> StoredRun:
    """Queue an analysis of a report, in the transaction that creates or changes it.

    A report with an unfinished run gets no second one; if that follows a static run by itself and a browser is asked
    for, it becomes the run that was asked for. A run under way of the same account, URL and device becomes the
    leader of the new one, which takes over its outcome instead of fetching the page again.

    Args:
        tx: Transaction.
        report: The stored report.
        priority: One of ``Priority``; also raises the priority of a run that is joined.
        target: Registrable domain or address for the limits per host; empty if none apply.
        now_ms: The time.
        traceparent: W3C Trace Context of the request; ``None`` without tracing.
        device: Device that the browser emulates; ``None`` for static analysis.
        follow_device: Device of the run in a browser that follows this one when it has succeeded; ``None``: none does.
        is_follow_up: The run follows another by itself, and the report stays as it is until it has ended.
    """
    hold_account(tx, report.account_id)
    last_number, last_state, last_id = _LAST_RUN.first(tx, {"report_id": report.id}) or (0, None, None)
    if last_state in UNFINISHED:
        _hasten(tx, last_id, report.account_id, priority)
        joined = load_run(tx, report.id, last_number)
        if joined is not None:
            if report.pending_run is not None and device is not None:
                await_pending(tx, report.id, state=joined.state, now_ms=now_ms)
            return joined
    same = {
        "account_id": report.account_id,
        "url": report.url,
        "report_id": report.id,
        "device": device or NO_DEVICE,
    }
    (leader_id,) = _SAME.first(tx, same) or (None,)
    if leader_id is not None:
        _hasten(tx, leader_id, report.account_id, priority)
    number = last_number + 1
    turn, in_line_ms = 0, None
    is_delivered = is_shared(tx) and leader_id is None
    if is_delivered:
        turn = next_turn(tx, report.account_id, priority)
        in_line_ms = wait_in_line(tx, now_ms, target=target, device=device or NO_DEVICE, priority=priority, turn=turn)
    is_admitted = is_delivered and in_line_ms is None
    values = {
        "new_report_id": report.id,
        "new_account_id": report.account_id,
        "new_number": number,
        "new_url": report.url,
        "new_target": target,
        "new_priority": priority,
        "new_state": "queued",
        "new_attempt": 0,
        "new_leader_id": leader_id,
        "new_available_at_ms": now_ms if in_line_ms is None else in_line_ms,
        "new_created_at_ms": now_ms,
        "new_traceparent": traceparent,
        "new_turn": turn,
        "new_offered": int(is_admitted),
        "new_share": AT_ACCOUNT if is_admitted else 0,
        "new_device": device or NO_DEVICE,
        "new_follow_device": follow_device,
    }
    ((run_id,),) = _ADD.rows(tx, values)
    if not is_follow_up:
        count_analysis(tx, report.account_id, now_ms)
    if is_admitted:
        admit_run(
            tx,
            run_id,
            account_id=report.account_id,
            priority=priority,
            turn=turn,
            attempt=0,
            device=values["new_device"],
        )
    if report.state != "queued" and not is_follow_up:
        mark_report(tx, report.id, state="queued", now_ms=now_ms)
    return StoredRun(
        id=run_id,
        report_id=report.id,
        number=number,
        state="queued",
        attempt=0,
        rating=None,
        score=None,
        engine=None,
        ruleset=None,
        summary=None,
        error=None,
        created_at_ms=now_ms,
        started_at_ms=None,
        finished_at_ms=None,
    )


def _hasten(tx: Transaction, run_id: int, account_id: int, priority: int) -> None:
    """Raise the priority of a run that is joined."""
    if _HASTEN.rows(tx, {"id": run_id, "priority": priority}) and is_shared(tx):
        hasten_job(tx, run_id, account_id=account_id, priority=priority)


def extend_leases(
    tx: Transaction, worker: str, runs: Iterable[ClaimedRun], now_ms: int, lease_ms: int
) -> set[tuple[int, int]]:
    """Extend the leases of runs.

    Returns:
        (id, attempt) of runs that were assigned to another worker or deleted with their report. Finished runs are not
        included.
    """
    lost = set()
    now_ms = moment(tx, now_ms)
    # In the same order everywhere, to prevent deadlocks between writers of the same rows.
    for run in sorted(runs, key=lambda each: each.id):
        values = {"id": run.id, "attempt": run.attempt, "worker": worker}
        if tx.execute(_EXTEND, {**values, "lease_until_ms": now_ms + min(lease_ms, MAX_LEASE_MS)}).rowcount:
            continue
        if _FINISHED.first(tx, {"id": run.id, "attempt": run.attempt}) is None:
            lost.add((run.id, run.attempt))
    return lost


def set_step(tx: Transaction, run: ClaimedRun, step: Step) -> None:
    """Store what part of its analysis a run has come to, unless the attempt is over."""
    tx.execute(_STEP, {"id": run.id, "attempt": run.attempt, "step": step})


def set_patient(tx: Transaction, patient: Collection[ClaimedRun], others: Collection[ClaimedRun]) -> None:
    """Store which runs have given up their slots, and which have them again, unless the attempt is over.

    On a shared database their accounts get first jobs at the next look at the lines.
    """
    # In the order of ``extend_leases``.
    for run in sorted((*patient, *others), key=lambda each: each.id):
        share = PATIENT if run in patient else 0
        _SHARE.rows(tx, {"id": run.id, "attempt": run.attempt, "share": share})


def is_under_way(tx: Transaction, run: ClaimedRun) -> bool:
    """Return whether the run still is in the claimed attempt: not finished, reassigned or deleted."""
    values = {"id": run.id, "attempt": run.attempt}
    return _UNDER_WAY.first(tx, values) is not None


def finish_run(tx: Transaction, run: ClaimedRun, packed: PackedReport, now_ms: int) -> tuple[int, ...]:
    """Store the outcome of a run, and of those that follow it, atomically.

    Returns:
        Ids of the reports that changed; empty if the run was reassigned, and the outcome is dropped.
    """
    hold_account(tx, run.account_id)
    now_ms = moment(tx, now_ms)
    end_visits(tx, run.id, now_ms)
    return finish_attempt(tx, run.id, run.attempt, packed, now_ms, before="running")


def finish_attempt(
    tx: Transaction, run_id: int, attempt: int, packed: PackedReport, now_ms: int, *, before: str
) -> tuple[int, ...]:
    """Store the outcome of one attempt, if the run still is in it, and of all runs that follow it.

    The monitors of the reports are evaluated in the same transaction.

    Args:
        tx: Transaction.
        run_id: The run.
        attempt: Required attempt of the run.
        packed: The outcome.
        now_ms: The time.
        before: Required state of the run.

    Returns:
        Ids of the reports that changed.
    """
    values = {
        "id": run_id,
        "attempt": attempt,
        "before": before,
        "state": packed.state,
        "rating": packed.rating,
        "score": packed.score,
        "engine": packed.engine,
        "ruleset": packed.ruleset,
        "summary": packed.summary,
        "error": packed.error,
        "device": (packed.device or NO_DEVICE) if packed.state == "completed" else None,
        "now_ms": now_ms,
    }
    changed: list[int] = []
    # Of all: runs follow those of their own account only.
    owner_id: int | None = None
    waiting = [(run_id, attempt, before)]
    while waiting:
        one_id, one_attempt, one_before = waiting.pop()
        asked = _ASKED.first(tx, {"id": one_id})
        row = _FINISH.first(tx, {**values, "id": one_id, "attempt": one_attempt, "before": one_before})
        if row is None or asked is None:
            continue
        report_id, number, account_id, started_at_ms = row
        owner_id = account_id
        if asked[0] != NO_DEVICE and started_at_ms < now_ms:
            count_browser(tx, account_id, now_ms - started_at_ms, now_ms)
        pending = _follow(tx, report_id, account_id, asked, now_ms) if packed.state == "completed" else None
        save_detail(tx, one_id, packed.detail)
        freed = drop_pictures(tx, report_id) if packed.state == "completed" and number > 1 else 0
        save_pictures(tx, one_id, packed.pictures)
        stored_bytes = len(packed.detail) + sum(len(picture.body) for picture in packed.pictures) - freed
        ((webhooks,),) = _COUNT_ANALYSIS.rows(tx, {"account_id": account_id, "bytes": stored_bytes})
        mark_report(
            tx, report_id, state=packed.state, now_ms=now_ms, packed=packed, run_number=number, pending_run=pending
        )
        if webhooks:
            _report_end(tx, account_id, report_id, packed.state, now_ms)
        if pending is None:
            # Budgets are for the run that follows.
            record_outcome(
                tx,
                account_id=account_id,
                report_id=report_id,
                number=number,
                asked=device_of(asked[0]),
                packed=packed,
                now_ms=now_ms,
            )
        changed.append(report_id)
        waiting += [(follower, its_attempt, "queued") for follower, its_attempt in _FOLLOWERS.rows(tx, {"id": one_id})]
    if owner_id is not None and is_shared(tx):
        admit_first(tx, owner_id)
    return tuple(changed)


def _follow(tx: Transaction, report_id: int, account_id: int, asked: tuple[Any, ...], now_ms: int) -> int | None:
    """Queue the run in a browser that is to follow a static run; its number, or ``None`` where none is to."""
    _, follow_device, target, priority, traceparent = asked
    report = None if follow_device is None else load_report(tx, account_id, report_id)
    if report is None:
        return None
    follow_up = enqueue_run(
        tx,
        report=report,
        priority=max(priority, Priority.RERUN),
        target=target,
        now_ms=now_ms,
        traceparent=traceparent,
        device=follow_device,
        is_follow_up=True,
    )
    return follow_up.number


def _report_end(
    tx: Transaction, account_id: int, report_id: int, state: Literal["completed", "failed"], now_ms: int
) -> None:
    """Add the end of a run to the outbox."""
    ((project,),) = _PROJECT.rows(tx, {"id": report_id})
    type_: EventType = "report.completed" if state == "completed" else "report.failed"
    add_event(tx, Event(type_, account_id, project, None, report_id, now_ms))


def release_run(tx: Transaction, run: ClaimedRun, now_ms: int, delay_ms: int = 0, *, visited: bool = False) -> bool:
    """Return a run to the queue as if it had not been started.

    Args:
        tx: Transaction.
        run: The claimed run.
        now_ms: The time.
        delay_ms: Time before it can be claimed again; at most ``MAX_DELAY_MS``.
        visited: Whether the site was already contacted, which counts for the limits per host.

    Returns:
        True if the run was still assigned to this worker.
    """
    hold_account(tx, run.account_id)
    now_ms = moment(tx, now_ms)
    hasten_lines(tx, end_visits(tx, run.id, now_ms) if visited else drop_visits(tx, run.id))
    report_id = requeue_attempt(tx, run.id, run.attempt, now_ms + min(delay_ms, MAX_DELAY_MS), now_ms, uncounted=1)
    return report_id is not None


def requeue_attempt(
    tx: Transaction, run_id: int, attempt: int, available_at_ms: int, now_ms: int, *, uncounted: int
) -> int | None:
    """Put a run back into the queue, if it still is in this attempt; the lock of its account must be held.

    Args:
        tx: Transaction.
        run_id: The run.
        attempt: Required attempt of the run.
        available_at_ms: Time from which it may be claimed.
        now_ms: The time.
        uncounted: 1 to not count the attempt, else 0.

    Returns:
        Id of its report; ``None`` if the run has moved on.
    """
    is_admitted = is_shared(tx) and available_at_ms <= now_ms
    values = {
        "id": run_id,
        "attempt": attempt,
        "uncounted": uncounted,
        "available_at_ms": available_at_ms,
        "offered": int(is_admitted),
        "share": FURTHER if attempt - uncounted >= SUSPECT else AT_ACCOUNT,
    }
    row = _RELEASE.first(tx, values)
    if row is None:
        return None
    report_id, account_id, priority, turn, attempts, device = row
    if is_admitted:
        admit_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempts, device=device)
    if is_shared(tx):
        admit_first(tx, account_id)
    mark_report(tx, report_id, state="queued", now_ms=now_ms)
    return int(report_id)
