from __future__ import annotations

import time

import pytest

from pagegrade.model.stored import ClaimedRun, Step
from pagegrade.worker.slots import PATIENT_PER_SLOT, PATIENT_S, Held, count_free_slots, give_up_slots

SLOTS = 2
MOST = SLOTS * PATIENT_PER_SLOT
JUST_BELOW_S = PATIENT_S * 0.7
"""The rest is for a test that is slow between its two looks at the clock."""


def held(number: int, *, waited_s: float = PATIENT_S, step: Step | None = "page", tasks: int = 0) -> Held:
    """A run that has made no progress for so long."""
    run = ClaimedRun(
        id=number,
        report_id=number,
        account_id=1,
        url="https://a.example/",
        attempt=1,
        traceparent=None,
        device=None,
        target="",
    )
    return Held(run, progress_s=time.monotonic() - waited_s, step=step, tasks=tasks)


@pytest.mark.parametrize(
    ("waited_s", "step", "tasks", "is_patient"),
    [
        (PATIENT_S, "page", 0, True),
        (PATIENT_S, "files", 0, True),
        (0, "page", 0, False),
        (JUST_BELOW_S, "page", 0, False),
        (PATIENT_S, "browser", 0, False),
        (PATIENT_S, "checks", 0, False),
        (PATIENT_S, None, 0, False),
        (PATIENT_S, "page", 1, False),
    ],
)
def test_a_run_is_patient_that_waits_for_nothing_but_its_site(
    waited_s: float, step: Step | None, tasks: int, *, is_patient: bool
) -> None:
    """And has for ``PATIENT_S``."""
    run = held(1, waited_s=waited_s, step=step, tasks=tasks)

    assert run.patient is is_patient


def test_slots_are_given_up_where_all_are_taken() -> None:
    """While one is free, none has to be."""
    runs = [held(1)]
    give_up_slots(SLOTS, runs)

    assert count_free_slots(SLOTS, runs) == 1

    runs.append(held(2, waited_s=0))
    give_up_slots(SLOTS, runs)

    assert [run.gave_up_slot for run in runs] == [True, False]
    assert count_free_slots(SLOTS, runs) == 1


@pytest.mark.parametrize("count", [MOST, MOST + 1])
def test_so_many_and_no_more_have_given_up_theirs(count: int) -> None:
    """Those that began first; one beyond the limit keeps its slot."""
    runs = [held(number) for number in range(count)]
    for _ in range(2):
        give_up_slots(SLOTS, runs)

        assert [run.gave_up_slot for run in runs] == [number < MOST for number in range(count)]
        assert count_free_slots(SLOTS, runs) == SLOTS - (count - MOST)


def test_a_run_that_goes_on_has_a_slot_again() -> None:
    """Even if none is free; and another one may give up its own then."""
    runs = [held(number) for number in range(MOST + SLOTS)]
    give_up_slots(SLOTS, runs)
    runs[0].advance()
    runs[1].count_tasks(1)

    assert count_free_slots(SLOTS, runs) == -2

    give_up_slots(SLOTS, runs)

    assert [run.run.id for run in runs if not run.gave_up_slot] == [0, 1]
