from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pagegrade.gather.browser import process
from pagegrade.gather.browser.options import MAX_MEMORY_BYTES, RenderingFailed
from pagegrade.gather.browser.process import Trial, process_tree, run_browser, try_browser
from tests.waiting import wait_until

OWNER = """
import asyncio, sys
from pathlib import Path
from pagegrade.gather.browser.process import process_tree, run_browser

async def main():
    async with run_browser(Path(sys.argv[1]), max_memory_bytes=10**9) as browser:
        await browser.connection.send("Target.createTarget", {"url": "about:blank"})
        print(*process_tree(browser.pid), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def status_of(pid: int) -> dict[str, str]:
    """Status of a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_running(pid: int) -> bool:
    """True while it exists and is not merely waiting to be collected."""
    try:
        return status_of(pid)["State"][0] not in "ZX"
    except (OSError, KeyError):
        return False


def is_renderer(pid: int) -> bool:
    """True for a process that draws pages."""
    return b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes()


def settled_renderers(root: int) -> list[dict[str, str]]:
    """Status of the processes that draw pages, once there are some and they have given up their rights."""

    def found() -> list[dict[str, str]]:
        seen = []
        for pid in process_tree(root):
            with suppress(OSError):  # it has just ended
                if is_renderer(pid):
                    seen.append(status_of(pid))
        return seen

    def settled() -> list[dict[str, str]]:
        # A spare process may start at any moment, so it is these that are looked at.
        seen = found()
        return seen if {one["Seccomp"] for one in seen} == {"2"} else []

    return wait_until(settled, "the sandbox of the renderers")


def network_of(process: str) -> str:
    """Name of its network namespace."""
    return str(Path(f"/proc/{process}/ns/net").readlink())


def wait_until_gone(pids: list[int]) -> None:
    """Wait until none of the processes runs."""
    wait_until(lambda: not any(is_running(pid) for pid in pids), f"the end of {pids}")


def folders(temporary: Path) -> set[str]:
    """Names of the folders of browsers."""
    return {path.name for path in temporary.glob("pagegrade-browser-*")}


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone, which every user may enter: other tests start browsers, too."""
    with tempfile.TemporaryDirectory(prefix="pagegrade-process-") as folder:
        path = Path(folder)
        path.chmod(0o1777)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield path


def test_it_runs_sandboxed_in_a_network_of_its_own_and_leaves_nothing(program: Path, temporary: Path) -> None:
    """No privileges, system calls filtered, its own network and user; afterwards no process and no folder."""

    async def run() -> tuple[list[int], list[dict[str, str]], str]:
        async with run_browser(program, max_memory_bytes=MAX_MEMORY_BYTES) as browser:
            await browser.connection.send("Target.createTarget", {"url": "about:blank"})
            renderers = await asyncio.to_thread(settled_renderers, browser.pid)
            tree = process_tree(browser.pid)
            return tree, renderers, network_of(str(tree[0]))

    tree, renderers, network = asyncio.run(run())

    assert renderers
    assert {(one["Seccomp"], one["CapEff"].strip("0"), one["Uid"].split()[0] == "0") for one in renderers} == {
        ("2", "", False)
    }
    assert network != network_of("self")
    wait_until_gone(tree)

    assert list(temporary.iterdir()) == []


def test_it_ends_when_its_owner_is_killed(program: Path, temporary: Path) -> None:
    """With all its processes and files, without a next start."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(program)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    ) as owner:
        assert owner.stdout is not None
        tree = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(tree) > 2
        owner.send_signal(signal.SIGKILL)
        owner.wait()

    wait_until_gone(tree)

    assert list(temporary.iterdir()) == []


def part_of(browser: int, kind: str) -> int:
    """The process of one kind, once it runs; the browser is the first one, which starts all others."""

    def find() -> int | None:
        named = f"--type={kind}".encode()
        return next((pid for pid in process_tree(browser) if named in command_of(pid)), None)

    return browser if kind == "browser" else wait_until(find, f"a process of the kind {kind}")


def command_of(pid: int) -> bytes:
    """Its command line; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("victim", ["browser", "zygote", "utility", "renderer"])
def test_a_browser_that_is_killed_is_a_failure_of_the_rendering(program: Path, temporary: Path, victim: str) -> None:
    """Whichever of its parts dies, nothing is left and nothing hangs."""

    async def run() -> list[int]:
        async with run_browser(program, max_memory_bytes=MAX_MEMORY_BYTES) as browser:
            await browser.connection.send("Target.createTarget", {"url": "about:blank"})
            part = await asyncio.to_thread(part_of, browser.pid, victim)
            tree = process_tree(browser.pid)
            os.kill(part, signal.SIGKILL)
            if victim == "browser":
                failure = await asyncio.wait_for(asyncio.shield(browser.connection.closed), 20)
                assert isinstance(failure, RenderingFailed)
                with pytest.raises(RenderingFailed):
                    await browser.connection.send("Browser.getVersion")
            return tree

    wait_until_gone(asyncio.run(run()))

    assert list(temporary.iterdir()) == []


def test_a_program_that_is_no_browser_is_a_failure() -> None:
    """It is not waited for."""

    async def run() -> None:
        async with run_browser(Path("/bin/true"), max_memory_bytes=MAX_MEMORY_BYTES) as browser:
            await browser.connection.send("Browser.getVersion")

    with pytest.raises(RenderingFailed):
        asyncio.run(run())


def test_root_without_other_users_is_a_failure_of_its_own() -> None:
    """As in a container that maps one user only."""
    script = """
import asyncio
from pathlib import Path
from pagegrade.gather.browser.options import RenderingFailed
from pagegrade.gather.browser.process import run_browser

async def main():
    try:
        async with run_browser(Path("/bin/true"), max_memory_bytes=10**9):
            pass
    except RenderingFailed as error:
        print(error.code, error.reason)

asyncio.run(main())
"""
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-c", script]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    if "unshare" in done.stderr:
        pytest.skip("user namespaces are forbidden here")

    assert done.stdout.split() == ["browser_sandbox", "user"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs a browser as another user")
def test_a_folder_that_the_user_of_the_browser_cannot_enter_is_named(temporary: Path) -> None:
    """Its files cannot be in memory everywhere."""
    temporary.chmod(0o700)

    with pytest.raises(RenderingFailed, match="TMPDIR"), process._own_folder(65_534):
        pass

    assert list(temporary.iterdir()) == []


def attempt(program: Path) -> Trial:
    """The browser that started."""
    return asyncio.run(try_browser(program))


def test_a_browser_names_itself_and_filters_the_calls_of_its_pages(program: Path) -> None:
    """The second layer of its sandbox is on, as root and as every other user."""
    found = attempt(program)

    assert "/" in found.product
    assert found.sandboxed
    assert found.seconds > 0


@pytest.mark.parametrize("path", ["/bin/true", "/bin/cat", "/no/such/program"])
def test_what_is_no_browser_is_a_failure_with_a_reason(path: str) -> None:
    """It ends, answers nothing that is understood, or is not there."""
    with pytest.raises(RenderingFailed) as found:
        attempt(Path(path))

    assert found.value.code in {"browser_crash", "browser_sandbox", "timeout"}
    assert found.value.detail
