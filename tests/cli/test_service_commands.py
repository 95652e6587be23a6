from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.command_line import CommandLine

COMMANDS = [
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


@pytest.mark.parametrize("group", ["monitors", "webhooks", "access-profiles"])
def test_a_group_alone_shows_what_it_has(command_line: CommandLine, group: str) -> None:
    """Instead of an error that says nothing."""
    result = command_line(group)

    assert all(
        name in result.out + result.err for first, name in (c for c in COMMANDS if len(c) == 2) if first == group
    )


def test_help_loads_no_database() -> None:
    """It stays quick: what a command needs is imported when it runs."""
    code = "import sys, pagegrade.cli.app; print(sorted(m for m in sys.modules if m in {'sqlalchemy', 'alembic'}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)

    assert done.stdout.strip() == "[]"
