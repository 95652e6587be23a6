"""What a check can say, and what the runner makes of it.

A run makes hundreds of these values, so they are ``msgspec.Struct``: a frozen dataclass takes several times as long to
make. ``gc=False`` is safe where no field can hold a cycle.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

import msgspec

MAX_EVIDENCE: Final = 100
"""Evidence entries kept for one check; the true number is kept beside them."""


class Severity(Enum):
    """How much a check matters; the value is its weight in points (``docs/explanation/scoring.md``)."""

    HIGH = 10
    MEDIUM = 5
    LOW = 2
    INFO = 0

    @property
    def label(self) -> str:
        """``high``, ``medium``, ``low`` or ``informative``, as reports call it."""
        return "informative" if self is Severity.INFO else self.name.lower()


class Evidence(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One place or fact a person can look at. Only what is known is filled."""

    selector: str = ""
    """CSS selector that finds exactly this element."""
    line: int | None = None
    """In the decoded source, from 1."""
    column: int | None = None
    """From 1."""
    snippet: str = ""
    """At most 200 characters of the element, header or line."""
    header: str = ""
    """Name of the header the fact was read from."""
    url: str = ""
    value: str = ""
    """The measured value, with its unit."""
    reason: str = ""
    """Why this entry is listed."""


class Detail(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A machine-readable cause: what was found against what is allowed."""

    code: str
    actual: str | int | float | None = None
    limit: str | int | float | None = None


class Saving(msgspec.Struct, frozen=True, gc=False):
    """What fixing a finding would save each visitor."""

    amount: float
    """Not negative."""
    unit: Literal["bytes", "ms"]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What a check found: one of its own states, with a value and evidence.

    ``loss`` is given only by checks with graded states (see ``checks._check.graded``), and must lie inside the
    range its state declares.
    """

    state: str
    value: str | int | float | None = None
    evidence: tuple[Evidence, ...] = ()
    total: int | None = None
    """True number of offenders when more exist than ``evidence`` holds; ``None``: as many as evidence entries."""
    details: tuple[Detail, ...] = ()
    loss: float | None = None
    message: str = ""
    """Replaces the state's sentence when numbers make it clearer."""
    saving: Saving | None = None
    """``None``: unknown."""


class NotApplicable(msgspec.Struct, frozen=True, gc=False):
    """The check has nothing to judge on this page."""

    reason: str


class NotRun(msgspec.Struct, frozen=True, gc=False):
    """The check could not look; only the runner says this (or a check whose artifact was there but unreadable)."""

    code: str
    detail: str = ""
