"""Admit runs where several processes share a database: a run waits in its row, and gets a job when it may start.

*Politeness*: of the runs for one target, a registrable domain or an address, only as many are admitted as the target
has free places (``host_slots``: runs at a time, and starts in a minute). The others stand in line, which jobs for later
or behind a lock could not: every fetch would read them (docs/decisions/0056-lines-at-targets.md). There is a line for
each device, because runs for a browser may wait for one. A line moves at three moments: a run is created, another run
of the target starts or ends, or it is time to look again: at once if a run that stood before others is deleted or put
back (``host_slots.hasten_lines``). Admission is no promise: the worker that starts a run counts again, while the target
is held.

*Fairness*: a run that its target admits gets a job while its account has fewer than ``SHARE`` of that kind (urgency and
device). Beyond that it waits in the line of its account, which moves when a run of the account is created or started,
and once a second. One job of each account is its *first*, in a queue of its own: spare worker slots fetch from no
other, and only for accounts with nothing under way, so none waits for the long runs of others
(docs/decisions/0058-shares-of-accounts.md).

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
from pagegrade.store.locks import hold_targets, try_account, try_place, try_target
from pagegrade.store.repositories.host_slots import WINDOW_MS, wait_for_targets
from pagegrade.store.repositories.run_history import NO_DEVICE

RUN_TASK: Final = "run"
FIRST_QUEUE: Final = "runs"
"""Queue of one job of each account; the version before this one knows no queue of further jobs."""
FURTHER_QUEUE: Final = "further"
"""Queue of the other jobs of accounts."""
LAST_ATTEMPT_QUEUE: Final = "suspects"
"""Queue of the runs that have one attempt left, which run alone."""
FOR_BROWSERS: Final = "-rendered"
"""Suffix of the queues, one for each of those three, whose runs go to workers with a browser."""
SUSPECT: Final = MAX_ATTEMPTS - 1
"""Attempts of a run that has one left."""
FIRST: Final = 1
AT_ACCOUNT: Final = 2
FURTHER: Final = 3
"""Values of ``runs.share`` of a run that its target admitted: with the first job of its account, in the line of its
account, with a further job; 0 if the version before this one offered it."""
PATIENT: Final = 4
"""The same of a run that has given up its slot because it waits for its site (``Worker``): for its account it does not
count as under way. Of other runs that are executed the value says nothing."""
UNDER_WAY: Final = f"state = 'running' AND share <> {PATIENT}"
"""Runs that take a slot."""
SHARE: Final = 8
"""Jobs of one account, urgency and device beside its first: so many claims can fetch them without waiting for each
other."""
IN_LINE_MS: Final = 1 << 62
"""Time of the runs that stand in line behind another one."""
LOOK_MS: Final = 10_000
"""Pause after which a line is looked at again if none of its target ended meanwhile: its process may have died."""
MAX_DUE: Final = 500
"""Runs that are looked at in one transaction because their time has come."""
MAX_ACCOUNTS: Final = 100
"""Accounts whose lines or first jobs are corrected in one transaction."""
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
# Runs that their target admitted are few at each target; the numbers are written out for the planner.
_ADMITTED: Final = f"state = 'queued' AND offered = 1 AND available_at_ms < {IN_LINE_MS}"
_AHEAD: Final = Prepared(
    text(
        f"SELECT EXISTS (SELECT 1 FROM runs WHERE {_STANDING} AND target = :target AND device = :device "  # noqa: S608
        "AND (priority, turn) <= (:priority, :turn)), "
        f"EXISTS (SELECT 1 FROM runs WHERE {_ADMITTED} AND target = :target AND device = :device "
        "AND (priority, turn) <= (:priority, :turn))"
    )
)
_COLUMNS: Final = "id, account_id, priority, turn, attempt, device"
# The first one of each line, and the runs admitted before it.
_FIRST_IN_LINE: Final = Prepared(
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
_JOIN: Final = Prepared(
    text(
        f"UPDATE runs SET offered = 1, share = CASE WHEN attempt >= {SUSPECT} THEN {FURTHER} ELSE {AT_ACCOUNT} END, "  # noqa: S608
        "available_at_ms = LEAST(available_at_ms, :now_ms) "
        "WHERE id = :id AND state = 'queued' AND leader_id IS NULL AND offered <= :most RETURNING id"
    )
)
_OTHERS: Final = "SELECT 1 FROM runs AS others WHERE others.account_id = runs.account_id"
# Whether no first job of the account waits that the same workers may fetch.
_MAY_BE_FIRST: Final = (
    f"NOT EXISTS ({_OTHERS} AND others.state = 'queued' "
    f"AND others.offered = 1 AND others.share = {FIRST} AND others.leader_id IS NULL AND others.attempt < {SUSPECT} "
    "AND (others.device = 'none') = (runs.device = 'none'))"
)
_HAS_JOB: Final = (
    "EXISTS (SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' "
    "AND queueing_lock IN ('run-' || runs.id, 'further-' || runs.id))"
)
_IN_ACCOUNT_LINE: Final = f"state = 'queued' AND offered = 1 AND share = {AT_ACCOUNT} AND leader_id IS NULL"
_OF_KIND: Final = "account_id = :account_id AND priority = :priority AND device = :device"
_FURTHER_JOBS: Final = (
    f"(SELECT COUNT(*) FROM (SELECT 1 FROM runs AS jobs WHERE jobs.state = 'queued' AND jobs.offered = 1 "  # noqa: S608
    f"AND jobs.share = {FURTHER} AND jobs.leader_id IS NULL "
    "AND jobs.account_id = {of}.account_id AND jobs.priority = {of}.priority "
    f"AND jobs.device = {{of}}.device AND jobs.attempt < {SUSPECT} LIMIT {SHARE + 1}) AS share)"
)
# A row that another transaction has locked is passed over, so that no one waits here while it holds a target. One that
# has a job all the same has got it from the version before, and the line moves when that is fetched. This is asked of
# the first row only: as a condition of the search it makes the planner read the whole line.
_ADMIT: Final = Prepared(
    text(
        f"UPDATE runs SET share = CASE WHEN {_MAY_BE_FIRST} THEN {FIRST} ELSE {FURTHER} END "  # noqa: S608
        f"WHERE id = (SELECT id FROM runs WHERE {_IN_ACCOUNT_LINE} AND {_OF_KIND} "
        f"ORDER BY turn, id LIMIT 1 FOR UPDATE SKIP LOCKED) AND NOT {_HAS_JOB} "
        f"AND {_FURTHER_JOBS.format(of='runs')} < {SHARE} + CASE WHEN {_MAY_BE_FIRST} THEN 1 ELSE 0 END "
        "RETURNING id, turn, attempt, share"
    )
)
# A loose scan: from one account, urgency and device to the next, however many runs each of them has.
_KINDS: Final = f"SELECT account_id, priority, device FROM runs WHERE {_IN_ACCOUNT_LINE}"  # noqa: S608
_SHORT: Final = Prepared(
    text(
        f"WITH RECURSIVE kinds AS (({_KINDS} ORDER BY account_id, priority, device LIMIT 1) UNION ALL "  # noqa: S608
        f"SELECT later.* FROM kinds, LATERAL ({_KINDS} "
        "AND (account_id, priority, device) > (kinds.account_id, kinds.priority, kinds.device) "
        "ORDER BY account_id, priority, device LIMIT 1) AS later) "
        f"SELECT account_id, priority, device FROM kinds WHERE {_FURTHER_JOBS.format(of='kinds')} < {SHARE} "
        f"LIMIT {MAX_ACCOUNTS}"
    )
)
_FURTHER_RUNS: Final = (
    f"state = 'queued' AND offered = 1 AND share = {FURTHER} AND leader_id IS NULL AND attempt < {SUSPECT}"
)
_MUST_BE_FIRST: Final = (
    f"{_MAY_BE_FIRST} AND NOT EXISTS ({_OTHERS} AND others.state = 'running' AND others.share <> {PATIENT})"
)
_BEHIND: Final = Prepared(
    text(
        f"SELECT {_COLUMNS} FROM runs WHERE {_FURTHER_RUNS} AND account_id = :account_id AND {_MUST_BE_FIRST} "  # noqa: S608
        "ORDER BY priority, turn, id LIMIT 1"
    )
)
_ALL_BEHIND: Final = Prepared(
    text(
        f"SELECT DISTINCT account_id FROM runs WHERE {_FURTHER_RUNS} AND {_MUST_BE_FIRST} LIMIT {MAX_ACCOUNTS}"  # noqa: S608
    )
)
_SET_FIRST: Final = Prepared(text(f"UPDATE runs SET share = {FIRST} WHERE id = :id"))  # noqa: S608
_SET_FURTHER: Final = Prepared(
    text(f"UPDATE runs SET share = {FURTHER} WHERE id = :id AND NOT {_HAS_JOB} RETURNING id")  # noqa: S608
)
# Locked jobs are skipped: a worker holds the job before it holds the account, and we hold the account already.
_JOB_OF: Final = Prepared(
    text(
        "SELECT id FROM procrastinate_jobs WHERE queueing_lock IN (:lock, :further) AND status = 'todo' "
        "FOR UPDATE SKIP LOCKED"
    )
)
_STAND: Final = Prepared(
    text(
        f"UPDATE runs SET offered = 0, available_at_ms = {IN_LINE_MS} "  # noqa: S608
        "WHERE id = :id AND state = 'queued'"
    )
)
_LOST: Final = Prepared(
    text(
        "UPDATE runs SET offered = 0 WHERE state = 'queued' AND offered = 1 AND share <> 2 "  # noqa: S608 - our own words
        f"AND created_at_ms < :before_ms AND NOT {_HAS_JOB} RETURNING id"
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
    """Return until when a run that is created now stands in line at its target; ``None``: its target admits it now.

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


