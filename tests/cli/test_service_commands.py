from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pagegrade.cli.service_commands import GROUPS
from pagegrade.model.account import SCOPES
from tests.cli.command_line import CommandLine

COMMANDS = [
    ["accounts", "create"],
    ["accounts", "list"],
    ["accounts", "disable"],
    ["keys", "create"],
    ["keys", "list"],
    ["keys", "revoke"],
    ["members", "list"],
    ["members", "invite"],
    ["members", "remove"],
    ["monitors", "create"],
    ["webhooks", "create"],
    ["access-profiles", "create"],
    ["migrate"],
    ["prune"],
    ["transfer"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command_line: CommandLine, command: list[str]) -> None:
    """Without touching a database."""
    result = command_line(*command, "--help")

    assert result.code == 0
    assert f"Usage: pagegrade {' '.join(command)}" in result.out
    assert not command_line.folder.exists()


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_alone_shows_what_it_has(command_line: CommandLine, group: str) -> None:
    """Instead of an error that says nothing."""
    result = command_line(group)

    assert all(
        name in result.out + result.err for first, name in (c for c in COMMANDS if len(c) == 2) if first == group
    )


def test_help_loads_no_database() -> None:
    """It stays quick: what a command needs is imported when it runs."""
    code = (
        "import sys; from pagegrade.cli.app import run; run(['--help'])\n"
        "print('LOADED', sorted(m for m in sys.modules if m in {'sqlalchemy', 'alembic'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)

    assert done.stdout.endswith("LOADED []\n")
    assert all(group in done.stdout for group in GROUPS)


def test_the_help_of_a_new_key_names_every_scope(command_line: CommandLine) -> None:
    """Also those that a key has only if they are asked for."""
    out = command_line("keys", "create", "--help").out

    assert [scope for scope in SCOPES if not re.search(rf"(?<![\w:]){re.escape(scope)}(?![\w:])", out)] == []


def test_a_command_that_a_group_does_not_have_is_wrong_use(command_line: CommandLine) -> None:
    """Its commands are only known when they are asked for."""
    result = command_line("webhooks", "send")

    assert result.code == 2
    assert "send" in result.err
