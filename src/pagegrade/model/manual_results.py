"""Results of success criteria that a person records for a page."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

ManualOutcome = Literal["passed", "failed", "not_applicable"]
MANUAL_OUTCOMES: Final[tuple[ManualOutcome, ...]] = get_args(ManualOutcome)
MAX_NOTE: Final = 2_000
"""Characters of a note, and of the evidence."""


class ManualResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a criterion on a page, by a person; it stays with the report until it is replaced or removed."""

    criterion: str
    """Its number in WCAG 2.2, such as ``1.4.3``."""
    outcome: ManualOutcome
    note: str
    evidence: str
    """Place that shows it, such as an address or the name of a file; may be empty, as the note."""
    author: str
    """Name that the person, or the key, has now; empty if there is none any more."""
    at_ms: int
    page_sha256: bytes
    """Of what the shown run knew of the page (``report.page_state``)."""
    is_stale: bool = False
    """The page, or how it was analyzed, has changed since; then it decides nothing."""
