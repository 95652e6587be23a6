"""The GitHub Action: its steps are run as a runner would, without a container."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types of its own

from tests.cli.site import Site, running_site
from tests.sarif_rules import refusals
from tests.site_world.server import serving
from tests.site_world.world import make_world

ROOT: Final = Path(__file__).resolve().parents[2]
ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
_EXPRESSION: Final = re.compile(r"\$\{\{ (\S+) \}\}")


@dataclass(frozen=True)
class Job:
    """Result of a run of the action."""

    status: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    folder: Path


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def run_action(folder: Path, inputs: Mapping[str, str]) -> Job:
    """Run the steps of the action in ``folder``; of inputs that are not given the default counts."""
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | dict(inputs)
    known = {f"inputs.{name}": value for name, value in given.items()} | {"github.action_path": str(ROOT)}
    output, summary = folder / "output.txt", folder / "summary.md"
    status, log = 0, ""
    for step in ACTION["runs"]["steps"]:
        if step.get("if") == "inputs.package != ''" and not given["package"]:
            continue
        environment = {name: _EXPRESSION.sub(lambda m: known[m[1]], value) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607 - as runners do
            cwd=folder,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")},
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        status, log = done.returncode, log + done.stdout + done.stderr
        if status:
            break
    lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    shown = summary.read_text(encoding="utf-8") if summary.exists() else ""
    return Job(status, log, dict(line.split("=", 1) for line in lines), shown, folder)


def of_site(site: Site, **more: str) -> dict[str, str]:
    """Inputs to analyze the page of the site with the ``pagegrade`` of this environment."""
    return {"url": site.url, "allow-network": "127.0.0.0/8", "package": ""} | {
        name.replace("_", "-"): value for name, value in more.items()
    }


def test_findings_are_annotated_and_reports_are_written(site: Site, tmp_path: Path) -> None:
    """Annotations in the log, the summary of the job, and files for later steps."""
    job = run_action(tmp_path, of_site(site))

    assert job.status == 0
    assert "::error title=" in job.log
    assert "image-alt" in job.log
    assert job.outputs["exit-code"] == "0"
    assert json.loads((job.folder / job.outputs["json"]).read_text(encoding="utf-8"))["url"] == site.url
    assert json.loads((job.folder / job.outputs["sarif"]).read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert job.summary == (job.folder / "pagegrade/report.md").read_text(encoding="utf-8")
    assert (job.folder / job.outputs["markdown"]).read_text(encoding="utf-8") == job.summary
    assert job.summary.startswith("# ")


def test_a_condition_fails_the_job_and_the_files_are_there(site: Site, tmp_path: Path) -> None:
    """Conditions come one per line."""
    job = run_action(tmp_path, of_site(site, fail_on="score<1\n  category.accessibility<100\n"))

    assert (job.status, job.outputs["exit-code"]) == (1, "1")
    assert (job.folder / job.outputs["json"]).exists()


def test_results_are_in_the_files_of_the_site(site: Site, tmp_path: Path) -> None:
    """Sources come one per line; code scanning takes the file."""
    job = run_action(tmp_path, of_site(site, source=f"{site.url}=site/\n\n"))
    text = (job.folder / job.outputs["sarif"]).read_text(encoding="utf-8")
    results = json.loads(text)["runs"][0]["results"]
    paths = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}

    assert refusals(text) == []
    assert "site/index.html" in paths


@pytest.mark.parametrize(("more", "whole"), [(0, True), (1, False)])
def test_a_summary_that_github_would_drop_is_the_shorter_text(tmp_path: Path, more: int, *, whole: bool) -> None:
    """One byte past 1 MiB the comment stands for the report, which stays in its file."""
    command = tmp_path / "bin/pagegrade"
    command.parent.mkdir()
    command.write_text(
        f"#!/bin/sh\nhead -c {2**20 + more} /dev/zero >pagegrade/report.md\necho short >pagegrade/comment.md\n",
        encoding="utf-8",
    )
    command.chmod(0o755)
    summary = tmp_path / "summary.md"
    subprocess.run(
        ["bash", str(ROOT / "integrations/github/analyze.sh")],  # noqa: S607 - as runners do
        cwd=tmp_path,
        env=os.environ
        | {
            "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
            "INPUT_URL": "https://example.com/",
            "GITHUB_STEP_SUMMARY": str(summary),
        },
        check=True,
        timeout=60,
    )

    assert summary.stat().st_size == (2**20 if whole else len("short\n"))


@pytest.mark.parametrize(
    ("package", "installed"),
    [
        ("pinned", [f"--require-hashes --requirement {ROOT}/requirements/run.txt", f"--no-deps {ROOT}"]),
        ("pagegrade==9.9.9", ["pagegrade==9.9.9"]),
    ],
)
def test_what_is_installed_is_what_was_pinned(tmp_path: Path, package: str, installed: list[str]) -> None:
    """By default the checkout of the action with its locked dependencies, never the newest release."""
    log, command = tmp_path / "log", tmp_path / "python"
    command.write_text(f'#!/bin/sh\necho "$@" >>{shlex.quote(str(log))}\n', encoding="utf-8")
    command.chmod(0o755)
    (step,) = (step for step in ACTION["runs"]["steps"] if step["name"] == "Install Pagegrade")
    known = {"inputs.package": package, "github.action_path": str(ROOT)}
    subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607 - as runners do
        env={
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            **{name: _EXPRESSION.sub(lambda m: known[m[1]], value) for name, value in step["env"].items()},
        },
        check=True,
        timeout=60,
    )
    common = "-m pip install --quiet --disable-pip-version-check"

    assert ACTION["inputs"]["package"]["default"] == "pinned"
    assert log.read_text(encoding="utf-8").splitlines() == [f"{common} {one}" for one in installed]


def test_only_new_findings_fail_against_a_baseline(site: Site, tmp_path: Path) -> None:
    """The first run has no baseline and says so; the second compares with the first."""
    first = run_action(tmp_path, of_site(site, baseline="pagegrade/report.json", fail_on_new="low"))
    second = run_action(tmp_path, of_site(site, baseline="pagegrade/report.json", fail_on_new="low"))

    assert (first.status, second.status) == (0, 0)
    assert "There is no baseline yet" in first.log
    assert "Compared with the baseline" in second.summary


def test_new_findings_without_a_baseline_are_a_mistake(site: Site, tmp_path: Path) -> None:
    """It would never fail."""
    job = run_action(tmp_path, of_site(site, fail_on_new="low"))

    assert job.status == 2
    assert "needs a baseline" in job.log


def test_a_site_is_audited_and_a_condition_fails_the_job(tmp_path: Path) -> None:
    """The result is in the log, the summary and the outputs; the files of an audit are kept for the next one."""
    with serving(make_world(48, pages=6, faults=("broken-link",))) as site:
        inputs = {"audit": f"{site.origin}/", "package": "", "fail-on": "check.broken-internal-links\n"}
        job = run_action(tmp_path, inputs)
        again = run_action(tmp_path, {**inputs, "fail-on": ""})
    result = json.loads((job.folder / job.outputs["json"]).read_text(encoding="utf-8"))

    assert (job.status, job.outputs["exit-code"], again.status) == (1, "1", 0)
    assert "broken-internal-links" in {finding["check"] for finding in result["findings"]}
    assert "<html" in (job.folder / job.outputs["html"]).read_text(encoding="utf-8")
    assert job.outputs["json"] == "pagegrade/1/audit.json"
    assert again.outputs["json"] == "pagegrade/2/audit.json"
    assert all(line.startswith("    ") for line in job.summary.splitlines())
    assert "Fix first" in job.summary
    assert "Fix first" in job.log


@pytest.mark.parametrize("other", ["url", "source", "baseline", "fail-on-new"])
def test_an_input_of_pages_is_a_mistake_beside_a_site(tmp_path: Path, other: str) -> None:
    """It would be ignored."""
    job = run_action(tmp_path, {"audit": "http://127.0.0.1:1/", "package": "", other: "high"})

    assert job.status == 2
    assert "are of pages" in job.log


def test_the_start_page_is_not_read_as_an_option(tmp_path: Path) -> None:
    """It may come from a pull request."""
    job = run_action(tmp_path, {"audit": "--version", "package": ""})

    assert job.status == 3
    assert "http://--version/" in job.log


@pytest.mark.parametrize(
    "url", ["$(touch taken)", "`touch taken`", "'; touch taken; '", "--version://x", "${IFS}touch"]
)
def test_no_input_is_run_or_read_as_an_option(tmp_path: Path, url: str) -> None:
    """An address may come from a pull request."""
    job = run_action(tmp_path, {"url": url, "package": ""})

    assert job.status == 2
    assert not (tmp_path / "taken").exists()


def test_every_input_reaches_the_script() -> None:
    """As a variable: none is written into a script."""
    steps = ACTION["runs"]["steps"]
    used = {name for step in steps for value in step["env"].values() for name in _EXPRESSION.findall(value)}

    assert used == {f"inputs.{name}" for name in ACTION["inputs"]} | {"github.action_path"}
    assert all("${{" not in step["run"] for step in steps)
