"""The arithmetic of the score on small registries."""

from __future__ import annotations

import pytest

from pagegrade.model.report import CATEGORIES
from pagegrade.score import Weighed, prices, score

REGISTRY = {
    "a": Weighed(category="seo", weight=10),
    "b": Weighed(category="seo", weight=5, requires=("a",)),
    "c": Weighed(category="security", weight=10, cap=79, category_cap=49),
    "d": Weighed(category="security", weight=0),
    "e": Weighed(category="performance", weight=2),
}
PRICES = prices(REGISTRY)


def scored(**losses: float | None) -> tuple[int, float]:
    """(score, before caps and rounding) with every other check passed."""
    result = score(REGISTRY, PRICES, {**dict.fromkeys(REGISTRY, 0.0), **losses})
    return result.score, result.uncapped


def test_price_is_the_share_of_the_category() -> None:
    """A category's points are split by weight, whatever the page."""
    assert pytest.approx({"a": 20.0, "b": 10.0, "c": 20.0, "d": 0.0, "e": 20.0}) == PRICES


def test_perfect_page_has_a_hundred() -> None:
    """Nothing lost, nothing missing."""
    assert scored() == (100, 100)


def test_warning_costs_its_share() -> None:
    """Half a loss is half the price."""
    assert scored(e=0.5) == (90, 90)


def test_failing_requirement_takes_its_dependents_along() -> None:
    """A detail cannot hold while its ground is missing."""
    result = score(REGISTRY, PRICES, dict.fromkeys(REGISTRY, 0.0) | {"a": 1.0, "b": None})

    assert result.uncapped == 70
    assert result.inherited == {"b": "a"}
    assert result.coverage == 1.0


def test_warned_requirement_takes_nobody_along() -> None:
    """Only a full loss is inherited."""
    assert scored(a=0.5) == (90, 90)


def test_cap_holds_whatever_the_rest_says() -> None:
    """The score is the lower of the two, and the cap is named."""
    result = score(REGISTRY, PRICES, dict.fromkeys(REGISTRY, 0.0) | {"c": 1.0})

    assert result.score == 79
    assert result.categories["security"] == 0
    assert [(cap.check, cap.max_score, cap.category) for cap in result.caps] == [
        ("c", 49, "security"),
        ("c", 79, None),
    ]


def test_cap_does_not_lift() -> None:
    """A page below the cap stays where it is."""
    assert scored(c=1.0, a=1.0) == (50, 50)


def test_cap_needs_a_full_loss() -> None:
    """A warning does not cap."""
    assert scored(c=0.99)[0] == 80


def test_unmeasured_costs_nothing_but_coverage() -> None:
    """What was not seen is not judged, and the report says how much was."""
    result = score(REGISTRY, PRICES, dict.fromkeys(REGISTRY, 0.0) | {"e": None})

    assert result.score == 100
    assert result.coverage == pytest.approx(50 / 70)


def test_half_points_go_down() -> None:
    """79.5 is not good: the rounding never lifts a page over a threshold."""
    assert scored(e=1.0, c=0.025) == (79, 79.5)
    assert scored(e=1.0, c=0.0249) == (80, 79.502)


def test_every_category_is_scored() -> None:
    """Categories without checks have nothing to lose."""
    result = score(REGISTRY, PRICES, {})

    assert dict(result.categories) == dict.fromkeys(CATEGORIES, 100)
