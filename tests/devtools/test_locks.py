"""Locks are checked for being current without a network."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

from devtools.locks import INSTALLED, LOCKS, ROOT, Lock, header, input_hash, problems

RUN = Lock(name="run", project=True)
TEST = Lock(name="test", project=True, groups=("test",))
OTEL = Lock(name="otel", project=True, extras=("otel",))


def make_pyproject(
    *dependencies: str, test: tuple[str, ...] = ("pytest",), otel: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The parts of a project file that decide what is locked."""
    return {
        "project": {
            "requires-python": ">=3.11",
            "dependencies": list(dependencies),
            "optional-dependencies": {"otel": list(otel)},
        },
        "dependency-groups": {"test": list(test)},
    }


def copy_project(root: Path) -> Path:
    """The real project file with the real locks, to be damaged."""
    shutil.copy(ROOT / "pyproject.toml", root)
    shutil.copytree(ROOT / "requirements", root / "requirements")
    return root


def test_order_of_dependencies_does_not_matter() -> None:
    """Sorting a list is no change of what is installed."""
    assert input_hash(RUN, make_pyproject("a", "b")) == input_hash(RUN, make_pyproject("b", "a"))


def test_a_new_dependency_changes_the_hash() -> None:
    """The lock must be made anew."""
    assert input_hash(RUN, make_pyproject("a")) != input_hash(RUN, make_pyproject("a", "b"))


def test_a_group_matters_only_to_the_locks_that_hold_it() -> None:
    """A new test tool leaves the users' lock alone."""
    before = make_pyproject("a")
    after = make_pyproject("a", test=("pytest", "hypothesis"))

    assert input_hash(RUN, before) == input_hash(RUN, after)
    assert input_hash(TEST, before) != input_hash(TEST, after)


def test_an_extra_matters_only_to_the_locks_that_hold_it() -> None:
    """An installation without it gets the same packages as before."""
    before = make_pyproject("a")
    after = make_pyproject("a", otel=("opentelemetry-sdk",))

    assert input_hash(RUN, before) == input_hash(RUN, after)
    assert input_hash(OTEL, before) != input_hash(OTEL, after)


def test_the_header_carries_the_hash() -> None:
    """That is where the comparison reads it."""
    pyproject = make_pyproject("a")

    assert input_hash(RUN, pyproject) in header(RUN, pyproject)


def test_a_forgotten_lock_is_named(tmp_path: Path) -> None:
    """The message says which file, and what to do."""
    root = copy_project(tmp_path)
    path = root / "pyproject.toml"
    path.write_text(path.read_text().replace("dependencies = [", 'dependencies = ["something-new",', 1))
    found = problems(root)

    assert {problem.split()[0] for problem in found} == {
        f"requirements/{name}.txt" for name in ("dev", "test", "run", "otel")
    }
    assert all("make lock" in problem for problem in found)


def test_a_missing_lock_is_named(tmp_path: Path) -> None:
    """Deleting a lock is not a way around the check."""
    root = copy_project(tmp_path)
    (root / "requirements" / "uv.txt").unlink()

    assert [problem.split()[0] for problem in problems(root)] == ["requirements/uv.txt"]


def test_a_package_without_a_hash_is_named(tmp_path: Path) -> None:
    """A line added by hand would be installed unchecked."""
    root = copy_project(tmp_path)
    path = root / "requirements" / "run.txt"
    path.write_text(path.read_text() + "left-pad==1.3.0\n")

    assert problems(root) == ["requirements/run.txt: left-pad==1.3.0 has no hash."]


def test_an_address_in_a_lock_is_refused(tmp_path: Path) -> None:
    """The place of a download is private, and may hold a password."""
    root = copy_project(tmp_path)
    path = root / "requirements" / "run.txt"
    path.write_text(path.read_text() + "--index-url https://user:secret@packages.example/simple\n")

    assert any("names an address" in problem for problem in problems(root))


def test_the_project_as_it_is_has_no_problem() -> None:
    """The comparison knows the real files, and the real files are current."""
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"].keys() >= {
        group for lock in LOCKS for group in lock.groups
    }
    assert problems() == []


def test_the_service_is_locked_with_extras_that_the_package_does_not_require() -> None:
    """``make serve`` and the image install from ``run.txt``, or from ``otel.txt``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = {"audit": "duckdb", "pdf": "typst", "postgresql": "psycopg-binary", "uvloop": "uvloop"}
    required = {requirement.partition(">")[0].partition("[")[0] for requirement in project["dependencies"]}

    assert set(INSTALLED) == set(packages)
    assert required & {"typst", "psycopg", "procrastinate", "uvloop"} == set()
    for name in ("run", "otel", "test", "dev"):
        lock = (ROOT / "requirements" / f"{name}.txt").read_text()
        assert {package for package in packages.values() if f"\n{package}==" not in lock} == set(), name
