"""SIGKILL of every kind of process at moments of a run: no process and no file is left that no one asked for.

The moments are spread evenly over the run: four in ``make slow``, and as many as wanted otherwise, which takes minutes:
``MOMENTS=20 .venv/bin/pytest tests/fault/test_nothing_left.py``.

The places that a person knows of are the data folder and what a command was given to write to; everything else that
appears in a folder for temporary files, at home, in the working folder or in the shared memory is a leftover.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pagegrade.gather.browser.process import process_tree
from tests.fault.cluster import Cluster
from tests.fault.test_browser_crashes import browsers, start
from tests.postgres import Postgres
from tests.server import COMMAND, Server
from tests.site.serve import Site, serve_site
from tests.waiting import pause, wait_until

MOMENTS: Final = int(os.environ.get("MOMENTS", "4"))
AT_ONCE: Final = 2
SHARED: Final = tuple(map(Path, ("/dev/shm", "/var/tmp", "/tmp")))  # noqa: S108 - looked at, not used
OURS: Final = (
    "pagegrade-audit-",
    "pagegrade-browser-",
    "pagegrade-pictures-",
    "pagegrade-proof-",
    ".org.chromium.",
    ".com.google.",
    "etilqs_",
    "sem.",
    "pymp-",
)
"""Beginnings of names that this program, a browser, SQLite or Python give to temporary files."""
PARTS: Final = {
    "browser": b"--remote-debugging-pipe",
    "renderer": b"--type=renderer",
    "zygote": b"--type=zygote",
    "parser": b"pagegrade.sandbox.worker",
}
"""Kind of a process below a command -> a word of its command line."""
BLIND: Final = "import pathlib, tempfile, time; pathlib.Path(tempfile.mkdtemp(), 'x').touch(); time.sleep(60)"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running:
        yield running


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of one run."""

    root: Path

    @property
    def temporary(self) -> Path:
        """``TMPDIR``."""
        return self.root / "temporary"

    @property
    def named(self) -> Path:
        """Folder of what a person asked for."""
        return self.root / "named"

    @property
    def environment(self) -> dict[str, str]:
        """Of a command; its home and its working folder are not to be written to, either."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")}
        paths = {"TMPDIR": self.temporary, "HOME": self.root / "home", "PAGEGRADE_DATA_DIR": self.named / "data"}
        return kept | {name: str(path) for name, path in paths.items()} | {"PAGEGRADE_RENDER_LOADS": "1"}

    def left(self) -> list[str]:
        """Files and folders where none may be."""
        return [
            str(path.relative_to(self.root))
            for folder in ("temporary", "home", "work")
            for path in (self.root / folder).rglob("*")
        ]


@pytest.fixture
def make_places() -> Iterator[Callable[[], Places]]:
    """A function that makes the folders of a run, which every user may enter: root's browsers run as another one."""
    with tempfile.TemporaryDirectory(prefix="pagegrade-crash-") as folder:

        def make() -> Places:
            root = Path(tempfile.mkdtemp(dir=folder))
            root.chmod(0o755)
            for name in ("temporary", "home", "work", "named"):
                (root / name).mkdir()
                (root / name).chmod(0o1777)
            return Places(root)

        Path(folder).chmod(0o755)
        yield make


@pytest.fixture(autouse=True)
def nothing_in_shared_folders() -> Iterator[None]:
    """Not only in the folders that a test gives: also where the system has one for all."""
    before = in_shared_folders()
    yield

    # Databases of other processes have files there for a moment; what was left behind stays.
    with suppress(AssertionError):
        wait_until(lambda: in_shared_folders() <= before, within_s=30)
    assert in_shared_folders() - before == set()


def in_shared_folders() -> set[str]:
    """Paths that have a name as ours have."""
    return {
        str(path) for folder in SHARED if folder.is_dir() for path in folder.iterdir() if path.name.startswith(OURS)
    }


