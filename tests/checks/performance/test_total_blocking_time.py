from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.total_blocking_time import total_blocking_time
from pagegrade.model.outcome import Outcome, Saving
from pagegrade.model.rendering import Span
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(value: float) -> Evaluated:
    """The verdict on a load with this value."""
    return evaluated(
        total_blocking_time,
        rendering=make_rendering(make_timeline(long_tasks=(Span(start_ms=1_100.0, end_ms=1_150.0 + value),))),
    )


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (200.0, "responsive", 0),
        (201.0, "sluggish", 0.2),
        (600.0, "sluggish", 0.8),
        (601.0, "blocked", 1),
    ],
)
def test_limits(value: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate(value)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_the_scripts_that_block_are_named_with_what_they_cost() -> None:
    """The worst first; tasks without one stand apart, and so does what came before the first paint."""
    a, b = "https://example.com/a.js", "https://example.com/b.js"
    load = make_timeline(
        long_tasks=(
            Span(start_ms=200.0, end_ms=900.0, script_url=a),
            Span(start_ms=1_100.0, end_ms=1_250.0, script_url=a),
            Span(start_ms=1_300.0, end_ms=1_800.0, script_url=b),
            Span(start_ms=1_900.0, end_ms=2_050.0, script_url=a),
            Span(start_ms=2_100.0, end_ms=2_170.0),
        )
    )
    found = evaluated(total_blocking_time, rendering=make_rendering(load)).verdict

    assert isinstance(found, Outcome)
    assert [(one.url, one.value, one.reason) for one in found.evidence[:3]] == [
        (b, "450 ms", "blocks in 1 long task"),
        (a, "200 ms", "blocks in 2 long tasks"),
        ("", "20 ms", "in tasks that are of no single script"),
    ]
    assert found.saving == Saving(650, "ms")


def test_a_responsive_page_blames_no_script() -> None:
    """A task within the limit is none to look for."""
    load = make_timeline(long_tasks=(Span(start_ms=1_100.0, end_ms=1_200.0, script_url="https://example.com/a.js"),))
    found = evaluated(total_blocking_time, rendering=make_rendering(load)).verdict

    assert isinstance(found, Outcome)
    assert not any(one.url for one in found.evidence)
