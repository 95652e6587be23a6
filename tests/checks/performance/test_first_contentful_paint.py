from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.first_contentful_paint import first_contentful_paint
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(value: float) -> Evaluated:
    """The verdict on a load with this value."""
    return evaluated(first_contentful_paint, rendering=make_rendering(make_timeline(first_contentful_paint_ms=value)))


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (1800.0, "fast", 0),
        (1801.0, "slow", 0.2),
        (3000.0, "slow", 0.8),
        (3001.0, "very_slow", 1),
    ],
)
def test_limits(value: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate(value)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)
