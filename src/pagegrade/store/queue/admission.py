"""Admit runs where several processes share a database: a run waits in its row, and gets a job when it may start.

*Politeness*: of the runs for one target, a registrable domain or an address, only as many have jobs as the target has
free places (``host_slots``: runs at a time, and starts in a minute). The others stand in line, which jobs for later or
behind a lock could not: every fetch would read them (docs/decisions/0056-lines-at-targets.md). There is a line for each
device, because runs for a browser may wait for one. A line moves at three moments: a run is created, another run of the
target starts or ends, or it is time to look again: at once if a run that stood before others is deleted or put back
(``host_slots.hasten_lines``). Admission is no promise: the worker that starts a run counts again, while the target is
held.

*Order*, in a line as among jobs: interactive runs before re-runs before bulk, and among equally urgent ones by *turn*.
The turn of a new run comes after the last one of its account and not before the one being served now (start-time fair
queueing, https://doi.org/10.1145/248157.248171), so an account with thousands of runs alternates with all others.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from sqlalchemy import text

from pagegrade.model.rendering import Device
from pagegrade.model.stored import MAX_ATTEMPTS, Priority
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_targets, try_place, try_target
from pagegrade.store.repositories.host_slots import WINDOW_MS, wait_for_targets
from pagegrade.store.repositories.run_history import NO_DEVICE

RUN_TASK: Final = "run"
RUN_QUEUE: Final = "runs"
LAST_ATTEMPT_QUEUE: Final = "suspects"
"""Queue of the runs that have one attempt left, which run alone."""
FOR_BROWSERS: Final = "-rendered"
"""Suffix of the queues, one for each of those two, whose runs go to workers with a browser."""
SUSPECT: Final = MAX_ATTEMPTS - 1
"""Attempts of a run that has one left."""
IN_LINE_MS: Final = 1 << 62
"""Time of the runs that stand in line behind another one."""
LOOK_MS: Final = 10_000
"""Pause after which a line is looked at again if none of its target ended meanwhile: its process may have died."""
MAX_DUE: Final = 500
"""Runs that are looked at in one transaction because their time has come."""
TURNS: Final = 1_300_000_000
"""Turns of one kind of urgency: the priorities of three kinds fit into 32 bits. They begin anew whenever no run of the
kind waits; without any pause they last for months, and are in the order of their age from then on."""
_FIRST_PRIORITY: Final = {
    Priority.INTERACTIVE: 2_000_000_000,
    Priority.RERUN: 2_000_000_000 - TURNS - 1,
    Priority.BULK: 2_000_000_000 - 2 * (TURNS + 1),
}

_BEST: Final = Prepared(
    text(
        "SELECT priority FROM procrastinate_jobs WHERE status = 'todo' AND priority <= :most "
        "ORDER BY priority DESC LIMIT 1"
    )
)
_LAST_TURN: Final = Prepared(
    text(
        "SELECT turn FROM runs WHERE state = 'queued' AND account_id = :account_id AND priority = :priority "
        "ORDER BY id DESC LIMIT 1"
    )
)
_STANDING: Final = "state = 'queued' AND offered = 0 AND leader_id IS NULL"
# Runs that have a job and no time yet to come are few at each target; the number is written out for the planner.
_WITH_JOB: Final = f"state = 'queued' AND offered = 1 AND available_at_ms < {IN_LINE_MS}"
_AHEAD: Final = Prepared(
    text(
        f"SELECT EXISTS (SELECT 1 FROM runs WHERE {_STANDING} AND target = :target AND device = :device "  # noqa: S608
        "AND (priority, turn) <= (:priority, :turn)), "
        f"EXISTS (SELECT 1 FROM runs WHERE {_WITH_JOB} AND target = :target AND device = :device "
        "AND (priority, turn) <= (:priority, :turn))"
    )
)
_COLUMNS: Final = "id, account_id, priority, turn, attempt, device"
# The first one of each line, and the jobs before it.
_FIRST: Final = Prepared(
    text(
        f"SELECT {_COLUMNS}, (SELECT COUNT(*) FROM runs AS jobs WHERE jobs.target = :target "  # noqa: S608
        f"AND jobs.state = 'queued' AND jobs.offered = 1 AND jobs.available_at_ms < {IN_LINE_MS} "
        "AND jobs.device = first.device AND (jobs.priority, jobs.turn) <= (first.priority, first.turn)) FROM ("
        + " UNION ALL ".join(
            f"(SELECT {_COLUMNS} FROM runs WHERE {_STANDING} AND target = :target AND device = '{device}' "  # noqa: S608
            "ORDER BY priority, turn, id LIMIT 1)"
            for device in (NO_DEVICE, *get_args(Device))
        )
        + ") AS first"
    )
)
_LINES_LEFT: Final = Prepared(
    text(
        "SELECT DISTINCT target FROM visits WHERE run_id = :run_id "  # noqa: S608 - our own words
        f"AND EXISTS (SELECT 1 FROM runs WHERE {_STANDING} AND runs.target = visits.target)"
    )
)
# Only the first one of a line has a time.
_SET_TIMES: Final = Prepared(
    text(
        f"UPDATE runs SET available_at_ms = CASE WHEN id = :id THEN :at_ms ELSE {IN_LINE_MS} END "  # noqa: S608
        f"WHERE {_STANDING} AND target = :target AND device = :device AND (available_at_ms < {IN_LINE_MS} OR id = :id)"
    )
)
_DUE: Final = Prepared(
    text(
        f"SELECT {_COLUMNS}, target FROM runs WHERE {_STANDING} "  # noqa: S608 - our own words
        "AND available_at_ms <= :now_ms ORDER BY available_at_ms LIMIT :count FOR UPDATE SKIP LOCKED"
    )
)
_OFFERED: Final = Prepared(
    text(
        "UPDATE runs SET offered = 1, available_at_ms = LEAST(available_at_ms, :now_ms) "  # noqa: S608
        f"WHERE id = :id AND {_STANDING} RETURNING id"
    )
)
_STAND: Final = Prepared(
    text(f"UPDATE runs SET offered = 0, available_at_ms = {IN_LINE_MS} WHERE id = :id AND state = 'queued'")  # noqa: S608
)
_LOST: Final = Prepared(
    text(
        "UPDATE runs SET offered = 0 WHERE state = 'queued' AND offered = 1 AND created_at_ms < :before_ms "
        "AND NOT EXISTS (SELECT 1 FROM procrastinate_jobs "
        "WHERE queueing_lock = 'run-' || runs.id AND status = 'todo') RETURNING id"
    )
)
_LATE: Final = Prepared(
    text(
        f"UPDATE runs SET available_at_ms = :now_ms WHERE {_STANDING} "  # noqa: S608 - our own words
        f"AND available_at_ms > :late_ms AND available_at_ms < {IN_LINE_MS} RETURNING id"
    )
)
_HEADLESS: Final = Prepared(
    text(
        f"UPDATE runs SET available_at_ms = :now_ms WHERE id IN (SELECT MIN(id) FROM runs WHERE {_STANDING} "  # noqa: S608
        f"GROUP BY target, device HAVING MIN(available_at_ms) >= {IN_LINE_MS})"
    )
)


def next_turn(tx: Transaction, account_id: int, priority: int) -> int:
    """Return the turn of a run that is created now, under the account's lock."""
    first = _FIRST_PRIORITY[Priority(priority)]
    best = _BEST.first(tx, {"most": first})
    served = first - best[0] if best is not None and first - best[0] <= TURNS else 0
    last = _LAST_TURN.first(tx, {"account_id": account_id, "priority": priority})
    return min(TURNS, max(served, last[0] if last is not None else 0) + 1)


