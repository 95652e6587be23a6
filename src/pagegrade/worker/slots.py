"""The runs that a process executes, and the slots that they take.

Slots are for work: a run that waits long for its site gives up its own, and has one again as soon as it goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.stored import ClaimedRun, Step

SPARE_PER_SLOT: Final = 1
"""Further concurrent runs for each slot, only of accounts without a run under way: slow pages of some accounts then do
not delay other accounts."""

PATIENT_S: Final = 1.0
"""Time without progress, while it waits for its site, after which a run gives up its slot: slots are for work."""
PATIENT_PER_SLOT: Final = 2
"""Runs that may have given up theirs, for each slot."""


class Held(msgspec.Struct):
    """A run that this process is executing."""

    run: ClaimedRun
    task: asyncio.Task[None] | None = None
    lost: bool = msgspec.field(default=False)
    """True if the run was reassigned or deleted."""
    progress_s: float = msgspec.field(default_factory=time.monotonic)
    """Time of its last progress, by the monotonic clock."""
    stalled: bool = msgspec.field(default=False)
    """True after too long a time without progress: the lease is not extended any more."""
    step: Step | None = None
    """The step that it has come to; ``None`` before the first."""
    tasks: int = 0
    """Tasks that children do for it, or that wait for one."""
    gave_up_slot: bool = False
    """True while it waits for its site without a slot."""
    stored_patient: bool = False
    """The same as its row says it, for other processes and for the choice of the next run."""

    def advance(self, step: Step | None = None) -> None:
        """Note progress, and the step that was reached by it, if it is another: it has a slot again."""
        self.progress_s = time.monotonic()
        self.step = step or self.step
        self.gave_up_slot = False

    def count_tasks(self, change: int) -> None:
        """Note progress by a task that began (1) or ended (-1)."""
        self.tasks += change
        self.advance()

    @property
    def patient(self) -> bool:
        """Return whether it has waited for its site for ``PATIENT_S`` by now."""
        waits = self.step in ("page", "files") and not self.tasks
        return waits and time.monotonic() - self.progress_s >= PATIENT_S


def count_free_slots(slots: int, runs: Sequence[Held]) -> int:
    """Return the number of slots that no run has; less than 0 while spare ones are taken."""
    return slots - sum(not held.gave_up_slot for held in runs)


def give_up_slots(slots: int, runs: Sequence[Held]) -> None:
    """Let runs that wait for their sites give up their slots, where all are taken.

    At most ``PATIENT_PER_SLOT`` runs for each slot have none.
    """
    if count_free_slots(slots, runs) > 0:
        return
    room = slots * PATIENT_PER_SLOT - sum(held.gave_up_slot for held in runs)
    for held in [each for each in runs if each.patient and not each.gave_up_slot][:room]:
        held.gave_up_slot = True
