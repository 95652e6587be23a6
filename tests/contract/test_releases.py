"""The files around a release agree: version, changelog, checks, workflow and proposals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from devtools.locks import LOCKS
from devtools.release import QUOTED, QUOTING, released, upcoming, version
from pagegrade.checks import all_checks

ROOT: Final = Path(__file__).resolve().parents[2]
WORKFLOW: Final[Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
JOBS: Final[dict[str, Any]] = WORKFLOW["jobs"]
FORMS: Final = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")


def steps(job: str, key: str) -> list[str]:
    """Values of one key of the steps of a job."""
    return [step[key].partition("@")[0] for step in JOBS[job]["steps"] if key in step]


def test_checks_name_versions_that_there_are(subtests: pytest.Subtests) -> None:
    """``since`` and ``changed`` name a release, or the one that is being made."""
    known = {*released(), upcoming()}
    for check in all_checks().values():
        named = {check.since, *(change.partition(":")[0] for change in check.changed)}
        with subtests.test(check=check.id):
            assert named <= known


def test_commands_name_this_version() -> None:
    """A command that is copied installs what its page describes; an upgrade leads to the version after it."""
    major, minor, _ = version().split(".")
    paths = [path for pattern in QUOTING for path in ROOT.glob(pattern)]
    named = {(path.name, match["version"]) for path in paths for match in QUOTED.finditer(path.read_text())}

    assert len(named) > len(QUOTING)
    assert {found for found in named if found[1] not in {version(), f"{major}.{int(minor) + 1}.0"}} == set()


def test_a_tag_runs_everything_that_a_change_runs() -> None:
    """The workflow of a change is called, and nothing is published without it."""
    changes: Any = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))

    # YAML 1.1 reads the key `on` as true.
    assert "workflow_call" in changes[True]
    assert list(WORKFLOW[True]["push"]) == ["tags"]
    assert JOBS["check"]["uses"] == "./.github/workflows/ci.yml"
    assert set(JOBS["publish"]["needs"]) == set(JOBS) - {"publish"}
    assert WORKFLOW["env"] == {"VERSION": "${{ github.ref_name }}"}


def test_only_the_job_that_publishes_may_write() -> None:
    """A job that runs code of dependencies holds no right, and the one that publishes signs everything first."""
    assert all(job["permissions"] == {"contents": "read"} for name, job in JOBS.items() if name != "publish")
    assert JOBS["publish"]["permissions"] == {"contents": "write", "id-token": "write", "attestations": "write"}
    assert JOBS["publish"]["environment"] == "release"
    assert steps("publish", "uses")[-2:] == ["actions/attest-build-provenance", "actions/attest-sbom"]
    assert "run" in JOBS["publish"]["steps"][-1]
    assert [steps(name, "run") for name in ("dist", "image", "publish")] == [
        ["make dist"],
        ["make image"],
        ["make publish"],
    ]


def test_the_workflow_passes_on_what_the_commands_make() -> None:
    """The folder of ``make dist`` and ``make image``, and the bill of materials in it."""
    source = (ROOT / "devtools/release.py").read_text(encoding="utf-8")
    paths = re.findall(r"path: (\S+)", (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))

    assert {path.split("/")[1] for path in paths} == {"dist"}
    for name in ("pagegrade.cdx.json", "-image.tar"):
        assert any(name in path for path in paths)
        assert name in source


def test_proposals_cover_what_is_pinned() -> None:
    """Locks, actions and the base of the image grow old without one."""
    proposed = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    folders = {update["package-ecosystem"]: ROOT / update["directory"].strip("/") for update in proposed}

    assert folders == {"pip": LOCKS[0].path.parent, "github-actions": ROOT, "docker": ROOT / "deploy"}
    assert (folders["docker"] / "Dockerfile").exists()


@pytest.mark.parametrize("path", FORMS, ids=[path.stem for path in FORMS])
def test_an_issue_form_is_one(path: Path) -> None:
    """The fields that a form must have; ids that are told apart."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    ids = [field["id"] for field in form["body"]]

    assert {"name", "description", "body"} <= form.keys()
    assert len(ids) == len(set(ids)) > 0
    assert all(field["attributes"]["label"] for field in form["body"])


def test_owners_own_what_there_is() -> None:
    """A path that was moved would be without its owner."""
    lines = (ROOT / ".github/CODEOWNERS").read_text(encoding="utf-8").splitlines()
    paths = [line.split()[0] for line in lines if line and not line.startswith("#")]

    assert paths[0] == "*"
    assert [path for path in paths[1:] if not (ROOT / path.strip("/")).exists()] == []
