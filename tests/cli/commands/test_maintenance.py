from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sqlalchemy import update

from pagegrade.cli import exit_codes
from pagegrade.cli.app import run
from pagegrade.config import given_settings
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import WORKS_ROW, migrate, revisions
from pagegrade.store.schema.tables import installation
from pagegrade.wiring import open_database
from tests.cli.command_line import CommandLine
from tests.identity_provider import CLIENT, SECRET, issuer_on_loopback
from tests.postgres import databases
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


@pytest.fixture(autouse=True)
def _own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever the machine sets does not count here."""
    monkeypatch.chdir(tmp_path)
    for name in given_settings():
        monkeypatch.delenv(f"PAGEGRADE_{name.upper()}", raising=False)
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path / "data"))


def test_a_fresh_machine_is_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nothing is made by looking, and the last line counts."""
    code = run(["doctor"])
    output = capsys.readouterr().out

    assert code == exit_codes.OK
    assert "is not there yet" in output
    assert output.splitlines()[-1].startswith("0 problems, ")
    assert not (tmp_path / "data").exists()


def test_a_server_in_use_is_looked_at_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One object for everything that was looked at."""
    database = open_database()
    migrate(database)
    database.close()
    code = run(["doctor", "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert code == exit_codes.OK
    assert all(set(one) == {"topic", "level", "message", "advice"} for one in found)
    assert {"schema", "durability", "reports", "queue", "clock", "guard", "parser", "server"} <= {
        one["topic"] for one in found
    }
    assert [one for one in found if one["level"] == "warning" and not one["advice"]] == []


def test_settings_are_reported_without_their_secrets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The output is pasted into questions."""
    (tmp_path / "token").write_text("the-token-itself")
    monkeypatch.setenv("PAGEGRADE_METRICS_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.setenv("PAGEGRADE_BOOTSTRAP_API_KEY", "the-key-itself-which-is-long")
    monkeypatch.setenv("PAGEGRADE_PROT", "1")
    monkeypatch.setenv("PAGEGRADE_HOST", "\x1b[31mred")
    code = run(["doctor"])
    output = capsys.readouterr().out

    assert code == exit_codes.OK
    assert "the-token-itself" not in output
    assert "the-key-itself" not in output
    assert "PAGEGRADE_BOOTSTRAP_API_KEY=(hidden)" in output
    assert f"PAGEGRADE_METRICS_TOKEN_FILE={tmp_path / 'token'}" in output
    assert "Did you mean PAGEGRADE_PORT?" in output
    assert "\x1b[31mred" not in output


def test_wrong_settings_are_one_problem_and_the_rest_is_looked_at(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them at once, and an exit code that is like no other."""
    monkeypatch.setenv("PAGEGRADE_PORT", "many")
    monkeypatch.setenv("PAGEGRADE_WORKERS", "-1")
    code = run(["doctor"])
    output = capsys.readouterr().out

    assert code == exit_codes.UNFIT
    assert "PAGEGRADE_PORT='many'" in output
    assert "PAGEGRADE_WORKERS='-1'" in output
    assert "guard" in output
    assert "1 problem," in output


def test_a_database_of_another_kind_is_a_problem(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is not shown: it may hold a password."""
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "mysql://alice:secret@db/reports")
    code = run(["doctor"])
    output = capsys.readouterr().out

    assert code == exit_codes.UNFIT
    assert "secret" not in output


def test_a_page_that_may_not_be_fetched_is_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    """As it would be for an untrusted client."""
    code = run(["doctor", "--online", "http://127.0.0.1:9/", "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert code == exit_codes.UNFIT
    assert [one["topic"] for one in found if one["level"] == "problem"] == ["online"]


def test_a_format_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is looked at."""
    code = run(["doctor", "--format", "xml"])

    assert code == exit_codes.USAGE
    assert "text or json" in capsys.readouterr().err


def test_the_provider_of_the_settings_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it is not told stays hidden."""
    with issuer_on_loopback() as issuer:
        monkeypatch.setenv("PAGEGRADE_OIDC_ISSUER", issuer.origin)
        monkeypatch.setenv("PAGEGRADE_OIDC_CLIENT_ID", CLIENT)
        monkeypatch.setenv("PAGEGRADE_OIDC_CLIENT_SECRET", SECRET)
        monkeypatch.setenv("PAGEGRADE_BASE_URL", "https://reports.example.org")
        right = run(["doctor"])
        output = capsys.readouterr().out
        issuer.keys = []
        wrong = run(["doctor"])

    assert (right, wrong) == (exit_codes.OK, exit_codes.UNFIT)
    assert "https://reports.example.org/single-sign-on/back" in output
    assert SECRET not in output


@pytest.mark.backend("postgresql", "a file is looked at above")
def test_a_database_on_a_server_is_looked_at(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And neither a data folder nor SQLite, which nothing is kept in; none is made."""
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", databases().make())
    code = run(["doctor", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    topics = {one["topic"] for one in found}

    # That server waits for no disk, for it is one of tests.
    assert {one["topic"] for one in found if one["level"] == "problem"} == {"durability"}
    assert code == exit_codes.UNFIT
    assert {"database", "postgresql", "clocks", "schema", "rights", "queue", "connections", "guard", "parser"} <= topics
    assert not {"data folder", "sqlite", "server"} & topics
    assert not (tmp_path / "data").exists()


@pytest.mark.backend("postgresql", "it is about a server")
def test_a_server_that_does_not_answer_is_one_problem(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is looked at, and the password is nowhere."""
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", "postgresql+psycopg://alice:s3cret@127.0.0.1:1/reports")
    code = run(["doctor"])
    output = capsys.readouterr().out

    assert code == exit_codes.UNFIT
    assert "1 problem," in output
    assert "s3cret" not in output
    assert "guard" in output


def test_what_older_versions_left_is_listed_and_deleted_when_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A person knew of these pictures, so no start deletes them by itself."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "pagegrade-pictures-abc"
    folder.mkdir()
    lines = []
    for arguments in ((), ("--delete-leftovers",), ()):
        run(["doctor", "--format", "json", *arguments])
        lines.append(next(one for one in json.loads(capsys.readouterr().out) if one["topic"] == "leftovers"))

    assert [one["level"] for one in lines] == ["warning", "ok", "ok"]
    assert str(folder) in lines[0]["message"]
    assert "--delete-leftovers" in lines[0]["advice"]
    assert lines[1]["message"] == "1 of an older version deleted"
    assert not folder.exists()


@pytest.mark.parametrize("below", ["", "data", "data/deeper"])
def test_a_folder_that_may_not_be_entered_is_one_problem(tmp_path: Path, below: str) -> None:
    """Its files are not even looked for; everything else is looked at."""
    folder = tmp_path / "shut"
    folder.mkdir(mode=0)
    # The right to pass over modes, which the user root has, is given up.
    rights = "-dac_override,-dac_read_search"
    without = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"] if os.geteuid() == 0 else []
    command = [*without, sys.executable, "-m", "pagegrade", "doctor", "--format", "json"]
    environment = {**os.environ, "PAGEGRADE_DATA_DIR": str(folder / below)}
    made = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)
    folder.chmod(0o700)
    found = json.loads(made.stdout)

    assert made.stderr == b""
    assert [one["topic"] for one in found if one["level"] == "problem"] == ["data folder"]
    assert {"packages", "guard", "parser"} <= {one["topic"] for one in found}
    assert "database" not in {one["topic"] for one in found}
