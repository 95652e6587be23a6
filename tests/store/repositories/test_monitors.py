from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import text, update

from pagegrade.model.monitors import Budget, BudgetChange, Crossing, Monitor
from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories import monitors
from pagegrade.store.repositories.monitors import (
    add_crossing,
    add_monitor,
    count_all,
    count_by_project,
    count_monitors,
    delete_monitor,
    earliest_due_ms,
    list_crossings,
    list_due,
    list_monitors,
    list_of_report,
    list_recent_crossings,
    load_monitor,
    save_monitor,
)
from pagegrade.store.repositories.reports import GREATEST_ID, delete_report
from pagegrade.store.schema.tables import monitors as monitors_table
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts, the first one with two reports."""
    made = make_database(tmp_path)
    alice = add_owner(made)[0]
    add_owner(made, "Bob")
    queue = Queue(made, alice.id)
    queue.add("https://example.com/")
    queue.add("https://example.org/")
    yield made
    made.close()


def new(tx: Transaction, *, report_id: int = 1, due_at_ms: int = NOW_MS, paused: bool = False) -> Monitor:
    """A monitor of the first account."""
    return add_monitor(
        tx,
        account_id=1,
        report_id=report_id,
        schedule="daily",
        timezone="UTC",
        jitter=7,
        budgets=(Budget(condition="score<80"),),
        paused=paused,
        due_at_ms=due_at_ms,
        now_ms=NOW_MS,
    )


def crossing(run_number: int, monitor_id: int = 1, at_ms: int = NOW_MS) -> Crossing:
    """Of the first report."""
    changes = (BudgetChange(condition="score<80", value=70.5, limit=80),)
    return Crossing(
        run_number=run_number,
        kind="regressed",
        at_ms=at_ms,
        monitor_id=monitor_id,
        report_id=1,
        budgets=changes,
    )


def test_a_monitor_is_read_as_it_was_stored(database: Database) -> None:
    """By its account only."""
    made = database.write_here(new)

    assert made.budgets == (Budget(condition="score<80"),)
    assert database.read_here(lambda tx: load_monitor(tx, 1, 1)) == made
    for account_id, monitor_id in ((2, 1), (1, 2), (1, 0), (1, GREATEST_ID + 1)):
        assert database.read_here(lambda tx, a=account_id, m=monitor_id: load_monitor(tx, a, m)) is None  # type: ignore[misc]


def test_a_monitor_that_was_changed_meanwhile_is_not_written(database: Database) -> None:
    """The revision is the fence."""
    made = database.write_here(new)
    budgets = (Budget(condition="high>0", state="breached", since_ms=NOW_MS),)
    saved = database.write_here(lambda tx: save_monitor(tx, replace(made, paused=True, budgets=budgets)))

    assert saved == replace(made, paused=True, budgets=budgets, revision=2)
    assert database.write_here(lambda tx: save_monitor(tx, replace(made, paused=False))) is None
    assert database.read_here(lambda tx: load_monitor(tx, 1, 1)) == saved


def test_lists_are_newest_first(database: Database) -> None:
    """In pages, or beside an id whose monitor may be gone."""

    def work(tx: Transaction) -> list[list[int]]:
        for place in range(5):
            new(tx, report_id=1 + place % 2)
        delete_monitor(tx, 1, 3)
        found = [
            list_monitors(tx, 1, ListPart(page=1, per_page=3)),
            list_monitors(tx, 1, ListPart(page=2, per_page=3)),
            list_monitors(tx, 1, ListPart(page=3, per_page=3)),
            list_monitors(tx, 2, ListPart(page=1, per_page=3)),
            list_monitors(tx, 1, ListPart(page=1, per_page=9), report_id=2),
            list_monitors(tx, 1, ListPart(per_page=2)),
            list_monitors(tx, 1, ListPart(per_page=2, beside=3)),
            list_monitors(tx, 1, ListPart(per_page=2, beside=1, backward=True)),
            list_of_report(tx, 1),
        ]
        assert (count_monitors(tx, 1), count_monitors(tx, 2), count_monitors(tx, 1, report_id=2)) == (4, 0, 2)
        return [[monitor.id for monitor in page] for page in found]

    assert database.write_here(work) == [[5, 4, 2], [1], [], [], [4, 2], [5, 4], [2, 1], [4, 2], [1, 5]]


def test_monitors_of_projects_are_counted_as_they_are_listed(database: Database) -> None:
    """Those of reports, audits and sets of pages; not the pages of a set, and not those of others."""

    def work(tx: Transaction) -> None:
        new(tx, report_id=1)
        new(tx, report_id=2, paused=True)
        made = new(tx, report_id=1)
        tx.execute(update(monitors_table).where(monitors_table.c.id == made.id).values(
            report_id=None, pages_kind="project", pages_of="example.com"
        ))  # fmt: skip
        of_set = new(tx, report_id=1)
        tx.execute(update(monitors_table).where(monitors_table.c.id == of_set.id).values(parent_id=made.id))
        names = ("example.com", "example.org", "example.net")
        found = count_by_project(tx, 1, names)

        assert found == {"example.com": 2, "example.org": 1}
        assert {name: count_monitors(tx, 1, project=name) for name in names} == {**found, "example.net": 0}
        assert count_by_project(tx, 2, names) == {}

    database.write_here(work)


def test_due_monitors_are_found_by_their_index(database: Database) -> None:
    """Those that have been due for the longest first, and none that is paused."""

    def work(tx: Transaction) -> tuple[list[list[int]], list[object]]:
        for due_at_ms, paused in ((300, False), (100, False), (200, True), (200, False), (400, False)):
            new(tx, due_at_ms=due_at_ms, paused=paused)
        due = [[monitor.id for monitor in list_due(tx, now_ms, 2)] for now_ms in (99, 100, 300, 900)]
        return due, [earliest_due_ms(tx), *count_all(tx)]

    assert database.write_here(work) == ([[], [2], [2, 4], [2, 4]], [100, 4, 1])
    if not database.shared:
        query = "SELECT * FROM monitors WHERE paused = 0 AND due_at_ms <= 1 ORDER BY due_at_ms"
        statement = text(f"EXPLAIN QUERY PLAN {query}")
        plan = database.read_here(lambda tx: [row[3] for row in tx.execute(statement)])
        assert plan == ["SEARCH monitors USING INDEX ix_monitors_due (paused=? AND due_at_ms<?)"]


def test_no_monitor_is_due_where_there_is_none(database: Database) -> None:
    """And none is the earliest."""
    assert database.read_here(lambda tx: (earliest_due_ms(tx), list_due(tx, NOW_MS, 9))) == (None, ())


@pytest.mark.parametrize(("most", "expected"), [(2, [1, 2]), (1, [2])])
def test_only_the_last_crossings_of_a_report_are_read(
    database: Database, monkeypatch: pytest.MonkeyPatch, most: int, expected: list[int]
) -> None:
    """In the order of the runs."""
    monkeypatch.setattr(monitors, "MAX_CROSSINGS", most)

    def work(tx: Transaction) -> None:
        new(tx)
        for number in (1, 2):
            add_crossing(tx, 1, number, crossing(number))

    database.write_here(work)

    found = database.read_here(lambda tx: list_crossings(tx, 1, from_run=1))

    assert [one.run_number for one in found] == expected


def test_crossings_go_with_the_monitor_and_the_report(database: Database) -> None:
    """They are found by report and by project."""

    def work(tx: Transaction) -> None:
        new(tx)
        new(tx)
        add_crossing(tx, 1, 1, crossing(1))
        add_crossing(tx, 1, 1, crossing(1, monitor_id=2, at_ms=NOW_MS + 5))

    database.write_here(work)

    def look(tx: Transaction) -> list[int]:
        found = (
            list_crossings(tx, 1, from_run=1),
            list_crossings(tx, 1, from_run=2),
            list_recent_crossings(tx, 1, "example.com", since_ms=NOW_MS, count=9),
            list_recent_crossings(tx, 1, "example.com", since_ms=NOW_MS + 1, count=9),
            list_recent_crossings(tx, 1, "example.com", since_ms=NOW_MS, count=1),
            list_recent_crossings(tx, 1, "example.org", since_ms=NOW_MS, count=9),
            list_recent_crossings(tx, 2, "example.com", since_ms=NOW_MS, count=9),
        )
        return [len(each) for each in found]

    assert database.read_here(look) == [2, 0, 2, 1, 1, 0, 0]
    assert database.read_here(lambda tx: list_crossings(tx, 1, from_run=1))[0] == crossing(1)
    assert database.write_here(lambda tx: delete_monitor(tx, 1, 2))
    assert not database.write_here(lambda tx: delete_monitor(tx, 2, 1))
    assert database.read_here(look)[0] == 1
    database.write_here(lambda tx: delete_report(tx, 1, 1))

    assert database.read_here(lambda tx: (load_monitor(tx, 1, 1), list_crossings(tx, 1, from_run=1))) == (None, ())
