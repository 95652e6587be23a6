"""Losses -> score: fixed weights, constant prices, caps by the lowest.

Why it cannot fall when something is fixed: denominators are constants of the registry, each loss enters once with
a constant price, a requirement can only add a loss while its parent fails, and minimum and rounding are monotone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pagegrade.model.report import CATEGORIES, AppliedCap, Category


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What scoring must know of one check."""

    category: Category
    weight: int
    """Points of its severity."""
    requires: tuple[str, ...] = ()
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
    prices: Mapping[str, float]
    lost: Mapping[str, float]
    inherited: Mapping[str, str]
    """Check -> the failing requirement that makes it lose everything."""
    caps: tuple[AppliedCap, ...]


def prices(checks: Mapping[str, Weighed]) -> dict[str, Fraction]:
    """What each check can cost in points of the final score; all of them add up to 100 when every category has some."""
    totals: dict[Category, int] = dict.fromkeys(CATEGORIES, 0)
    for check in checks.values():
        totals[check.category] += check.weight
    return {
        name: Fraction(CATEGORIES[check.category] * check.weight, totals[check.category] or 1)
        for name, check in checks.items()
    }


def score(checks: Mapping[str, Weighed], losses: Mapping[str, float | None]) -> Scores:
    """Score a page.

    Args:
        checks: The whole registry; its weights are the denominators.
        losses: Own loss of each check, 0 to 1; ``None`` (or absent): not evaluated.

    Exact fractions inside, so that the order of the checks cannot change the last digit.
    """
    price = prices(checks)
    inherited = {name: parent for name in checks if (parent := _failing_parent(name, checks, losses)) is not None}
    lost: dict[str, Fraction] = {}
    for name in checks:
        own = losses.get(name)
        share = Fraction(1) if name in inherited else Fraction(0) if own is None else Fraction(own)
        lost[name] = price[name] * share
    evaluated = sum((price[name] for name in checks if losses.get(name) is not None or name in inherited), Fraction(0))
    possible = sum(price.values(), Fraction(0))
    uncapped = 100 - sum(lost.values(), Fraction(0))
    categories = {
        category: 100 - 100 * sum((lost[n] for n, c in checks.items() if c.category == category), Fraction(0)) / points
        for category, points in CATEGORIES.items()
    }
    caps: list[AppliedCap] = []
    total = uncapped
    for name, check in checks.items():
        own = losses.get(name)
        if own is None or own < 1:
            continue
        if check.cap is not None:
            caps.append(AppliedCap(check=name, max_score=check.cap))
            total = min(total, Fraction(check.cap))
        if check.category_cap is not None:
            caps.append(AppliedCap(check=name, max_score=check.category_cap, category=check.category))
            categories[check.category] = min(categories[check.category], Fraction(check.category_cap))
    return Scores(
        score=_round_half_down(total),
        uncapped=float(uncapped),
        coverage=float(evaluated / possible) if possible else 0.0,
        categories={category: _round_half_down(value) for category, value in categories.items()},
        prices={name: float(value) for name, value in price.items()},
        lost={name: float(value) for name, value in lost.items()},
        inherited=inherited,
        caps=tuple(sorted(caps, key=lambda cap: (cap.max_score, cap.check, cap.category or ""))),
    )


def _failing_parent(name: str, checks: Mapping[str, Weighed], losses: Mapping[str, float | None]) -> str | None:
    """The first requirement, however far up, that loses everything; ``None`` when all stand."""
    for parent in checks[name].requires:
        own = losses.get(parent)
        if own is not None and own >= 1:
            return parent
        above = _failing_parent(parent, checks, losses)
        if above is not None:
            return above
    return None


def _round_half_down(value: Fraction) -> int:
    """Nearest whole number, a half towards the lower one, between 0 and 100."""
    return max(0, min(100, math.ceil(value - Fraction(1, 2))))
