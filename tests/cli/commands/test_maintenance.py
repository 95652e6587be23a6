from __future__ import annotations

import pytest
from sqlalchemy import update

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import WORKS_ROW, revisions
from pagegrade.store.schema.tables import installation
from tests.cli.command_line import CommandLine
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner


def fill(command_line: CommandLine, reports: int) -> None:
    """Finished reports of long ago."""
    command_line("migrate")
    database = command_line.open()
    account, _ = add_owner(database)
    queue = Queue(database, account.id)
    for number in range(reports):
        queue.add(f"https://example.com/{number}", now_ms=NOW_MS)
    queue.change("UPDATE reports SET state = 'completed'")
    queue.change("UPDATE runs SET state = 'completed'")
    database.close()


def count(command_line: CommandLine) -> int:
    """Reports there are."""
    database = command_line.open()
    found = int(database.read_here(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM reports").scalar_one()))
    database.close()
    return found


def test_an_empty_folder_is_set_up(command_line: CommandLine) -> None:
    """Asking first changes nothing; the second time there is nothing to do."""
    before = command_line("migrate", "--check")
    first = command_line("migrate")
    after = command_line("migrate", "--check")
    second = command_line("migrate")

    assert (before.code, before.out) == (1, "")
    assert "Run pagegrade migrate" in before.err
    assert (first.code, after.code, second.code) == (0, 0, 0)
    assert f"it has schema {revisions()[-1]} now" in first.out
    assert "is what this version works with" in second.out


def change_schema(tx: Transaction, *, works_from: str) -> None:
    """As a later version leaves it."""
    tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    tx.execute(update(installation).where(installation.c.name == WORKS_ROW).values(value=works_from.encode()))


@pytest.mark.parametrize("arguments", [["migrate"], ["migrate", "--check"], ["keys", "list"], ["prune"]], ids=str)
def test_a_database_of_a_later_version_that_can_go_on_is_used(command_line: CommandLine, arguments: list[str]) -> None:
    """While the machines of an installation are brought to it one after the other."""
    command_line("migrate")
    database = command_line.open()
    database.write_here(lambda tx: change_schema(tx, works_from="0001"))
    database.close()

    assert command_line(*arguments).code == 0


@pytest.mark.parametrize("arguments", [["migrate"], ["migrate", "--check"], ["keys", "list"], ["prune"]], ids=str)
def test_a_database_of_a_later_version_is_left_alone(command_line: CommandLine, arguments: list[str]) -> None:
    """By every command."""
    command_line("migrate")
    database = command_line.open()
    database.write_here(lambda tx: change_schema(tx, works_from="9999"))
    database.close()
    result = command_line(*arguments)

    assert result.code == 2
    assert "schema 9999" in result.err


def test_nothing_is_pruned_without_a_setting(command_line: CommandLine) -> None:
    """Without a limit the command says so."""
    fill(command_line, 2)
    result = command_line("prune")

    assert result.code == 0
    assert "No report ever expires" in result.err
    assert count(command_line) == 2


def test_reports_are_pruned_by_age(command_line: CommandLine) -> None:
    """A dry run only counts."""
    fill(command_line, 2)
    dry = command_line("prune", "--days", "7", "--dry-run", "--trust-clock")
    left = count(command_line)
    real = command_line("prune", "--days", "7", "--trust-clock")

    assert dry.out == "Would delete 2 reports and 0 earlier runs.\n"
    assert left == 2
    assert real.out == "Deleted 2 reports and 0 earlier runs.\n"
    assert count(command_line) == 0


def test_a_clock_far_ahead_deletes_nothing_until_a_person_trusts_it(command_line: CommandLine) -> None:
    """The database has seen nothing for months: the clock is wrong, or nothing ran; the doctor says so, too."""
    fill(command_line, 2)
    refused = command_line("prune", "--days", "7")
    left = count(command_line)
    doctor = command_line("doctor", "--format", "json")
    trusted = command_line("prune", "--days", "7", "--trust-clock")

    assert refused.out == "Deleted 0 reports and 0 earlier runs.\n"
    assert "ahead of what the database has seen" in refused.err
    assert left == 2
    assert "pagegrade prune --trust-clock" in doctor.out
    assert trusted.out == "Deleted 2 reports and 0 earlier runs.\n"


def test_the_settings_say_how_long(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typed value wins."""
    fill(command_line, 1)
    monkeypatch.setenv("PAGEGRADE_RETENTION_DAYS", "7")
    typed = command_line("prune", "--dry-run", "--trust-clock", "--days", "36500")
    configured = command_line("prune", "--dry-run", "--trust-clock")

    assert typed.out == "Would delete 0 reports and 0 earlier runs.\n"
    assert configured.out == "Would delete 1 report and 0 earlier runs.\n"


def test_a_limit_of_nothing_is_refused(command_line: CommandLine) -> None:
    """It would delete everything."""
    for arguments in (["--days", "0"], ["--runs", "0"], ["--days", "-1"]):
        assert command_line("prune", *arguments).code == 2
