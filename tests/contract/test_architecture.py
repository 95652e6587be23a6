"""The rules about packages, imports and files, as tests."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application.use_cases import lint_imports
from importlinter.cli import lint_imports_command

from devtools import gen_client

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "pagegrade"
EXCUSES: dict[str, list[str]] = tomllib.loads((ROOT / "tests/contract/excuses.toml").read_text())
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAX_LINES = 600
FORBIDDEN_PACKAGES = {"common", "data", "helpers", "managers", "misc", "shared", "utils"}
"""Names that say nothing about what is inside."""

SOURCES = sorted(PACKAGE.rglob("*.py"))


def relative(path: Path) -> str:
    """``path`` as written in messages and lists."""
    return path.relative_to(ROOT).as_posix()


def layers() -> list[list[str]]:
    """The packages of the first contract, highest layer first; packages of one layer together."""
    contract = PYPROJECT["tool"]["importlinter"]["contracts"][0]
    return [[room.strip(" ()") for room in layer.split("|")] for layer in contract["layers"]]


def test_imports_follow_the_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    """Every contract of import-linter holds; its own report is the message."""
    # The command line registers the contract types; the function alone would know none.
    assert lint_imports_command is not None
    kept = lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None, no_logo=True)

    assert kept, capsys.readouterr().out


def test_every_package_stands_in_the_first_contract() -> None:
    """A room that no layer names could import whatever it likes."""
    packages = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" and path.stem != "__init__"}
    packages |= {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}

    assert packages <= {package for layer in layers() for package in layer}


def private_imports() -> Iterator[str]:
    """Imports of ``room._private`` from outside ``room``."""
    graph = grimp.build_graph("pagegrade", cache_dir=None)
    for importer in sorted(graph.modules):
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            parts = imported.split(".")
            for index, part in enumerate(parts):
                owner = ".".join(parts[:index])
                if re.match(r"_(?!_)", part) and not f"{importer}.".startswith(f"{owner}."):
                    yield f"{importer} imports {imported}, which belongs to {owner}"


def test_private_modules_stay_in_their_package() -> None:
    """Names that begin with an underscore may change without a look at other packages."""
    assert list(private_imports()) == []


def test_architecture_page_has_the_packages_in_the_order_of_the_contract() -> None:
    """The page a newcomer reads first says what the linter enforces."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### `([a-z_]+)`", text, re.MULTILINE)

    assert headings == [package for layer in layers() for package in layer]


def wrong_rows(page: str) -> Iterator[str]:
    """Rows of the table "Where it is decided" whose modules are missing, or do not have the names beside them."""
    rows = re.findall(
        r"^\| (?!question).+", page.partition("## Where it is decided")[2].partition("\n## ")[0], re.MULTILINE
    )
    assert rows
    for row in rows:
        modules, names = (re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[2:4])
        paths = [PACKAGE / module for module in modules]
        text = "\n".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
        defined = [
            any((path / name).exists() for path in paths)
            or re.search(rf"^\s*(?:async def |def |class )?{re.escape(name)}\b", text, re.MULTILINE)
            for name in names
        ]
        if not (modules and all(path.exists() for path in paths) and all(defined)):
            yield row


