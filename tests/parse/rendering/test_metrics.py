from __future__ import annotations

import pytest

from pagegrade.model.rendering import Frame, LayoutShift, LoadMetrics, PaintCandidate, Span, Timeline
from pagegrade.parse.rendering.metrics import (
    are_alike,
    cumulative_layout_shift,
    measure_load,
    median_metrics,
    speed_index_ms,
    time_to_interactive_ms,
    total_blocking_time_ms,
)


def shifts(*times_and_scores: tuple[float, float], recent_input: bool = False) -> list[LayoutShift]:
    """Shifts at these times."""
    return [LayoutShift(time_ms=time, score=score, had_recent_input=recent_input) for time, score in times_and_scores]


def make_timeline(**more: object) -> Timeline:
    """A load that paints at 1,000 ms and is recorded for 20 s."""
    values = {"first_contentful_paint_ms": 1_000.0, "dom_content_loaded_ms": 900.0, "end_ms": 20_000.0, **more}
    return Timeline(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "score"),
    [
        ([], 0.0),
        (shifts((100, 0.1)), 0.1),
        (shifts((100, 0.1), (1_100, 0.2)), 0.3),  # a gap of exactly 1 s is inside
        (shifts((100, 0.1), (1_101, 0.2)), 0.2),
        (shifts((0, 0.1), (900, 0.1), (1_800, 0.1), (2_700, 0.1), (3_600, 0.1), (4_500, 0.1), (5_000, 0.1)), 0.7),
        (shifts((0, 0.1), (900, 0.1), (1_800, 0.1), (2_700, 0.1), (3_600, 0.1), (4_500, 0.1), (5_001, 0.1)), 0.6),
        (shifts((0, 0.3)) + shifts((500, 0.4), recent_input=True), 0.3),
    ],
)
def test_the_worst_session_of_shifts_counts(found: list[LayoutShift], score: float) -> None:
    """A session ends after a gap of more than 1 s, or after 5 s."""
    assert cumulative_layout_shift(found, None) == pytest.approx(score)


@pytest.mark.parametrize(
    ("time_ms", "before", "score"), [(600.0, [], 0.2), (601.0, [], 0.0), (300.0, shifts((200, 0.1)), 0.1)]
)
def test_early_shifts_count_in_spite_of_an_input(time_ms: float, before: list[LayoutShift], score: float) -> None:
    """Within 500 ms of the first viewport, before the first shift without input: the input was the emulated resize."""
    found = before + shifts((time_ms, 0.2), recent_input=True)

    assert cumulative_layout_shift(found, 100.0) == pytest.approx(score)


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([], 0.0),
        ([(2_000, 2_050)], 0.0),
        ([(2_000, 2_051)], 1.0),
        ([(2_000, 2_150), (3_000, 3_250)], 300.0),
        ([(900, 1_100)], 50.0),  # 100 ms of it after the paint
        ([(960, 1_040)], 0.0),
        ([(5_900, 6_100)], 50.0),
        ([(6_000, 6_500)], 0.0),
    ],
)
def test_blocking_time_is_what_tasks_take_beyond_50_ms(tasks: list[tuple[float, float]], expected: float) -> None:
    """Between the first paint and interactivity; tasks are cut at both."""
    spans = [Span(start_ms=start, end_ms=end) for start, end in tasks]

    assert total_blocking_time_ms(spans, 1_000.0, 6_000.0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("tasks", "requests", "expected"),
    [
        ([], [], 1_000.0),
        ([(1_500, 1_700)], [], 1_700.0),
        ([(500, 700)], [], 1_000.0),
        ([(1_500, 1_700), (6_699, 6_800)], [], 6_800.0),  # 4,999 ms between them
        ([(1_500, 1_700), (6_700, 6_800)], [], 1_700.0),
        ([], [(0, 8_000), (0, 8_000)], 1_000.0),
        ([], [(0, 8_000), (0, 8_000), (0, 8_000)], 1_000.0),
        ([(2_000, 2_100), (16_000, 16_100)], [(0, 8_000)] * 3, 2_100.0),
        ([], [(0, None)] * 3, None),
        ([(15_500, 15_600)], [(0, 11_000)] * 3, None),
    ],
)
def test_interactive_is_after_5_quiet_seconds_begin(
    tasks: list[tuple[float, float]], requests: list[tuple[float, float | None]], expected: float | None
) -> None:
    """Quiet: no long task, at most two requests; the start of the time without tasks counts."""
    timeline = make_timeline(
        long_tasks=tuple(Span(start_ms=start, end_ms=end) for start, end in tasks),
        get_requests=tuple(Span(start_ms=start, end_ms=end) for start, end in requests),
    )

    assert time_to_interactive_ms(timeline) == expected


