"""The score of a site over time, from the scores of its pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from pagegrade.store.repositories.projects import PageScore

DAY_MS: Final = 86_400_000
MAX_DAYS: Final = 30
"""The newest so many days with an analysis are shown."""


class TrendDay(NamedTuple):
    """The score of a site at the end of a day."""

    at_ms: int
    """Of the last analysis on that day (UTC)."""
    score: float
    """Mean of the newest score of each page until then."""
    pages: int
    """Pages that had a score by then."""


def site_trend(scores: Iterable[PageScore]) -> tuple[TrendDay, ...]:
    """Return the score of a site on each day on which a page of it was analyzed, oldest first.

    Only scores by the rules of the newest one count: others do not compare.

    Args:
        scores: Of any of its pages, in order of time; those of one page all compare.
    """
    known = list(scores)
    newest: dict[int, int] = {}
    total = 0
    days: dict[int, TrendDay] = {}
    for one in known:
        if one.ruleset != known[-1].ruleset:
            continue
        total += one.score - newest.get(one.report_id, 0)
        newest[one.report_id] = one.score
        days[one.at_ms // DAY_MS] = TrendDay(one.at_ms, total / len(newest), len(newest))
    return tuple(days.values())[-MAX_DAYS:]
