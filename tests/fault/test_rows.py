"""Every row of the hostile-input matrix, against the shipped code, inside the lab."""

from __future__ import annotations

import pytest

from tests.fault.table import GROUPS, all_cases
from tests.lab.world import Verdict, Verdicts

CASES = list(all_cases())


@pytest.mark.parametrize("row", [case.id for case in CASES])
def test_row_ends_as_it_must(row: str, verdict_of: dict[str, Verdict]) -> None:
    """The analysis ends as the row says, in time, touching nothing forbidden, and the next one is as ever."""
    verdict = verdict_of[row]

    assert verdict.broken == [], verdict.outcome


def test_nothing_is_left_behind(verdicts: Verdicts) -> None:
    """After all rows no descriptor and no process remains that was not there before."""
    assert verdicts.broken == []


@pytest.mark.parametrize("group", GROUPS)
def test_every_row_of_the_matrix_is_tried(group: str) -> None:
    """Each row has a case."""
    _, count = GROUPS[group]
    rows = {f"{group}{number:02}" for number in range(1, count + 1)}
    tried = {case.id[:3] for case in CASES}

    assert rows - tried == set()


def test_ids_of_cases_are_unique() -> None:
    """An id is a host name, an address and a test id: two cases must not share one."""
    ids = [case.id.lower() for case in CASES]

    assert len(set(ids)) == len(ids)
