from __future__ import annotations

from pagegrade.service.reports.site_trend import DAY_MS, MAX_DAYS, TrendDay, site_trend
from pagegrade.store.repositories.projects import PageScore


def test_a_day_has_the_mean_of_the_newest_score_of_each_page() -> None:
    """Also of pages that were not analyzed on that day."""
    scores = [
        PageScore(1, 10, 40, "a"),
        PageScore(1, 20, 60, "a"),
        PageScore(2, DAY_MS, 100, "a"),
        PageScore(1, 3 * DAY_MS + 5, 70, "a"),
    ]

    assert site_trend(scores) == (
        TrendDay(20, 60.0, 1),
        TrendDay(DAY_MS, 80.0, 2),
        TrendDay(3 * DAY_MS + 5, 85.0, 2),
    )


def test_scores_by_other_rules_do_not_count() -> None:
    """The rules of the newest score are those that count."""
    assert site_trend([PageScore(1, 1, 10, "a"), PageScore(2, 2, 50, "b"), PageScore(1, DAY_MS, 70, "b")]) == (
        TrendDay(2, 50.0, 1),
        TrendDay(DAY_MS, 60.0, 2),
    )


def test_only_the_newest_days_are_shown() -> None:
    """However often a site was analyzed; a site without scores has no days."""
    found = site_trend(PageScore(1, day * DAY_MS, 50, "a") for day in range(MAX_DAYS + 1))

    assert [day.at_ms for day in (found[0], found[-1])] == [DAY_MS, MAX_DAYS * DAY_MS]
    assert len(found) == MAX_DAYS
    assert site_trend([]) == ()
