"""The command line and the library start where the operating system has only what macOS has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.service.doctor.machine import look_at_system
from tests.site.serve import serve_site

MACOS = """
import select

# Before anything imports selectors, which chooses once and for all.
for name in [name for name in vars(select) if name.lower().startswith("epoll")]:
    delattr(select, name)

import builtins, ctypes, io, os, resource, signal, socket, sys, sysconfig, time, types

sysconfig.get_config_vars()  # its file is named after the platform that built Python
sys.platform = "darwin"
# A module of macOS that urllib.request imports there.
sys.modules["_scproxy"] = types.SimpleNamespace(_get_proxies=dict, _get_proxy_settings=dict)
for module, names in {
    os: (
        "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_setparam", "sched_getscheduler",
        "sched_setscheduler", "pidfd_open", "posix_fadvise", "posix_fallocate", "memfd_create", "eventfd", "setns",
        "unshare", "splice", "copy_file_range", "getrandom", "getresuid", "setresuid", "getresgid", "setresgid",
        "fdatasync", "getxattr", "setxattr", "listxattr", "removexattr", "O_TMPFILE", "O_PATH", "O_DIRECT", "pipe2",
    ),
    resource: ("prlimit", "RUSAGE_THREAD"),
    signal: ("pidfd_send_signal", "sigtimedwait", "sigwaitinfo", "SIGRTMIN", "SIGRTMAX"),
    socket: (
        "TCP_INFO", "TCP_USER_TIMEOUT", "TCP_QUICKACK", "AF_NETLINK", "AF_VSOCK", "SO_PEERCRED", "SO_BINDTODEVICE",
        "SOCK_NONBLOCK", "SOCK_CLOEXEC",
    ),
    time: ("CLOCK_BOOTTIME", "CLOCK_TAI", "pthread_getcpuclockid"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


class NoLinuxFunctions(ctypes.CDLL):
    def __getattr__(self, name):
        if name in {"prctl", "unshare", "setns", "capset", "close_range", "malloc_trim", "mallopt", "syscall"}:
            raise AttributeError(name)
        return super().__getattr__(name)


ctypes.CDLL = NoLinuxFunctions


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
LIBRARY = """
import sys
import pagegrade

if __name__ == "__main__":
    page = b"<!doctype html><html lang=en><title>Cats and their owners</title><h1>Cats</h1><p>Purr."
    print(sys.platform, pagegrade.evaluate_document(page, url="https://example.org/").state)
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


def test_a_page_is_analyzed_by_the_command(macos: dict[str, str], tmp_path: Path) -> None:
    """With its requests: the connections, the resolver and the progress need nothing that only Linux has."""
    with serve_site() as site:
        saved = tmp_path / "report.json"
        done = run(macos, "-m", "pagegrade", "analyze", f"{site.http}/", "-o", str(saved))

    assert done.returncode == 0, done.stderr
    assert json.loads(saved.read_text())["state"] == "completed"


def test_a_document_is_evaluated_by_the_library(macos: dict[str, str]) -> None:
    """``import pagegrade`` in a program of its own, with the child process that parses."""
    done = run(macos, "-c", LIBRARY)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["darwin", "completed"]


def test_the_doctor_says_that_the_service_needs_linux(macos: dict[str, str]) -> None:
    """A warning, because trials and the command line work."""
    done = run(macos, "-m", "pagegrade", "doctor", "--format", "json")
    (found,) = [entry for entry in json.loads(done.stdout) if entry["topic"] == "system"]

    assert found["level"] == "warning"
    assert "Run the service on Linux" in found["advice"]
    assert look_at_system("linux").level == "ok"
