"""A start of ``pagegrade serve`` that is stopped at any point leaves nothing half made."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands.test_serve import environment
from tests.fault.stopped_start import POINTS
from tests.postgres import databases
from tests.server import COMMAND

PATIENCE_S = 60.0
ROOT = Path(__file__).resolve().parents[2]
IN_THE_LOOP = ("port", "account", "key")
"""Points at which the signal is one of a running server."""


def keys_in(text: str) -> set[str]:
    """The API keys that were shown."""
    return set(re.findall(r"pgk_\w+", text))


@pytest.mark.parametrize(
    ("point", "number"), [*((point, "SIGTERM") for point in POINTS), ("tables", "SIGINT"), ("key", "SIGINT")]
)
def test_a_start_that_is_stopped_leaves_nothing_half_made(
    tmp_path: Path, backend: str, point: str, number: str
) -> None:
    """It ends without a traceback, and the next start shows the first key unless this one has shown it."""
    settings = environment(
        tmp_path / "data", **({} if backend == "sqlite" else {"DATABASE_URL": databases().make_empty()})
    )
    settings["PYTHONPATH"] = str(ROOT)
    stopped = subprocess.run(
        [sys.executable, "-m", "tests.fault.stopped_start", point, number, "serve", "--port", "0"],
        env=settings,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        lines = []
        while process.stdout is not None and (line := process.stdout.readline()):
            lines.append(line)
            if "curl" in line or "keys create" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
    shown, later = keys_in(stopped.stdout), keys_in("".join(lines))

    assert stopped.returncode == (130 if number == "SIGINT" and point not in IN_THE_LOOP else 0), stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert len(shown | later) == 1
    assert shown == (set() if point not in ("account", "key") else shown | later)
    assert process.returncode == 0
