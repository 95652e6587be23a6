"""Claim runs from the queue: the second operation after ``runs.enqueue_run`` and before ``runs.finish_run``.

On a shared database procrastinate delivers runs (``procrastinate_queue``). With a single process they are selected
among the rows: the account with the fewest runs under way goes first, then the one served least recently; within an
account the more urgent run, then the older one. Runs whose target is full are skipped.
"""

from __future__ import annotations

import heapq
from typing import Final

from sqlalchemy import bindparam, text

from pagegrade.model.stored import MAX_ATTEMPTS, ClaimedRun
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.queue.admission import UNDER_WAY
from pagegrade.store.queue.lease import start_run
from pagegrade.store.queue.procrastinate_queue import claim_jobs, has_jobs
from pagegrade.store.repositories.host_slots import MAX_DELAY_MS, full_targets

FEW: Final = 8
"""Number of consecutive accounts without a startable run after which all are checked with one statement."""
# A loose index scan: from one account to the next, however many runs each of them has.
_ACCOUNTS: Final = Prepared(
    text(
        "WITH RECURSIVE waiting (id) AS ("  # noqa: S608 - our own words
        "SELECT MIN(account_id) FROM runs WHERE state = 'queued' UNION ALL "
        "SELECT (SELECT MIN(runs.account_id) FROM runs WHERE runs.state = 'queued' AND runs.account_id > waiting.id) "
        "FROM waiting WHERE waiting.id IS NOT NULL) "
        f"SELECT (SELECT COUNT(*) FROM runs WHERE {UNDER_WAY} AND runs.account_id = waiting.id), "
        "accounts.served_at_ms, accounts.id FROM waiting JOIN accounts ON accounts.id = waiting.id"
    )
)
_DUE: Final = (
    "leader_id IS NULL AND attempt BETWEEN :least AND :most "
    "AND (available_at_ms <= :now_ms OR available_at_ms > :far_ms)"
)
_MAY_START: Final = f"{_DUE} AND target NOT IN :full AND (device = 'none' OR :browsers > 0)"
_FIRST: Final = "SELECT id FROM runs WHERE state = 'queued' AND account_id = :account_id AND"
_NEXT_OF_ALL: Final = Prepared(text(f"{_FIRST} {_DUE} ORDER BY priority, id LIMIT 1"))
_NEXT: Final = text(f"{_FIRST} {_MAY_START} ORDER BY priority, id LIMIT 1").bindparams(
    bindparam("full", expanding=True)
)
_ABLE: Final = text(
    f"SELECT DISTINCT account_id FROM runs WHERE state = 'queued' AND {_MAY_START}"  # noqa: S608 - our own words
).bindparams(bindparam("full", expanding=True))
_SERVED: Final = Prepared(text("UPDATE accounts SET served_at_ms = :served_at_ms WHERE id = :account_id"))


