"""Choosing runs where many processes do: procrastinate delivers them, each to one worker.

A job of its queue names a run and is no more than its delivery: it is taken and deleted in the very transaction that
starts the run. So no job is ever left behind by a worker that died, and none can be finished by somebody else; whoever
holds a run is said by the row of the run, and nowhere else.

Jobs are delivered by their priority: interactive before re-runs before bulk, and among equally urgent ones by ``turn``.
The turn of a new run comes after the last one of its account and not before the one that is served now, so that an
account with thousands of runs takes turns with everybody else (start-time fair queueing,
https://doi.org/10.1145/248157.248171).

A run whose target has no room is *parked*: no job stands for it until a place may be free. So a thousand pages of one
site do not stand in the way of others.

Turns count starts, not how long runs take. So a worker whose slots are all taken looks besides for accounts that have
no run under way (``idle_accounts``), whatever their turn.
"""

from __future__ import annotations

import random
from typing import Any, Final

from sqlalchemy import text

from pagegrade.model.stored import MAX_ATTEMPTS, ClaimedRun, Priority
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_account, hold_targets, try_account, try_place, try_target
from pagegrade.store.queue.lease import start_run
from pagegrade.store.repositories.host_slots import WINDOW_MS, wait_for_targets

QUEUE: Final = "runs"
ALONE: Final = "suspects"
"""Queue of the runs that have one attempt left, which are run alone."""
TASK: Final = "run"
LOOKS: Final = 100
"""Jobs that one claim looks at; of a site that is busy many may have to be parked first."""
PASSES: Final = 20
"""Jobs that one claim passes over, because others write for their accounts or look at their targets."""
IDLE_LOOKS: Final = 10
"""Runs of one account that has none under way that one claim looks at."""
AT_ONCE: Final = 500
"""Parked runs that are offered in one transaction."""
TURNS: Final = 1_300_000_000
"""Turns of one kind of urgency: the priorities of three kinds fit into 32 bits. They begin anew whenever no run of the
kind waits; without any pause they last for months, and are in the order of their age from then on."""
_FIRST_PRIORITY: Final = {
    Priority.INTERACTIVE: 2_000_000_000,
    Priority.RERUN: 2_000_000_000 - TURNS - 1,
    Priority.BULK: 2_000_000_000 - 2 * (TURNS + 1),
}
_SUSPECT: Final = MAX_ATTEMPTS - 1

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
_DEFER: Final = Prepared(
    text(
        "SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(CAST(:queue AS varchar), CAST(:task AS varchar), "
        "CAST(:priority AS int), NULL, CAST(:lock AS text), jsonb_build_object('run_id', CAST(:run_id AS bigint), "
        "'account_id', CAST(:account_id AS bigint)), NULL)\\:\\:procrastinate_job_to_defer_v1])"
    )
)
_FETCH: Final = Prepared(
    text(
        "SELECT id, CAST(args ->> 'run_id' AS bigint), CAST(args ->> 'account_id' AS bigint) "
        "FROM procrastinate_fetch_job_v2(CAST(ARRAY[:queue] AS varchar[]), NULL)"
    )
)
# A loose scan: from one account to the next one in the index, however many runs each of them has. The number is written
# out, because the index holds just these rows.
_OFFERED_RUNS: Final = f"state = 'queued' AND offered = 1 AND attempt < {_SUSPECT}"
_IDLE: Final = Prepared(
    text(
        "WITH RECURSIVE waiting (id) AS ("  # noqa: S608 - our own words
        f"SELECT MIN(account_id) FROM runs WHERE {_OFFERED_RUNS} AND account_id > :after UNION ALL "
        f"SELECT (SELECT MIN(runs.account_id) FROM runs WHERE {_OFFERED_RUNS} AND runs.account_id > waiting.id) "
        "FROM waiting WHERE waiting.id IS NOT NULL) "
        "SELECT id FROM waiting WHERE id IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM runs WHERE state = 'running' AND account_id = waiting.id) LIMIT :count"
    )
)
_LAST_ACCOUNT: Final = Prepared(text("SELECT MAX(id) FROM accounts"))
_IDLE_RUNS: Final = Prepared(
    text(
        f"SELECT id FROM runs WHERE {_OFFERED_RUNS} AND account_id = :account_id "  # noqa: S608 - our own words
        "ORDER BY priority, turn, id LIMIT :count"
    )
)
_IS_RUNNING: Final = Prepared(text("SELECT 1 FROM runs WHERE state = 'running' AND account_id = :account_id LIMIT 1"))
_JOB_OF: Final = Prepared(
    text("SELECT id FROM procrastinate_jobs WHERE queueing_lock = :lock AND status = 'todo' FOR UPDATE SKIP LOCKED")
)
_TAKEN: Final = Prepared(text("SELECT procrastinate_finish_job_v1(:id, 'succeeded', true)"))
_BACK: Final = Prepared(text("UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL WHERE id = :id"))
_WAITING: Final = Prepared(
    text(
        "SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = :queue "
        "AND (scheduled_at IS NULL OR scheduled_at <= now()) LIMIT 1"
    )
)
# Whoever has the job locked is about to start it: that is urgent enough.
_HASTEN: Final = Prepared(
    text(
        "UPDATE procrastinate_jobs SET priority = :priority WHERE id IN (SELECT id FROM procrastinate_jobs "
        "WHERE queueing_lock = :lock AND status = 'todo' FOR UPDATE SKIP LOCKED)"
    )
)
_READ: Final = Prepared(text("SELECT state, leader_id, attempt, target, priority, turn FROM runs WHERE id = :id"))
_SET_TURN: Final = Prepared(text("UPDATE runs SET turn = :turn WHERE id = :id AND state = 'queued'"))
_NOT_OFFERED: Final = Prepared(text("UPDATE runs SET offered = 0 WHERE id = :id"))
_LAST_PLACE: Final = Prepared(
    text(
        "SELECT MAX(available_at_ms) FROM runs "
        "WHERE target = :target AND state = 'queued' AND available_at_ms > :now_ms"
    )
)
_PARK: Final = Prepared(
    text("UPDATE runs SET offered = 0, available_at_ms = :at_ms WHERE id = :id AND state = 'queued'")
)
_PARKED: Final = (
    "SELECT id, account_id, priority, turn, attempt FROM runs WHERE state = 'queued' AND offered = 0 "
    "AND leader_id IS NULL"
)
_DUE: Final = Prepared(
    text(f"{_PARKED} AND available_at_ms <= :now_ms ORDER BY available_at_ms LIMIT :count FOR UPDATE SKIP LOCKED")
)
_NEXT_AT: Final = Prepared(
    text(f"{_PARKED} AND target = :target ORDER BY available_at_ms, id LIMIT 1 FOR UPDATE SKIP LOCKED")
)
_WAS_AT: Final = Prepared(text("SELECT DISTINCT target FROM visits WHERE run_id = :run_id"))
_OFFERED: Final = Prepared(
    text("UPDATE runs SET offered = 1, available_at_ms = LEAST(available_at_ms, :now_ms) WHERE id = :id")
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
        "UPDATE runs SET available_at_ms = :now_ms WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL "
        "AND available_at_ms > :least_ms + :each_ms * (SELECT COUNT(*) FROM runs AS parked "
        "WHERE parked.state = 'queued' AND parked.offered = 0) RETURNING id"
    )
)


