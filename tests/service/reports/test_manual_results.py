from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.manual_results import record_result, remove_result
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.decisions import load_results
from tests.report_builders import make_failed_report, make_report
from tests.share_builders import add_shared
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_key, add_owner, make_database, on

OPTIONS = ServiceOptions(base_url="https://reports.example.org")
PASSED = {"criterion": "1.4.5", "outcome": "passed", "note": "", "evidence": ""}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database, closed in the end."""
    made = make_database(tmp_path)
    yield made
    made.close()


def record(database: Database, caller: Caller, report_id: int, **fields: str) -> None:
    """Record a result in a transaction of its own."""
    sent = PASSED | fields
    database.write_here(lambda tx: record_result(tx, caller, report_id, OPTIONS, NOW_MS, **sent, changed_tag=None))


def test_a_key_is_the_author_of_what_a_program_records(database: Database) -> None:
    """By its name, as in the log."""
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=make_report())
    key, _ = add_key(database, alice.id, name="audit tool")
    record(database, Caller(account=alice, key=key), report.id)
    record(database, Caller(account=alice), report.id, criterion="1.2.2", note=" All videos have them. ")
    subtitles, images = database.read_here(lambda tx: load_results(tx, report.id))

    assert (images.author, images.outcome, images.at_ms) == ("audit tool", "passed", NOW_MS)
    assert (subtitles.author, subtitles.note) == (alice.name, "All videos have them.")


@pytest.mark.parametrize("kind", BACKENDS)
def test_those_who_record_one_criterion_at_once_replace_each_other(kind: Backend, tmp_path: Path) -> None:
    """All succeed, and one result is left."""
    with on(kind):
        database = make_database(tmp_path)
    alice, _ = add_owner(database)
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=make_report())

    with ThreadPoolExecutor(6) as threads:
        made = [threads.submit(record, database, Caller(account=alice), report.id, note=str(note)) for note in range(6)]

    assert [each.exception() for each in made] == [None] * 6
    (left,) = database.read_here(lambda tx: load_results(tx, report.id))
    database.close()

    assert left.note in map(str, range(6))


def test_only_what_shows_results_has_results_of_persons(database: Database) -> None:
    """Neither a report that waits or failed, nor one of another account, nor an unknown criterion."""
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    report = add_shared(database, alice, now_ms=NOW_MS, outcome=make_report())
    failed = add_shared(database, alice, now_ms=NOW_MS, outcome=make_failed_report("dns"))
    waiting = add_shared(database, alice, now_ms=NOW_MS)
    for caller, number, criterion in (
        (alice, waiting.id, "1.4.5"),
        (alice, failed.id, "1.4.5"),
        (bob, report.id, "1.4.5"),
        (alice, report.id, "9.9.9"),
    ):
        with pytest.raises(NotFound):
            record(database, Caller(account=caller), number, criterion=criterion)
        with pytest.raises(NotFound):
            database.write_here(
                lambda tx, at=(caller, number, criterion): remove_result(  # type: ignore[misc]
                    tx, Caller(account=at[0]), at[1], OPTIONS, NOW_MS, criterion=at[2]
                )
            )
