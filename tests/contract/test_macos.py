"""The command line and the library start where the operating system has only what macOS has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.service.doctor.checks import look_at_system

MACOS = """
import builtins, io, os, resource, select, signal, socket, sys, sysconfig, types

sysconfig.get_config_vars()  # its file is named after the platform that built Python
sys.platform = "darwin"
# A module of macOS that urllib.request imports there.
sys.modules["_scproxy"] = types.SimpleNamespace(_get_proxies=dict, _get_proxy_settings=dict)
for module, names in {
    os: ("sched_getaffinity", "sched_setaffinity", "pidfd_open", "posix_fadvise", "memfd_create", "eventfd", "setns"),
    resource: ("prlimit",),
    select: ("epoll",),
    signal: ("pidfd_send_signal",),
    socket: ("TCP_INFO", "TCP_USER_TIMEOUT", "AF_NETLINK", "SO_PEERCRED"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def without_proc(function):
    def opened(path, *arguments, **options):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(("/proc", "/sys", "/dev/shm")):
            raise FileNotFoundError(2, "macOS has no such file", path)
        return function(path, *arguments, **options)

    return opened


builtins.open = io.open = without_proc(io.open)
os.open = without_proc(os.open)
limit = resource.setrlimit


def refuse_address_space(kind, limits):
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    limit(kind, limits)


resource.setrlimit = refuse_address_space
"""
"""Run by every Python process of a test before anything else, the children included."""
IMPORTS = """
import importlib, pkgutil, sys
import pagegrade
names = [item.name for item in pkgutil.walk_packages(pagegrade.__path__, "pagegrade.", onerror=lambda name: None)]
for name in names:
    if not name.endswith(("__main__", ".otel")) and ".migrations." not in name:
        importlib.import_module(name)
print(sys.platform, len(names))
"""


@pytest.fixture
def macos(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds no more than macOS offers."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(MACOS)
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")},
        "PYTHONPATH": str(tmp_path / "site"),
        "PAGEGRADE_DATA_DIR": str(tmp_path / "data"),
    }


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with some arguments."""
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_no_module_needs_linux_to_be_imported(macos: dict[str, str]) -> None:
    """Nothing at module level reads ``/proc`` or uses a function that only Linux has."""
    done = run(macos, "-c", IMPORTS)

    assert done.stderr == ""
    platform, count = done.stdout.split()

    assert platform == "darwin"
    assert int(count) > 500


def test_a_page_is_evaluated_in_a_child_process(macos: dict[str, str], tmp_path: Path) -> None:
    """The kernel limits no address space there; everything else works."""
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><html lang=en><title>Cats and their owners</title><h1>Cats</h1><p>Purr.")
    done = run(macos, "-m", "pagegrade", "evaluate", "--html", str(page), "--url", "https://example.org/", "-f", "json")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)

    assert report["state"] == "completed"
    assert report["results"]["title"]["outcome"] == "passed"


def test_the_doctor_says_that_the_service_needs_linux(macos: dict[str, str]) -> None:
    """A warning, because trials and the command line work."""
    done = run(macos, "-m", "pagegrade", "doctor", "--format", "json")
    (found,) = [entry for entry in json.loads(done.stdout) if entry["topic"] == "system"]

    assert found["level"] == "warning"
    assert "Run the service on Linux" in found["advice"]
    assert look_at_system("linux").level == "ok"
