"""A machine with IPv6 addresses alone: the first start, its links, a report, and a page that a browser draws."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fault.test_rendered_pages import unshared
from tests.lab.namespace import repository

LINK = "http://[::1]:8080/sign-in/"


@pytest.fixture(scope="module")
def found(lab: None, program: Path) -> dict[str, Any]:
    """The findings in a fresh network namespace."""
    done = subprocess.run(
        [*unshared(), sys.executable, "-m", "tests.fault.ipv6_only"],
        cwd=repository(),
        env={name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")},
        capture_output=True,
        timeout=240,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode(errors="replace")[-4000:])
    findings: dict[str, Any] = json.loads(done.stdout)
    return findings


def test_the_links_of_a_first_start_work(found: dict[str, Any]) -> None:
    """On all addresses of both families; there is no 127.0.0.1 that could answer."""
    service = found["service"]

    assert not found["has_ipv4"]
    assert service["listens"] == "http://[::1]:8080"
    assert service["link"].startswith(LINK)
    assert service["link_status"] == 200
    assert service["printed"].startswith(LINK)
    assert service["exit_code"] == 0


def test_pages_are_analyzed(found: dict[str, Any]) -> None:
    """By the service, and by the command with a browser."""
    report = found["service"]["report"]

    assert (found["service"]["status"], report["state"], report["error"]) == (201, "completed", None)
    assert report["share_url"].startswith("http://[::1]:8080/r/")
    assert found["command"]["analysis"]["engine"] == "rendered", found["command"]["not_gathered"]
