"""Findings of a site -> its score: causes by the weight of their pages, site findings by the share they affect.

Why it cannot fall when something is fixed: each cause costs a sum over its pages, each site check the most expensive
of its findings, checks of one cause the most expensive of them, and a larger share never costs less. The score is what
is left of 100, and the caps are lifted by better sites only. All sums are of whole numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.outcome import Severity
from pagegrade.model.report import DECENT_FROM, GOOD_FROM, Grade

HUNDREDTHS: Final = 100
MIN_GRADED: Final = 5
"""Pages below which a site has no grade."""
MIN_COVERAGE: Final = 0.8
_STEPS: Final = ((0.0, 0.10), (0.001, 0.25), (0.01, 0.50), (0.05, 0.75), (0.20, 1.0))
"""Affected share from which on a finding costs this part of its penalty."""
_STARTS: Final = [start for start, _ in _STEPS]
CAPS: Final[Mapping[str, tuple[int, str]]] = {
    "start_not_indexable": (29, "Search engines may not show the start page."),
    "robots_blocks_all": (29, "robots.txt keeps all crawlers away."),
    "server_errors": (49, "More than a tenth of the pages fail with an error of the server."),
    "no_https": (69, "The site has no HTTPS."),
    "bad_fifth": (79, "More than a fifth of the site is bad."),
}
"""Code -> the highest score, and why."""


def step_of(share: float) -> float:
    """Part of its penalty that a finding costs which affects this share, 0 to 1."""
    return _STEPS[bisect_right(_STARTS, share) - 1][1]


class SiteObserved(msgspec.Struct, frozen=True):
    """One finding of a site check."""

    check: str
    state: str
    severity: Severity
    loss: float
    """Of the state, 0 to 1."""
    share: float
    cause: str | None = None

    @property
    def penalty(self) -> int:
        """Cost by itself, in hundredths of a point."""
        return int(self.severity.value * HUNDREDTHS * self.loss * step_of(self.share) + 0.5)


def charge(findings: Sequence[SiteObserved]) -> list[tuple[int, str | None]]:
    """The cost of each finding, in hundredths, and the check that is charged in its place.

    Of the findings of one check, and of the checks of one cause, the most expensive is charged; of equals the first by
    name.
    """
    dearest: dict[str, SiteObserved] = {}
    for one in sorted(findings, key=lambda one: (-one.penalty, one.check, one.state)):
        dearest.setdefault(one.cause or one.check, one)
    charged: list[tuple[int, str | None]] = []
    for one in findings:
        most = dearest[one.cause or one.check]
        charged.append((one.penalty, None) if one is most else (0, most.check))
    return charged


def in_hundredths(units: Sequence[int], one: int) -> list[int]:
    """Round amounts to hundredths so that they add up to their rounded sum: what is left goes to the largest rests.

    Args:
        units: Amounts in whole units.
        one: Units of one hundredth.
    """
    shares = [divmod(amount, one) for amount in units]
    left = (sum(units) + one // 2) // one - sum(whole for whole, _ in shares)
    given = set(sorted(range(len(shares)), key=lambda at: (-shares[at][1], at))[:left])
    return [whole + (at in given) for at, (whole, _) in enumerate(shares)]


def site_score(lost_hundredths: int, caps: Sequence[str]) -> tuple[int, float]:
    """(score, exact score before caps) of what all lines cost together; half a point is rounded up."""
    exact = max(0, 100 * HUNDREDTHS - lost_hundredths)
    highest = min((CAPS[code][0] for code in caps), default=100)
    return min((exact + HUNDREDTHS // 2) // HUNDREDTHS, highest), exact / HUNDREDTHS


def site_grade(score: int) -> Grade:
    """The word for a score."""
    return "good" if score >= GOOD_FROM else "decent" if score >= DECENT_FROM else "bad"
