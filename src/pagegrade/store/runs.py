"""The queue: runs from being asked for to being finished, whatever dies on the way.

The row of a run is the truth. Its attempt is the fence: what is written about a run names the attempt it was made in,
and changes nothing when the run has moved on, was given to somebody else, or is gone with its report.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from sqlalchemy import bindparam, insert, text

from pagegrade.model.stored import MAX_ATTEMPTS, UNFINISHED, ClaimedRun, PackedReport, StoredReport, StoredRun
from pagegrade.store import tables
from pagegrade.store.database import Transaction
from pagegrade.store.history import load_run, save_detail
from pagegrade.store.prepared import Prepared
from pagegrade.store.reports import mark_report
from pagegrade.store.visits import (
    MAX_DELAY_MS,
    drop_visits,
    end_visits,
    full_targets,
    start_visits,
)

MAX_LEASE_MS: Final = 2 * 3_600_000
"""No lease is longer; one that seems to be was taken by a clock that has been set back since."""
FEW: Final = 8
"""So many accounts in a row may have nothing to start before all of them are looked at together."""


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
)
_ADD: Final = Prepared(
    insert(tables.runs).values({name: bindparam(f"new_{name}") for name in _NEW}).returning(tables.runs.c.id)
)
_LAST_RUN: Final = Prepared(
    text("SELECT number, state, id FROM runs WHERE report_id = :report_id ORDER BY number DESC LIMIT 1")
)
# COALESCE, so that no planner takes the index of leaders: nearly every row has none.
_SAME: Final = Prepared(
    text(
        "SELECT id FROM runs WHERE account_id = :account_id AND url = :url AND state IN ('queued', 'running') "
        "AND COALESCE(leader_id, 0) = 0 ORDER BY id LIMIT 1"
    )
)
_HASTEN: Final = Prepared(
    text("UPDATE runs SET priority = :priority WHERE id = :id AND state = 'queued' AND priority > :priority")
)
# A loose scan: from one account to the next one in the index, however many runs each of them has.
_ACCOUNTS: Final = Prepared(
    text(
        "WITH RECURSIVE waiting (id) AS ("
        "SELECT MIN(account_id) FROM runs WHERE state = 'queued' UNION ALL "
        "SELECT (SELECT MIN(runs.account_id) FROM runs WHERE runs.state = 'queued' AND runs.account_id > waiting.id) "
        "FROM waiting WHERE waiting.id IS NOT NULL) "
        "SELECT accounts.id, accounts.served_at_ms FROM waiting JOIN accounts ON accounts.id = waiting.id "
        "ORDER BY accounts.served_at_ms, accounts.id"
    )
)
_DUE: Final = (
    "leader_id IS NULL AND attempt BETWEEN :least AND :most "
    "AND (available_at_ms <= :now_ms OR available_at_ms > :far_ms)"
)
_MAY_START: Final = f"{_DUE} AND target NOT IN :full"
_FIRST: Final = "SELECT id FROM runs WHERE state = 'queued' AND account_id = :account_id AND"
_NEXT_OF_ALL: Final = Prepared(text(f"{_FIRST} {_DUE} ORDER BY priority, id LIMIT 1"))
_NEXT: Final = text(f"{_FIRST} {_MAY_START} ORDER BY priority, id LIMIT 1").bindparams(
    bindparam("full", expanding=True)
)
_ABLE: Final = text(
    f"SELECT DISTINCT account_id FROM runs WHERE state = 'queued' AND {_MAY_START}"  # noqa: S608 - our own words
).bindparams(bindparam("full", expanding=True))
_SUSPECT: Final = Prepared(text("SELECT 1 FROM runs WHERE state = 'queued' AND attempt >= :least LIMIT 1"))
_CLAIM: Final = Prepared(
    text(
        "UPDATE runs SET state = 'running', attempt = attempt + 1, worker = :worker, lease_until_ms = :lease_until_ms, "
        "started_at_ms = :now_ms WHERE id = :id AND state = 'queued' "
        "RETURNING id, report_id, account_id, url, attempt, target"
    )
)
# Runs that were asked for while another was their leader, and lost it, find one again.
_FOLLOW: Final = Prepared(
    text(
        "UPDATE runs SET leader_id = :id WHERE account_id = :account_id AND url = :url AND state = 'queued' "
        "AND COALESCE(leader_id, 0) = 0"
    )
)
_SERVED: Final = Prepared(text("UPDATE accounts SET served_at_ms = :served_at_ms WHERE id = :account_id"))
_EXTEND: Final = text(
    "UPDATE runs SET lease_until_ms = :lease_until_ms WHERE id = :id AND attempt = :attempt AND state = 'running' "
    "AND worker = :worker"
)
_FINISHED: Final = Prepared(
    text("SELECT 1 FROM runs WHERE id = :id AND attempt = :attempt AND state IN ('completed', 'failed')")
)
_UNDER_WAY: Final = Prepared(text("SELECT 1 FROM runs WHERE id = :id AND attempt = :attempt AND state = 'running'"))
_FINISH: Final = Prepared(
    text(
        "UPDATE runs SET state = :state, rating = :rating, score = :score, engine = :engine, ruleset = :ruleset, "
        "summary = :summary, error = :error, started_at_ms = COALESCE(started_at_ms, :now_ms), "
        "finished_at_ms = :now_ms, lease_until_ms = NULL, worker = NULL "
        "WHERE id = :id AND attempt = :attempt AND state = :before RETURNING report_id, number, account_id"
    )
)
_FOLLOWERS: Final = Prepared(
    text("SELECT id, attempt FROM runs WHERE leader_id = :id AND state = 'queued' ORDER BY id")
)
_COUNT_ANALYSIS: Final = Prepared(
    text(
        "UPDATE accounts SET analyses_total = analyses_total + 1, stored_bytes = stored_bytes + :bytes "
        "WHERE id = :account_id"
    )
)
_RELEASE: Final = Prepared(
    text(
        "UPDATE runs SET state = 'queued', attempt = attempt - :uncounted, worker = NULL, lease_until_ms = NULL, "
        "available_at_ms = :available_at_ms WHERE id = :id AND attempt = :attempt AND state = 'running' "
        "RETURNING report_id"
    )
)


def enqueue_run(tx: Transaction, *, report: StoredReport, priority: int, target: str, now_ms: int) -> StoredRun:
    """Ask for an analysis of a report, in the transaction that makes or changes it.

    A report whose last run is not finished gets no second one. A run of the same account and address that is under
    way becomes the leader of the new one, which waits for its outcome instead of fetching the page again.

    Args:
        tx: Transaction.
        report: As it is stored.
        priority: One of ``Priority``; a run that is joined becomes as urgent as this.
        target: Registrable domain or address that politeness counts; empty where none applies.
        now_ms: The time.
    """
    last_number, last_state, last_id = _LAST_RUN.first(tx, {"report_id": report.id}) or (0, None, None)
    if last_state in UNFINISHED:
        _HASTEN.rows(tx, {"id": last_id, "priority": priority})
        joined = load_run(tx, report.id, last_number)
        if joined is not None:
            return joined
    (leader_id,) = _SAME.first(tx, {"account_id": report.account_id, "url": report.url}) or (None,)
    if leader_id is not None:
        _HASTEN.rows(tx, {"id": leader_id, "priority": priority})
    number = last_number + 1
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
        "new_available_at_ms": now_ms,
        "new_created_at_ms": now_ms,
    }
    ((run_id,),) = _ADD.rows(tx, values)
    if report.state != "queued":
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


def claim_runs(
    tx: Transaction,
    *,
    worker: str,
    count: int,
    now_ms: int,
    lease_ms: int,
    target_runs: int,
    target_runs_per_minute: int,
    suspects: bool = False,
) -> tuple[ClaimedRun, ...]:
    """Take up to ``count`` runs that may start now: one account after the other, the least recently served first.

    Within an account the more urgent goes first, then the older. A target where enough is going on is passed over,
    and whatever else waits goes ahead.

    Args:
        tx: Transaction.
        worker: Who takes them, named among all that ever ran.
        count: At most so many.
        now_ms: The time.
        lease_ms: Until when, from now, the runs are kept without another word; at most ``MAX_LEASE_MS``.
        target_runs: Runs that may be at one target at the same time.
        target_runs_per_minute: Runs that may start at one target in a minute.
        suspects: Take only runs that have one attempt left, instead of only others: every attempt so
            far ended with the death of a process, and perhaps they are to blame for it.
    """
    waiting = _ACCOUNTS.rows(tx, {})
    if not waiting or count < 1:
        return ()
    least, most = (MAX_ATTEMPTS - 1, MAX_ATTEMPTS) if suspects else (0, MAX_ATTEMPTS - 2)
    which = {"least": least, "most": most, "now_ms": now_ms, "far_ms": now_ms + MAX_DELAY_MS}
    limits = {"target_runs": target_runs, "per_minute": target_runs_per_minute}
    # Not simply the time: after the clock was set back, those served before would wait for it to catch up.
    served_at_ms = max(now_ms, max(served for _, served in waiting) + 1)
    accounts = deque(account_id for account_id, _ in waiting)
    claimed: list[ClaimedRun] = []
    full = sorted(full_targets(tx, now_ms, **limits))
    in_vain = 0
    while accounts and len(claimed) < count:
        account_id = accounts.popleft()
        run_id = _next_of(tx, {**which, "account_id": account_id}, full)
        if run_id is not None:
            claimed.append(_claim(tx, run_id, worker=worker, now_ms=now_ms, lease_ms=lease_ms))
            _SERVED.rows(tx, {"account_id": account_id, "served_at_ms": served_at_ms})
            served_at_ms += 1
            accounts.append(account_id)
            full = sorted(full_targets(tx, now_ms, **limits))
            continue
        in_vain += 1
        if in_vain % FEW == 0:
            # Asking one account after the other would take long where thousands have to wait.
            able = {row.account_id for row in tx.execute(_ABLE, {**which, "full": full})}
            accounts = deque(each for each in accounts if each in able)
    return tuple(claimed)


def has_suspects(tx: Transaction) -> bool:
    """Whether runs wait that have one attempt left."""
    return _SUSPECT.first(tx, {"least": MAX_ATTEMPTS - 1}) is not None


def _next_of(tx: Transaction, which: dict[str, int], full: list[str]) -> int | None:
    """The run of an account that may start first, at a target that is not full; ``None`` when there is none."""
    # Mostly no target is full, and a statement without a list can be prepared.
    row = tx.execute(_NEXT, {**which, "full": full}).first() if full else _NEXT_OF_ALL.first(tx, which)
    return None if row is None else int(row[0])


def _claim(tx: Transaction, run_id: int, *, worker: str, now_ms: int, lease_ms: int) -> ClaimedRun:
    lease_until_ms = now_ms + min(lease_ms, MAX_LEASE_MS)
    values = {"id": run_id, "worker": worker, "now_ms": now_ms, "lease_until_ms": lease_until_ms}
    ((_, report_id, account_id, url, attempt, target),) = _CLAIM.rows(tx, values)
    if target:
        start_visits(tx, run_id, (target,), now_ms)
    _FOLLOW.rows(tx, {"id": run_id, "account_id": account_id, "url": url})
    mark_report(tx, report_id, state="running", now_ms=now_ms)
    return ClaimedRun(
        id=run_id, report_id=report_id, account_id=account_id, url=url, attempt=attempt, lease_until_ms=lease_until_ms
    )


def extend_leases(
    tx: Transaction, worker: str, runs: Iterable[ClaimedRun], now_ms: int, lease_ms: int
) -> set[tuple[int, int]]:
    """Keep runs for longer.

    Returns:
        (id, attempt) of those that are no longer this worker's: given to another, or gone with their report. One that
        has just been finished is not lost.
    """
    lost = set()
    for run in runs:
        values = {"id": run.id, "attempt": run.attempt, "worker": worker}
        if tx.execute(_EXTEND, {**values, "lease_until_ms": now_ms + min(lease_ms, MAX_LEASE_MS)}).rowcount:
            continue
        if _FINISHED.first(tx, {"id": run.id, "attempt": run.attempt}) is None:
            lost.add((run.id, run.attempt))
    return lost


def is_under_way(tx: Transaction, run: ClaimedRun) -> bool:
    """Whether the run still is in the attempt in which it was claimed: not over, not given to another, not gone."""
    values = {"id": run.id, "attempt": run.attempt}
    return _UNDER_WAY.first(tx, values) is not None


def finish_run(tx: Transaction, run: ClaimedRun, packed: PackedReport, now_ms: int) -> tuple[int, ...]:
    """Store the outcome of a run, and of those that follow it, whole or not at all.

    Returns:
        Ids of the reports that changed; none when the run is no longer this worker's, and its outcome is dropped.
    """
    end_visits(tx, run.id, now_ms)
    return finish_attempt(tx, run.id, run.attempt, packed, now_ms, before="running")


def finish_attempt(
    tx: Transaction, run_id: int, attempt: int, packed: PackedReport, now_ms: int, *, before: str
) -> tuple[int, ...]:
    """Store the outcome of one attempt, if the run still is in it, and of all that wait for it.

    Args:
        tx: Transaction.
        run_id: The run.
        attempt: The attempt in which it must be.
        packed: The outcome.
        now_ms: The time.
        before: The state in which it must be.

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
        "now_ms": now_ms,
    }
    changed: list[int] = []
    waiting = [(run_id, attempt, before)]
    while waiting:
        one_id, one_attempt, one_before = waiting.pop()
        row = _FINISH.first(tx, {**values, "id": one_id, "attempt": one_attempt, "before": one_before})
        if row is None:
            continue
        report_id, number, account_id = row
        save_detail(tx, one_id, packed.detail)
        _COUNT_ANALYSIS.rows(tx, {"account_id": account_id, "bytes": len(packed.detail)})
        mark_report(tx, report_id, state=packed.state, now_ms=now_ms, packed=packed, run_number=number)
        changed.append(report_id)
        waiting += [(follower, its_attempt, "queued") for follower, its_attempt in _FOLLOWERS.rows(tx, {"id": one_id})]
    return tuple(changed)


