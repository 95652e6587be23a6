"""The promises of the files around the code: commands, locks, decisions, changelog, names."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from devtools.locks import LOCKS, problems
from devtools.new_check import name_problem
from pagegrade.checks import all_checks

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAKEFILE = (ROOT / "Makefile").read_text()
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
INTERNAL_TARGETS = {"env-run", "env-test", "env-dev"}


def targets() -> set[str]:
    """The commands of the Makefile."""
    return {name for line in re.findall(r"^\.PHONY:(.*)$", MAKEFILE, re.MULTILINE) for name in line.split()}


def test_every_command_says_what_it_does() -> None:
    """``make`` alone lists every command with one line about it."""
    described = set(re.findall(r"^([a-z-]+):.*?## \S", MAKEFILE, re.MULTILINE))

    assert described == targets() - INTERNAL_TARGETS


def test_the_check_command_runs_all_parts() -> None:
    """One command is what CI runs."""
    line = re.search(r"^check:(.*?)##", MAKEFILE, re.MULTILINE)

    assert line is not None
    assert line[1].split() == ["lint", "types", "imports", "docs", "test", "slow"]


def test_every_speed_runs_its_folders(subtests: pytest.Subtests) -> None:
    """By path: `make test` is everything but the slow folders, so that a new folder is in it."""
    # Without the variables of the command that runs this.
    plain = os.environ | {"MAKEFLAGS": ""}
    for speed, included in {
        "quick": ["quick"],
        "test": ["quick"],
        "slow": ["slow"],
        "check": ["quick", "slow"],
    }.items():
        make = [str(shutil.which("make")), "-n", speed]
        done = subprocess.run(make, cwd=ROOT, env=plain, capture_output=True, encoding="utf-8", check=True)
        runs = [shlex.split(line) for line in done.stdout.splitlines() if "bin/pytest " in line]
        named = [{word for word in run if word.startswith("tests/")} for run in runs]
        left_out = [{word.removeprefix("--ignore=") for word in run if word.startswith("--ignore=")} for run in runs]
        how = list(zip(named, left_out, strict=True))
        for includes in included:
            lists = re.findall(rf"^{includes.upper()} [:+]= \$\(addprefix tests/,(.*)\)$", MAKEFILE, re.MULTILINE)
            assert lists
            for path in (f"tests/{name}" for name in " ".join(lists).split()):
                with subtests.test(speed=speed, path=path):
                    assert (ROOT / path).exists()
                    assert sum(path in some or (not some and path not in out) for some, out in how) == 1


def test_commands_in_the_documents_exist() -> None:
    """A page that names ``make x`` names a command there is."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.yml")]
    named = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in paths
        for name in re.findall(r"(?:`|^\$ |run: )make ([a-z][a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert {found for found in named if found[1] not in targets()} == set()


def test_the_locks_belong_to_the_project_file() -> None:
    """``make lock`` was run, every package has a hash, and no address is written down."""
    assert problems() == []


def test_every_lock_file_is_made_by_the_tool() -> None:
    """A lock that ``make lock`` does not know would grow old."""
    assert {path.stem for path in (ROOT / "requirements").glob("*.txt")} == {lock.name for lock in LOCKS}


def test_the_levels_agree_on_versions() -> None:
    """The versions that users run are those that were tested."""
    pins = [set(re.findall(r"^([\w.-]+==[\w.]+)", lock.path.read_text(), re.MULTILINE)) for lock in LOCKS[:3]]
    dev, test, run = pins

    assert run < test < dev


def test_decisions_are_numbered_without_gaps() -> None:
    """A number is quoted for years, so it names one page for ever."""
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("path", DECISIONS, ids=[path.stem for path in DECISIONS])
def test_a_decision_has_the_five_parts_on_one_page(path: Path) -> None:
    """Status, context, decision, consequences, alternatives; and no more than fits one page."""
    text = path.read_text(encoding="utf-8")

    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Status",
        "Context",
        "Decision",
        "Consequences",
        "Alternatives",
    ]
    assert re.search(r"^# \d{4}\. \S", text) is not None
    assert re.search(r"^## Status\n\n(Accepted|Superseded by \[\d{4}\])", text, re.MULTILINE) is not None
    assert len(text.splitlines()) <= 70


