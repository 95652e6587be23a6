"""A machine where the service can write to its data folder only: a read-only root, no /tmp, no /dev/shm."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.site import Site, running_site
from tests.fault.test_rendered_pages import unshared
from tests.server import COMMAND, Server, start_server


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def confined(folder: Path) -> tuple[str, ...]:
    """The product where it can write to one folder; the network is that of the machine."""
    return *unshared("--mount"), sys.executable, "-m", "tests.lab.bare", str(folder), *COMMAND


@pytest.fixture(scope="module")
def server(lab: None, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service there, from its first start on."""
    folder = tmp_path_factory.mktemp("bare") / "data"
    running = start_server(
        folder, command=confined(folder), tables=False, RENDER="auto", RENDER_LOADS=1, BROWSER=program
    )
    yield running
    assert running.stop() == 0


def run(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command beside the service, where it can write as little."""
    return subprocess.run(
        [*confined(server.folder), *arguments],
        env=server.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_a_page_is_drawn_kept_and_exported(server: Server, site: Site) -> None:
    """SQLite, a browser, and what makes documents need no folder for temporary files."""
    report = server.finished(server.create(site.url, render=1)["id"])
    files = {
        name: server.call("GET", f"/api/v1/reports/{report['id']}?format={name}").status
        for name in ("pdf", "har", "csv")
    }

    assert report["analysis"]["engine"] == "rendered", report["run"]["not_gathered"]
    assert len(report["rendered"]["pictures"]) > 1
    assert set(files.values()) == {200}
    assert server.call("GET", "/readyz").status == 200
    assert "Traceback" not in server.log_file.read_text()


def test_doctor_finds_no_problem(server: Server) -> None:
    """It tries the data folder, a parser and a browser."""
    done = run(server, "doctor")

    assert "data folder  " + f"{server.folder} can be written" in done.stdout
    assert "0 problems" in done.stdout
    assert "isolated and sandboxed" in done.stdout


def test_the_command_draws_a_page_and_refuses_what_it_cannot_save(server: Server, site: Site, tmp_path: Path) -> None:
    """Before it asks for the page."""
    done = run(server, "analyze", site.url, "--render", "--format", "json")
    refused = run(server, "analyze", site.url, "--output", str(tmp_path / "report.json"))

    assert json.loads(done.stdout)["analysis"]["engine"] == "rendered"
    assert refused.returncode == 2
    assert "cannot be written: Read-only file system" in " ".join(refused.stderr.split())
