"""What a person can set or type is explained where it is declared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer

from devtools.gen_docs import default_text, find_app, find_settings
from pagegrade.checks import all_checks
from pagegrade.config import secret_names
from pagegrade.model import errors


def commands() -> dict[str, Any]:
    """Every command of the command line by name."""
    app = find_app()
    if app is None:
        raise AssertionError("no module of pagegrade.cli defines a typer application called app")
    command: Any = typer.main.get_command(app)
    return dict(getattr(command, "commands", {"": command}))


def test_every_setting_is_explained() -> None:
    """Each has a sentence; the reference is made of them."""
    settings = find_settings()

    assert settings is not None
    assert settings.model_config.get("env_prefix") == "PAGEGRADE_"
    assert [name for name, field in settings.model_fields.items() if not field.description] == []


def test_the_table_of_settings_in_the_readme_is_right() -> None:
    """Every setting with its default, in the order in which they are declared; secrets are marked."""
    settings = find_settings()
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `PAGEGRADE_([A-Z_]+)` \| (.+?) \| (.+) \|$", readme, re.MULTILINE)

    assert settings is not None
    assert [(name, default) for name, default, _ in rows] == [
        (name.upper(), default_text(field.get_default()) or "–") for name, field in settings.model_fields.items()
    ]
    assert {name.lower() for name, _, meaning in rows if "(secret)" in meaning} == secret_names()


def test_the_readme_says_how_many_checks_there_are() -> None:
    """The number a reader meets first is that of the registry."""
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")

    assert re.findall(r"runs (\d+) checks", readme) == [str(len(all_checks()))]


def test_every_command_is_explained() -> None:
    """Each says what it does."""
    assert [name for name, command in commands().items() if not (command.help or "").strip()] == []


def test_every_option_is_explained() -> None:
    """An option without a word about it is one to be afraid of."""
    silent = [
        (name, option.name)
        for name, command in commands().items()
        for option in command.params
        if option.param_type_name == "option" and option.name != "help" and not option.help
    ]

    assert silent == []


def test_every_error_says_what_happened() -> None:
    """The first line of an error's docstring is its message."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    silent = [kind.__name__ for kind in kinds if not (kind.__doc__ or "").strip().endswith(".")]

    assert kinds
    assert silent == []


def test_error_codes_are_words_that_last() -> None:
    """Lower case and underscores, one class or failure each."""
    codes = [*errors.FAILURE_CODES]

    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)
    assert all(words.endswith(".") for _, words in errors.FAILURE_CODES.values())
