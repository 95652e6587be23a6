"""Timeline of a load -> its metrics.

Source: https://web.dev/articles/vitals, https://web.dev/articles/cls (session windows), https://web.dev/articles/tbt,
https://web.dev/articles/tti, https://developer.chrome.com/docs/lighthouse/performance/speed-index; the treatment of
shifts after input at the beginning follows Lighthouse, whose emulated resize counts as an input.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Final

from pagegrade.model.rendering import LayoutShift, LoadMetrics, Rendering, Span, Timeline

LONG_TASK_MS: Final = 50.0
_QUIET_MS: Final = 5_000.0
"""Length of the time without work after which a page is interactive."""
_REQUESTS_WHEN_QUIET: Final = 2
_ALIKE_MS: Final = 50.0
_ALIKE_SHARE: Final = 0.1
_ALIKE_SHIFT: Final = 0.01
"""Up to which two loads are alike: milliseconds, the share of the greater one, and a layout shift."""
_SESSION_GAP_MS: Final = 1_000.0
_SESSION_MS: Final = 5_000.0
_VIEWPORT_INPUT_MS: Final = 500.0
"""Shifts so soon after the first viewport count although they have a recent input: it was the emulated resize."""


def measure_load(timeline: Timeline) -> LoadMetrics:
    """Compute the metrics of one load."""
    fcp = timeline.first_contentful_paint_ms
    tti = time_to_interactive_ms(timeline)
    candidates = timeline.paint_candidates
    painted = fcp is not None
    return LoadMetrics(
        fcp_ms=fcp,
        lcp_ms=candidates[-1].time_ms if candidates else None,
        cls=cumulative_layout_shift(timeline.layout_shifts, timeline.first_viewport_ms) if painted else None,
        tbt_ms=_blocking_time_ms(timeline, tti),
        si_ms=speed_index_ms(timeline),
        tti_ms=tti,
        load_ms=timeline.load_ms,
    )


def _blocking_time_ms(timeline: Timeline, tti: float | None) -> float | None:
    """The seen part of it: until the recording ends where the page did not become interactive before."""
    fcp = timeline.first_contentful_paint_ms
    if fcp is None or not timeline.has_tasks:
        return None
    return total_blocking_time_ms(timeline.long_tasks, fcp, timeline.end_ms if tti is None else tti)


def rendered_metrics(rendering: Rendering) -> LoadMetrics:
    """Compute the metrics of a page: the median of its loads."""
    return median_metrics([measure_load(load) for load in rendering.loads])


def median_metrics(loads: Sequence[LoadMetrics]) -> LoadMetrics:
    """Return the median of each metric over the loads in which it was measured."""

    def middle(values: list[float | None]) -> float | None:
        measured = [value for value in values if value is not None]
        return median(measured) if measured else None

    return LoadMetrics(
        **{name: middle([getattr(load, name) for load in loads]) for name in LoadMetrics.__struct_fields__}
    )


def are_alike(one: LoadMetrics, other: LoadMetrics) -> bool:
    """Return whether two loads measured the same, so that a further one would not change their median much."""
    for name in LoadMetrics.__struct_fields__:
        first, second = getattr(one, name), getattr(other, name)
        if first is None or second is None:
            if first is not second:
                return False
            continue
        tolerance = _ALIKE_SHIFT if name == "cls" else max(_ALIKE_MS, _ALIKE_SHARE * max(first, second))
        if abs(first - second) > tolerance:
            return False
    return True


def cumulative_layout_shift(shifts: Sequence[LayoutShift], first_viewport_ms: float | None) -> float:
    """Return the sum of the worst session of shifts.

    A session ends with a gap of more than 1 s, or after 5 s. Shifts soon after an input of the user do not count, but
    those before the first one without such an input do, when they come within 500 ms of the first viewport.
    """
    worst = current = 0.0
    started = previous = float("-inf")
    input_counts = first_viewport_ms is not None
    for shift in shifts:
        if not shift.had_recent_input:
            input_counts = False
        elif (
            not input_counts
            or first_viewport_ms is None
            or not 0 <= shift.time_ms - first_viewport_ms <= _VIEWPORT_INPUT_MS
        ):
            continue
        if shift.time_ms - started > _SESSION_MS or shift.time_ms - previous > _SESSION_GAP_MS:
            started, current = shift.time_ms, 0.0
        previous = shift.time_ms
        current += shift.score
        worst = max(worst, current)
    return worst


def time_to_interactive_ms(timeline: Timeline) -> float | None:
    """Return the start of the first 5 s after the first contentful paint without long tasks and with few requests.

    A recording that ended when nothing was under way any more stays quiet. ``None`` where there is no such time
    before the recording ends, nothing was painted, or no tasks were recorded.
    """
    fcp, dom_content_loaded = timeline.first_contentful_paint_ms, timeline.dom_content_loaded_ms
    if fcp is None or dom_content_loaded is None or not timeline.has_tasks:
        return None
    last = math.inf if timeline.settled else timeline.end_ms
    network = _quiet_network(timeline, last)
    edges = [
        (task.start_ms, task.end_ms if task.end_ms is not None else timeline.end_ms) for task in timeline.long_tasks
    ]
    start = 0.0
    for task_start, task_end in [*sorted(edges), (last, last)]:
        for quiet_start, quiet_end in network:
            begin, end = max(start, quiet_start, fcp), min(task_start, quiet_end)
            if end - begin >= _QUIET_MS:
                return max(start, fcp, dom_content_loaded)
        start = max(start, task_end)
    return None


def _quiet_network(timeline: Timeline, last: float) -> list[tuple[float, float]]:
    """The times with at most two requests under way, in order."""
    events = [(span.start_ms, 1) for span in timeline.get_requests]
    events += [(span.end_ms, -1) for span in timeline.get_requests if span.end_ms is not None]
    quiet: list[tuple[float, float]] = []
    under_way, began = 0, 0.0
    for time, change in sorted(events):
        was_quiet = under_way <= _REQUESTS_WHEN_QUIET
        under_way += change
        if was_quiet and under_way > _REQUESTS_WHEN_QUIET:
            quiet.append((began, time))
        elif not was_quiet and under_way <= _REQUESTS_WHEN_QUIET:
            began = time
    if under_way <= _REQUESTS_WHEN_QUIET:
        quiet.append((began, last))
    return quiet


def total_blocking_time_ms(tasks: Sequence[Span], start_ms: float, end_ms: float) -> float:
    """Return what tasks between two times take beyond 50 ms each; a task that crosses an edge is cut there."""
    total = 0.0
    for task in tasks:
        end = end_ms if task.end_ms is None else task.end_ms
        length = min(end, end_ms) - max(task.start_ms, start_ms)
        total += max(0.0, length - LONG_TASK_MS)
    return total


def speed_index_ms(timeline: Timeline) -> float | None:
    """Return the average time at which parts of the final picture are visible; ``None`` without pictures."""
    if timeline.first_contentful_paint_ms is None or not timeline.frames:
        return None
    total, time, progress = 0.0, 0.0, 0.0
    for frame in timeline.frames:
        total += (frame.time_ms - time) * (1.0 - progress)
        time, progress = frame.time_ms, frame.progress
    return total
