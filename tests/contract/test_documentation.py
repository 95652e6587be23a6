"""Everything that a person can set or type is explained where it is declared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from devtools.gen_docs import find_app, find_settings
from pagegrade.model import errors

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted(
    page.relative_to(ROOT)
    for folder in ("docs/howto", "docs/tutorial", "docs/explanation", ".")
    for page in (ROOT / folder).glob("*.md")
    if page.name != "CHANGELOG.md"
)
CODE: Final = re.compile(r"```(?:sh|bash|console|shell)\n(.*?)```|(?<!`)`([^`]+)`", re.DOTALL)
TARGETS: Final = frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
NEW: Final = "title_missing"
"""Name in the examples of what a reader makes."""


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


def named_commands(page: Path) -> Iterator[list[str]]:
    """Words of every command on a page, without ``$``; those of no shell are left out."""
    for block, span in CODE.findall((ROOT / page).read_text(encoding="utf-8")):
        lines = block.replace("\\\n", " ").splitlines() if block else [" ".join(span.split())]
        for line in lines:
            try:
                words = shlex.split(line.strip().removeprefix("$ "), comments=True)
            except ValueError:
                continue
            if words:
                yield words


def wrong_words(words: list[str]) -> list[str]:
    """Words of a command that name what is not there: targets, tests, commands and options."""
    tool, rest = Path(words[0]).name, words[1:]
    if tool == "make":
        return [word for word in rest if "=" not in word and not word.startswith("-") and word not in TARGETS]
    if tool in {"pytest", "python"}:
        paths = [word.partition("::")[0] for word in rest if word.startswith("tests/") and NEW not in word]
        return [path for path in paths if not (ROOT / path).exists()]
    if tool == "pagegrade" and rest and rest[0] in (known := commands()):
        command = known[rest[0]]
        below = getattr(command, "commands", {}).get(rest[1]) if len(rest) > 1 else None
        options = {option for each in (command, below) if each for one in each.params for option in one.opts}
        options |= {option for each in (command, below) if each for one in each.params for option in one.secondary_opts}
        asked = [word.partition("=")[0] for word in rest if word.startswith("--")]
        return [option for option in asked if option not in options | {"--help"}]
    return []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_on_a_page_is_there(page: Path) -> None:
    """Its target, its tests, its options: a reader types what is written."""
    wrong = [(words, found) for words in named_commands(page) if (found := wrong_words(words))]

    assert wrong == []


@pytest.mark.parametrize(
    "command", ["make nothing", ".venv/bin/pytest tests/nothing.py", "pagegrade serve --nothing", "pagegrade keys --no"]
)
def test_a_command_that_is_not_there_is_found(command: str) -> None:
    """Of each kind."""
    assert len(wrong_words(command.split())) == 1
