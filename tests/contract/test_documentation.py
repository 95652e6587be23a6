"""Everything that a person can set or type is explained where it is declared."""

from __future__ import annotations

from typing import Any

import typer

from devtools.gen_docs import find_app, find_settings
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
