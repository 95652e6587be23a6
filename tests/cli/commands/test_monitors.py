from __future__ import annotations

import json

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.service.accounts.access import choose_account
from tests.audit_builders import make_audit
from tests.cli.command_line import CommandLine
from tests.queue_builders import add_queued


@pytest.fixture
def with_report(command_line: CommandLine) -> CommandLine:
    """A command line on a database with one account and one report."""
    command_line("migrate")
    database = command_line.open()
    database.write_here(lambda tx: add_queued(tx, choose_account(tx, None, now_ms()).id))
    database.close()
    return command_line


def test_a_monitor_is_created_listed_changed_and_deleted(with_report: CommandLine) -> None:
    """A script can take its id; people and programs see the same."""
    run = with_report
    made = run("monitors", "create", "1", "--schedule", "Hourly", "--budget", "score < 80", "--budget", "high>0")
    (entry,) = json.loads(run("monitors", "list", "--format", "json").out)
    codes = [
        run("monitors", "change", "1", "--timezone", "Europe/Prague", "--budget", "score<70").code,
        run("monitors", "pause", "1").code,
    ]
    (paused,) = json.loads(run("monitors", "list", "--format", "json").out)
    codes += [run("monitors", "resume", "1").code]
    table = run("monitors", "list").out
    codes += [run("monitors", "delete", "1").code]

    assert (made.code, made.out, codes) == (0, "1\n", [0, 0, 0, 0])
    assert entry["next_run_at"] in made.err
    assert [budget["condition"] for budget in entry["budgets"]] == ["score<80", "high>0"]
    assert (entry["schedule"], entry["status"], entry["timezone"]) == ("hourly", "active", "UTC")
    assert (paused["status"], paused["next_run_at"], paused["timezone"]) == ("paused", None, "Europe/Prague")
    assert [budget["condition"] for budget in paused["budgets"]] == ["score<70"]
    assert table.splitlines()[1].split()[:6] == ["1", "1", "-", "hourly", "Europe/Prague", "active"]
    assert json.loads(run("monitors", "list", "--format", "json").out) == []


def test_an_audit_is_monitored_with_conditions_of_its_own(with_report: CommandLine) -> None:
    """Weekly, unless something else is said."""
    run = with_report
    database = run.open()
    make_audit(database, Caller(account=database.read_here(lambda tx: choose_account(tx, None, now_ms()))))
    database.close()
    made = run("monitors", "create", "--audit", "1", "--budget", "pages drop>=10%")
    wrong = run("monitors", "change", "1", "--budget", "lcp_ms>2500")
    changed = run("monitors", "change", "1", "--budget", "check.orphan-pages")
    (entry,) = json.loads(run("monitors", "list", "--format", "json").out)

    assert (made.code, wrong.code, changed.code) == (0, 2, 0)
    assert (entry["report_id"], entry["audit_id"], entry["schedule"]) == (None, 1, "weekly")
    assert [budget["condition"] for budget in entry["budgets"]] == ["check.orphan-pages"]


@pytest.mark.parametrize("kind", ["site", "sitemap", "tag"])
def test_many_pages_are_monitored_by_one(with_report: CommandLine, kind: str) -> None:
    """The list says of which."""
    run = with_report
    made = run("monitors", "create", f"--{kind}", "example.com/")
    (entry,) = json.loads(run("monitors", "list", "--format", "json").out)
    value = {"site": "project example.com", "sitemap": "sitemap https://example.com/", "tag": "tag example.com/"}

    assert (made.code, made.out) == (0, "1\n")
    assert (entry["report_id"], entry["pages"], entry["pages_found"]) == (None, value[kind], None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create", "2"), "no report 2"),
        (("create", "--audit", "2"), "no audit 2"),
        (("create",), "a report, or one of --audit"),
        (("create", "1", "--tag", "x"), "a report, or one of --audit"),
        (("create", "--tag", "x", "--site", "a.example"), "one of project, sitemap and tag"),
        (("create", "1", "--audit", "1"), "a report, or one of --audit"),
        (("create", "1", "--schedule", "often"), "cron expression"),
        (("create", "1", "--timezone", "Mars"), "IANA"),
        (("create", "1", "--budget", "score"), "no condition"),
        (("pause", "7"), "no monitor 7"),
        (("delete", "7"), "no monitor 7"),
        (("list", "--format", "xml"), "no format"),
    ],
)
def test_what_cannot_be_done_is_said(with_report: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    """With status 2, and nothing is created."""
    refused = with_report("monitors", *arguments)

    assert (refused.code, refused.out) == (2, "")
    assert message in " ".join(refused.err.split())
    assert json.loads(with_report("monitors", "list", "--format", "json").out) == []


def test_an_account_has_so_many_monitors(with_report: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused."""
    monkeypatch.setenv("PAGEGRADE_MAX_MONITORS", "1")

    made, refused = (with_report("monitors", "create", "1") for _ in range(2))

    assert (made.code, refused.code) == (0, 2)
    assert "may have 1 monitors" in refused.err


def test_a_silence_begins_and_ends(with_report: CommandLine) -> None:
    """About a monitor or a site; a script can take its id."""
    run = with_report
    run("monitors", "create", "1")
    made = run("monitors", "silence", "1", "--reason", "Move\x1b[2J", "--hours", "2")
    of_site = run("monitors", "silence", "--site", "https://Example.com/x", "--reason", "Move")
    newer, older = json.loads(run("monitors", "silences", "--format", "json").out)
    table = run("monitors", "silences").out
    ended = run("monitors", "unsilence", "1")
    again = run("monitors", "unsilence", "1")

    assert (made.code, made.out, of_site.out, ended.code) == (0, "1\n", "2\n", 0)
    assert older["until"] in made.err
    assert (older["monitor_id"], older["project"]) == (1, None)
    assert (newer["monitor_id"], newer["project"], newer["reason"]) == (None, "example.com", "Move")
    assert "\x1b" not in table
    assert again.code != 0
    assert "no silence 1" in again.err
    assert len(json.loads(run("monitors", "silences", "--format", "json").out)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--reason", "x"), "either a monitor or --site"),
        (("1", "--site", "a.example", "--reason", "x"), "either a monitor or --site"),
        (("7", "--reason", "x"), "no such monitor"),
        (("--site", "//", "--reason", "x"), "Must be a host"),
        (("--site", "a.example", "--reason", " "), "Give a reason"),
        (("--site", "a.example", "--reason", "x", "--hours", "2161"), "2160"),
        (("--site", "a.example"), "--reason"),
    ],
)
def test_a_wrong_silence_is_refused(with_report: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2, and nothing is silent."""
    run = with_report
    refused = run("monitors", "silence", *arguments)

    assert refused.code == 2
    assert message in refused.err
    assert json.loads(run("monitors", "silences", "--format", "json").out) == []