def claim_rows(
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
    """Claim up to ``count`` runs; the arguments are those of ``claim.claim_runs``."""
    waiting = _ACCOUNTS.rows(tx, {})
    if not waiting or count < 1:
        return ()
    least, most = (MAX_ATTEMPTS - 1, MAX_ATTEMPTS) if suspects else (0, MAX_ATTEMPTS - 2)
    which = {"least": least, "most": most, "now_ms": now_ms, "far_ms": now_ms + MAX_DELAY_MS}
    limits = {"target_runs": target_runs, "per_minute": target_runs_per_minute}
    # Not simply the time: after the clock was set back, accounts served before would have to wait for it.
    served_at_ms = max(now_ms, max(served for _, served, _ in waiting) + 1)
    accounts = [(running, served, account_id) for running, served, account_id in waiting]
    if idle_accounts:
        accounts = [each for each in accounts if each[0] == 0]
    heapq.heapify(accounts)
    claimed: list[ClaimedRun] = []
    full = sorted(full_targets(tx, now_ms, **limits))
    in_vain = 0
    while accounts and len(claimed) < count:
        running, _, account_id = heapq.heappop(accounts)
        run_id = _next_of(tx, {**which, "account_id": account_id}, full, browsers)
        if run_id is not None:
            run = start_run(tx, run_id, worker=worker, now_ms=now_ms, lease_ms=lease_ms)
            claimed.append(run)
            browsers -= run.device is not None
            _SERVED.rows(tx, {"account_id": account_id, "served_at_ms": served_at_ms})
            if not idle_accounts:
                heapq.heappush(accounts, (running + 1, served_at_ms, account_id))
            served_at_ms += 1
            full = sorted(full_targets(tx, now_ms, **limits))
            continue
        in_vain += 1
        if in_vain % FEW == 0:
            # Querying one account after the other would take too long if thousands have to wait.
            able = {row.account_id for row in tx.execute(_ABLE, {**which, "full": full, "browsers": browsers})}
            accounts = [each for each in accounts if each[2] in able]
            heapq.heapify(accounts)
    return tuple(claimed)


def has_idle_account_rows(tx: Transaction) -> bool:
    """Return whether an account without a run under way has a queued run."""
    return any(running == 0 for running, _, _ in _ACCOUNTS.rows(tx, {}))


def _next_of(tx: Transaction, which: dict[str, int], full: list[str], browsers: int) -> int | None:
    """Return the next run of an account at a target that is not full; ``None`` if there is none."""
    # Usually no target is full and a browser is free, and a statement without a list can be prepared.
    is_limited = full or browsers < 1
    limits = {**which, "full": full, "browsers": browsers}
    row = tx.execute(_NEXT, limits).first() if is_limited else _NEXT_OF_ALL.first(tx, which)
    return None if row is None else int(row[0])


# The number is a literal, because a shared queue has a partial index of these rows.
_SUSPECT: Final = Prepared(
    text(
        f"SELECT 1 FROM runs WHERE state = 'queued' AND attempt >= {MAX_ATTEMPTS - 1} "  # noqa: S608 - ours
        "AND (device = 'none' OR :browsers > 0) LIMIT 1"
    )
)
UNLIMITED: Final = 1_000_000
"""Number of browsers that stands for no limit."""


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
    idle_accounts: bool = False,
    browsers: int = UNLIMITED,
) -> tuple[ClaimedRun, ...]:
    """Claim up to ``count`` runs that may start now.

    Within an account, more urgent and then older runs come first, and accounts take turns. Runs whose target is full
    are skipped.

    Args:
        tx: Transaction.
        worker: Unique name of the worker.
        count: Maximum number of runs.
        now_ms: The time.
        lease_ms: Duration of the lease; at most ``MAX_LEASE_MS``.
        target_runs: Maximum number of concurrent runs at one target.
        target_runs_per_minute: Maximum number of runs started at one target per minute.
        suspects: Claim only runs with one attempt left, instead of only others: every previous attempt ended with a
            crash of the process, which these runs may have caused.
        idle_accounts: Claim only runs of accounts without a run under way, and one of each.
        browsers: Maximum number of claimed runs that need a browser; other workers claim the rest.
    """
    claim = claim_jobs if is_shared(tx) else claim_rows
    return claim(
        tx,
        worker=worker,
        count=count,
        now_ms=now_ms,
        lease_ms=lease_ms,
        target_runs=target_runs,
        target_runs_per_minute=target_runs_per_minute,
        suspects=suspects,
        idle_accounts=idle_accounts,
        browsers=browsers,
    )


def has_idle_account(tx: Transaction) -> bool:
    """Return whether an account without a run under way has a queued run; its target may still be full."""
    return has_jobs(tx, browsers=UNLIMITED, idle_accounts=True) if is_shared(tx) else has_idle_account_rows(tx)


def has_suspects(tx: Transaction, *, browsers: int = UNLIMITED) -> bool:
    """Return whether runs with one attempt left are queued; those for a browser count only if ``browsers`` > 0."""
    return _SUSPECT.first(tx, {"browsers": browsers}) is not None
