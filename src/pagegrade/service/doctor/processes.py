"""Processes that share one database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.service.doctor.checks import Diagnosis, ok, problem, warning
from pagegrade.store.engine.database import Database, StatementError
from pagegrade.store.repositories.processes import LiveProcess, list_live

SHOWN: Final = 20


def look_at_processes(database: Database, now_ms: int, *, silent_ms: int) -> Iterator[Diagnosis]:
    """Report the running processes and whether they have one version; empty if there can be only one process.

    Args:
        database: Any.
        now_ms: The time now.
        silent_ms: A process without a heartbeat for so long is dead.
    """
    if not database.shared:
        return
    try:
        live = database.read_here(lambda tx: list_live(tx, now_ms, silent_ms))
    except (StatementError, Unavailable):
        yield problem("processes", "the database cannot be asked for them", "See what is said about the database.")
        return
    if not live:
        yield ok("processes", "none runs now")
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(one.kind for one in live).items()))
    lines = [kinds, *(_described(one) for one in live[:SHOWN])]
    if len(live) > SHOWN:
        lines.append(f"and {len(live) - SHOWN} more")
    yield ok("processes", "\n".join(lines))
    versions = sorted({one.version for one in live})
    if len(versions) > 1:
        yield warning(
            "processes",
            f"they are of different versions: {', '.join(versions)}",
            "Finish the upgrade: start the older ones anew with the later version.",
        )


def _described(one: LiveProcess) -> str:
    return f"{one.kind} {one.version} on {one.host}, process {one.pid}, {one.name}"
