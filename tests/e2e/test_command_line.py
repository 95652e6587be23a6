"""The command line as a process of its own: exit codes, signals, pipes, colours, imports."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.site import Site, running_site
from tests.waiting import HANG_S, wait_until

CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("PAGEGRADE_", "NO_COLOR", "FORCE_COLOR"))
}
COMMAND = [sys.executable, "-m", "pagegrade"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A site on the loopback."""
    with running_site() as running:
        yield running


def finished(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env={**CLEAN, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["analyze", "{site}", "--quiet"], 0),
        (["analyze", "{site}", "--quiet", "--fail-on", "score<=100"], 1),
        (["analyze", "{site}", "--quiet", "--fail-on", "nonsense"], 2),
        (["analyze", "{site}missing", "--quiet"], 3),
        (["--version"], 0),
        (["nonsense"], 2),
    ],
)
def test_the_exit_code_is_the_process_s(arguments: list[str], code: int, site: Site) -> None:
    """Scripts see it, without a traceback in any case."""
    process = finished(*(argument.format(site=site.url) for argument in arguments))

    assert process.returncode == code
    assert "Traceback" not in process.stderr


def children_of(parent: int) -> list[int]:
    """Processes whose parent is ``parent`` (proc(5): the field after the state; none where there is no /proc)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found


def wait_for_child(parent: int) -> None:
    """Wait until ``parent`` has begun to start a child, without a pause: what follows is about that moment."""
    end = time.monotonic() + HANG_S
    while not children_of(parent):
        if time.monotonic() > end:
            raise AssertionError("no child was started")


@pytest.mark.parametrize("moment", ["a child starts", "slow", "slow-body"])
def test_an_interrupt_ends_cleanly_with_130(moment: str, site: Site) -> None:
    """Ctrl-C while a child starts or a page is waited for: no traceback, no report, no process left behind."""
    process = subprocess.Popen(
        [*COMMAND, "analyze", site.url if moment == "a child starts" else site.url + moment, "--budget", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=CLEAN,
        start_new_session=True,
    )
    with process:
        if moment == "a child starts":
            wait_for_child(process.pid)
        else:
            site.wait_until_asked()
        children = children_of(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=HANG_S)

    assert process.returncode == 130
    assert out == ""
    assert error == "Interrupted.\n"
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    # Ended, and noticed by the system.
    wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children), f"the end of {children}")


def test_a_job_in_the_background_of_a_script_is_not_interrupted(site: Site) -> None:
    """Such a job is started with SIGINT ignored; the interrupt is meant for another process."""
    script = ["/bin/sh", "-c", '"$@" & echo "$!" >&2; wait "$!"', "sh"]
    command = [*script, *COMMAND, "analyze", site.url, "--quiet"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=CLEAN
    ) as process:
        assert process.stderr is not None
        job = int(process.stderr.readline())
        # Not before the shell has made the job ignore the signal and become the command.
        program = sys.executable.encode()
        wait_until(lambda: Path(f"/proc/{job}/cmdline").read_bytes().startswith(program), what="start of the job")
        os.kill(job, signal.SIGINT)
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert site.url in out


def test_a_reader_that_goes_away_is_no_error(site: Site) -> None:
    """`pagegrade ... | head -1` says nothing on stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        process = subprocess.run(
            [*COMMAND, "analyze", site.url], stdout=pipe, stderr=subprocess.PIPE, env=CLEAN, timeout=60, check=False
        )

    assert process.stderr == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour_follows_the_environment(site: Site, environment: dict[str, str], *, colored: bool) -> None:
    """A pipe gets none unless it is forced."""
    process = finished("analyze", site.url, "--no-subresources", **environment)

    assert ("\x1b[" in process.stdout) is colored


def test_an_ascii_terminal_gets_ascii(site: Site) -> None:
    """Nothing raises where the terminal cannot show the ornaments; programs get UTF-8 all the same."""
    text = finished("analyze", site.url, "--no-subresources", PYTHONIOENCODING="ascii")
    sarif = finished("analyze", site.url, "--no-subresources", "-f", "json", "-q", PYTHONIOENCODING="ascii")

    assert text.returncode == 0
    assert text.stdout.isascii()
    assert sarif.returncode == 0


@pytest.mark.parametrize("arguments", [["--help"], ["analyze", "--help"], ["--version"]])
def test_help_loads_nothing_it_does_not_need(arguments: list[str]) -> None:
    """Start-up stays quick because the packages behind are not imported."""
    code = (
        "import sys; from pagegrade.cli.app import run; run(sys.argv[1:]); print(*sorted(sys.modules), file=sys.stderr)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=CLEAN,
        check=True,
        timeout=60,
    )
    loaded = set(process.stderr.split())

    assert "typer" in loaded
    assert not loaded & {
        "asyncio",
        "jinja2",
        "pycurl",
        "pydantic_settings",
        "rich.markdown",
        "turbohtml",
        "pagegrade.checks",
        "pagegrade.config",
        "pagegrade.gather",
        "pagegrade.parse",
        "pagegrade.service",
    }
