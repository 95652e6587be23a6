"""What holds for every test."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import settings

LONGEST = ("tests/fault/", "tests/browser/", "tests/cli/test_serving.py", "tests/contract/", "tests/e2e/")
"""Where most of the time goes. Whoever works on them last keeps everybody waiting."""

# How long an example takes says more about what else the machine is doing.
settings.register_profile("steady", settings(), deadline=None)
settings.load_profile("steady")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest where several processes share the files (with --no-loadscope-reorder)."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: [not item.nodeid.startswith(place) for place in LONGEST])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what a test logged fit to be sent to another process: some log halves of characters."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report
