from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.total_blocking_time import total_blocking_time
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import NotRun, Outcome, Saving
from pagegrade.model.rendering import Span
from tests.builders import evaluated, run
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(*values: float, device: str = "mobile") -> Evaluated:
    """The verdict on loads with these values."""
    loads = [make_timeline(long_tasks=(Span(start_ms=1_100.0, end_ms=1_150.0 + value),)) for value in values]
    return evaluated(total_blocking_time, rendering=make_rendering(*loads, device=device))


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


def test_the_median_counts() -> None:
    """One slow load of three is noise; its value is shown all the same."""
    worst, best = 601.0, 200.0
    found = evaluate(worst, best, best)

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 0
    assert len(found.verdict.evidence) == 3


def test_a_desk_is_faster() -> None:
    """So the limits are stricter there."""
    assert evaluate(180.0).loss == 0
    assert (evaluate(180.0, device="desktop").loss or 0) > 0


def test_without_a_browser_it_is_not_evaluated() -> None:
    """And says why."""
    assert isinstance(run(total_blocking_time, rendering=NotGathered(code="no_browser", detail="None.")), NotRun)


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
