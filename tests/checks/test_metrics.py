from __future__ import annotations

from collections.abc import Callable

import pytest

from pagegrade.checks._check import Check
from pagegrade.checks._metrics import format_metric
from pagegrade.checks.performance.cumulative_layout_shift import cumulative_layout_shift
from pagegrade.checks.performance.first_contentful_paint import first_contentful_paint
from pagegrade.checks.performance.largest_contentful_paint import largest_contentful_paint
from pagegrade.checks.performance.speed_index import speed_index
from pagegrade.checks.performance.total_blocking_time import total_blocking_time
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import Frame, LayoutShift, PaintCandidate, Span, Timeline
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline

MakeLoad = Callable[[float], Timeline]


def painted(value: float) -> Timeline:
    """A load whose first content was painted then."""
    return make_timeline(first_contentful_paint_ms=value)


def largest(value: float) -> Timeline:
    """A load whose largest content was painted then."""
    return make_timeline(paint_candidates=(PaintCandidate(time_ms=value, size_px=9, kind="image"),))


def filled(value: float) -> Timeline:
    """A load whose first screen was complete then, and empty before."""
    return make_timeline(frames=(Frame(time_ms=0.0, progress=0.0), Frame(time_ms=value, progress=1.0)))


def blocked(value: float) -> Timeline:
    """A load with one task that blocks for so long."""
    return make_timeline(long_tasks=(Span(start_ms=1_100.0, end_ms=1_150.0 + value),))


def moved(value: float) -> Timeline:
    """A load with one layout shift."""
    return make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=value),))


@pytest.mark.parametrize(
    ("check", "load", "good", "bad"),
    [
        (first_contentful_paint, painted, 1800.0, 3001.0),
        (largest_contentful_paint, largest, 2500.0, 4001.0),
        (speed_index, filled, 3387.0, 5801.0),
        (total_blocking_time, blocked, 200.0, 601.0),
        (cumulative_layout_shift, moved, 0.1, 0.251),
    ],
    ids=lambda value: value.id if isinstance(value, Check) else None,
)
def test_the_median_counts(check: Check, load: MakeLoad, good: float, bad: float) -> None:
    """One slow load of three is noise; its value is shown all the same."""
    found = evaluated(check, rendering=make_rendering(load(bad), load(good), load(good)))

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 0
    assert len(found.verdict.evidence) == 3


@pytest.mark.parametrize(
    ("check", "load", "value"),
    [
        (first_contentful_paint, painted, 1500.0),
        (largest_contentful_paint, largest, 2000.0),
        (speed_index, filled, 2000.0),
        (total_blocking_time, blocked, 180.0),
    ],
    ids=lambda value: value.id if isinstance(value, Check) else None,
)
def test_a_desk_is_faster(check: Check, load: MakeLoad, value: float) -> None:
    """So the limits are stricter there."""
    assert evaluated(check, rendering=make_rendering(load(value))).loss == 0
    assert (evaluated(check, rendering=make_rendering(load(value), device="desktop")).loss or 0) > 0


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("fcp_ms", 999.4, "999 ms"),
        ("fcp_ms", 1_000.0, "1.0 s"),
        ("tbt_ms", 0.0, "0 ms"),
        ("cls", 0.0, "0"),
        ("cls", 0.1, "0.1"),
        ("cls", 0.1234, "0.123"),
    ],
)
def test_values_have_their_unit(name: str, value: float, text: str) -> None:
    """Seconds from one second on; a layout shift has none."""
    assert format_metric(name, value) == text