@pytest.mark.parametrize("path", DECISIONS, ids=[path.stem for path in DECISIONS])
def test_paths_in_a_decision_exist(path: Path) -> None:
    """From the top of the repository, or of the product; a module may be named without its ending.

    What commands install is not there in a fresh clone.
    """
    product = ROOT / "src" / "pagegrade"
    tops = {each.name for folder in (ROOT, product) for each in folder.iterdir() if each.is_dir()} - {".tools"}
    named = re.findall(r"`((\.?\w[\w.]*)/[\w./-]+)`", path.read_text(encoding="utf-8"))
    places = {
        name: [folder / f"{name}{end}" for folder in (ROOT, product) for end in ("", ".py")]
        for name, top in named
        if top in tops
    }

    assert [name for name, some in places.items() if not any(each.exists() for each in some)] == []


def test_every_decision_is_in_the_index() -> None:
    """The index is the way in."""
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")

    assert [path.name for path in DECISIONS if f"({path.name})" not in index] == []


def test_every_run_time_dependency_has_its_reason() -> None:
    """A dependency needs a line in a decision: what it does for us and why not without."""
    project = PYPROJECT["project"]
    items = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
    names = {re.split(r"[<>=;\[ ]", item)[0] for item in items}
    rows = {
        match
        for path in DECISIONS
        for match in re.findall(r"^\| `([\w.-]+)` \|", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert names - rows == set()


def test_check_names_say_what_the_user_sees() -> None:
    """No verb and no negation in an id: the list is shared with the scaffold."""
    found = {name: name_problem(name) for name in all_checks()}

    assert {name: problem for name, problem in found.items() if problem} == {}


def test_changelog_sections_are_in_order() -> None:
    """Keep a Changelog, the most urgent kind of news first."""
    order = ["Security", "Removed", "Deprecated", "Added", "Changed", "Fixed"]
    releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    sections = [re.findall(r"^### (.+)$", release, re.MULTILINE) for release in releases]

    assert releases
    assert all(names == [name for name in order if name in names] for names in sections)


def test_changelog_fragments_name_their_section() -> None:
    """``changelog.d/WORD.SECTION.md`` can be put together by a program."""
    names = [path.name for path in (ROOT / "changelog.d").glob("*.md") if path.name != "README.md"]
    form = re.compile(r"[a-z0-9-]+\.(security|removed|deprecated|added|changed|fixed)\.md")

    assert [name for name in names if not form.fullmatch(name)] == []


def test_every_ruff_exception_has_its_reason() -> None:
    """A rule that is off without a reason stays off for ever."""
    text = (ROOT / "pyproject.toml").read_text()
    block = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.pydocstyle]")]
    off = [line for line in block.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]
    unexplained = [line.strip() for line in off if "#" not in line]

    assert off
    assert unexplained == []


def test_workflows_call_make_and_pin_actions() -> None:
    """CI runs commands that work everywhere, and no action that can change later."""
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        used = re.findall(r"uses: (\S+)", text)
        # A workflow of the repository itself is that of the same commit.
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}|\./\.github/workflows/ci\.yml", name) for name in used), (
            path.name
        )
        assert all(command == "exit 1" or command.startswith("make ") for command in re.findall(r"run: (.+)", text)), (
            path.name
        )
        assert re.search(r"^permissions: \{\}$", text, re.MULTILINE), path.name


def test_commands_run_tools_that_exist() -> None:
    """A command of the Makefile that names a tool of ours finds it."""
    named = set(re.findall(r"-m (devtools\.\w+)", MAKEFILE)) | set(re.findall(r"(devtools/\w+)\.py", MAKEFILE))
    paths = {ROOT / f"{name.replace('.', '/')}.py" for name in named}

    assert paths
    assert {path.name for path in paths if not path.exists()} == set()
