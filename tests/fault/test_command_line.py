"""A handful of rows through the installed command line: the same ends, and exit codes that scripts can trust."""

from __future__ import annotations

import pytest

from tests.fault.table import all_cases
from tests.lab.run import run_lab
from tests.lab.world import Verdicts

ROWS = (
    "A12a",
    "A25b",
    "C06b",
    "C07m",
    "C08a",
    "D01",
    "D02b",
    "D10",
    "E13c",
    "F14a",
    "T01",
    "T02a",
    "T03",
)
"""No row whose URL itself is internal: at a terminal that is permitted."""


@pytest.fixture(scope="module")
def command_verdicts(lab: None) -> Verdicts:
    """The outcome of the rows."""
    return run_lab(ROWS, subject="command", at_once=2)


def test_rows_exist() -> None:
    """None of them has been renamed."""
    assert set(ROWS) <= {case.id for case in all_cases()}


def test_command_ends_as_each_row_must(command_verdicts: Verdicts) -> None:
    """Exit code, JSON and wires agree with the row."""
    broken = {verdict.id: verdict.broken for verdict in command_verdicts.cases if verdict.broken}

    assert broken == {}


def test_command_leaves_nothing_behind(command_verdicts: Verdicts) -> None:
    """Its children end with it."""
    assert command_verdicts.broken == []
