from __future__ import annotations

import re

import pytest

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
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command_line: CommandLine, command: list[str]) -> None:
    """Without touching a database."""
    result = command_line(*command, "--help")

    assert result.code == 0
    assert f"Usage: pagegrade {' '.join(command)}" in result.out
    assert not command_line.folder.exists()


@pytest.mark.parametrize("group", ["accounts", "keys", "members"])
def test_a_group_alone_shows_what_it_has(command_line: CommandLine, group: str) -> None:
    """Instead of an error that says nothing."""
    result = command_line(group)

    assert all(name in result.out + result.err for first, name in COMMANDS if first == group)


def test_the_help_of_a_new_key_names_every_scope(command_line: CommandLine) -> None:
    """Also those that a key has only if they are asked for."""
    out = command_line("keys", "create", "--help").out

    assert [scope for scope in SCOPES if not re.search(rf"(?<![\w:]){re.escape(scope)}(?![\w:])", out)] == []
