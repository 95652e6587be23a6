"""Claim runs where several processes share a database: procrastinate delivers each run to one worker.

A job names a run and is no more than its delivery; the run's row is the truth, and its attempt the fence. A job is
deferred in the transaction that creates or requeues the run, and fetched and deleted in the one that starts it. So no
job is left behind by a worker that died, and none can be finished by another.

``admission`` decides which runs have jobs, and in which order they are fetched.

*Fairness*: turns count starts, not how long runs take. A worker whose slots are all taken therefore also starts runs of
accounts that have none under way, whatever their turn.

The library's tables are changed by its own API only; where that offers no query, they are read.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import text

from pagegrade.model.stored import ClaimedRun
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_account, hold_targets, try_account, try_place, try_target
from pagegrade.store.queue.admission import (
    SUSPECT,
    move_line,
    next_turn,
    offer_run,
    put_in_line,
    queue_name,
    queueing_lock,
)
from pagegrade.store.queue.lease import start_run
from pagegrade.store.repositories.host_slots import hasten_lines, wait_for_targets

if TYPE_CHECKING:
    from procrastinate.jobs import Job
    from procrastinate.manager import JobManager

MAX_FETCHES: Final = 100
"""Jobs that one claim fetches; a busy site may have several that have to wait."""
MAX_PASSED: Final = 20
"""Jobs that one claim puts back, because others write for their accounts or look at their targets."""
IDLE_ACCOUNT_RUNS: Final = 10
"""Runs that one claim looks at of one account that has none under way."""
# A loose scan: from one account to the next one in the index, however many runs each of them has. The number is written
# out, because the index holds just these rows.
_OFFERED_RUNS: Final = f"state = 'queued' AND offered = 1 AND attempt < {SUSPECT}"
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
        "AND (device = 'none' OR :browsers > 0) ORDER BY priority, turn, id LIMIT :count"
    )
)
_IS_RUNNING: Final = Prepared(text("SELECT 1 FROM runs WHERE state = 'running' AND account_id = :account_id LIMIT 1"))
# Locked jobs are skipped: a worker holds the job before it holds the account, and we hold the account already.
_JOB_OF: Final = Prepared(
    text("SELECT id FROM procrastinate_jobs WHERE queueing_lock = :lock AND status = 'todo' FOR UPDATE SKIP LOCKED")
)
_WAITING: Final = Prepared(
    text(
        "SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = :queue "
        "AND (scheduled_at IS NULL OR scheduled_at <= now()) LIMIT 1"
    )
)
_READ: Final = Prepared(
    text("SELECT state, leader_id, attempt, target, priority, turn, device FROM runs WHERE id = :id")
)
_ATTEMPT: Final = Prepared(text("SELECT attempt, device, target FROM runs WHERE id = :id"))
_SET_TURN: Final = Prepared(text("UPDATE runs SET turn = :turn WHERE id = :id AND state = 'queued'"))
_NOT_OFFERED: Final = Prepared(text("UPDATE runs SET offered = 0 WHERE id = :id"))


def hasten_job(tx: Transaction, run_id: int, *, account_id: int, priority: int) -> None:
    """Give the job of a queued run the priority that its row has by now, or else its line; the account is held.

    A job that another worker has locked is about to be started, which is urgent enough.
    """
    turn = next_turn(tx, account_id, priority)
    _SET_TURN.rows(tx, {"id": run_id, "turn": turn})
    row = _ATTEMPT.first(tx, {"id": run_id})
    if row is None:
        return
    attempt, device, target = row
    if _withdraw(tx, run_id):
        offer_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
    else:
        hasten_lines(tx, (target,))


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
    browsers: int,
) -> tuple[ClaimedRun, ...]:
    """Claim up to ``count`` runs; their jobs are deleted.

    The arguments are those of ``claim.claim_runs``. There may be more to claim even where none was: see ``has_jobs``.
    """
    from pagegrade.store.queue.procrastinate_app import jobs_in

    claim = _Claim(tx, worker, now_ms, lease_ms, target_runs, target_runs_per_minute, jobs_in(tx), browsers)
    return claim.take_idle(count) if idle_accounts else claim.take(count, suspects=suspects)


class _Claim(msgspec.Struct):
    """One claim, in one transaction."""

    tx: Transaction
    worker: str
    now_ms: int
    lease_ms: int
    target_runs: int
    target_runs_per_minute: int
    jobs: JobManager
    browsers: int
    """Runs that may still be taken of those that a browser is to draw."""
    _accounts: set[int] = msgspec.field(default_factory=set)
    """Held by this transaction."""
    _targets: set[str] = msgspec.field(default_factory=set)
    """Held by this transaction."""

    def take(self, count: int, *, suspects: bool) -> tuple[ClaimedRun, ...]:
        """Fetch up to ``count`` jobs and start their runs; jobs that cannot be decided now stay where they were."""
        taken: list[ClaimedRun] = []
        passed: list[Job] = []
        for _ in range(MAX_FETCHES):
            if len(taken) == count or len(passed) == MAX_PASSED:
                break
            job = self._fetch(_queues(suspects=suspects, browsers=self.browsers))
            if job is None:
                break
            run_id, account_id = _arguments(job)
            row = self._read(run_id, account_id)
            if row is _BUSY:
                passed.append(job)
                continue
            _finish(self.jobs, job)
            run = self._start(run_id, account_id, row, suspects=suspects)
            if run is not None:
                taken.append(run)
        self._put_back(passed)
        return tuple(taken)

    def take_idle(self, count: int) -> tuple[ClaimedRun, ...]:
        """Start the next run of each of up to ``count`` accounts that have none under way."""
        taken: list[ClaimedRun] = []
        for account_id in _idle_accounts(self.tx, MAX_PASSED):
            if len(taken) == count:
                break
            # Checked again while the account is held: another worker may have just started a run of it.
            if not self._hold_owner(account_id) or _IS_RUNNING.first(self.tx, {"account_id": account_id}) is not None:
                continue
            wanted = {"account_id": account_id, "count": IDLE_ACCOUNT_RUNS, "browsers": self.browsers}
            for (run_id,) in _IDLE_RUNS.rows(self.tx, wanted):
                row = _READ.first(self.tx, {"id": run_id})
                if row is None or not self._hold_target(row[3]) or not _withdraw(self.tx, run_id):
                    continue
                run = self._start(run_id, account_id, row, suspects=False)
                if run is not None:
                    taken.append(run)
                    break
        return tuple(taken)

    def _fetch(self, queues: list[str]) -> Job | None:
        from pagegrade.store.queue.procrastinate_app import complete

        # No worker: the job does not outlive the transaction.
        return complete(self.jobs.fetch_job(queues, worker_id=None))  # type: ignore[arg-type]

    def _read(self, run_id: int, account_id: int) -> tuple[Any, ...] | None:
        """Return the run while its account and its target are held: ``None`` if it is gone, ``_BUSY`` if one is not."""
        if not self._hold_owner(account_id):
            return _BUSY
        row = _READ.first(self.tx, {"id": run_id})
        return row if row is None or self._hold_target(row[3]) else _BUSY

    def _start(self, run_id: int, account_id: int, row: tuple[Any, ...] | None, *, suspects: bool) -> ClaimedRun | None:
        """Start a run whose account and target are held, and move the line; ``None``: it did not start."""
        if row is None or not _is_due(self.tx, run_id, row, account_id, suspects=suspects):
            return None
        target = row[3]
        now_ms = moment(self.tx, self.now_ms)
        limits = {"target_runs": self.target_runs, "per_minute": self.target_runs_per_minute}
        wait = wait_for_targets(self.tx, run_id, (target,), now_ms, **limits) if target else None
        run = None
        if wait is None:
            run = start_run(self.tx, run_id, worker=self.worker, now_ms=now_ms, lease_ms=self.lease_ms)
            self.browsers -= run.device is not None
        else:
            put_in_line(self.tx, run_id)
        if target:
            move_line(
                self.tx,
                target,
                now_ms,
                target_runs=self.target_runs,
                target_runs_per_minute=self.target_runs_per_minute,
            )
        return run

    def _hold_owner(self, account_id: int) -> bool:
        """Hold the account of a run, unless others write for it and are not to be waited for.

        One claim at a time waits for an account, and only while it holds no other: with all of them in that line, one
        busy account would keep every worker from those that are not. And two never wait for each other in a circle.
        """
        if account_id not in self._accounts and not try_account(self.tx, account_id):
            if self._accounts or not try_place(self.tx, f"claiming {account_id}"):
                return False
            hold_account(self.tx, account_id)
        self._accounts.add(account_id)
        return True

    def _hold_target(self, target: str) -> bool:
        """Hold the target: wait for the first one, but not for those after it, or two might wait in a circle."""
        if target and target not in self._targets:
            if self._targets and not try_target(self.tx, target):
                return False
            hold_targets(self.tx, (target,))
            self._targets.add(target)
        return True

    def _put_back(self, passed: list[Job]) -> None:
        """Let jobs wait again; not before the end of the claim, which would fetch them once more."""
        from pagegrade.store.queue.procrastinate_app import complete

        if passed:
            now = self.tx.exec_driver_sql("SELECT now()").scalar_one()
            for job in passed:
                complete(self.jobs.retry_job(job, retry_at=now))


_BUSY: Final[tuple[Any, ...]] = ()
"""Stands for a run that cannot be read now, because others hold its account or its target."""


def has_idle_account_jobs(tx: Transaction) -> bool:
    """Return whether a run waits to be delivered whose account has none under way."""
    return _IDLE.first(tx, {"after": 0, "count": 1}) is not None


def has_jobs(tx: Transaction, *, suspects: bool = False, browsers: int = 0) -> bool:
    """Return whether runs wait to be delivered; those for a browser only where ``browsers`` is above 0."""
    return any(_WAITING.first(tx, {"queue": queue}) for queue in _queues(suspects=suspects, browsers=browsers))


def _idle_accounts(tx: Transaction, count: int) -> list[int]:
    """Return up to ``count`` accounts that have a run to deliver and none under way.

    The scan begins at a random account, so that none is always last where there are more of them than spare slots.
    """
    ((last,),) = _LAST_ACCOUNT.rows(tx, {})
    after = random.randint(0, int(last or 0))  # noqa: S311 - no secret
    found = [int(row[0]) for row in _IDLE.rows(tx, {"after": after, "count": count})]
    if len(found) < count:
        first = [int(row[0]) for row in _IDLE.rows(tx, {"after": 0, "count": count - len(found)})]
        found += [each for each in first if each not in found]
    return found


def _is_due(tx: Transaction, run_id: int, row: tuple[Any, ...], account_id: int, *, suspects: bool) -> bool:
    """Return whether a run that was delivered is to be started from this queue; correct its job where it is not."""
    state, leader_id, attempt, _, priority, turn, device = row
    if state != "queued":
        return False
    if leader_id is not None:
        _NOT_OFFERED.rows(tx, {"id": run_id})
        return False
    if (attempt >= SUSPECT) != suspects:
        offer_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
        return False
    return True


def _withdraw(tx: Transaction, run_id: int) -> bool:
    """Delete the waiting job of a run; ``False``: there is none, or another worker has locked it."""
    from pagegrade.store.queue.procrastinate_app import jobs_in

    found = _JOB_OF.first(tx, {"lock": queueing_lock(run_id)})
    return found is not None and jobs_in(tx).cancel_job_by_id(found[0], delete_job=True)


def _finish(jobs: JobManager, job: Job) -> None:
    from procrastinate.jobs import Status

    from pagegrade.store.queue.procrastinate_app import complete

    complete(jobs.finish_job(job, Status.SUCCEEDED, delete_job=True))


def _arguments(job: Job) -> tuple[int, int]:
    """Return (run id, account id) of a run's job."""
    return int(job.task_kwargs["run_id"]), int(job.task_kwargs["account_id"])  # type: ignore[arg-type]


def _queues(*, suspects: bool, browsers: int) -> list[str]:
    """Return the queues that a worker with so many free browsers fetches from."""
    kinds = (False, True) if browsers > 0 else (False,)
    return [queue_name(suspects=suspects, rendered=rendered) for rendered in kinds]
