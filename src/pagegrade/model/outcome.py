"""Outcomes of a check, and the states that the runner derives from them.

A run makes hundreds of these values. ``gc=False`` is safe where no field can hold a cycle.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

import msgspec

Importance = Literal["critical", "high", "medium", "low", "informative"]
"""Severities as reports name them, the most severe first."""
MAX_EVIDENCE: Final = 100
"""Evidence entries kept for one check; the true number is kept beside them."""
UNREAD_SHEETS: Final = "Style sheets that were not read may hide what was found."
UNDETERMINED: Final = "The stylesheets alone do not determine whether it is rendered."
DOUBTS: Final = (UNREAD_SHEETS, UNDETERMINED)
"""Last sentence of the message of a finding that may be about something that is not rendered."""


class Severity(Enum):
    """Importance of a check or a finding; the value is the most points it can cost (``docs/explanation/scoring.md``).

    Of a check it covers the worst that it can find, of a finding what was found.
    """

    CRITICAL = 25
    HIGH = 8
    MEDIUM = 3
    LOW = 1
    INFO = 0

    @property
    def label(self) -> Importance:
        """The word that reports use."""
        # ``name`` is a property written in Python, asked for with every result.
        return _LABELS[self._name_]

    @classmethod
    def of_points(cls, points: float) -> Severity:
        """Return the lowest severity whose points cover a penalty, 0 to 25."""
        return next(severity for severity in reversed(cls) if severity.value >= points - 1e-9)


_LABELS: Final[dict[str, Importance]] = {
    "CRITICAL": "critical",
    "HIGH": "high",
    "MEDIUM": "medium",
    "LOW": "low",
    "INFO": "informative",
}


SEVERE_CAP: Final = 59
"""Highest cap of what takes the page away from its visitors or from search engines."""


class Cap(msgspec.Struct, frozen=True):
    """The highest score that a page can have while a check is in one of the named states."""

    max_score: int
    category_max_score: int | None = None
    """The same for the check's own category; ``None``: its category is not capped."""
    states: tuple[str, ...] = ()
    """States of the check that the cap applies to; empty: every state with loss 1."""

    @property
    def severity(self) -> Severity:
        """The lowest that a finding has which brings this cap."""
        return Severity.CRITICAL if self.max_score <= SEVERE_CAP else Severity.HIGH


class Evidence(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One place or fact a person can look at. Only what is known is filled, and stands in the JSON of a report."""

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
    """Reason why this entry is listed."""
    state: str = ""
    """State of the check that this entry alone would bring; empty: that of the outcome."""


class Detail(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A machine-readable cause: what was found against what is allowed."""

    code: str
    actual: str | int | float | None = None
    limit: str | int | float | None = None


class Saving(msgspec.Struct, frozen=True, gc=False):
    """Amount that fixing a finding would save each visitor."""

    amount: float
    """Not negative."""
    unit: Literal["bytes", "ms"]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """Result of a check: one of its own states, with a value and evidence.

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
    uncertain: bool = False
    """Nothing of the evidence is certain to be rendered; set by the runner."""
    count: int | None = None
    """Number of found things that the state's title names, if ``total`` counts others too."""
    saving: Saving | None = None
    """``None``: unknown."""


class NotApplicable(msgspec.Struct, frozen=True, gc=False):
    """The check has nothing to evaluate on this page."""

    reason: str


class NotRun(msgspec.Struct, frozen=True, gc=False):
    """The check could not look; only the runner says this (or a check whose artifact was there but unreadable)."""

    code: str
    detail: str = ""