def test_architecture_page_says_where_things_are_decided() -> None:
    """Each module of the table exists and defines what the table names; a row that is wrong is found."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    outdated = page.replace("`refusal_of`", "`refused`").replace("`gather/guard.py`", "`gather/gone.py`")

    assert list(wrong_rows(page)) == []
    assert len(list(wrong_rows(outdated))) == 2


def expected_tests(source: Path) -> set[Path]:
    """The test files that can belong to a source file: the same path, with or without leading underscores."""
    inside = source.relative_to(PACKAGE)
    return {ROOT / "tests" / inside.parent / f"test_{stem}.py" for stem in (inside.stem, inside.stem.strip("_"))}


def has_code(source: Path) -> bool:
    """Return whether a module holds functions; values alone need no test, and a package is tested by its modules."""
    return source.name != "__init__.py" and "def " in source.read_text(encoding="utf-8")


def check_excuses(kind: str, found: list[str]) -> None:
    """Compare what breaks a rule with its excuse list, in both directions."""
    excused = EXCUSES[kind]

    assert sorted(set(found) - set(excused)) == [], "these break the rule"
    assert sorted(set(excused) - set(found)) == [], f"these need no excuse any more: take them off the list {kind!r}"


def test_every_source_file_has_its_test_file() -> None:
    """``src/pagegrade/x/y.py`` is tested in ``tests/x/test_y.py``; the excuse list only shrinks."""
    untested = [path for path in SOURCES if has_code(path) and not any(test.exists() for test in expected_tests(path))]

    check_excuses("untested", [relative(path) for path in untested])


def test_every_test_file_tests_a_source_file() -> None:
    """A test left behind by a move would be looked for in the wrong place."""
    free = {
        "browser",
        "contract",
        "deploy",
        "integrations",
        "devtools",
        "e2e",
        "fault",
        "fixtures",
        "generated_clients",
        "golden",
        "install",
        "lab",
        "property",
        "recorded",
        "site",
        "site_world",
    }
    wanted = {test for path in SOURCES for test in expected_tests(path)}
    strays = [
        relative(path)
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.relative_to(ROOT / "tests").parts[0] not in free and not is_wanted(path, wanted)
    ]

    assert strays == []


def is_wanted(path: Path, wanted: set[Path]) -> bool:
    """Return whether a test belongs to a source file, also as a second one: ``test_y_more.py`` of ``y.py``."""
    words = path.stem.split("_")
    return any(path.with_name("_".join(words[:count]) + ".py") in wanted for count in range(2, len(words) + 1))


def test_modules_are_short() -> None:
    """A module of more than 600 lines is two modules; generated ones follow the API. The excuse list only shrinks."""
    written = [path for path in SOURCES if path.relative_to(ROOT) not in gen_client.PATHS]
    long = [relative(path) for path in written if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES]

    check_excuses("long", long)


def test_no_room_is_called_by_a_word_that_says_nothing() -> None:
    """``utils`` becomes the place of unrelated functions."""
    folders = {path.parent for path in SOURCES} - {PACKAGE / "parse" / "data"}  # holds nothing but tables
    names = {path.stem.strip("_") for path in SOURCES} | {path.name for path in folders}

    assert names.isdisjoint(FORBIDDEN_PACKAGES)


@functools.cache
def committed_text() -> tuple[tuple[str, str], ...]:
    """(path, text) of every text file that is ours."""
    return tuple(_read_committed_text())


def _read_committed_text() -> Iterator[tuple[str, str]]:
    folders = ("src", "tests", "docs", "devtools", "requirements", "changelog.d", ".github", ".ci")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    # In a linked worktree `.git` is a file, and says where the repository is.
    paths += [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    for path in sorted(paths):
        if {"__pycache__", "fixtures", "recorded", "golden"} & set(path.parts):
            continue
        try:
            yield relative(path), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_names_a_place_on_the_machine_it_was_written_on() -> None:
    """Home folders, work folders and package indexes differ on every machine."""
    # One letter of each stands in brackets, so that this file does not find itself.
    places = re.compile(r"(?<![\w.])/(hom[e]|User[s])/\w+/|(?<![\w.])/wor[k]/\w|\bpyp[i]\.org|pythonhoste[d]\.")
    found = [f"{name}: {match[0]}" for name, text in committed_text() for match in places.finditer(text)]

    assert found == []


def test_no_file_holds_both_sides_of_a_conflict() -> None:
    """A merge that was not finished, which no tool reports in a page of the documentation."""
    # In two parts, so that this file does not find itself.
    mark = re.compile(r"^(?:<<<<" r"<<< |>>>>" r">>> )", re.MULTILINE)
    found = [name for name, text in committed_text() if mark.search(text)]

    assert found == []