def analyzing(site: Site, places: Places) -> subprocess.Popen[bytes]:
    """A command that fetches, parses, draws and writes everything that it can write."""
    named = places.named
    files = ("-o", f"{named}/report.html", "--har", f"{named}/page.har", "--pictures", f"{named}/pictures")
    kept = ("--save-artifacts", f"{named}/page.gz", "--save-trace", f"{named}/trace.json")
    return subprocess.Popen(
        [*COMMAND, "analyze", f"{site.http}/", "--render", "--network", "none", "-q", "-f", "html", *files, *kept],
        env=places.environment,
        cwd=places.root / "work",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def part_of(pid: int, word: bytes) -> int | None:
    """A process below another one that has a word in its command line."""
    for each in process_tree(pid)[1:]:
        with suppress(OSError):
            if word in Path(f"/proc/{each}/cmdline").read_bytes():
                return each
    return None


def wait_until_gone(pids: list[int]) -> None:
    """Wait until none of the processes of ours runs."""
    wait_until(lambda: not browsers(pids) and not parsers(pids), f"the end of {pids}")


def parsers(pids: list[int]) -> list[int]:
    """Those of the processes that parse."""
    found = []
    for pid in pids:
        with suppress(OSError):
            found += [pid] if PARTS["parser"] in Path(f"/proc/{pid}/cmdline").read_bytes() else []
    return found


def lifetime_s(site: Site, places: Places, word: bytes | None) -> float:
    """Seconds that a command, or a part of it, lives when it is left alone."""
    with analyzing(site, places) as process:
        pid = process.pid if word is None else wait_for_part(process, word)
        began = time.monotonic()
        wait_until(lambda: process.poll() is not None or not is_alive(pid), "its end")
        lasted = time.monotonic() - began
        assert process.wait() == 0
    return lasted


def wait_for_part(process: subprocess.Popen[bytes], word: bytes) -> int:
    """The part of a command, once it runs."""
    return wait_until(lambda: part_of(process.pid, word), f"a process with {word!r}")


def is_alive(pid: int) -> bool:
    """Return whether a process still runs."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize("part", ["command", *PARTS])
def test_a_killed_command_or_part_leaves_nothing(
    part: str, site: Site, program: Path, make_places: Callable[[], Places]
) -> None:
    """The command itself, or a process below it, after which the command goes on to its end."""
    word = PARTS.get(part)
    whole_s = lifetime_s(site, make_places(), word)

    def kill(number: int) -> tuple[bool, list[str]]:
        places = make_places()
        with analyzing(site, places) as process:
            victim = process.pid if word is None else wait_for_part(process, word)
            pause(whole_s * (number + 0.5) / MOMENTS, "it has come so far")
            tree = process_tree(process.pid)
            hit = is_alive(victim)
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            process.wait()
        wait_until_gone(tree)
        return hit, places.left()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        results = list(threads.map(kill, range(MOMENTS)))

    assert [left for _, left in results if left] == []
    assert sum(hit for hit, _ in results) >= MOMENTS / 2


def test_a_leftover_would_be_seen(make_places: Callable[[], Places]) -> None:
    """Of a program that makes a temporary folder and is killed."""
    places = make_places()
    with subprocess.Popen([sys.executable, "-c", BLIND], env=places.environment) as process:
        wait_until(lambda: len(places.left()) == 2, "its folder and the file in it")
        process.kill()

    assert len(places.left()) == 2


def finish(server: Server, whole_s: float, number: int) -> None:
    """Kill a process that answers and works, so far after it was given a page to draw."""
    pause(whole_s * (number + 0.5) / MOMENTS, "it has come so far")
    tree = process_tree(server.process.pid)
    server.stop(signal.SIGKILL)
    wait_until_gone(tree)


def test_a_killed_service_leaves_its_data_folder_alone(
    site: Site, program: Path, make_places: Callable[[], Places]
) -> None:
    """At any moment of a run: in the data folder is what is there while a service runs, and nothing elsewhere."""

    def serve(places: Places) -> Server:
        server = start(places.named / "data", places.temporary)
        server.create(f"{site.http}/")
        return server

    places = make_places()
    server = serve(places)
    began = time.monotonic()
    wait_until(lambda: server.call("GET", "/api/v1/reports").data[0]["state"] == "completed", "the report")
    whole_s = time.monotonic() - began
    usual = {path.name for path in (places.named / "data").iterdir()}
    server.stop()

    def kill(number: int) -> tuple[list[str], set[str]]:
        places = make_places()
        finish(serve(places), whole_s, number)
        return places.left(), {path.name for path in (places.named / "data").iterdir()} - usual

    with ThreadPoolExecutor(AT_ONCE) as threads:
        results = list(threads.map(kill, range(MOMENTS)))

    assert [one for one in results if one != ([], set())] == []


def test_a_killed_worker_leaves_nothing(site: Site, program: Path, make_places: Callable[[], Places]) -> None:
    """One after the other on a database that all share; each takes up what the one before it left."""
    root = make_places().root
    postgres = Postgres()
    try:
        postgres.start()
        with Cluster(root, postgres) as cluster:
            cluster.temporary.chmod(0o1777)
            api = cluster.serve()
            api_render = {"url": f"{site.http}/", "render": "1"}
            worker = cluster.work(RENDER="always", RENDER_LOADS=1, WORKERS=1)
            began = time.monotonic()
            report = api.call("POST", "/api/v1/reports", key=cluster.alice, form=api_render).data
            path = f"/api/v1/reports/{report['id']}"
            wait_until(lambda: api.call("GET", path, key=cluster.alice).data["state"] == "completed", "the report")
            whole_s = time.monotonic() - began
            worker.stop()
            left = []
            for number in range(MOMENTS):
                worker = cluster.work(RENDER="always", RENDER_LOADS=1, WORKERS=1)
                form = {"url": f"{site.http}/?{number}", "render": "1"}
                api.call("POST", "/api/v1/reports", key=cluster.alice, form=form)
                finish(worker, whole_s, number)
                left += list(cluster.temporary.iterdir())
            api.stop()
    finally:
        postgres.close()

    assert left == []
