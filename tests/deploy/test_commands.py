"""Commands in files and pages exist, and variables that they set are settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer

from pagegrade.cli.app import app
from pagegrade.config import Settings, load_settings, secret_names
from tests.deploy.files import (
    COMPOSE,
    PAGES,
    UNITS,
    container_commands,
    deploy_files,
    env_example,
    filled,
    pagegrade_commands,
    services,
    unit_commands,
    unit_values,
)

VARIABLE = re.compile(r"PAGEGRADE_[A-Z_]*[A-Z]")


def parse(arguments: Sequence[str]) -> None:
    """Read the arguments as the program would, and do nothing.

    Raises:
        typer.TyperException: They cannot be understood.
    """
    command: Any = typer.main.get_command(app)
    name, rest = "pagegrade", list(arguments)
    while True:
        context = command.make_context(name, rest)
        if not hasattr(command, "resolve_command"):
            return
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])


def known_variables() -> set[str]:
    """Every variable that means something."""
    names = {*Settings.model_fields, *(f"{name}_file" for name in secret_names())}
    return {f"PAGEGRADE_{name.upper()}" for name in names}


def test_what_is_started_is_understood() -> None:
    """Images, Compose files and units call commands that exist, with options that exist."""
    started = [*container_commands(), *unit_commands()]

    assert {arguments[0] for arguments in started} == {"migrate", "serve", "worker"}
    for arguments in started:
        parse(arguments)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_says_is_understood(page: Path) -> None:
    """A line copied from a page is a command that exists."""
    commands = pagegrade_commands(page)

    assert commands
    for arguments in commands:
        parse(arguments)


def test_a_wrong_command_is_noticed() -> None:
    """The reader above refuses what the program would refuse."""
    with pytest.raises(typer.TyperException):
        parse(["serve", "--no-such-option"])
    with pytest.raises(typer.TyperException):
        parse(["keys", "no-such-command"])


@pytest.mark.parametrize("path", [*deploy_files(), *PAGES], ids=lambda path: path.name)
def test_what_is_set_is_a_setting(path: Path) -> None:
    """No file names a variable of ours that has no effect."""
    named = set(VARIABLE.findall(path.read_text(encoding="utf-8")))

    assert named <= known_variables()


def test_units_read_secrets_from_the_credentials_they_load() -> None:
    """Every variable that names a file in the credentials folder names one that is loaded there."""
    for path in UNITS:
        loaded = {value.partition(":")[0] for value in unit_values(path, "LoadCredential")}
        named = {value.partition("=%d/")[2] for value in unit_values(path, "Environment") if "=%d/" in value}

        assert named
        assert named == loaded


@pytest.mark.parametrize("compose", COMPOSE, ids=lambda path: path.name)
def test_what_containers_are_given_can_be_used(compose: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every container of ours starts with its settings, those of the example beside them."""
    monkeypatch.chdir(tmp_path)
    ours = [service for service in services(compose).values() if "env_file" in service]

    assert ours
    for service in ours:
        given = {**env_example(), **{name: filled(value) for name, value in service["environment"].items()}}
        with monkeypatch.context() as patched:
            for name, value in given.items():
                if name.startswith("PAGEGRADE_") and not name.endswith("_FILE"):
                    patched.setenv(name, value)

            load_settings()
