from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.cumulative_layout_shift import cumulative_layout_shift
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import ElementFacts, LayoutShift
from tests.builders import evaluated, run
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(*values: float, device: str = "mobile") -> Evaluated:
    """The verdict on loads with these values."""
    loads = [make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=value),)) for value in values]
    return evaluated(cumulative_layout_shift, rendering=make_rendering(*loads, device=device))


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (0.1, "stable", 0),
        (0.101, "unstable", 0.075),
        (0.25, "unstable", 0.3),
        (0.251, "very_unstable", 0.375),
        (0.75, "very_unstable", 0.375),
        (0.751, "restless", 1),
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
    worst, best = 0.251, 0.1
    found = evaluate(worst, best, best)

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 0
    assert len(found.verdict.evidence) == 3


def test_without_a_browser_it_is_not_evaluated() -> None:
    """And says why."""
    assert isinstance(run(cumulative_layout_shift, rendering=NotGathered(code="no_browser", detail="None.")), NotRun)


@pytest.mark.parametrize(("score", "named"), [(0.2, ["#banner"]), (0.05, [])])
def test_what_was_moved_is_named(score: float, named: list[str]) -> None:
    """They stand in findings, not in passes."""
    load = make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=score),))
    moved = (ElementFacts(selector="#banner", html='<div id="banner">'),)
    found = evaluated(cumulative_layout_shift, rendering=make_rendering(load, shifted_elements=moved)).verdict

    assert isinstance(found, Outcome)
    assert [one.selector for one in found.evidence if one.selector] == named