def test_what_ends_too_early_has_the_blocking_time_that_was_seen() -> None:
    """No quiet window is not the same as interactive at once, and tasks count until the end, one under way too."""
    tasks = Span(start_ms=2_000.0, end_ms=2_150.0), Span(start_ms=5_000.0, end_ms=None)
    metrics = measure_load(make_timeline(end_ms=5_999.0, long_tasks=tasks))

    assert metrics.tti_ms is None
    assert metrics.tbt_ms == 100.0 + 949.0
    assert metrics.fcp_ms == 1_000.0


def test_a_page_that_came_to_rest_stays_quiet() -> None:
    """The time after the recording counts as quiet where nothing was under way at its end."""
    tasks = (Span(start_ms=2_000.0, end_ms=2_150.0),)

    assert time_to_interactive_ms(make_timeline(end_ms=3_500.0, long_tasks=tasks, settled=True)) == 2_150.0


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({}, True),
        ({"lcp_ms": 1_090.0}, True),
        ({"lcp_ms": 1_200.0}, False),
        ({"tbt_ms": 49.0}, True),
        ({"tbt_ms": 60.0}, False),
        ({"cls": 0.02}, False),
        ({"lcp_ms": None}, False),
    ],
)
def test_loads_are_alike_where_every_metric_is(*, other: dict[str, float | None], expected: bool) -> None:
    """Times within a tenth or 50 ms; one that was measured is not like one that was not."""
    metrics = {"fcp_ms": 400.0, "lcp_ms": 1_000.0, "tbt_ms": 0.0, "cls": 0.0, **other}

    first = LoadMetrics(fcp_ms=400.0, lcp_ms=1_000.0, tbt_ms=0.0, cls=0.0)

    assert are_alike(first, LoadMetrics(**metrics)) is expected


def test_nothing_painted_is_not_measured() -> None:
    """A blank page has no metrics of painting."""
    metrics = measure_load(Timeline(end_ms=20_000.0, load_ms=300.0, dom_content_loaded_ms=200.0))

    assert metrics == LoadMetrics(load_ms=300.0)


def test_the_last_candidate_is_the_largest() -> None:
    """The browser reports candidates in order of size."""
    candidates = (
        PaintCandidate(time_ms=1_000.0, size_px=100, kind="text"),
        PaintCandidate(time_ms=1_400.0, size_px=900, kind="image"),
    )

    assert measure_load(make_timeline(paint_candidates=candidates)).lcp_ms == 1_400.0


def test_speed_index_is_the_area_above_the_progress() -> None:
    """Half the picture at 1 s and all of it at 3 s: 1 s + half of 2 s."""
    frames = (
        Frame(time_ms=0.0, progress=0.0),
        Frame(time_ms=1_000.0, progress=0.5),
        Frame(time_ms=3_000.0, progress=1.0),
    )

    assert speed_index_ms(make_timeline(frames=frames)) == pytest.approx(2_000.0)
    assert speed_index_ms(make_timeline()) is None


def test_the_median_leaves_out_loads_without_a_value() -> None:
    """One load that ran out of time does not make a metric unknown."""
    loads = [LoadMetrics(fcp_ms=1.0, tti_ms=None), LoadMetrics(fcp_ms=5.0, tti_ms=7.0), LoadMetrics(fcp_ms=2.0)]

    assert median_metrics(loads) == LoadMetrics(fcp_ms=2.0, tti_ms=7.0)
