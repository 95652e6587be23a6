"""Place and usual time of an analysis under way."""

from __future__ import annotations

from pathlib import Path

from pagegrade.model.account import Caller
from pagegrade.model.stored import StoredReport
from pagegrade.service.reports.views import view_found
from pagegrade.service.reports.waiting import Wait, find_wait
from tests.report_builders import make_report
from tests.share_builders import add_shared, finish, run_again
from tests.store_builders import NOW_MS, add_owner, make_database


def test_only_an_analysis_under_way_is_waited_for(tmp_path: Path) -> None:
    """A finished one has no place; the first one of an account has no usual time."""
    database = make_database(tmp_path)
    try:
        caller = Caller(account=add_owner(database)[0])

        def wait_for(report: StoredReport) -> Wait | None:
            return database.read_here(lambda tx: find_wait(tx, caller, view_found(tx, report, masked=False)))

        first = add_shared(database, caller.account, now_ms=NOW_MS, url="https://a.example/")
        alone = wait_for(first)
        done = finish(database, first, make_report(), now_ms=NOW_MS + 5_000)
        finished = wait_for(done)
        run_again(database, done, now_ms=NOW_MS + 6_000)
        second = add_shared(database, caller.account, now_ms=NOW_MS + 7_000, url="https://b.example/")
        behind = wait_for(second)

        assert alone == Wait(ahead=0, usual_ms=None)
        assert finished is None
        assert behind is not None
        assert behind.ahead == 1
        assert behind.usual_ms is not None
    finally:
        database.close()
