from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.monitors import BudgetChange, Crossing, CrossingKind
from pagegrade.model.report import RULESET
from pagegrade.render.history import (
    HEIGHT,
    MAX_RUNS,
    SPARK_RUNS,
    SPARK_SIZE,
    WHOLE_SCALE,
    RunPoint,
    change_since,
    change_title,
    chart_of,
    comparison_notes,
    finished,
    own_scale,
    spark_of,
    spark_points,
)
from pagegrade.report.compare import Change, compare_reports
from tests.report_builders import make_report, make_result

DAY_MS = 86_400_000


def run(number: int, score: int | None = 70, **more: Any) -> RunPoint:
    """A run that succeeded, or failed where it has no score."""
    defaults: dict[str, Any] = {
        "state": "failed" if score is None else "completed",
        "result": None if score is None else "decent",
        "ruleset": "2026.1",
        "engine": "0.1.0",
        "at_ms": number * DAY_MS,
        "error_code": "blocked" if score is None else None,
    }
    return RunPoint(number=number, score=score, **{**defaults, **more})


def test_only_runs_that_ended_are_history() -> None:
    """The newest first, and only so many."""
    many = tuple(run(number) for number in range(1, 101))

    assert [point.number for point in finished((run(3, state="running"), run(1), run(2)))] == [2, 1]
    assert [point.number for point in finished(many)] == list(range(100, 100 - MAX_RUNS, -1))


@pytest.mark.parametrize(("before", "after", "points"), [(70, 76, 6), (76, 70, -6), (70, 70, 0)])
def test_the_change_is_counted_in_points(before: int, after: int, points: int) -> None:
    """Up, down, or none."""
    change = change_since((run(2, after), run(1, before)), 2)

    assert change is not None
    assert (change.points, change.comparable, change.since.number) == (points, True, 1)


@pytest.mark.parametrize(
    ("before", "after", "hidden"),
    [
        ((70, 70.4), (70, 69.6), (70.4, 69.6)),
        ((70, 70.4), (70, 70.4), None),
        ((70, 70.4), (71, 70.6), None),
        ((70, None), (70, 70.4), None),
    ],
    ids=["hidden", "equal", "shown", "unknown"],
)
def test_a_change_that_rounding_hides_is_given_exactly(
    before: tuple[int, float | None], after: tuple[int, float | None], hidden: tuple[float, float] | None
) -> None:
    """Only beside equal whole scores."""
    change = change_since((run(2, after[0], exact=after[1]), run(1, before[0], exact=before[1])), 2)

    assert change is not None
    assert change.hidden == hidden


def test_a_failed_run_is_passed_over() -> None:
    """The change is that since the last score there was."""
    change = change_since((run(3, 80), run(2, None), run(1, 70)), 3)

    assert change is not None
    assert (change.since.number, change.points) == (1, 10)


def test_scores_of_different_rules_do_not_compare() -> None:
    """No number is given that means nothing."""
    change = change_since((run(2, 80), run(1, 70, ruleset="2025.2")), 2)

    assert change is not None
    assert (change.comparable, change.points) == (False, 0)


@pytest.mark.parametrize(
    ("history", "number"),
    [((), None), ((run(1),), 1), ((run(2, None), run(1)), 2), ((run(2), run(1, None)), 2), ((run(1),), 7)],
    ids=["nothing", "the first", "failed now", "failed before", "not listed"],
)
def test_there_is_no_change_without_two_scores(history: tuple[RunPoint, ...], number: int | None) -> None:
    """Then nothing is said."""
    assert change_since(history, number) is None


def test_the_line_breaks_where_nothing_connects() -> None:
    """At a failed run, and at new rules."""
    runs = (run(1, ruleset="2025.2"), run(2), run(3), run(4, None), run(5), run(6))
    chart = chart_of(runs)
    places = [mark.x for mark in chart.marks]

    assert [(part.x1, part.x2) for part in chart.segments] == [(places[1], places[2]), (places[4], places[5])]
    assert [mark.run.number for mark in chart.marks if mark.y is None] == [4]
    assert [(new.ruleset, places[0] < new.x < places[1]) for new in chart.new_rules] == [("2026.1", True)]


@pytest.mark.parametrize("count", [1, 2, 30, 100])
def test_everything_stays_inside_the_chart(count: int) -> None:
    """However many runs there are; the newest is always named."""
    chart = chart_of(tuple(run(number, number % 101) for number in range(1, count + 1)))

    assert len(chart.marks) == min(count, MAX_RUNS)
    assert all(0 < mark.x < 100 and mark.y is not None and 0 <= mark.y <= HEIGHT for mark in chart.marks)
    assert sorted(mark.x for mark in chart.marks) == [mark.x for mark in chart.marks]
    assert chart.marks[-1].label is not None


@pytest.mark.parametrize(("score", "y"), [(0, HEIGHT), (100, 0), (50, HEIGHT / 2), (-5, HEIGHT), (200, 0)])
def test_scores_grow_upwards(score: float, y: float) -> None:
    """Values outside of the scale stay at its edge."""
    assert WHOLE_SCALE.height(score) == y


@pytest.mark.parametrize("days", [(0,), (0, 1), tuple(range(30)), (0, 29), (0, 1, 2, 27, 28, 29), (0, 9, 9.5, 10)])
def test_dates_below_the_chart_never_touch(days: tuple[float, ...]) -> None:
    """Nor do they leave the plot: each takes a seventh of its width on a narrow screen."""
    chart = chart_of(tuple(run(number, at_ms=int(day * DAY_MS)) for number, day in enumerate(days, 1)))
    width, shift = 14, {"start": 0, "middle": 7, "end": 14}
    lefts = [mark.x - shift[mark.label] for mark in chart.marks if mark.label is not None]

    assert chart.marks[-1].label is not None
    assert all(right - left >= width for left, right in pairwise(lefts))
    assert all(6 <= left <= 97 - width for left in lefts)


