"""Death in the middle of a page that a browser draws: nothing is left behind, and the report is finished once.

Rows of the crash table for the rendered engine: the whole process is killed, the browser alone is killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from pagegrade.gather.browser.process import process_tree
from pagegrade.store.engine.data_dir import DATABASE_NAME
from tests.server import COMMAND, Server, start_server
from tests.site.serve import Site, serve_site
from tests.waiting import wait_until

PIPE: Final = b"--remote-debugging-pipe"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running:
        yield running


def browsers(pids: list[int]) -> list[int]:
    """Those of the processes that are a browser or a part of one."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            found += [pid] if PIPE in words or any(word.startswith(b"--type=") for word in words) else []
    return found


def drawing(server: Server) -> list[int]:
    """The processes of the browser, once it draws."""

    def with_renderer() -> list[int]:
        found = browsers(process_tree(server.process.pid))
        return found if len(found) > 2 else []

    return wait_until(with_renderer, "a browser that draws")


def is_gone(pids: list[int]) -> bool:
    """Return whether all of them have ended."""
    return not browsers(pids)


def left_in(folder: Path) -> list[str]:
    """Folders of browsers."""
    return [path.name for path in folder.glob("pagegrade-browser-*")]


def attempts(server: Server) -> list[tuple[str, int]]:
    """(state, how often it was started) of every run."""
    with closing(sqlite3.connect(server.folder / DATABASE_NAME)) as database:
        return list(database.execute("SELECT state, attempt FROM runs"))


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files that every user may enter, as the usual one: root's browsers run as another one."""
    with tempfile.TemporaryDirectory(prefix="pagegrade-crash-") as folder:
        path = Path(folder)
        path.chmod(0o1777)
        yield path


def start(folder: Path, temporary: Path, *, grace_s: int = 20, key: str | None = None) -> Server:
    """A server that draws every page once."""
    settings: dict[str, Any] = {
        "RENDER": "always",
        "RENDER_LOADS": "1",
        "LEASE_SECONDS": "5",
        "GRACE_SECONDS": str(grace_s),
    }
    return start_server(folder, key=key, command=COMMAND, temporary=temporary, verb="serve", **settings)


def test_a_killed_process_takes_its_browser_along(tmp_path: Path, temporary: Path, site: Site, program: Path) -> None:
    """SIGKILL in the middle of a load: no process and no file lives on, and the next start does the run."""
    server = start(tmp_path / "data", temporary)
    report = server.create(f"{site.http}/")
    pids = drawing(server)
    server.stop(signal.SIGKILL)
    wait_until(lambda: is_gone(pids), "the end of the browser")
    left = left_in(temporary)
    again = start(tmp_path / "data", temporary, key=server.key)
    try:
        finished = again.finished(report["id"])
        runs = attempts(again)
    finally:
        again.stop()

    assert left == []
    assert finished["analysis"]["engine"] == "rendered"
    assert runs == [("completed", 2)]
    assert left_in(temporary) == []
    assert browsers(process_tree(again.process.pid)) == []


def test_a_killed_browser_costs_its_report_nothing_but_its_part(
    tmp_path: Path, temporary: Path, site: Site, program: Path
) -> None:
    """The static part stands after one attempt, the reason is said, and the next report is drawn."""
    server = start(tmp_path / "data", temporary)
    try:
        report = server.create(f"{site.http}/")
        os.kill(drawing(server)[0], signal.SIGKILL)
        finished = server.finished(report["id"])
        runs = attempts(server)
        after = server.finished(server.create(f"{site.http}/?next")["id"])
        left = left_in(temporary)
    finally:
        server.stop()
    reasons = {one["artifact"]: one["reason"] for one in finished["run"]["not_gathered"]}

    assert (finished["state"], finished["rendered"]) == ("completed", None)
    assert reasons["rendering"].startswith("browser_crash")
    assert runs == [("completed", 1)]
    assert after["analysis"]["engine"] == "rendered"
    assert left == []


def test_a_stop_gives_back_what_is_being_drawn(tmp_path: Path, temporary: Path, site: Site, program: Path) -> None:
    """SIGTERM without grace: the browser ends, and the run waits as if it had not been started."""
    server = start(tmp_path / "data", temporary, grace_s=0)
    server.create(f"{site.http}/")
    pids = drawing(server)
    server.stop()
    wait_until(lambda: is_gone(pids), "the end of the browser")

    assert attempts(server) == [("queued", 0)]
    assert left_in(temporary) == []