def wait_in_line(tx: Transaction, now_ms: int, *, target: str, device: str, priority: int, turn: int) -> int | None:
    """Return until when a run that is created now stands in line; ``None``: it is offered now.

    Args:
        tx: Transaction.
        now_ms: The time.
        target: Its target; empty if it has none.
        device: Its device, or ``NO_DEVICE``.
        priority: Its priority.
        turn: Its turn.
    """
    if not target:
        return None
    which = {"target": target, "device": device, "priority": priority, "turn": turn}
    ((stands, has_job),) = _AHEAD.rows(tx, which)
    if stands:
        return IN_LINE_MS
    return moment(tx, now_ms) + LOOK_MS if has_job else None


def offer_run(
    tx: Transaction, run_id: int, *, account_id: int, priority: int, turn: int, attempt: int, device: str
) -> None:
    """Defer the job of a queued run whose row is marked as offered; one with a device goes to a browser."""
    from pagegrade.store.queue.procrastinate_app import defer_job

    queue = queue_name(suspects=attempt >= SUSPECT, rendered=device != NO_DEVICE)
    arguments = {"run_id": run_id, "account_id": account_id}
    urgency = _FIRST_PRIORITY[Priority(priority)] - turn
    defer_job(tx, RUN_TASK, queue=queue, priority=urgency, queueing_lock=queueing_lock(run_id), arguments=arguments)