def next_turn(tx: Transaction, account_id: int, priority: int) -> int:
    """The turn of a run that is asked for now, under the account's lock."""
    first = _FIRST_PRIORITY[Priority(priority)]
    best = _BEST.first(tx, {"most": first})
    served = first - best[0] if best is not None and first - best[0] <= TURNS else 0
    last = _LAST_TURN.first(tx, {"account_id": account_id, "priority": priority})
    return min(TURNS, max(served, last[0] if last is not None else 0) + 1)


def offer_run(tx: Transaction, run_id: int, *, account_id: int, priority: int, turn: int, attempt: int) -> None:
    """Let a run that waits be delivered to a worker; the row says already that a job stands for it."""
    _DEFER.rows(
        tx,
        {
            "queue": ALONE if attempt >= _SUSPECT else QUEUE,
            "task": TASK,
            "priority": _FIRST_PRIORITY[Priority(priority)] - turn,
            "lock": _lock(run_id),
            "run_id": run_id,
            "account_id": account_id,
        },
    )


def hasten_job(tx: Transaction, run_id: int, *, account_id: int, priority: int) -> None:
    """Let a run that waits be as urgent as this; its row says so already."""
    turn = next_turn(tx, account_id, priority)
    _SET_TURN.rows(tx, {"id": run_id, "turn": turn})
    _HASTEN.rows(tx, {"lock": _lock(run_id), "priority": _FIRST_PRIORITY[Priority(priority)] - turn})


