from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Caller
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import ManualResult
from pagegrade.model.stored import ListPart, Priority
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.queue.lease import start_run
from pagegrade.store.queue.runs import enqueue_run
from pagegrade.store.repositories.accounts import delete_account, mark_erasing
from pagegrade.store.repositories.decisions import (
    add_ignore,
    count_ignores,
    delete_ignore,
    delete_of_project,
    delete_result,
    list_ignores,
    list_rules_of_report,
    load_ignore,
    load_results,
    save_result,
)
from pagegrade.store.repositories.reports import add_report, delete_report, load_report
from tests.queue_builders import Queue
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

RULE = IgnoreRule(check="image-alt", reason="Known.", author="Alice")
FAILED = ManualResult(
    criterion="1.4.5", outcome="failed", note="The banner.", evidence="", author="Alice", at_ms=NOW_MS, page_sha256=b"x"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts."""
    made = make_database(tmp_path)
    add_owner(made)
    add_owner(made, "Bob")
    yield made
    made.close()


def add(database: Database, rule: IgnoreRule = RULE, *, account_id: int = 1, report_id: int | None = None) -> int:
    """A rule; its id."""
    stored = database.write_here(lambda tx: add_ignore(tx, account_id, rule, report_id=report_id, now_ms=NOW_MS))

    assert stored.rule.id is not None
    return stored.rule.id


def report(database: Database, number: int = 1, project: str = "a.example") -> int:
    """A report of the first account; its id."""
    return database.write_here(
        lambda tx: add_report(
            tx, account_id=1, url=f"https://{project}/", project=project, privacy=0, password_hash=None,
            slug=f"slug-{number}", now_ms=NOW_MS,
        )
    ).id  # fmt: skip


def test_a_rule_is_read_as_it_was_written(database: Database) -> None:
    """With every member, and to the millisecond."""
    whole = replace(
        RULE, selector=".ü", url_pattern="*", project="a.example", state="missing", places=2,
        expires_at=datetime(2030, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
    )  # fmt: skip
    for rule in (RULE, whole):
        number = add(database, rule)
        found = database.read_here(lambda tx, n=number: load_ignore(tx, 1, n))  # type: ignore[misc]

        assert found is not None
        assert (found.rule, found.report_id, found.created_at_ms) == (replace(rule, id=number), None, NOW_MS)


def test_a_report_has_its_rules_those_of_its_project_and_those_of_the_account(database: Database) -> None:
    """The oldest first, and no others."""
    first, second = report(database), report(database, 2, "b.example")
    of_account = add(database)
    of_report = add(database, report_id=first)
    of_project = add(database, replace(RULE, project="a.example"))
    add(database, report_id=second)
    add(database, replace(RULE, project="b.example"))
    add(database, account_id=2)
    found = database.read_here(lambda tx: list_rules_of_report(tx, 1, first))

    assert [rule.id for rule in found] == [of_account, of_report, of_project]
    assert database.read_here(lambda tx: list_rules_of_report(tx, 2, first)) != found


def test_rules_are_listed_newest_first_in_pages(database: Database) -> None:
    """By check and report, if one is given."""
    target = report(database)
    numbers = [add(database) for _ in range(3)] + [add(database, replace(RULE, check="title"), report_id=target)]

    def listed(page: int, *, check: str | None = None, report_id: int | None = None) -> tuple[list[int | None], int]:
        part = ListPart(page=page, per_page=2)
        found = database.read_here(lambda tx: list_ignores(tx, 1, part, check=check, report_id=report_id))
        total = database.read_here(lambda tx: count_ignores(tx, 1, check=check, report_id=report_id))
        return [one.rule.id for one in found], total

    assert listed(1) == ([numbers[3], numbers[2]], 4)
    assert listed(2) == ([numbers[1], numbers[0]], 4)
    assert listed(3) == ([], 4)
    assert listed(1, check="title") == listed(1, report_id=target) == ([numbers[3]], 1)


def test_rules_of_others_are_not_there(database: Database) -> None:
    """Neither to be seen nor to be deleted; nor are numbers that no database counts to."""
    number = add(database)
    others = ((2, number), (1, number + 1), (1, 2**63), (1, 0))
    seen = [database.read_here(lambda tx, w=where: load_ignore(tx, *w)) for where in others]  # type: ignore[misc]
    deleted = [database.write_here(lambda tx, w=where: delete_ignore(tx, *w)) for where in others]  # type: ignore[misc]

    assert (seen, deleted) == ([None] * 4, [False] * 4)
    assert database.write_here(lambda tx: delete_ignore(tx, 1, number))


def test_rules_go_with_their_report_project_and_account(database: Database) -> None:
    """And with nothing else."""
    target = report(database)
    add(database)
    add(database, report_id=target)
    add(database, replace(RULE, project="a.example"))
    add(database, account_id=2)
    counts = []

    def erase(tx: Transaction) -> None:
        mark_erasing(tx, 1, NOW_MS)
        delete_account(tx, 1)

    for step in (
        lambda tx: delete_report(tx, 1, target),
        lambda tx: delete_of_project(tx, 1, "a.example"),
        erase,
    ):
        database.write_here(step)
        counts.append([database.read_here(lambda tx, n=n: count_ignores(tx, n)) for n in (1, 2)])  # type: ignore[misc]

    assert counts == [[2, 1], [1, 1], [0, 1]]


@pytest.mark.parametrize("which", [0, 1, None])
def test_runs_under_rules_of_their_own_share_no_outcome(database: Database, which: int | None) -> None:
    """The rules may be those of the run that would lead or of the one that would follow."""
    reports = [report(database, number) for number in range(2)]
    add(database)
    if which is not None:
        add(database, report_id=reports[which])

    def enqueue(tx: object, number: int) -> int:
        stored = load_report(tx, 1, number)  # type: ignore[arg-type]
        assert stored is not None
        return enqueue_run(tx, report=stored, priority=Priority.BULK, target="", now_ms=NOW_MS).id  # type: ignore[arg-type]

    for number in reports:
        database.write_here(lambda tx, n=number: enqueue(tx, n))  # type: ignore[misc]
    leaders = database.read_here(
        lambda tx: tx.exec_driver_sql("SELECT leader_id FROM runs ORDER BY id").scalars().all()
    )

    assert [leader is not None for leader in leaders] == [False, which is None]


@pytest.mark.parametrize("which", [0, 1, None])
def test_a_run_that_lost_its_leader_finds_none_under_other_rules(database: Database, which: int | None) -> None:
    """The run that starts takes along only those whose outcome would be the same."""
    reports = [report(database, number) for number in range(2)]
    if which is not None:
        add(database, report_id=reports[which])

    def wait_without_leader(tx: Transaction) -> list[int]:
        stored = [found for number in reports if (found := load_report(tx, 1, number)) is not None]
        runs = [enqueue_run(tx, report=one, priority=Priority.BULK, target="", now_ms=NOW_MS).id for one in stored]
        tx.exec_driver_sql("UPDATE runs SET leader_id = NULL")
        return runs

    first, second = database.write_here(wait_without_leader)
    database.write_here(lambda tx: start_run(tx, first, worker="w", now_ms=NOW_MS, lease_ms=60_000))
    leaders = database.read_here(
        lambda tx: tx.exec_driver_sql("SELECT leader_id FROM runs ORDER BY id").scalars().all()
    )

    assert leaders == [None, first if which is None else None]
    assert second > first


@pytest.fixture(params=BACKENDS)
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


def test_a_criterion_has_one_result(empty_database: Database) -> None:
    """The newer one replaces it, and the report counts as changed each time, so that no client keeps an old export."""
    alice, _ = add_owner(empty_database, "Alice")
    caller = Caller(account=alice)
    report_id = Queue(empty_database, alice.id).add("https://a.example/").report_id
    passed = replace(FAILED, outcome="passed")
    other = replace(FAILED, criterion="1.2.2")

    def revision() -> int:
        found = empty_database.read_here(lambda tx: load_report(tx, alice.id, report_id))
        assert found is not None
        return found.revision

    before = revision()
    for result in (FAILED, passed, other):
        empty_database.write_here(lambda tx, result=result: save_result(tx, caller, report_id, result))  # type: ignore[misc]
    saved, between = empty_database.read_here(lambda tx: load_results(tx, report_id)), revision()
    empty_database.write_here(lambda tx: delete_result(tx, report_id, "1.2.2", now_ms=NOW_MS))

    assert saved == (other, passed)
    assert (between, revision()) == (before + 3, before + 4)
    assert empty_database.read_here(lambda tx: load_results(tx, report_id)) == (passed,)
