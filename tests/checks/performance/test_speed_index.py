from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.speed_index import speed_index
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import Frame
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(value: float) -> Evaluated:
    """The verdict on a load with this value."""
    return evaluated(
        speed_index,
        rendering=make_rendering(
            make_timeline(frames=(Frame(time_ms=0.0, progress=0.0), Frame(time_ms=value, progress=1.0)))
        ),
    )


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (3387.0, "fast", 0),
        (3388.0, "slow", 0.2),
        (5800.0, "slow", 0.8),
        (5801.0, "very_slow", 1),
    ],
)
def test_limits(value: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate(value)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)
