"""Outcomes of checks with their severity and evidence, and the rules by which an account ignores findings.

A run makes hundreds of outcomes. ``gc=False`` is safe where no field can hold a cycle.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.schema import Amount, Count, Scalar, about

Importance = Literal["critical", "high", "medium", "low", "informative"]
"""Severities as reports name them, the most severe first."""
MAX_EVIDENCE: Final = 100
"""Evidence entries kept for one check; the true number is kept beside them."""
UNREAD_SHEETS: Final = "Style sheets that were not read may hide what was found."
UNDETERMINED: Final = "The stylesheets alone do not determine whether it is rendered."
DOUBTS: Final = (UNREAD_SHEETS, UNDETERMINED)
"""Last sentence of the message of a finding that may be about something that is not rendered."""
MAX_RULES: Final = 200
"""Rules that can apply to one page."""
MAX_REASON: Final = 500
MAX_SELECTOR: Final = 500
MAX_URL_PATTERN: Final = 500


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
    """Location or fact behind a finding. Unknown members are absent."""

    selector: Annotated[str, about("CSS selector that finds exactly this element.", "head > title")] = ""
    line: Annotated[Count | None, about("Line of the source, from 1.", 7)] = None
    column: Annotated[Count | None, about("Column of that line, from 1.", 5)] = None
    snippet: Annotated[
        str, about("Up to 200 characters of the element, header or line.", "<title>Pricing and plans…")
    ] = ""
    header: Annotated[str, about("Name of the header the fact was read from.", "Strict-Transport-Security")] = ""
    url: Annotated[str, about("URL of the resource.", "https://example.com/logo.png")] = ""
    value: Annotated[str, about("Measured value with its unit.", "79 characters")] = ""
    reason: Annotated[str, about("Reason to list it.", "longer than the limit")] = ""
    state: Annotated[
        str, about("The check's word for what was seen here, where it is not the result's state.", "relative")
    ] = ""


class Detail(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Measured value against its limit, for programs."""

    code: Annotated[str, about("Stable code.", "too_long")]
    actual: Annotated[Scalar, about("Value on the page.", 79)] = None
    limit: Annotated[Scalar, about("Limit of the value.", 60)] = None


class Saving(msgspec.Struct, frozen=True, gc=False):
    """Amount that fixing a finding would save per visit."""

    amount: Annotated[Amount, about("Number of bytes or milliseconds.", 113_000)]
    unit: Annotated[Literal["bytes", "ms"], about("Unit of the amount.", "bytes")]


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


class IgnoreRule(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of one check is ignored, as long as the rule has not expired and the finding is not worse."""

    check: str
    """Id of the check."""
    reason: str
    selector: str = ""
    """Only findings whose places lie in elements that match (``parse.html.place_matching``); empty: any."""
    project: str = ""
    """Only pages of this project; empty: of any."""
    url_pattern: str = ""
    """Only findings whose places name a URL that matches; ``*`` stands for any characters; empty: any."""
    author: str = ""
    """Name of the account that made it; empty on the command line."""
    expires_at: datetime | None = None
    """``None``: never."""
    state: str | None = None
    """The worst state of the check that is ignored; ``None``: any."""
    places: int | None = None
    """The most places that are ignored; ``None``: any number."""
    id: int | None = None
    """On a server; ``None`` on the command line."""


class StoredIgnore(msgspec.Struct, frozen=True, kw_only=True):
    """An ignore rule of an account."""

    rule: IgnoreRule
    report_id: int | None
    """The one report it is for; ``None``: those of its project, or all."""
    created_at_ms: int
