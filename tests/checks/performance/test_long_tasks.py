from __future__ import annotations

import pytest

from pagegrade.checks.performance.long_tasks import long_tasks
from pagegrade.checks.performance.total_blocking_time import total_blocking_time
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import ScriptTime, Span, Timeline
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def load(*lengths_ms: float, **more: object) -> Timeline:
    """A load with tasks of these lengths."""
    return make_timeline(long_tasks=tuple(Span(start_ms=100, end_ms=100 + length) for length in lengths_ms), **more)


@pytest.mark.parametrize(
    ("longest_ms", "loss"), [(50, 0), (200, 0), (201, 0.2), (360, 0.2), (361, 0.4), (999, 1), (1_000, 1), (5_000, 1)]
)
def test_the_longest_task_decides(longest_ms: float, loss: float) -> None:
    """Nothing is lost up to a fifth of a second, everything from a second on."""
    assert evaluated(long_tasks, rendering=make_rendering(load(60, longest_ms))).loss == pytest.approx(loss)


def test_many_short_ones_cost_nothing() -> None:
    """Their sum is the total blocking time."""
    found = evaluated(long_tasks, rendering=make_rendering(load(*[150] * 100)))

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 0
    assert found.verdict.value == "100 long tasks"


def test_the_middle_one_of_several_loads_counts() -> None:
    """One disturbed load does not change the grade."""
    assert evaluated(long_tasks, rendering=make_rendering(load(), load(3_000), load(70))).loss == 0
    assert evaluated(long_tasks, rendering=make_rendering(load(3_000), load(3_000), load(70))).loss == 1


def test_a_task_without_end_lasts_until_the_end() -> None:
    """The recording stopped within it."""
    endless = make_timeline(long_tasks=(Span(start_ms=1_000, end_ms=None),), end_ms=1_500)

    assert evaluated(long_tasks, rendering=make_rendering(endless)).loss == pytest.approx(0.4)


def test_tasks_and_busy_scripts_are_listed() -> None:
    """The tasks that are too long, then the scripts, and the number is that of the tasks."""
    scripts = (ScriptTime(url="https://example.com/a.js", time_ms=480), ScriptTime(url="https://b.example/", time_ms=9))
    verdict = evaluated(long_tasks, rendering=make_rendering(load(500, 60, script_times=scripts))).verdict

    assert isinstance(verdict, Outcome)
    assert [(one.url, one.value) for one in verdict.evidence] == [
        ("", "500 ms"),
        ("https://example.com/a.js", "480 ms"),
    ]
    assert verdict.count == 1


def test_tasks_that_were_not_recorded_are_not_short() -> None:
    """A browser that records none says nothing about them."""
    assert isinstance(evaluated(long_tasks, rendering=make_rendering(load(has_tasks=False))).verdict, NotRun)


def test_it_is_charged_once_with_the_blocking_time() -> None:
    """Both are about the same scripts."""
    assert long_tasks.cause == total_blocking_time.cause
