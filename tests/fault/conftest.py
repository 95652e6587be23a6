"""Runs the lab once for all selected rows, and says aloud when it cannot run."""

from __future__ import annotations

import os

import pytest

from tests.chromium import program
from tests.lab.run import run_lab, why_not
from tests.lab.world import Verdict, Verdicts
from tests.store.transfer.conftest import filled, target

__all__ = ["filled", "program", "target"]
IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}


@pytest.fixture(scope="session")
def lab() -> None:
    """The lab may run here; skipped where it may not, except in CI, where that is a failure."""
    reason = why_not()
    if reason is not None and IN_CI:
        pytest.fail(f"The hostile lab must run in CI, but {reason}.")
    if reason is not None:
        pytest.skip(f"hostile lab: {reason}")


@pytest.fixture(scope="session")
def verdicts(lab: None, request: pytest.FixtureRequest) -> Verdicts:
    """The outcome of every selected row."""
    wanted = [
        str(item.callspec.params["row"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and "row" in item.callspec.params
    ]
    return run_lab(wanted)


@pytest.fixture(scope="session")
def verdict_of(verdicts: Verdicts) -> dict[str, Verdict]:
    """The same by row."""
    return {each.id: each for each in verdicts.cases}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the rows that were not tried, so that a skipped lab is never mistaken for a passed one."""
    skipped = [each for each in terminalreporter.stats.get("skipped", []) if "hostile lab" in str(each.longrepr)]
    if skipped:
        terminalreporter.write_line(f"HOSTILE LAB NOT RUN: {len(skipped)} rows skipped: {why_not()}", yellow=True)
