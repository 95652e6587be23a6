from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.cli import exit_codes
from pagegrade.cli.app import app, run
from pagegrade.model.identity import VERSION


def test_the_version_names_engine_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Both decide what a score means."""
    code = run(["--version"])

    assert code == 0
    assert capsys.readouterr().out == f"pagegrade {VERSION} (ruleset 2026.12)\n"


@pytest.mark.parametrize("command", ["analyze", "audit", "evaluate", "explain", "checks"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each option says what it does."""
    code = run([command, "--help"])
    out = capsys.readouterr().out

    assert code == 0
    assert f"Usage: pagegrade {command}" in out


WRONG = "PAGEGRADE_GOOD_FROM=nonsense\nPAGEGRADE_BROWSER=./evil\nPAGEGRADE_ALLOW_NETWORKS=0.0.0.0/0\n"
ANYWHERE = {
    "analyze": ["analyze", "http://127.0.0.1:1/", "--quiet"],
    "audit": ["audit", "http://127.0.0.1:1/", "--quiet"],
    "compare-audits": ["compare-audits", "nowhere/1", "nowhere/2"],
    "evaluate": ["evaluate", "--html", "page.html", "--url", "https://example.com/", "--quiet"],
    "mcp": ["mcp"],
    "explain": ["explain", "title"],
    "checks": ["checks"],
    "openapi": ["openapi"],
}
"""Commands that may be run in a folder of other people."""
FAILS = {
    "analyze": exit_codes.NOT_ANALYZED,
    "audit": exit_codes.NOT_ANALYZED,
    "compare-audits": exit_codes.USAGE,
}
"""Exit codes of those that have nothing to work on there."""
AT_HOME = {
    "serve": ["serve"],
    "worker": ["worker"],
    "access-profiles": ["access-profiles", "list"],
    "accounts": ["accounts", "list"],
    "keys": ["keys", "list"],
    "members": ["members", "list"],
    "monitors": ["monitors", "list"],
    "webhooks": ["webhooks", "list"],
    "migrate": ["migrate"],
    "transfer": ["transfer", "--from", "sqlite:////nowhere/a.db", "--to", "sqlite:////nowhere/b.db"],
    "prove-site": ["prove-site", "https://example.com/"],
    "prune": ["prune"],
    "doctor": ["doctor"],
}


def run_in_a_foreign_folder(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run a command where another person left a ``.env``; its exit code and what it printed."""
    (folder / ".env").write_text(WRONG)
    (folder / "page.html").write_text("<!doctype html><title>x</title>")
    done = subprocess.run(
        [sys.executable, "-m", "pagegrade", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_every_command_is_either_at_home_or_not() -> None:
    """The tests below try all of them."""
    names = {
        command.name or command.callback.__name__.replace("_", "-")
        for command in app.registered_commands
        if command.callback
    }
    groups = {str(group.name) for group in app.registered_groups}

    assert names | groups == set(ANYWHERE) | set(AT_HOME)


@pytest.mark.parametrize("command", ANYWHERE)
def test_a_file_of_the_folder_changes_nothing_but_for_who_runs_an_installation(command: str, tmp_path: Path) -> None:
    """In a checkout of other people it could name a browser to run, or open networks."""
    code, printed = run_in_a_foreign_folder(tmp_path, *ANYWHERE[command])

    assert "GOOD_FROM" not in printed
    assert code == FAILS.get(command, exit_codes.OK)


@pytest.mark.parametrize("command", ["analyze", "evaluate", "mcp"])
def test_a_file_that_is_named_is_read(command: str, tmp_path: Path) -> None:
    """Only where it is asked for; one that is not there is an error."""
    code, printed = run_in_a_foreign_folder(tmp_path, "--env-file", ".env", *ANYWHERE[command])
    missing, sentence = run_in_a_foreign_folder(tmp_path, "--env-file", "nowhere.env", *ANYWHERE[command])

    assert (code, missing) == (exit_codes.USAGE, exit_codes.USAGE)
    assert "PAGEGRADE_GOOD_FROM='nonsense' cannot be used" in printed
    assert "--env-file: nowhere.env" in sentence


@pytest.mark.parametrize("command", AT_HOME)
def test_administration_reads_the_file_of_its_folder(command: str, tmp_path: Path) -> None:
    """As `serve` does: they must mean the same database."""
    _, printed = run_in_a_foreign_folder(tmp_path, *AT_HOME[command])

    assert "PAGEGRADE_GOOD_FROM" in printed


def test_the_help_names_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts rely on them."""
    run(["--help"])

    assert "130 interrupted" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyze"], "analyze"),
        (["analyze"], "URL"),
        (["analyze", "https://example.com/", "--budgte", "3"], "--budget"),
        (["analyze", "https://example.com/", "--budget", "soon"], "--budget"),
        (["analyze", "https://example.com/", "--budget", "0"], "--budget"),
        (["analyze", "https://example.com/", "--concurrency", "0"], "--concurrency"),
        (["analyze", "https://example.com/", "--allow-network", "10.0.0.0/99"], "10.0.0.0/99"),
        (["analyze", "https://example.com/", "--fail-on", "score below 80"], "score<80"),
        (["analyze", "https://example.com/", "--fail-on-new", "high"], "--baseline"),
        (["analyze", "https://example.com/", "--fail-on-new", "huge", "--baseline", "x"], "low, medium, high"),
        (["analyze", "https://example.com/", "--baseline", "/nowhere/b.json"], "/nowhere/b.json cannot be read"),
        (["analyze", "https://example.com/", "--format", "pdf"], "'pdf' is no format"),
        (["analyze", "https://example.com/", "--output", "/nowhere/r.html"], "/nowhere does not exist"),
        (["analyze", "https://example.com/", "--save-artifacts", "/nowhere/a.gz"], "/nowhere does not exist"),
        (["analyze", "ftp://example.com/"], "ftp"),
        (["analyze", "https://example.com/", "https://user:secret@example.com/"], "URL"),
        (["explain", "titel"], "title"),
        (["checks", "--format", "xml"], "text or json"),
        (["evaluate"], "--html FILE"),
        (["evaluate", "a", "--html", "b"], "either"),
        (["evaluate", "--html", "/nowhere.html"], "--url"),
        (["evaluate", "--html", "/nowhere.html", "--url", "https://example.com/"], "/nowhere.html cannot be read"),
        (["evaluate", "/nowhere.gz"], "/nowhere.gz cannot be read"),
        (["evaluate", "/nowhere.gz", "--status", "200"], "--status"),
        (["evaluate", "--html", "x", "--url", "https://e.test/", "--status", "99"], "--status"),
        (["evaluate", "--html", "x", "--url", "https://e.test/", "--header", "nocolon"], "'Name: value'"),
        (["evaluate", "--html", "x", "--url", "https://e.test/", "--header", "A: b\r\nC: d"], "--header"),
    ],
)
def test_wrong_use_names_what_was_wrong_and_ends_with_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The option, the value and the way out, on stderr; stdout stays empty."""
    code = run(arguments)
    captured = capsys.readouterr()

    assert code == 2
    assert words in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_a_secret_in_a_url_is_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    """Error messages end up in logs."""
    run(["analyze", "https://user:secret@example.com/"])

    assert "secret" not in capsys.readouterr().err


def test_a_setting_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The operator sees which variable to change."""
    monkeypatch.setenv("PAGEGRADE_ALLOW_PORTS", "80,http")
    code = run(["analyze", "https://example.com/"])

    assert code == 2
    assert "PAGEGRADE_ALLOW_PORTS" in capsys.readouterr().err
