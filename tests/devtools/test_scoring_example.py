"""The page that is worked out in the documentation is evaluated by the real checks."""

from __future__ import annotations

import math

from devtools.scoring_example import PAGE, PARAGRAPH, example_report, noindex_report


def test_the_example_can_be_recomputed_from_its_report() -> None:
    """The sum of the categories' losses, from a hundred, rounded."""
    report = example_report()
    taken = sum(category.taken or 0.0 for category in report.categories.values())

    assert report.state == "completed"
    assert report.uncapped_score is not None
    assert math.isclose(report.uncapped_score, 100 - taken, abs_tol=1e-6)
    assert report.score is not None
    assert math.ceil(report.uncapped_score - 0.5) >= report.score


def test_the_example_shows_what_the_page_explains() -> None:
    """Losses of several severities, whole and in part, counted ones, and something that was not seen."""
    results = example_report().results
    found = [result for result in results if result.lost > 0]

    assert {result.importance for result in found} >= {"high", "medium", "low"}
    assert any(result.lost < result.price for result in found)
    assert any(result.counted_in for result in results)
    assert any(result.outcome == "not_evaluated" and result.price > 0 for result in results)
    assert example_report().result is not None


def test_a_forgotten_noindex_puts_its_caps_on_the_page() -> None:
    """The whole score, and that of its category."""
    caps = {cap.category: cap.max_score for cap in noindex_report().caps}

    assert set(caps) == {None, "seo"}
    assert (noindex_report().categories["seo"].score or 0) <= caps["seo"]


def test_the_page_fits_into_the_documentation() -> None:
    """Its long paragraph can be left out."""
    assert PAGE.count(PARAGRAPH) == 3
    assert len(PAGE.replace(PARAGRAPH, "")) < 1_500


def test_the_example_is_the_same_every_time() -> None:
    """Two machines must not fight over the page."""
    assert example_report() == example_report()
