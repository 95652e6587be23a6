"""Rank correlations of two tools' scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devtools.compare_lighthouse import correlation, guard_for, read_rows, scores_of, table
from pagegrade.gather.guard import Permit


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


def row(page: str, own: dict[str, Any], lighthouse: dict[str, Any], *, run: int = 1, error: str = "") -> dict[str, Any]:
    """A line of the file of scores."""
    return {"id": page, "run": run, "own": own, "lighthouse": lighthouse, "error": error}


def test_pages_without_a_score_are_left_out_counted_and_named() -> None:
    """Of either tool."""
    rows = [
        row("a", {"seo": 10}, {"seo": 20.0}),
        row("b", {"seo": 20}, {"seo": 30.0}),
        row("c", {"seo": None}, {"seo": 30.0}),
        row("d", {"seo": 30}, {}, error="Lighthouse wrote no report."),
    ]

    assert "run 1: seo               1.00  (2 of 4 pages)" in table(rows)
    assert "run 1: d: Lighthouse wrote no report." in table(rows)


def test_runs_are_ranked_apart() -> None:
    """The same pages in another order, the second time."""
    rows = [
        row(page, {"seo": own}, {"seo": theirs}, run=run)
        for run, page, own, theirs in ((1, "a", 1, 10), (1, "b", 2, 20), (2, "a", 1, 20), (2, "b", 2, 10))
    ]

    assert "run 1: seo               1.00" in table(rows)
    assert "run 2: seo              -1.00" in table(rows)


def test_a_page_that_was_tried_again_counts_once_and_a_cut_line_not_at_all(tmp_path: Path) -> None:
    """A run that was stopped leaves the beginning of a line."""
    failed, done = row("a", {}, {}, error="Pagegrade did not draw it."), row("a", {"seo": 1}, {"seo": 2.0})
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join([json.dumps(failed), json.dumps(done), json.dumps(done)[:20]]))

    assert read_rows(file) == [done]
    assert read_rows(tmp_path / "none.jsonl") == []


def test_the_browser_of_lighthouse_reaches_the_page_that_it_is_given() -> None:
    """All names of the namespace lie on the loopback, which only the page that was asked for opens."""
    guard = guard_for("https://www.shop.example/sale")

    assert isinstance(guard.check_addresses("www.shop.example", 443, ["127.10.0.7"]), Permit)


def test_a_report_without_a_page_has_a_reason_and_no_scores() -> None:
    """Its categories are there, without scores."""
    report = {"runtimeError": {"message": "Chrome prevented page load."}, "categories": {"seo": {"score": None}}}

    assert scores_of(report) == ({}, "Lighthouse says: Chrome prevented page load.")
