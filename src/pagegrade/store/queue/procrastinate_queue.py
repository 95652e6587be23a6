"""Claim runs where several processes share a database: procrastinate delivers each run to one worker.

A job names a run and is no more than its delivery; the run's row is the truth, and its attempt the fence. A job is
deferred in the transaction that creates or requeues the run, and fetched and deleted in the one that starts it. So no
job is left behind by a worker that died, and none can be finished by another.

``admission`` decides which runs have jobs, in which queues they are, and in which order they are fetched.

The library's tables are changed by its own API only; where that offers no query, they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import text

from pagegrade.model.stored import ClaimedRun
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_account, hold_targets, try_account, try_place, try_target
from pagegrade.store.queue.admission import (
    SUSPECT,
    UNDER_WAY,
    admit_next,
    move_line,
    next_turn,
    put_behind,
    put_in_line,
    queue_name,
    readmit_run,
    withdraw_job,
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
_IS_UNDER_WAY: Final = Prepared(
    text(f"SELECT 1 FROM runs WHERE {UNDER_WAY} AND account_id = :account_id LIMIT 1")  # noqa: S608 - our own words
)
_WAITING: Final = Prepared(
    text(
        "SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = ANY(CAST(:queues AS text[])) "
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
    """Give the job of a queued run the priority that its row has by now, or else its lines; the account is held.

    A job that another worker has locked is about to be started, which is urgent enough.
    """
    turn = next_turn(tx, account_id, priority)
    _SET_TURN.rows(tx, {"id": run_id, "turn": turn})
    row = _ATTEMPT.first(tx, {"id": run_id})
    if row is None:
        return
    attempt, device, target = row
    if withdraw_job(tx, run_id):
        readmit_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
    else:
        admit_next(tx, account_id, priority, device)
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
    from pagegrade.store.queue.procrastinate_jobs import jobs_in

    claim = _Claim(tx, worker, now_ms, lease_ms, target_runs, target_runs_per_minute, jobs_in(tx), browsers)
    return claim.take(count, suspects=suspects, idle_accounts=idle_accounts)


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

    def take(self, count: int, *, suspects: bool, idle_accounts: bool) -> tuple[ClaimedRun, ...]:
        """Fetch up to ``count`` jobs and start their runs; jobs that cannot be decided now stay where they were."""
        taken: list[ClaimedRun] = []
        passed: list[Job] = []
        for _ in range(MAX_FETCHES):
            if len(taken) == count or len(passed) == MAX_PASSED:
                break
            job = self._fetch(_queues(suspects=suspects, browsers=self.browsers, idle_accounts=idle_accounts))
            if job is None:
                break
            run_id, account_id = _arguments(job)
            row = self._read(run_id, account_id)
            if row is _BUSY:
                passed.append(job)
                continue
            _finish(self.jobs, job)
            run = self._start(run_id, account_id, row, suspects=suspects, idle_accounts=idle_accounts)
            if run is not None:
                taken.append(run)
        self._put_back(passed)
        return tuple(taken)

    def _fetch(self, queues: list[str]) -> Job | None:
        from pagegrade.store.queue.procrastinate_jobs import complete

        # No worker: the job does not outlive the transaction.
        return complete(self.jobs.fetch_job(queues, worker_id=None))  # type: ignore[arg-type]

    def _read(self, run_id: int, account_id: int) -> tuple[Any, ...] | None:
        """Return the run while its account and its target are held: ``None`` if it is gone, ``_BUSY`` if one is not."""
        if not self._hold_owner(account_id):
            return _BUSY
        row = _READ.first(self.tx, {"id": run_id})
        return row if row is None or self._hold_target(row[3]) else _BUSY

    def _start(
        self, run_id: int, account_id: int, row: tuple[Any, ...] | None, *, suspects: bool, idle_accounts: bool
    ) -> ClaimedRun | None:
        """Start a run whose account and target are held, and move the lines; ``None``: it did not start."""
        if row is None or not _is_due(self.tx, run_id, row, account_id, suspects=suspects, idle_accounts=idle_accounts):
            return None
        _, _, _, target, priority, _, device = row
        now_ms = moment(self.tx, self.now_ms)
        limits = {"target_runs": self.target_runs, "per_minute": self.target_runs_per_minute}
        wait = wait_for_targets(self.tx, run_id, (target,), now_ms, **limits) if target else None
        run = None
        if wait is None:
            run = start_run(self.tx, run_id, worker=self.worker, now_ms=now_ms, lease_ms=self.lease_ms)
            self.browsers -= run.device is not None
        else:
            put_in_line(self.tx, run_id)
        admit_next(self.tx, account_id, priority, device)
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
        from pagegrade.store.queue.procrastinate_jobs import complete

        if passed:
            now = self.tx.exec_driver_sql("SELECT now()").scalar_one()
            for job in passed:
                complete(self.jobs.retry_job(job, retry_at=now))


_BUSY: Final[tuple[Any, ...]] = ()
"""Stands for a run that cannot be read now, because others hold its account or its target."""


def has_jobs(tx: Transaction, *, suspects: bool = False, browsers: int = 0, idle_accounts: bool = False) -> bool:
    """Return whether runs wait to be delivered; those for a browser only where ``browsers`` is above 0."""
    queues = _queues(suspects=suspects, browsers=browsers, idle_accounts=idle_accounts)
    return _WAITING.first(tx, {"queues": queues}) is not None


def _is_due(
    tx: Transaction, run_id: int, row: tuple[Any, ...], account_id: int, *, suspects: bool, idle_accounts: bool
) -> bool:
    """Return whether a run that was delivered is to be started from this queue; correct its job where it is not."""
    state, leader_id, attempt, _, priority, turn, device = row
    if state != "queued":
        return False
    if leader_id is not None:
        _NOT_OFFERED.rows(tx, {"id": run_id})
        return False
    if idle_accounts and _IS_UNDER_WAY.first(tx, {"account_id": account_id}) is not None:
        put_behind(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
        return False
    if (attempt >= SUSPECT) != suspects:
        readmit_run(tx, run_id, account_id=account_id, priority=priority, turn=turn, attempt=attempt, device=device)
        return False
    return True


def _finish(jobs: JobManager, job: Job) -> None:
    from procrastinate.jobs import Status

    from pagegrade.store.queue.procrastinate_jobs import complete

    complete(jobs.finish_job(job, Status.SUCCEEDED, delete_job=True))


def _arguments(job: Job) -> tuple[int, int]:
    """Return (run id, account id) of a run's job."""
    return int(job.task_kwargs["run_id"]), int(job.task_kwargs["account_id"])  # type: ignore[arg-type]


def _queues(*, suspects: bool, browsers: int, idle_accounts: bool) -> list[str]:
    """Return the queues that a worker with so many free browsers fetches from."""
    devices = (False, True) if browsers > 0 else (False,)
    ranks = (False,) if suspects or idle_accounts else (False, True)
    return [queue_name(suspects=suspects, further=rank, rendered=device) for rank in ranks for device in devices]