def claim_jobs(
    tx: Transaction,
    *,
    worker: str,
    count: int,
    now_ms: int,
    lease_ms: int,
    target_runs: int,
    target_runs_per_minute: int,
    suspects: bool,
    idle_accounts: bool,
) -> tuple[ClaimedRun, ...]:
    """Take up to ``count`` runs; the arguments are those of ``claiming.claim_runs``.

    There may be more to take even where none was taken: ``has_jobs`` tells.
    """
    if idle_accounts:
        limits = {"target_runs": target_runs, "per_minute": target_runs_per_minute}
        return _claim_idle(tx, worker=worker, count=count, now_ms=now_ms, lease_ms=lease_ms, limits=limits)
    claimed: list[ClaimedRun] = []
    held: set[int] = set()
    sites: set[str] = set()
    passed: list[int] = []
    for _ in range(LOOKS):
        if len(claimed) == count or len(passed) == PASSES:
            break
        job_id, run_id, account_id = _FETCH.rows(tx, {"queue": ALONE if suspects else QUEUE})[0]
        if job_id is None:
            break
        if not _hold_owner(tx, account_id, held):
            passed.append(job_id)
            continue
        row = _READ.first(tx, {"id": run_id})
        target = "" if row is None else row[3]
        if not _hold_target(tx, target, sites):
            passed.append(job_id)
            continue
        _TAKEN.rows(tx, {"id": job_id})
        if row is None or not _judge(tx, run_id, row, account_id, suspects=suspects):
            continue
        now = moment(tx, now_ms)
        limits = {"target_runs": target_runs, "per_minute": target_runs_per_minute}
        wait_ms = _wait(tx, run_id, target, now, **limits)
        if wait_ms is None:
            claimed.append(start_run(tx, run_id, worker=worker, now_ms=now, lease_ms=lease_ms))
        else:
            park_run(tx, run_id, target, now, wait_ms, target_runs_per_minute=target_runs_per_minute)
    for job_id in passed:
        _BACK.rows(tx, {"id": job_id})
    return tuple(claimed)


def _claim_idle(
    tx: Transaction, *, worker: str, count: int, now_ms: int, lease_ms: int, limits: dict[str, int]
) -> tuple[ClaimedRun, ...]:
    """Take the next run of each of up to ``count`` accounts that have none under way."""
    claimed: list[ClaimedRun] = []
    held: set[int] = set()
    sites: set[str] = set()
    for account_id in _idle_accounts(tx, PASSES):
        if len(claimed) == count:
            break
        # Looked at again while the account is held: another worker may have just started a run of it.
        if not _hold_owner(tx, account_id, held) or _IS_RUNNING.first(tx, {"account_id": account_id}) is not None:
            continue
        for (run_id,) in _IDLE_RUNS.rows(tx, {"account_id": account_id, "count": IDLE_LOOKS}):
            job = _JOB_OF.first(tx, {"lock": _lock(run_id)})
            row = None if job is None else _READ.first(tx, {"id": run_id})
            if job is None or row is None or not _hold_target(tx, row[3], sites):
                continue
            _TAKEN.rows(tx, {"id": job[0]})
            if not _judge(tx, run_id, row, account_id, suspects=False):
                continue
            now = moment(tx, now_ms)
            wait_ms = _wait(tx, run_id, row[3], now, **limits)
            if wait_ms is None:
                claimed.append(start_run(tx, run_id, worker=worker, now_ms=now, lease_ms=lease_ms))
                break
            park_run(tx, run_id, row[3], now, wait_ms, target_runs_per_minute=limits["per_minute"])
    return tuple(claimed)


def _idle_accounts(tx: Transaction, count: int) -> list[int]:
    """Up to so many accounts that have a run to deliver and none under way.

    They begin at any account, so that none is always the last one where there are more of them than spare slots.
    """
    ((last,),) = _LAST_ACCOUNT.rows(tx, {})
    after = random.randint(0, int(last or 0))  # noqa: S311 - no secret
    found = [int(row[0]) for row in _IDLE.rows(tx, {"after": after, "count": count})]
    if len(found) < count:
        first = [int(row[0]) for row in _IDLE.rows(tx, {"after": 0, "count": count - len(found)})]
        found += [each for each in first if each not in found]
    return found


def has_idle_account_jobs(tx: Transaction) -> bool:
    """Whether a run waits to be delivered whose account has none under way."""
    return _IDLE.first(tx, {"after": 0, "count": 1}) is not None


def has_jobs(tx: Transaction, *, suspects: bool = False) -> bool:
    """Whether runs wait to be delivered."""
    return _WAITING.first(tx, {"queue": ALONE if suspects else QUEUE}) is not None


