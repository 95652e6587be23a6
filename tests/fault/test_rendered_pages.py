"""The browser group of the lab: no forbidden address is reached, whatever a page tries, and the wires would see it.

Row I-01 to I-05, I-12, I-15 and I-17 of the matrix; endless pages, memory and deaths are tried where the browser's
process is (tests/gather/browser, test_browser_crashes.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.lab.namespace import repository
from tests.lab.rendered import Drawn
from tests.lab.rendered_page import CHANNELS, UNSEEN

LONGEST_S: Final = 300


def unshared(*kinds: str) -> list[str]:
    """The command that makes namespaces in which a browser can be isolated: network and mount, or these alone.

    The user is kept: root becomes another one for the browser, and has to be able to.
    """
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return [shutil.which("unshare") or "unshare", *(kinds or ("--net", "--mount")), *user, "--"]


def run_rendered(subject: str) -> Drawn:
    """Draw the attacking page in a fresh lab."""
    command = [*unshared(), sys.executable, "-m", "tests.lab.rendered", subject]
    done = subprocess.run(command, cwd=repository(), capture_output=True, check=False, timeout=LONGEST_S)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4_000:]
    return msgspec.json.decode(done.stdout, type=Drawn)


@pytest.fixture(scope="module")
def drawn(lab: None, program: Path) -> Drawn:
    """The attack, drawn by the shipped engine with its default policy."""
    return run_rendered("product")


def test_no_wire_is_touched(drawn: Drawn) -> None:
    """Through no channel and in no spelling; the page is drawn all the same, and asked for much."""
    assert drawn.touched == []
    assert drawn.title == "Attack"
    assert len(drawn.refused) >= 20


@pytest.mark.parametrize("subject", ["networks", "leaves"])
def test_networks_of_the_operator_stay_closed_to_a_public_page(lab: None, program: Path, subject: str) -> None:
    """Also when a page that lies there leaves for it."""
    found = run_rendered(subject)

    assert found.touched == []
    assert len(found.refused) >= 20


def test_no_file_of_this_machine_is_shown(drawn: Drawn) -> None:
    """A frame of ``file:`` stays empty."""
    assert "root:" not in drawn.html


def test_a_page_that_leaves_for_a_forbidden_address_is_not_drawn(drawn: Drawn) -> None:
    """The browser's own error page is no document of the site."""
    assert drawn.away == "navigation"


def test_neither_folder_nor_namespace_is_left(drawn: Drawn) -> None:
    """After two pages."""
    assert drawn.left == []


def test_a_browser_without_protection_touches_the_wires(lab: None, program: Path) -> None:
    """Through every channel that it uses at all: the lab sees what the engine keeps closed."""
    naive = run_rendered("naive")

    assert set(CHANNELS) - set(UNSEEN) - set(naive.channels) == set()
    assert {"tcp://127.0.0.1:8080", "tcp://169.254.169.254:80", "tcp://10.70.0.1:80"} <= set(naive.touched)


def test_without_the_guard_the_engine_touches_them(lab: None, program: Path) -> None:
    """A policy that allows every address turns the same rows red: the guard is what keeps them closed."""
    opened = run_rendered("open")

    assert {"fetch", "image", "socket", "frame", "beacon", "redirect", "worker"} <= set(opened.channels)
    assert "tcp://10.70.0.1:80" in opened.touched
