"""Current and recent visits of targets, which limit the load on other sites.

A target is a registrable domain or an address. A run may visit several; each is a row. Once the report of a run is
deleted, a keyed hash replaces the name: deleting reports neither leaves names behind nor lets an account visit a target
more often than others may.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

from sqlalchemy import bindparam, text

from pagegrade.model.stored import ClaimedRun
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import hold_targets
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret

WINDOW_MS: Final = 60_000
"""Window in which starts are counted: one minute."""
MAX_DELAY_MS: Final = 60_000
"""Longest delay of a run; a longer one was written before the clock was set back."""
_SKEW_MS: Final = 5_000
"""Tolerance for starts in the future, where several machines write them. A later start was written before a clock was
set back, and must not delay other runs."""
GONE_MS: Final = 120_000
"""Time after the deletion of a report within which its run certainly has left its target."""
GREATEST_MS: Final = (1 << 63) - 1
NEXT_LOOK_MS: Final = 1_000
"""Wait time for a run under way, whose end is unknown."""

_COUNTED: Final = "started_at_ms BETWEEN :since_ms AND :until_ms"
_BLOCKED: Final = Prepared(
    text(
        # _COUNTED is a constant.
        f"SELECT target FROM visits WHERE ended_at_ms IS NULL OR {_COUNTED} GROUP BY target "  # noqa: S608
        "HAVING SUM(CASE WHEN ended_at_ms IS NULL THEN 1 ELSE 0 END) >= :target_runs "
        f"OR SUM(CASE WHEN {_COUNTED} THEN 1 ELSE 0 END) >= :per_minute"
    )
)
_AT_TARGET: Final = Prepared(
    text(
        "SELECT started_at_ms, ended_at_ms FROM visits WHERE target IN (:target, :hidden) AND run_id <> :run_id "  # noqa: S608
        f"AND (ended_at_ms IS NULL OR {_COUNTED}) ORDER BY started_at_ms"
    )
)
_START: Final = Prepared(
    text(
        "INSERT INTO visits (run_id, target, started_at_ms) SELECT :run_id, CAST(:target AS text), :now_ms "
        "WHERE NOT EXISTS (SELECT 1 FROM visits WHERE run_id = :run_id AND target = CAST(:target AS text) "
        "AND ended_at_ms IS NULL)"
    )
)
_END: Final = Prepared(
    text("UPDATE visits SET ended_at_ms = :now_ms WHERE run_id = :run_id AND ended_at_ms IS NULL RETURNING target")
)
_DROP: Final = Prepared(text("DELETE FROM visits WHERE run_id = :run_id AND ended_at_ms IS NULL RETURNING target"))
# Any run of a line stands for all lines of its target, so one that another transaction has locked is passed over.
_HASTEN_LINES: Final = Prepared(
    text(
        "WITH standing AS MATERIALIZED (SELECT line.id FROM unnest(CAST(:targets AS text[])) AS changed (target), "
        "LATERAL (SELECT id FROM runs WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL "
        "AND runs.target = changed.target ORDER BY target, device, priority, turn, id LIMIT 1 "
        "FOR UPDATE SKIP LOCKED) AS line) "
        "UPDATE runs SET available_at_ms = 0 FROM standing WHERE runs.id = standing.id"
    )
)
_END_DEAD: Final = text(
    "UPDATE visits SET ended_at_ms = :now_ms WHERE ended_at_ms IS NULL AND run_id NOT IN :live "
    "AND started_at_ms <= :before_ms "
    "AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = visits.run_id AND runs.state = 'running')"
).bindparams(bindparam("live", expanding=True))
_FORGET: Final = text(f"DELETE FROM visits WHERE ended_at_ms IS NOT NULL AND NOT ({_COUNTED})")  # noqa: S608
HIDDEN: Final = "~"
"""Prefix of hashes; no host name or address begins with it."""
_HASH_KEY: Final = "visits"
_ORPHANED: Final = "NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = visits.run_id)"
_ORPHANS: Final = Prepared(
    text(
        # Both texts are constants.
        f"SELECT DISTINCT target FROM visits WHERE substr(target, 1, 1) <> '{HIDDEN}' AND {_ORPHANED} ORDER BY target"  # noqa: S608
    )
)
_HIDE: Final = text(f"UPDATE visits SET target = :hidden WHERE target = :target AND {_ORPHANED}")  # noqa: S608
_LEARN: Final = Prepared(
    text("UPDATE runs SET target = :target WHERE id = :id AND attempt = :attempt AND state = 'running'")
)


def full_targets(tx: Transaction, now_ms: int, *, target_runs: int, per_minute: int) -> set[str]:
    """Return the targets where no further run may start now, if their names are known; ``wait_for_targets`` decides."""
    found = _BLOCKED.rows(tx, {**_window(now_ms), "target_runs": target_runs, "per_minute": per_minute})
    return {target for (target,) in found}


def admit_addresses(
    tx: Transaction,
    run: ClaimedRun,
    addresses: Iterable[str],
    now_ms: int,
    *,
    target_runs: int,
    target_runs_per_minute: int,
) -> int | None:
    """Allow a run to visit the resolved addresses of its host, if all of them have free slots.

    Args:
        addresses: All targets of the run: its registrable domain and the addresses.
        target_runs: Maximum number of concurrent runs at one target.
        target_runs_per_minute: Maximum number of runs started at one target per minute.

    Returns:
        ``None`` if the run may start, and its visits are recorded. Otherwise the wait time in milliseconds; the run
        stores its targets, so that it is not claimed before they have free slots.
    """
    targets = tuple(dict.fromkeys(addresses))
    hold_targets(tx, targets)
    now_ms = moment(tx, now_ms)
    wait = wait_for_targets(tx, run.id, targets, now_ms, target_runs=target_runs, per_minute=target_runs_per_minute)
    if wait is None:
        start_visits(tx, run.id, targets, now_ms)
        return None
    target, wait_ms = wait
    _LEARN.rows(tx, {"id": run.id, "attempt": run.attempt, "target": target})
    return min(wait_ms, MAX_DELAY_MS)


def exempt_run(tx: Transaction, run: ClaimedRun) -> None:
    """Remove the visits of a run whose target turned out to be a host of the operator."""
    hasten_lines(tx, drop_visits(tx, run.id))
    _LEARN.rows(tx, {"id": run.id, "attempt": run.attempt, "target": ""})


def wait_for_targets(
    tx: Transaction,
    run_id: int,
    targets: Iterable[str],
    now_ms: int,
    *,
    target_runs: int,
    per_minute: int,
    look_ms: int = NEXT_LOOK_MS,
) -> tuple[str, int] | None:
    """Return the full target with the longest wait and the milliseconds to wait; ``None`` if all have free slots.

    For a run under way, whose end is unknown, the wait is ``look_ms``.

    On a shared database the result is only reliable for the holder of the targets' locks.
    """
    longest: tuple[str, int] | None = None
    secret = load_secret(tx, _HASH_KEY)
    for target in targets:
        hidden = target if secret is None else _hashed(secret, target)
        rows = _AT_TARGET.rows(tx, {**_window(now_ms), "target": target, "hidden": hidden, "run_id": run_id})
        wait_ms = 0
        if sum(ended_at_ms is None for _, ended_at_ms in rows) >= target_runs:
            wait_ms = look_ms
        recent = [started_at_ms for started_at_ms, _ in rows if _counts(started_at_ms, now_ms)]
        if len(recent) >= per_minute:
            # A slot becomes free when enough of the starts are a minute old.
            wait_ms = max(wait_ms, recent[-per_minute] + WINDOW_MS + 1 - now_ms)
        if wait_ms and (longest is None or wait_ms > longest[1]):
            longest = target, wait_ms
    return longest


def start_visits(tx: Transaction, run_id: int, targets: Iterable[str], now_ms: int) -> None:
    """Record that a run visits these targets; current visits are not counted twice."""
    for target in targets:
        _START.rows(tx, {"run_id": run_id, "target": target, "now_ms": now_ms})


def end_visits(tx: Transaction, run_id: int, now_ms: int) -> tuple[str, ...]:
    """Record that a run has left its targets; return them."""
    return tuple(target for (target,) in _END.rows(tx, {"run_id": run_id, "now_ms": now_ms}))


def drop_visits(tx: Transaction, run_id: int) -> tuple[str, ...]:
    """Remove the visits of a run that has not contacted its targets after all; return them."""
    return tuple(target for (target,) in _DROP.rows(tx, {"run_id": run_id}))


def hasten_lines(tx: Transaction, targets: Iterable[str]) -> None:
    """Let the lines of targets move within a second: a place became free, or a run that stood in line is gone.

    No lock of a target is needed, and no other transaction is waited for. On SQLite no run stands in line.
    """
    changed = sorted({target for target in targets if target})
    if changed and is_shared(tx):
        _HASTEN_LINES.rows(tx, {"targets": changed})


def hide_orphaned_visits(tx: Transaction) -> None:
    """Replace the names of targets by keyed hashes if the report of the run was deleted."""
    orphans = [target for (target,) in _ORPHANS.rows(tx, {})]
    if orphans:
        secret = load_or_make_secret(tx, _HASH_KEY)
        for target in orphans:
            tx.execute(_HIDE, {"target": target, "hidden": _hashed(secret, target)})


def _hashed(secret: bytes, target: str) -> str:
    return HIDDEN + hmac.digest(secret, target.encode("utf-8", "surrogatepass"), "sha256").hex()


def end_dead_visits(tx: Transaction, live: Iterable[int], now_ms: int) -> None:
    """End the visits of runs that no worker executes any more.

    Args:
        live: Ids of runs that this process still executes, although their report may be deleted.
    """
    # A worker of another process may not have noticed yet that its report was deleted.
    before_ms = now_ms - GONE_MS if is_shared(tx) else GREATEST_MS
    tx.execute(_END_DEAD, {"now_ms": now_ms, "live": list(live) or [0], "before_ms": before_ms})
    hide_orphaned_visits(tx)


def forget_visits(tx: Transaction, now_ms: int) -> int:
    """Delete visits that no longer count; return the number of rows."""
    return tx.execute(_FORGET, _window(moment(tx, now_ms))).rowcount


def _window(now_ms: int) -> dict[str, int]:
    return {"since_ms": now_ms - WINDOW_MS, "until_ms": now_ms + _SKEW_MS}


def _counts(started_at_ms: int, now_ms: int) -> bool:
    return now_ms - WINDOW_MS <= started_at_ms <= now_ms + _SKEW_MS