def park_run(
    tx: Transaction, run_id: int, target: str, now_ms: int, wait_ms: int, *, target_runs_per_minute: int
) -> None:
    """Let a run wait for a place at its target, after those that wait there already."""
    last = _LAST_PLACE.first(tx, {"target": target, "now_ms": now_ms})
    after_ms = 0 if last is None or last[0] is None else last[0] + WINDOW_MS // target_runs_per_minute
    _PARK.rows(tx, {"id": run_id, "at_ms": max(now_ms + wait_ms, after_ms)})


def offer_parked(tx: Transaction, now_ms: int) -> int:
    """Offer the runs whose time has come, and those that lost their leader or their job; how many."""
    if not try_place(tx, "offering"):
        return 0
    now = moment(tx, now_ms)
    due = _DUE.rows(tx, {"now_ms": now, "count": AT_ONCE})
    for row in due:
        _offer_again(tx, row, now)
    return len(due)


def offer_next(tx: Transaction, run_id: int, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> None:
    """A run has left its targets: offer those that have waited longest for them, where there is room now."""
    if not is_shared(tx):
        return
    limits = {"target_runs": target_runs, "per_minute": target_runs_per_minute}
    now = moment(tx, now_ms)
    for (target,) in _WAS_AT.rows(tx, {"run_id": run_id}):
        parked = _NEXT_AT.first(tx, {"target": target})
        if parked is not None and wait_for_targets(tx, parked[0], (target,), now, **limits) is None:
            _offer_again(tx, parked, now)


def find_forgotten(tx: Transaction, now_ms: int, *, target_runs_per_minute: int, older_ms: int = WINDOW_MS) -> int:
    """Find runs that would not be delivered by themselves, so that they are offered; how many.

    Nothing of ours takes the job of a run away; and no run is parked for longer than all that are parked take one after
    the other, unless the clock of the database was set back since.

    Args:
        tx: Transaction.
        now_ms: The time.
        target_runs_per_minute: Runs that may start at one target in a minute.
        older_ms: Runs that were asked for later than so long ago are passed over.
    """
    if not try_place(tx, "forgotten"):
        return 0
    now = moment(tx, now_ms)
    lost = _LOST.rows(tx, {"before_ms": now - older_ms})
    late = _LATE.rows(
        tx, {"now_ms": now, "least_ms": now + 2 * WINDOW_MS, "each_ms": WINDOW_MS // target_runs_per_minute}
    )
    return len(lost) + len(late)


def _judge(tx: Transaction, run_id: int, row: tuple[Any, ...], account_id: int, *, suspects: bool) -> bool:
    """Whether a run that was delivered is to be started from this queue; put right where it is not."""
    state, leader_id, attempt, _, priority, turn = row
    if state != "queued":
        return False
    if leader_id is not None:
        _NOT_OFFERED.rows(tx, {"id": run_id})
        return False
    if (attempt >= _SUSPECT) != suspects:
        offer_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt)
        return False
    return True


def _hold_owner(tx: Transaction, account_id: int, held: set[int]) -> bool:
    """Hold the account of a run, unless others write for it and are not to be waited for.

    One claim at a time waits for an account, and only while it holds no other: with all of them in that line, a single
    busy account would keep every worker from those that are not. And two never wait for each other in a circle.
    """
    if account_id not in held and not try_account(tx, account_id):
        if held or not try_place(tx, f"claiming {account_id}"):
            return False
        hold_account(tx, account_id)
    held.add(account_id)
    return True


def _hold_target(tx: Transaction, target: str, held: set[str]) -> bool:
    """Hold the target: the first waits for whoever holds it, those after it do not, or two might wait in a circle."""
    if target and target not in held:
        if held and not try_target(tx, target):
            return False
        hold_targets(tx, (target,))
        held.add(target)
    return True


def _wait(tx: Transaction, run_id: int, target: str, now_ms: int, **limits: int) -> int | None:
    """Milliseconds to wait for a target that is held; ``None``: there is room."""
    if not target:
        return None
    found = wait_for_targets(tx, run_id, (target,), now_ms, **limits)
    return None if found is None else found[1]


def _offer_again(tx: Transaction, row: tuple[Any, ...], now_ms: int) -> None:
    run_id, account_id, priority, turn, attempt = row
    _OFFERED.rows(tx, {"id": run_id, "now_ms": now_ms})
    offer_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt)


def _lock(run_id: int) -> str:
    """Of procrastinate, which keeps two jobs that wait from having the same."""
    return f"run-{run_id}"
