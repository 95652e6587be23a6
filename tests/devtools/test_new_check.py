"""The scaffold writes a check that runs, and refuses what would not be one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from devtools.conventions import check_source
from devtools.new_check import ROOT, disallowed_patterns, name_problem, write_check


def test_two_files_are_written(tmp_path: Path) -> None:
    """The module and its test, in the places where the walk and the contract look."""
    written = write_check("seo/title-missing", tmp_path)

    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "src/pagegrade/checks/seo/title_missing.py",
        "tests/checks/seo/test_title_missing.py",
    ]


def test_file_function_and_id_are_one_name(tmp_path: Path) -> None:
    """The registry insists on that."""
    module, _ = write_check("seo/title-missing", tmp_path)
    functions = [node.name for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)]

    assert functions == ["title_missing"]
    assert 'id="title-missing"' in module.read_text()


def test_the_new_files_are_clean_but_for_the_words_to_write(tmp_path: Path) -> None:
    """Linters agree with the scaffold; the instance lint alone asks for the missing sentences."""
    module, test = write_check("seo/title-missing", tmp_path)
    name = module.relative_to(tmp_path).as_posix()
    found = {problem.rule for problem in check_source(name, module.read_text())}
    ruff = Path(sys.executable).with_name("ruff")
    said = []
    for path in (module, test):
        # Read from stdin under its real name, so that the settings for that folder hold.
        where = ["--no-cache", "--stdin-filename", path.relative_to(tmp_path).as_posix(), "-"]
        source = path.read_text()
        for command in (["check", "--quiet"], ["format", "--diff"]):
            done = subprocess.run(
                [ruff, *command, *where], input=source, cwd=ROOT, check=False, capture_output=True, text=True
            )
            said.append(done.stdout + done.stderr if done.returncode else "")

    assert found == {"unfinished-check"}
    assert said == [""] * 4


def test_the_new_check_evaluates_its_own_examples(tmp_path: Path) -> None:
    """Both documented pages end as the headings say, in a package that holds only the new check."""
    module, _ = write_check("seo/title-missing", tmp_path)
    program = (
        "import importlib.util, sys; sys.path.insert(0, sys.argv[2])\n"
        "spec = importlib.util.spec_from_file_location('pagegrade.checks.seo.title_missing', sys.argv[1])\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "from tests.builders import run\n"
        "from tests.examples import artifacts_of_example\n"
        "check = module.title_missing\n"
        "for heading in ('Fails on', 'Passes on'):\n"
        "    print(run(check, artifacts_of_example(check.documentation[heading])).state)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(module), str(ROOT)], check=False, capture_output=True, text=True
    )

    assert done.stdout.split() == ["missing", "ok"], done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "no-title",
        "has-hsts",
        "uses-http2",
        "avoid-redirects",
        "do-not-track",
        "title-check",
        "Title",
        "1st",
        "a--b",
        "a_b",
        "-a",
        "x" * 41,
    ],
)
def test_bad_names_are_refused(name: str) -> None:
    """Verbs, negations, and what is not kebab-case."""
    assert name_problem(name) is not None


@pytest.mark.parametrize("name", ["title", "http2", "broken-links", "html-size-404", "nofollow-links"])
def test_good_names_pass(name: str) -> None:
    """Nouns, with digits where the thing has them."""
    assert name_problem(name) is None


def test_the_list_of_bad_names_is_not_empty() -> None:
    """An empty list would let everything through without a word."""
    assert "no-*" in disallowed_patterns()


@pytest.mark.parametrize("argument", ["", "title", "seo/", "nonsense/title", "seo/no-title", "seo/../title"])
def test_nothing_is_written_for_a_bad_argument(tmp_path: Path, argument: str) -> None:
    """A refusal leaves no half of a check behind."""
    with pytest.raises(ValueError, match=r"say category|matches|kebab-case"):
        write_check(argument, tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_an_existing_check_is_never_overwritten(tmp_path: Path) -> None:
    """Not in the same category, and not under the same name in another one."""
    module, _ = write_check("seo/title-missing", tmp_path)
    module.write_text("mine")
    for argument in ("seo/title-missing", "content/title-missing"):
        with pytest.raises(ValueError, match="exists already"):
            write_check(argument, tmp_path)

    assert module.read_text() == "mine"
