"""Figures above the list of reports: the average score, and pages that got worse."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.tables import reports

NEWEST: Final = 1_000
"""Reports that the average is taken from, so that it costs the same for every account."""
MAX_RUNS: Final = 500
"""Runs in which pages that got worse are looked for, the newest ones."""
_SCORES: Final = select(reports.c.score).where(reports.c.account_id == bindparam("account"))
_OF_ALL: Final = _SCORES.order_by(reports.c.dated_at_ms.desc()).limit(NEWEST).subquery()
_OF_PROJECT: Final = (
    _SCORES.where(reports.c.project == bindparam("project"))
    .order_by(reports.c.dated_at_ms.desc())
    .limit(NEWEST)
    .subquery()
)
_AVERAGE: Final = Prepared(select(func.avg(_OF_ALL.c.score)))
_AVERAGE_OF_PROJECT: Final = Prepared(select(func.avg(_OF_PROJECT.c.score)))
_WORSE: Final = Prepared(
    text(
        "SELECT reports.id, reports.url, earlier.number, recent.number, earlier.score, recent.score FROM "
        "(SELECT report_id, number, score, ruleset FROM runs WHERE account_id = :account AND finished_at_ms >= :since "
        "AND state = 'completed' ORDER BY finished_at_ms DESC LIMIT :count) AS recent "
        "JOIN reports ON reports.id = recent.report_id AND reports.run_number = recent.number "
        "JOIN runs AS earlier ON earlier.report_id = recent.report_id AND earlier.number = (SELECT number "
        "FROM runs WHERE report_id = recent.report_id AND number < recent.number AND score IS NOT NULL "
        "ORDER BY number DESC LIMIT 1) "
        "WHERE earlier.ruleset = recent.ruleset AND earlier.score > recent.score "
        "AND (CAST(:project AS TEXT) = '' OR reports.project = CAST(:project AS TEXT)) "
        "ORDER BY earlier.score - recent.score DESC, reports.id"
    )
)


class WorsePage(NamedTuple):
    """A page whose newest score is lower than the one before it, by the same rules."""

    report_id: int
    url: str
    before_number: int
    after_number: int
    before: int
    after: int


def average_score(tx: Transaction, account_id: int, project: str = "") -> float | None:
    """Return the mean score of the ``NEWEST`` reports of an account, or of one project; ``None`` without a score."""
    if project:
        row = _AVERAGE_OF_PROJECT.first(tx, {"account": account_id, "project": project})
    else:
        row = _AVERAGE.first(tx, {"account": account_id})
    return None if row is None or row[0] is None else float(row[0])


def pages_that_got_worse(
    tx: Transaction, account_id: int, *, since_ms: int, project: str = ""
) -> tuple[WorsePage, ...]:
    """Return the pages whose newest analysis ended since then with fewer points than before, the worst first."""
    sent = {"account": account_id, "since": since_ms, "count": MAX_RUNS, "project": project}
    return tuple(WorsePage(*row) for row in _WORSE.rows(tx, sent))
