"""The real server is killed while it queues the run of a monitor or sends to a webhook (points M01 and M02)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagegrade.store.engine.data_dir import DATABASE_NAME
from tests.fault.chaos import query_file
from tests.fault.instance import Instance, died
from tests.fault.monitor_ledger import MonitorLedger, receiving
from tests.site.serve import serve_site

SETTLE_S = 120.0


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty one."""
    made = Instance(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(("point", "nth", "twice"), [("M01", "1", 0), ("M02", "1", 1)])
def test_a_killed_process_loses_and_doubles_no_due_time_and_loses_no_message(
    instance: Instance, point: str, nth: str, twice: int
) -> None:
    """Killed before the commit of a due run, and between sending and recording: then the same id comes again."""
    file = instance.folder / DATABASE_NAME
    with serve_site() as site, receiving(refused=0) as (receiver, receipts):
        ledger = MonitorLedger(partial(query_file, file), receipts, monitors=2, webhooks=1)
        server = instance.start()
        ledger.begin(server, site.http, receiver)
        ledger.settle(within_s=SETTLE_S)
        assert server.stop() == 0
        ledger.make_all_due()
        died(instance.start(point, nth))
        with closing(sqlite3.connect(file)) as database, database:
            # As if the lease of the process that died had ended.
            database.execute("UPDATE webhooks SET lease_until_ms = 1 WHERE worker IS NOT NULL")
        server = instance.start()
        ledger.settle(within_s=SETTLE_S)
        figures: dict[str, Any] = ledger.check()
        assert server.stop() == 0

    assert (figures["due_times"], figures["monitor_runs"]) == (2, 2)
    assert figures["received"] - figures["messages"] == figures["received_twice"] == twice
