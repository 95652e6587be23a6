"""Waiting for the first analysis of a report: its place among the owner's, and the usual time."""

from __future__ import annotations

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.stored import UNFINISHED
from pagegrade.service.reports.views import Viewed
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.length import count_ahead, usual_duration_ms


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """Place and usual time of an analysis under way."""

    ahead: int
    """Analyses of the same account that start before; 0 once it runs."""
    usual_ms: int | None
    """Median time of the account's newest results; ``None`` while it has none."""


def find_wait(tx: Transaction, caller: Caller, viewed: Viewed) -> Wait | None:
    """Return what is known about the newest run of a report of the caller; ``None`` if none is under way."""
    newest = viewed.runs[0] if viewed.runs else None
    if newest is None or newest.state not in UNFINISHED:
        return None
    ahead = count_ahead(tx, newest.id) if newest.state == "queued" else 0
    return Wait(ahead=ahead, usual_ms=usual_duration_ms(tx, caller.account.id))
