"""The laws of the score, on the real registry."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.checks import Check, all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES
from pagegrade.score import Weighed, prices, score

CHECKS = all_checks()
WEIGHED = {
    check.id: Weighed(
        category=check.category,
        weight=check.severity.value,
        requires=check.requires,
        cap=check.cap.max_score if check.cap else None,
        category_cap=check.cap.category_max_score if check.cap else None,
    )
    for check in CHECKS.values()
}
PRICES = prices(WEIGHED)


def possible_losses(check: Check) -> list[float | None]:
    """Every loss at the edges of the check's states, and not evaluated."""
    edges = {loss for state in check.states for loss in (state.loss, state.highest)}
    return [*sorted(edges), None]


PAGES = st.fixed_dictionaries({name: st.sampled_from(possible_losses(check)) for name, check in CHECKS.items()})


def numbers(losses: dict[str, float | None]) -> tuple[Any, ...]:
    """What a reader sees of a score."""
    result = score(WEIGHED, PRICES, losses)
    return (result.score, *result.categories.values())


def test_prices_add_up_to_the_points_of_their_category() -> None:
    """Every category has scored checks, so a hundred points are there to lose."""
    totals = dict.fromkeys(CATEGORIES, 0.0)
    for name, check in WEIGHED.items():
        totals[check.category] += PRICES[name]

    assert totals == pytest.approx(dict(CATEGORIES))


def test_information_is_free() -> None:
    """Informative checks cannot cost a point."""
    assert all(PRICES[name] == 0 for name, check in CHECKS.items() if check.severity is Severity.INFO)


@settings(max_examples=400)
@given(page=PAGES)
def test_score_never_falls_when_a_check_gets_better(page: dict[str, float | None]) -> None:
    """For every check and every pair of its states, worse to better, with everything else as it was."""
    fallen = []
    for name, check in CHECKS.items():
        losses = [loss for loss in possible_losses(check) if loss is not None]
        found = [numbers({**page, name: loss}) for loss in losses]
        for better, worse in itertools.pairwise(found):
            if not all(one >= other for one, other in zip(better, worse, strict=True)):
                fallen.append((name, better, worse))

    assert fallen == []


@given(page=PAGES)
def test_score_is_bounded_and_adds_up(page: dict[str, float | None]) -> None:
    """0 to 100, and the losses are what is missing to a hundred."""
    result = score(WEIGHED, PRICES, page)

    assert 0 <= result.score <= 100
    assert 0 <= result.coverage <= 1
    assert sum(result.lost.values()) == pytest.approx(100 - result.uncapped, abs=1e-6)
    assert all(0 <= lost <= PRICES[name] + 1e-12 for name, lost in result.lost.items())


@given(page=PAGES, seed=st.integers(0, 1 << 30))
def test_order_of_the_checks_does_not_matter(page: dict[str, float | None], seed: int) -> None:
    """The same losses give the same score to the last digit, however they are listed."""
    names = list(WEIGHED)
    random.Random(seed).shuffle(names)  # noqa: S311 - a test, not a secret
    shuffled = {name: WEIGHED[name] for name in names}
    one = score(WEIGHED, PRICES, page)
    other = score(shuffled, {name: PRICES[name] for name in names}, {name: page[name] for name in reversed(names)})

    assert (one.score, one.uncapped, one.coverage, one.categories) == (
        other.score,
        other.uncapped,
        other.coverage,
        other.categories,
    )


@given(page=PAGES)
def test_caps_hold(page: dict[str, float | None]) -> None:
    """No page scores above the cap of a check that fails on it."""
    result = score(WEIGHED, PRICES, page)

    for name, check in WEIGHED.items():
        if check.cap is not None and page[name] == 1:
            assert result.score <= check.cap