def release_run(tx: Transaction, run: ClaimedRun, now_ms: int, delay_ms: int = 0, *, visited: bool = False) -> bool:
    """Give a run back, as if it had not been started.

    Args:
        tx: Transaction.
        run: As it was claimed.
        now_ms: The time.
        delay_ms: From now on it is not to be claimed for so long; at most ``MAX_DELAY_MS``.
        visited: Whether somebody was contacted already, which politeness has to remember.

    Returns:
        Whether it was still this worker's.
    """
    if visited:
        end_visits(tx, run.id, now_ms)
    else:
        drop_visits(tx, run.id)
    report_id = requeue_attempt(tx, run.id, run.attempt, now_ms + min(delay_ms, MAX_DELAY_MS), now_ms, uncounted=1)
    return report_id is not None


def requeue_attempt(
    tx: Transaction, run_id: int, attempt: int, available_at_ms: int, now_ms: int, *, uncounted: int
) -> int | None:
    """Put a run back into the queue, if it still is in this attempt.

    Args:
        tx: Transaction.
        run_id: The run.
        attempt: The attempt in which it must be.
        available_at_ms: From when on it may be claimed.
        now_ms: The time.
        uncounted: 1 when the attempt is not to count, else 0.

    Returns:
        Id of its report; ``None`` when the run has moved on.
    """
    values = {"id": run_id, "attempt": attempt, "uncounted": uncounted, "available_at_ms": available_at_ms}
    row = _RELEASE.first(tx, values)
    if row is None:
        return None
    mark_report(tx, row[0], state="queued", now_ms=now_ms)
    return int(row[0])
