from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service.retention import LEAST, follow_clock, prune_expired
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.installation import trust_clock
from pagegrade.store.repositories.retention import DAY_MS, Pruned
from tests.database_clock import show
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database

LATER_MS = NOW_MS + 100 * DAY_MS


def test_all_that_has_had_its_time_goes(tmp_path: Path) -> None:
    """However many pieces that takes; what was used lately stays."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    queue = Queue(database, account.id)
    for number in range(7):
        queue.add(f"https://example.com/{number}")
        (run,) = queue.claim()
        queue.finish(run)
    queue.change("UPDATE reports SET dated_at_ms = :at WHERE id <= 5", at=0)
    show(database, LATER_MS)
    database.write_here(lambda tx: trust_clock(tx, LATER_MS))
    pruned = asyncio.run(prune_expired(database, retention_days=98, retention_runs=None, now_ms=LATER_MS, batch=2))
    again = asyncio.run(prune_expired(database, retention_days=98, retention_runs=None, now_ms=LATER_MS, batch=2))

    assert pruned == Pruned(reports=5, visits=7)
    assert again == Pruned()
    assert queue.rows("SELECT id FROM reports") == [(6,), (7,)]
    database.close()


def test_a_database_that_cannot_be_used_is_reported(tmp_path: Path) -> None:
    """The operator tries again later."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'missing' / 'gone.db'}")

    with pytest.raises(Unavailable):
        asyncio.run(prune_expired(database, retention_days=1, retention_runs=1, now_ms=NOW_MS))
    database.close()


def test_a_clock_that_jumped_deletes_a_small_share(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing at first; with the time that passes at most ``LEAST`` reports in a pass, and it is said."""
    database = make_database(tmp_path)
    queue = Queue(database, add_owner(database)[0].id)
    for number in range(3 * LEAST):
        queue.add(f"https://example.com/{number}")
        (run,) = queue.claim()
        queue.finish(run)
    queue.change("UPDATE reports SET dated_at_ms = :at", at=NOW_MS)
    show(database, NOW_MS)
    seen = database.write_here(partial(follow_clock, now_ms=NOW_MS))

    def look(now_ms: int) -> int:
        show(database, now_ms)
        database.write_here(partial(follow_clock, now_ms=now_ms))
        return asyncio.run(prune_expired(database, retention_days=9, retention_runs=None, now_ms=now_ms)).reports

    at_once = look(NOW_MS + 400 * DAY_MS)
    # Step by step, nine days have been caught up nine hours later.
    deleted = [look(NOW_MS + 400 * DAY_MS + minute * 60_000) for minute in range(30, 720, 30)]

    assert seen.behind_ms == 0
    assert at_once == 0
    assert [each for each in deleted if each][:3] == [LEAST, LEAST, LEAST]
    assert sum(deleted) == 3 * LEAST
    assert "clock_jumped" in caplog.text
    database.close()
