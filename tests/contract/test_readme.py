"""The README's claims that a program can check: numbers, commands, settings, files, versions."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from devtools.gen_docs import find_app, find_settings
from devtools.locks import INSTALLED
from pagegrade.checks import all_checks

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "howto").glob("*.md"))]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def typed(text: str) -> Iterator[list[str]]:
    """Yield the words of every command in the console blocks of a page, without comments."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                yield shlex.split(line[2:], comments=True)


def test_the_number_of_checks_is_that_of_the_registry() -> None:
    """The number that a reader meets first."""
    assert re.findall(r"runs (\d+) checks", README) == [str(len(all_checks()))]


def test_it_fits_one_and_a_half_screens() -> None:
    """Details are in the documentation."""
    assert len(README.splitlines()) <= 70


def test_the_first_commands_start_the_service_and_a_report() -> None:
    """They come before everything else."""
    first, second, *_ = typed(README)

    assert first == ["make", "serve"]
    assert second[:2] == ["make", "analyze"]


def test_every_file_it_names_exists_in_a_clone() -> None:
    """Links and paths in code lead to committed files, not to generated ones."""
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines() if "*" not in line]
    links = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link}
    paths = set(re.findall(r"(?<![\w./])(?:docs|deploy|src|tests|devtools)/[\w./-]+\w", README))

    assert links
    assert {name for name in links | paths if not (ROOT / name).exists() or name.startswith(tuple(ignored))} == set()


def test_the_commands_of_pagegrade_exist_with_their_options() -> None:
    """``pagegrade NAME --option``, also behind ``docker run`` and ``uvx``."""
    app = find_app()

    assert app is not None
    commands: Any = typer.main.get_command(app)
    lines = [
        line.split("&&")
        for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
        for line in block.splitlines()
    ]
    words = [shlex.split(part, comments=True) for parts in lines for part in parts]
    words += [shlex.split(code) for code in re.findall(r"`(pagegrade [^`]+)`", README)]
    calls = [call[call.index("pagegrade") + 1 :] for call in words if "pagegrade" in call and call[1:2] != ["docker"]]
    calls = [call for call in calls if call and call[0] != "."]

    assert {"analyze", "explain", "serve", "worker"} <= {call[0] for call in calls}
    for name, *rest in calls:
        options = {option for parameter in commands.commands[name].params for option in parameter.opts}
        assert {word for word in rest if word.startswith("-")} <= options, name


def test_it_names_every_extra_of_the_package() -> None:
    """Those of an installation from this repository come first."""
    line = re.search(r"^- Extras: (.*?); `make serve`", README, re.MULTILINE)

    names = re.findall(r"`(\w+)`", line[1] if line else "")

    assert set(names) == set(PROJECT["optional-dependencies"])
    assert set(names[: len(INSTALLED)]) == set(INSTALLED)


def test_settings_that_pages_name_exist() -> None:
    """A setting that was renamed is renamed there as well."""
    settings = find_settings()
    known = {f"PAGEGRADE_{name.upper()}" for name in ({} if settings is None else settings.model_fields)}
    known |= {f"{name}_FILE" for name in known}
    found = {
        (path.name, name)
        for path in PAGES
        for name in re.findall(r"\bPAGEGRADE_[A-Z_]+\b(?!\*)", path.read_text(encoding="utf-8"))
    }

    assert {(page, name) for page, name in found if name not in known and not name.endswith("_")} == set()


def test_the_python_versions_are_those_of_the_package() -> None:
    """README, classifiers, ``requires-python`` and the Makefile name the same versions."""
    (oldest, newest) = re.findall(r"Python (3\.\d+) to (3\.\d+)", README)[0]
    versions = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", name)]
    bounds = re.search(r"\(3, (\d+)\) <= sys.version_info < \(3, (\d+)\)", (ROOT / "Makefile").read_text())

    assert bounds is not None
    assert versions == [f"3.{minor}" for minor in range(int(bounds[1]), int(bounds[2]))]
    assert (versions[0], versions[-1]) == (oldest, newest)
    assert PROJECT["requires-python"] == f">={oldest}"
