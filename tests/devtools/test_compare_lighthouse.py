"""Rank correlations of two tools' scores."""

from __future__ import annotations

from typing import Any

import pytest

from devtools.compare_lighthouse import correlation, table


def test_the_same_order_is_one_and_the_opposite_minus_one() -> None:
    """Only ranks count, not distances."""
    assert correlation([(1, 10), (2, 11), (50, 90)]) == pytest.approx(1)
    assert correlation([(1, 90), (2, 11), (50, 10)]) == pytest.approx(-1)


def test_equal_scores_share_their_ranks() -> None:
    """By hand: ranks 1.5, 1.5, 3 against 1, 2, 3."""
    assert correlation([(5, 1), (5, 2), (9, 3)]) == pytest.approx(0.8660254)


def test_a_side_that_never_differs_ranks_nothing() -> None:
    """There is no order to agree with."""
    assert correlation([(5, 1), (5, 2)]) == 0


def test_pages_without_a_score_are_left_out_and_counted() -> None:
    """Of either tool."""
    rows: list[dict[str, Any]] = [
        {"own": {"seo": 10}, "lighthouse": {"seo": 20.0}},
        {"own": {"seo": 20}, "lighthouse": {"seo": 30.0}},
        {"own": {"seo": None}, "lighthouse": {"seo": 30.0}},
        {"own": {"seo": 30}, "lighthouse": {}},
    ]

    assert "seo               1.00  (2 of 4 pages)" in table(rows)
