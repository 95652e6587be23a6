"""Fixtures and settings of all tests."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests import postgres
from tests.store_builders import USUAL, Backend, on

LONGEST = (
    "tests/browser/test_accessibility.py",
    "tests/fault/test_crashes.py",
    "tests/browser/test_keyboard.py",
    "tests/browser/test_layout.py",
    "tests/fault/test_rows.py",
    "tests/fault/test_event_loop_lag.py",
    "tests/fault/test_cluster_crashes.py",
    "tests/browser/test_journeys.py",
    "tests/fault/",
    "tests/browser/",
    "tests/gather/browser/",
    "tests/worker/",
    "tests/generated_clients/",
    "tests/install/",
    "tests/store/repositories/test_report_list.py",
    "tests/cli/commands/test_serve.py",
    "tests/store/queue/",
    "tests/e2e/",
    "tests/sandbox/test_pool.py",
    "tests/contract/",
    "tests/cli/",
    "tests/store/",
    "tests/service/",
    "tests/property/",
    "tests/parse/cascade/",
)
"""Paths that take longest, longest first: a long file that starts last would keep one process busy alone."""

# How long an example takes says more about what else the machine is doing.
settings.register_profile("steady", settings(), deadline=None)
settings.load_profile("steady")


# Tests and what they import are a million objects that stay. Looking through them again and again took a quarter of the
# time of collecting the tests, and of running the short ones.
gc.set_threshold(50_000, 20, 50)


# A background job of a script (``make test &``) is started with SIGINT ignored, and would hand that on to every process
# that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Know the words by which tests say what they are about."""
    config.addinivalue_line(
        "markers", "backend(name, reason): is about this kind of database only, whatever kind the others are run on"
    )


@pytest.fixture(autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """The kind of database that the builders of a test make; what was made on a server is dropped afterwards."""
    marker = request.node.get_closest_marker("backend")
    wanted: Backend = getattr(request, "param", None) or (marker.args[0] if marker else USUAL)
    before = postgres.made()
    with on(wanted):
        yield wanted
    for url in postgres.made() - before:
        postgres.databases().drop(url)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest where several processes share the files (with --no-loadscope-reorder)."""
    if hasattr(config, "workerinput"):
        last = len(LONGEST)
        items.sort(key=lambda item: next((at for at, path in enumerate(LONGEST) if item.nodeid.startswith(path)), last))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exempt the tests themselves from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what a test logged fit to be sent to another process: some log halves of characters."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report
