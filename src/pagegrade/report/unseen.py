"""The most by which a score without a browser can fall: checks that only a browser evaluates, and their cost."""

from __future__ import annotations

import msgspec

from pagegrade.model.artifacts import NOT_RENDERED
from pagegrade.model.report import CATEGORIES, Category, Report


class Unseen(msgspec.Struct, frozen=True, kw_only=True):
    """Checks that were not evaluated because no browser was used."""

    checks: int
    max_points: int
    """The most by which they can lower the score, limits to the score aside; whole points, rounded up."""


def unseen_by_browser(report: Report) -> Unseen | None:
    """Return what a report without a browser leaves open; ``None`` if it used one, or has no score.

    Checks of one cause cost once, and less what is charged for it already; a category takes its budget at most.
    """
    if report.score is None or report.rendered is not None:
        return None
    charged: dict[str, float] = {}
    for result in report.results:
        if result.cause is not None:
            charged[result.cause] = max(charged.get(result.cause, 0.0), result.lost)
    open_by_cause: dict[tuple[Category, str], float] = {}
    checks = 0
    for result in report.results:
        if result.outcome != "not_evaluated" or result.reason.partition(":")[0] != NOT_RENDERED.code:
            continue
        checks += 1
        cause = result.cause or f"check {result.check}"
        more = max(0.0, result.price - charged.get(cause, 0.0))
        open_by_cause[result.category, cause] = max(more, open_by_cause.get((result.category, cause), 0.0))
    if not checks:
        return None
    points = 0.0
    for name, budget in CATEGORIES.items():
        category = report.categories.get(name)
        taken = 0.0 if category is None else category.taken or 0.0
        most = sum(more for (owner, _), more in open_by_cause.items() if owner == name)
        points += min(most, max(0.0, budget - taken))
    return Unseen(checks=checks, max_points=min(report.score, -int(-points // 1)))
