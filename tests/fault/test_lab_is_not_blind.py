"""The lab must see what it is there to see: a naive fetcher trips its wires."""

from __future__ import annotations

import pytest

from tests.fault.table import all_cases
from tests.lab.run import run_lab

MUST_TRIP = [case.id for case in all_cases() if case.trips_naive]


def test_enough_rows_are_meant_to_trip() -> None:
    """At least ten rows, rebinding among them."""
    assert len(MUST_TRIP) >= 10
    assert "C07a" in MUST_TRIP


@pytest.mark.usefixtures("lab")
def test_naive_fetcher_trips_the_wires() -> None:
    """Every row that is marked so sees the naive fetcher at a forbidden address, and none other is accused."""
    verdicts = run_lab([*MUST_TRIP, "E13c"], subject="naive", at_once=1)
    touched = {verdict.id for verdict in verdicts.cases if verdict.touches}

    assert touched == set(MUST_TRIP)
