from __future__ import annotations

import json

from tests.cli.command_line import CommandLine


def test_an_account_is_made_listed_and_disabled(command_line: CommandLine) -> None:
    """Its id alone goes to stdout, so that a script can take it."""
    made = command_line("accounts", "create", "--name", "Alice", "--email", "alice@example.org")
    listed = command_line("accounts", "list")
    disabled = command_line("accounts", "disable", made.out.strip())
    again = command_line("accounts", "disable", made.out.strip())
    entries = json.loads(command_line("accounts", "list", "--format", "json").out)

    assert (made.code, made.out) == (0, "1\n")
    assert "keys create --account 1" in made.err
    assert listed.out.splitlines()[0].split() == ["ID", "NAME", "E-MAIL", "STATUS", "CREATED"]
    assert listed.out.splitlines()[1].split()[:4] == ["1", "Alice", "alice@example.org", "active"]
    assert (disabled.code, again.code) == (0, 0)
    assert "was disabled before" in again.err
    assert [entry["status"] for entry in entries] == ["disabled"]
    assert set(entries[0]) == {
        "id", "name", "email", "locale", "timezone", "status", "created_at", "disabled_at",
    }  # fmt: skip


def test_what_cannot_be_done_is_said(command_line: CommandLine) -> None:
    """One sentence on stderr, nothing on stdout, and the exit code for usage."""
    wrong = [
        command_line("accounts", "create", "--name", "Alice", "--email", "nobody"),
        command_line("accounts", "disable", "7"),
        command_line("accounts", "list", "--format", "xml"),
    ]

    assert [(each.code, each.out) for each in wrong] == [(2, "")] * 3
    assert "'nobody' is no e-mail address" in wrong[0].err
    assert "There is no account 7" in wrong[1].err
    assert "Use text or json" in wrong[2].err


def test_a_name_cannot_play_with_the_terminal(command_line: CommandLine) -> None:
    """One that turns the direction of writing is shown as what it is."""
    command_line("accounts", "create", "--name", "abc\u202edef", "--email", "a@example.org")

    assert "\u202e" not in command_line("accounts", "list").out
    assert "abc\N{REPLACEMENT CHARACTER}def" in command_line("accounts", "list").out
