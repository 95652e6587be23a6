from __future__ import annotations

import pytest

from pagegrade.cli.app import run
from pagegrade.model.identity import VERSION


def test_the_version_names_engine_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Both decide what a score means."""
    code = run(["--version"])

    assert code == 0
    assert capsys.readouterr().out == f"pagegrade {VERSION} (ruleset 2026.2)\n"


@pytest.mark.parametrize("command", ["analyze", "evaluate", "explain", "checks"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each option says what it does."""
    code = run([command, "--help"])
    out = capsys.readouterr().out

    assert code == 0
    assert f"Usage: pagegrade {command}" in out


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