def put_in_line(tx: Transaction, run_id: int) -> None:
    """Let a queued run, whose job is gone, stand in the line of its target, which is to move afterwards."""
    _STAND.rows(tx, {"id": run_id})


def move_line(tx: Transaction, target: str, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> int:
    """Offer the first run in line, if its target has a free place, or note when to look again; the target is held.

    Args:
        tx: Transaction.
        target: The target.
        now_ms: The time.
        target_runs: Maximum number of concurrent runs at one target.
        target_runs_per_minute: Maximum number of runs started at one target per minute.

    Returns:
        How many runs are offered: one at most for each device.
    """
    offered = 0
    for *run, jobs in _FIRST.rows(tx, {"target": target}):
        run_id, device = run[0], run[-1]
        wait_ms: int | None = LOOK_MS
        if jobs < min(target_runs, target_runs_per_minute):
            places, starts = target_runs - jobs, target_runs_per_minute - jobs
            found = wait_for_targets(
                tx, run_id, (target,), now_ms, target_runs=places, per_minute=starts, look_ms=LOOK_MS
            )
            wait_ms = None if found is None else found[1]
        at_ms = now_ms if wait_ms is None else now_ms + wait_ms
        _SET_TIMES.rows(tx, {"id": run_id, "at_ms": at_ms, "target": target, "device": device})
        if wait_ms is None:
            offered += _offer(tx, run, now_ms)
    return offered


def move_lines_of(tx: Transaction, run_id: int, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> None:
    """Move the lines of the targets that a run has left. No target is held yet, or this might wait in a circle."""
    if not is_shared(tx):
        return
    targets = [target for (target,) in _LINES_LEFT.rows(tx, {"run_id": run_id})]
    hold_targets(tx, targets)
    now = moment(tx, now_ms)
    for target in targets:
        move_line(tx, target, now, target_runs=target_runs, target_runs_per_minute=target_runs_per_minute)


def move_due(tx: Transaction, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> int:
    """Move the lines whose time has come; runs that lost their leader or their job are among them.

    Returns:
        How many runs are offered.
    """
    if not try_place(tx, "offering"):
        return 0
    now = moment(tx, now_ms)
    due = _DUE.rows(tx, {"now_ms": now, "count": MAX_DUE})
    offered = sum(_offer(tx, run, now) for *run, target in due if not target)
    # A target that is held now is moved by its holder, or in a second.
    for target in sorted({row[-1] for row in due if row[-1]}):
        if try_target(tx, target):
            offered += move_line(
                tx, target, now, target_runs=target_runs, target_runs_per_minute=target_runs_per_minute
            )
    return offered


def find_forgotten(tx: Transaction, now_ms: int, *, older_ms: int = WINDOW_MS) -> int:
    """Mark runs that nothing would deliver, so that they are offered again.

    Nothing of ours takes the job of a run away; and no run waits longer for a look at the line than the starts of a
    minute take, unless the clock of the database was set back since. A line without a time is no fault: the version
    before deleted its first run, or another run joined it at that very moment.

    Args:
        tx: Transaction.
        now_ms: The time.
        older_ms: Runs created later than so long ago are passed over.

    Returns:
        How many had lost their job or had a time too far away.
    """
    if not try_place(tx, "forgotten"):
        return 0
    now = moment(tx, now_ms)
    lost = _LOST.rows(tx, {"before_ms": now - older_ms})
    late = _LATE.rows(tx, {"now_ms": now, "late_ms": now + 2 * WINDOW_MS})
    _HEADLESS.rows(tx, {"now_ms": now})
    return len(lost) + len(late)


def queue_name(*, suspects: bool, rendered: bool) -> str:
    """Return the name of the queue of a run's job."""
    return (LAST_ATTEMPT_QUEUE if suspects else RUN_QUEUE) + (FOR_BROWSERS if rendered else "")


def queueing_lock(run_id: int) -> str:
    """Return the queueing lock of a run's job."""
    return f"run-{run_id}"


def _offer(tx: Transaction, run: Any, now_ms: int) -> bool:
    """Offer a run, (id, account, priority, turn, attempt, device); ``False``: it was deleted or finished meanwhile."""
    run_id, account_id, priority, turn, attempt, device = run
    if not _OFFERED.rows(tx, {"id": run_id, "now_ms": now_ms}):
        return False
    offer_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
    return True