def admit_run(
    tx: Transaction, run_id: int, *, account_id: int, priority: int, turn: int, attempt: int, device: str
) -> bool:
    """Give a run that just joined the line of its account a job, or the one that is before it in that line.

    A run with one attempt left, which workers wait for, gets its job at once.

    Returns:
        Whether there is a new job.
    """
    if attempt < SUSPECT:
        return admit_next(tx, account_id, priority, device)
    _offer(tx, run_id, FURTHER, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
    return True


def admit_next(tx: Transaction, account_id: int, priority: int, device: str) -> bool:
    """Give the next run in the line of an account a job, if the account has fewer than its share of that kind."""
    run = _ADMIT.first(tx, {"account_id": account_id, "priority": priority, "device": device})
    if run is None:
        return False
    run_id, turn, attempt, share = run
    _offer(tx, run_id, share, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
    return True


def admit_first(tx: Transaction, account_id: int) -> bool:
    """Make the next job of an account its first, where nothing of it is under way; the account is held."""
    has_moved = False
    # A job for a browser, and one for none.
    for _ in range(2):
        run = _BEHIND.first(tx, {"account_id": account_id})
        if run is None or not withdraw_job(tx, run[0]):
            break
        run_id, _, priority, turn, attempt, device = run
        _SET_FIRST.rows(tx, {"id": run_id})
        _offer(tx, run_id, FIRST, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
        has_moved = True
    return has_moved


def put_behind(
    tx: Transaction, run_id: int, *, account_id: int, priority: int, turn: int, attempt: int, device: str
) -> None:
    """Make a further job of a first one that was fetched, because a run of its account is under way."""
    if _SET_FURTHER.rows(tx, {"id": run_id}):
        _offer(tx, run_id, FURTHER, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)


def readmit_run(
    tx: Transaction, run_id: int, *, account_id: int, priority: int, turn: int, attempt: int, device: str
) -> bool:
    """Let a run, whose job is gone, join the line of its account, which then moves."""
    _JOIN.rows(tx, {"id": run_id, "now_ms": IN_LINE_MS, "most": 1})
    return admit_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)


def withdraw_job(tx: Transaction, run_id: int) -> bool:
    """Delete the waiting job of a run; ``False``: there is none, or another worker has locked it."""
    from pagegrade.store.queue.procrastinate_jobs import complete, jobs_in

    locks = {"lock": queueing_lock(run_id, further=False), "further": queueing_lock(run_id, further=True)}
    jobs = jobs_in(tx)
    found = [complete(jobs.cancel_job_by_id_async(job_id, delete_job=True)) for (job_id,) in _JOB_OF.rows(tx, locks)]
    return any(found)


def put_in_line(tx: Transaction, run_id: int) -> None:
    """Let a queued run, whose job is gone, stand in the line of its target, which is to move afterwards."""
    _STAND.rows(tx, {"id": run_id})


def move_line(tx: Transaction, target: str, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> int:
    """Admit the first run in line, if its target has a free place, or note when to look again; the target is held.

    Args:
        tx: Transaction.
        target: The target.
        now_ms: The time.
        target_runs: Maximum number of concurrent runs at one target.
        target_runs_per_minute: Maximum number of runs started at one target per minute.

    Returns:
        How many jobs there are more: one at most for each device.
    """
    offered = 0
    for *run, jobs in _FIRST_IN_LINE.rows(tx, {"target": target}):
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
            offered += _admit(tx, run, now_ms)
    return offered


def move_lines_of(tx: Transaction, run_id: int, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> None:
    """Move the lines of the targets that a run has left. No target is held yet, or this might wait in a circle."""
    if not is_shared(tx):
        return
    targets = [target for (target,) in _LINES_LEFT.rows(tx, {"run_id": run_id})]
    if not targets:
        return
    hold_targets(tx, targets)
    now = moment(tx, now_ms)
    for target in targets:
        move_line(tx, target, now, target_runs=target_runs, target_runs_per_minute=target_runs_per_minute)


def move_due(tx: Transaction, now_ms: int, *, target_runs: int, target_runs_per_minute: int) -> int:
    """Move the lines whose time has come; runs that lost their leader or their job are among them.

    Lines of accounts move as well, where a job was deleted with its report, or started by the version before.

    Returns:
        How many jobs there are more, or in the queue of first ones.
    """
    if not try_place(tx, "offering"):
        return 0
    now = moment(tx, now_ms)
    offered = _move_accounts(tx)
    due = _DUE.rows(tx, {"now_ms": now, "count": MAX_DUE})
    offered += sum(_admit(tx, run, now) for *run, target in due if not target)
    # A target that is held now is moved by its holder, or in a second.
    for target in sorted({row[-1] for row in due if row[-1]}):
        if try_target(tx, target):
            offered += move_line(
                tx, target, now, target_runs=target_runs, target_runs_per_minute=target_runs_per_minute
            )
    return offered


def find_forgotten(tx: Transaction, now_ms: int) -> int:
    """Mark runs older than ``WINDOW_MS`` that nothing would deliver, so that they are offered again.

    Nothing of ours takes the job of a run away; and no run waits longer for a look at the line than the starts of a
    minute take, unless the clock of the database was set back since. A line without a time is no fault: the version
    before deleted its first run, or another run joined it at that very moment.

    Args:
        tx: Transaction.
        now_ms: The time.

    Returns:
        How many had lost their job or had a time too far away.
    """
    if not try_place(tx, "forgotten"):
        return 0
    now = moment(tx, now_ms)
    lost = _LOST.rows(tx, {"before_ms": now - WINDOW_MS})
    late = _LATE.rows(tx, {"now_ms": now, "late_ms": now + 2 * WINDOW_MS})
    _HEADLESS.rows(tx, {"now_ms": now})
    return len(lost) + len(late)


def queue_name(*, suspects: bool, further: bool, rendered: bool) -> str:
    """Return the name of the queue of a run's job."""
    name = LAST_ATTEMPT_QUEUE if suspects else FURTHER_QUEUE if further else FIRST_QUEUE
    return name + (FOR_BROWSERS if rendered else "")


def queueing_lock(run_id: int, *, further: bool) -> str:
    """Return the queueing lock of a run's job.

    The version before this one, which fetches no further jobs, looks for the other name. So where it takes over again
    it finds these runs without a job within a minute, and offers them.
    """
    return f"further-{run_id}" if further else f"run-{run_id}"


def _move_accounts(tx: Transaction) -> int:
    """Move the lines of accounts that have fewer jobs than their share, and make first jobs; none is waited for."""
    offered = 0
    for account_id, priority, device in _SHORT.rows(tx, {}):
        if try_account(tx, account_id):
            for _ in range(SHARE):
                if not admit_next(tx, account_id, priority, device):
                    break
                offered += 1
    for (account_id,) in _ALL_BEHIND.rows(tx, {}):
        offered += try_account(tx, account_id) and admit_first(tx, account_id)
    return offered


def _admit(tx: Transaction, run: Any, now_ms: int) -> bool:
    """Let a run, (id, account, priority, turn, attempt, device), that stood at its target join the line of its account.

    Returns:
        Whether there is a new job.
    """
    run_id, account_id, priority, turn, attempt, device = run
    # None, if it was deleted or finished meanwhile.
    if not _JOIN.rows(tx, {"id": run_id, "now_ms": now_ms, "most": 0}):
        return False
    return admit_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)


def _offer(
    tx: Transaction, run_id: int, share: int, *, account_id: int, priority: int, turn: int, attempt: int, device: str
) -> None:
    """Defer the job of a queued run whose row says so; one with a device goes to a browser."""
    from pagegrade.store.queue.procrastinate_jobs import defer_job

    suspects = attempt >= SUSPECT
    further = share == FURTHER and not suspects
    queue = queue_name(suspects=suspects, further=further, rendered=device != NO_DEVICE)
    lock = queueing_lock(run_id, further=further)
    arguments = {"run_id": run_id, "account_id": account_id}
    urgency = _FIRST_PRIORITY[Priority(priority)] - turn
    defer_job(tx, RUN_TASK, queue=queue, priority=urgency, queueing_lock=lock, arguments=arguments)
