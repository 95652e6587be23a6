"""Projects are what the reports of an account are about."""

from __future__ import annotations

from pathlib import Path

from pagegrade.model.stored import ListQuery
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.projects import (
    delete_from_project,
    latest_at_ms,
    list_projects,
    load_project,
)
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import add_report
from tests.store_builders import NOW_MS, add_owner, make_database


def fill(tx: Transaction, account_id: int, project: str, count: int) -> None:
    """So many reports of a project."""
    for number in range(count):
        add_report(
            tx, account_id=account_id, url=f"https://{project}/{number}", project=project, privacy=0,
            password_hash=None, slug=f"{account_id}{project[:14]}{number}", now_ms=NOW_MS,
        )  # fmt: skip


def test_projects_come_by_name_in_pages(tmp_path: Path) -> None:
    """Each host once, with its reports, and the number of all of them on every page."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        for name, count in (("b.example", 2), ("a.example", 3), ("c.example:8080", 1)):
            fill(tx, 1, name, count)
        fill(tx, 2, "bob.example", 1)
        first, total = list_projects(tx, 1, 1, 2)
        last, _ = list_projects(tx, 1, 2, 2)

        assert total == 3
        assert [(one.name, sum(one.counts.values())) for one in first] == [("a.example", 3), ("b.example", 2)]
        assert [(one.name, sum(one.counts.values())) for one in last] == [("c.example:8080", 1)]
        assert list_projects(tx, 1, 3, 2) == ((), 3)
        assert list_projects(tx, 1, 10**30, 100) == ((), 3)

    database.write_here(work)
    database.close()


def test_a_project_is_there_as_long_as_it_has_a_report(tmp_path: Path) -> None:
    """Deleting goes in steps, oldest first, and touches neither other projects nor other accounts."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        fill(tx, 1, "a.example", 5)
        fill(tx, 1, "b.example", 1)
        fill(tx, 2, "a.example", 1)

        assert delete_from_project(tx, 1, "a.example", limit=3) == (1, 2, 3)
        assert delete_from_project(tx, 1, "a.example", limit=3) == (4, 5)
        assert delete_from_project(tx, 1, "a.example", limit=3) == ()
        assert load_project(tx, 1, "a.example") is None
        assert load_project(tx, 1, "") is None
        assert load_project(tx, 2, "a.example") is not None
        assert list_reports(tx, ListQuery(account_id=1))[1] == 1

    database.write_here(work)
    database.close()


def test_the_latest_date_of_a_project_is_that_of_its_newest_report(tmp_path: Path) -> None:
    """Of the account's own reports there; none where it has none."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        fill(tx, 1, "a.example", 3)

        assert latest_at_ms(tx, 1, "a.example") == NOW_MS
        assert latest_at_ms(tx, 2, "a.example") is None

    database.write_here(work)
    database.close()
