from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Caller
from pagegrade.model.report import ManualResult
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.manual_results import delete_result, load_results, save_result
from pagegrade.store.repositories.reports import load_report
from tests.queue_builders import Queue
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

FAILED = ManualResult(
    criterion="1.4.5", outcome="failed", note="The banner.", evidence="", author="Alice", at_ms=NOW_MS, page_sha256=b"x"
)


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


def test_a_criterion_has_one_result(database: Database) -> None:
    """The newer one replaces it, and the report counts as changed each time, so that no client keeps an old export."""
    alice, _ = add_owner(database, "Alice")
    caller = Caller(account=alice)
    report_id = Queue(database, alice.id).add("https://a.example/").report_id
    passed = replace(FAILED, outcome="passed")
    other = replace(FAILED, criterion="1.2.2")

    def revision() -> int:
        found = database.read_here(lambda tx: load_report(tx, alice.id, report_id))
        assert found is not None
        return found.revision

    before = revision()
    for result in (FAILED, passed, other):
        database.write_here(lambda tx, result=result: save_result(tx, caller, report_id, result))  # type: ignore[misc]
    saved, between = database.read_here(lambda tx: load_results(tx, report_id)), revision()
    database.write_here(lambda tx: delete_result(tx, report_id, "1.2.2", now_ms=NOW_MS))

    assert saved == (other, passed)
    assert (between, revision()) == (before + 3, before + 4)
    assert database.read_here(lambda tx: load_results(tx, report_id)) == (passed,)