@pytest.mark.parametrize(("before", "after"), [(92, 67), (25, 0), (100, 75), (60, 35.4)])
def test_a_drop_of_25_points_takes_half_of_a_scale_of_its_own(before: float, after: float) -> None:
    """On the whole scale it is a quarter of the height."""
    scale = own_scale([before, after, before - 1])

    assert scale.height(after) - scale.height(before) >= HEIGHT / 2
    assert scale.low <= after < before <= scale.high


@pytest.mark.parametrize("scores", [(50,), (100, 100), (0, 1), (89.6, 90.4)])
def test_a_scale_of_its_own_makes_no_drop_of_a_point(scores: tuple[float, ...]) -> None:
    """It stays between 0 and 100, and shows twenty points at least."""
    scale = own_scale(scores)

    assert scale.high - scale.low >= 20
    assert 0 <= scale.low <= min(scores) <= max(scores) <= scale.high <= 100


def test_runs_stand_where_their_time_is() -> None:
    """Three days apart is three times as far as one; runs of one moment stand in the middle."""
    first, second, third = (mark.x for mark in chart_of((run(1), run(2), run(5))).marks)
    alone = chart_of((run(1),)).marks[0].x

    assert third - second == pytest.approx(3 * (second - first), abs=0.1)
    assert alone == pytest.approx((first + third) / 2, abs=0.1)


def test_lines_of_categories_break_where_nothing_connects() -> None:
    """At a run without the category, and at new rules; a single point is no line."""
    runs = (
        run(1, categories={"seo": 50}),
        run(2, categories={"seo": 60}),
        run(3, None),
        run(4, categories={"seo": 70}),
        run(5, categories={"seo": 80}, ruleset="2027.1"),
        run(6, categories={"seo": 100}, ruleset="2027.1"),
    )
    lines = chart_of(runs).lines

    assert [line.count(" ") + 1 for line in lines["seo"]] == [2, 2]
    assert lines["seo"][1].endswith(",0.0")
    assert lines["content"] == ()


@pytest.mark.parametrize("scores", [(), (50,), (None, 50, None)])
def test_a_trend_needs_two_scores(scores: tuple[int | None, ...]) -> None:
    """Nothing is drawn for one."""
    assert spark_points(scores) == ""


@pytest.mark.parametrize("scores", [(0, 100), (50, 50, 51), tuple(range(100)), (100, 100)])
def test_a_trend_stays_inside_its_picture(scores: tuple[int, ...]) -> None:
    """Of the last scores, and small changes stay small."""
    points = [tuple(map(float, point.split(","))) for point in spark_points(scores).split()]

    assert len(points) == min(len(scores), SPARK_RUNS)
    assert all(0 <= x <= SPARK_SIZE[0] and 0 <= y <= SPARK_SIZE[1] for x, y in points)
    assert abs(points[0][1] - points[-1][1]) <= 2 or max(scores) - min(scores) > 1


def test_the_trend_of_an_old_run_ends_with_it() -> None:
    """Later scores are not its history."""
    assert spark_of((run(3, 90), run(2, 70), run(1, 50)), 2) == spark_points((50, 70))


def test_a_run_names_what_crossed_at_it_once_for_all_monitors() -> None:
    """A recovery is no breach."""

    def crossing(kind: CrossingKind, monitor_id: int, *conditions: str) -> Crossing:
        budgets = tuple(BudgetChange(condition=condition, value=1, limit=2) for condition in conditions)
        return Crossing(run_number=1, kind=kind, at_ms=0, monitor_id=monitor_id, report_id=1, budgets=budgets)

    found = (
        crossing("recovered", 1, "score<80"),
        crossing("regressed", 1, "high>0"),
        crossing("regressed", 2, "high>0", "score<90"),
    )
    worse, better, silent = (replace(run(1), crossings=some) for some in (found, found[:1], ()))

    assert worse.crossed == (("recovered", ("score<80",)), ("regressed", ("high>0", "score<90")))
    assert (worse.is_breach, better.is_breach, silent.is_breach) == (True, False, False)


def test_reasons_why_scores_do_not_compare_are_sentences() -> None:
    """Other rules, another URL and another target; nothing is added where all is the same."""
    report = make_report(score=76)
    other = replace(report, url="https://example.com/other", run=replace(report.run, ruleset="2027.1"))

    assert comparison_notes(compare_reports(report, report)) == ["Score 76 → 76."]
    assert comparison_notes(compare_reports(report, replace(other, run=report.run))) == [
        "Score 76 → 76.",
        "The baseline is about another URL.",
    ]
    assert comparison_notes(compare_reports(report, other)) == [
        "The two are not compared.",
        f"Different rules evaluated the page: {RULESET} and 2027.1.",
    ]


def test_place_that_changed_is_named_without_the_number_of_all() -> None:
    """One image of three that was fixed is not "Images without alternative text: 3" under "Fixed"."""
    result = make_result("image-alt", title="Images without alternative text", count=3)
    place = result.evidence[0]

    assert change_title(Change(result, place)) == "Images without alternative text"
    assert change_title(Change(result, None)) == "Images without alternative text: 3"
