"""Losses -> score: fixed weights, constant prices, caps by the lowest.

Why it cannot fall when something is fixed: denominators are constants of the registry, each loss enters once with
a constant price, a requirement can only add a loss while its parent fails, and minimum and rounding are monotone.
Sums are made by ``math.fsum``, which rounds once, so the order of the checks cannot change the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pagegrade.model.report import CATEGORIES, AppliedCap, Category

_DIGITS: Final = 9
"""Sums are cut to this many decimals before rounding, so that 0.1 + 0.2 cannot decide between two scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What scoring must know of one check."""

    category: Category
    weight: int
    """Points of its severity."""
    requires: tuple[str, ...] = ()
    """Checks whose full loss makes this one lose everything too."""
    cap: int | None = None
    category_cap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The score and how it came to be."""

    score: int
    uncapped: float
    """100 minus the sum of ``lost``."""
    coverage: float
    """Share of all points that could be judged, 0 to 1."""
    categories: Mapping[Category, int]
    lost: Mapping[str, float]
    inherited: Mapping[str, str]
    """Check -> the failing requirement that makes it lose everything."""
    caps: tuple[AppliedCap, ...]


def prices(checks: Mapping[str, Weighed]) -> dict[str, float]:
    """What each check can cost, in points of the final score; a category's prices add up to its points."""
    totals = dict.fromkeys(CATEGORIES, 0)
    for check in checks.values():
        totals[check.category] += check.weight
    return {
        name: CATEGORIES[check.category] * check.weight / (totals[check.category] or 1)
        for name, check in checks.items()
    }


def score(checks: Mapping[str, Weighed], price: Mapping[str, float], losses: Mapping[str, float | None]) -> Scores:
    """Score a page.

    Args:
        checks: The whole registry; its weights are the denominators.
        price: ``prices(checks)``, which is the same for every page.
        losses: Own loss of each check, 0 to 1; ``None`` (or absent): not evaluated, which costs nothing and lowers
            the coverage.
    """
    inherited: dict[str, str] = {}
    lost: dict[str, float] = {}
    evaluated: list[float] = []
    by_category: dict[Category, list[float]] = {category: [] for category in CATEGORIES}
    caps: list[AppliedCap] = []
    for name, check in checks.items():
        own = losses.get(name)
        cost = price[name]
        parent = _failing_parent(check, checks, losses) if check.requires else None
        if parent is not None:
            inherited[name] = parent
        if parent is not None or own is not None:
            evaluated.append(cost)
        if parent is None:
            cost = cost * own if own else 0.0
        lost[name] = cost
        by_category[check.category].append(cost)
        if own is not None and own >= 1:
            if check.cap is not None:
                caps.append(AppliedCap(check=name, max_score=check.cap))
            if check.category_cap is not None:
                caps.append(AppliedCap(check=name, max_score=check.category_cap, category=check.category))
    uncapped = round(100 - math.fsum(lost.values()), _DIGITS)
    possible = math.fsum(price.values())
    categories = {
        category: _whole(100 - 100 * math.fsum(by_category[category]) / points)
        for category, points in CATEGORIES.items()
    }
    total = _whole(uncapped)
    for cap in caps:
        if cap.category is None:
            total = min(total, cap.max_score)
        else:
            categories[cap.category] = min(categories[cap.category], cap.max_score)
    return Scores(
        score=total,
        uncapped=uncapped,
        coverage=round(math.fsum(evaluated) / possible, _DIGITS) if possible else 0.0,
        categories=categories,
        lost=lost,
        inherited=inherited,
        caps=tuple(sorted(caps, key=lambda cap: (cap.max_score, cap.check, cap.category or ""))),
    )


def _failing_parent(check: Weighed, checks: Mapping[str, Weighed], losses: Mapping[str, float | None]) -> str | None:
    """The first requirement, however far up, that loses everything; ``None`` when all stand."""
    for parent in check.requires:
        own = losses.get(parent)
        if own is not None and own >= 1:
            return parent
        if checks[parent].requires:
            above = _failing_parent(checks[parent], checks, losses)
            if above is not None:
                return above
    return None


def _whole(value: float) -> int:
    """Nearest whole number between 0 and 100, a half towards the lower one."""
    return max(0, min(100, math.ceil(round(value, _DIGITS) - 0.5)))
