from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.cumulative_layout_shift import cumulative_layout_shift
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import ElementFacts, LayoutShift, ShiftedElement
from tests.builders import evaluated
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(value: float) -> Evaluated:
    """The verdict on a load with this value."""
    return evaluated(
        cumulative_layout_shift,
        rendering=make_rendering(make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=value),))),
    )


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (0.1, "stable", 0),
        (0.101, "unstable", 0.075),
        (0.25, "unstable", 0.3),
        (0.251, "very_unstable", 0.375),
        (0.3125, "very_unstable", 0.375),
        (0.313, "very_unstable", 0.453125),
        (0.75, "very_unstable", 0.921875),
        (0.751, "restless", 1),
    ],
)
def test_limits(value: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate(value)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(("score", "named"), [(0.2, ["#banner"]), (0.05, [])])
def test_what_was_moved_is_named(score: float, named: list[str]) -> None:
    """They stand in findings, not in passes."""
    load = make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=score),))
    moved = (ShiftedElement(selector="#banner", html='<div id="banner">'),)
    found = evaluated(cumulative_layout_shift, rendering=make_rendering(load, shifted_elements=moved)).verdict

    assert isinstance(found, Outcome)
    assert [one.selector for one in found.evidence if one.selector] == named


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "moved down by 150 px; after 1.5 s"),
        ({"down_px": -20.0}, "moved up by 20 px; after 1.5 s"),
        ({"down_px": 0.0}, "moved sideways or changed its size; after 1.5 s"),
        (
            {"pushed_by": ElementFacts(selector="#ad", html='<div id="ad">')},
            "moved down by 150 px; after 1.5 s; pushed by an element that was inserted or grew",
        ),
        (
            {"pushed_by": ElementFacts(selector="iframe", html="<iframe>")},
            "moved down by 150 px; after 1.5 s; pushed by a frame or a video that came later",
        ),
    ],
)
def test_a_move_says_when_how_far_and_why(more: dict[str, Any], reason: str) -> None:
    """As far as it was seen; what pushed stands beside it."""
    usual: dict[str, Any] = {"selector": "h2", "html": "<h2>", "time_ms": 1_500.0, "down_px": 150.0}
    load = make_timeline(layout_shifts=(LayoutShift(time_ms=1_500.0, score=0.2),))
    rendering = make_rendering(load, shifted_elements=(ShiftedElement(**{**usual, **more}),))
    found = evaluated(cumulative_layout_shift, rendering=rendering).verdict

    assert isinstance(found, Outcome)
    assert found.evidence[0].reason == reason
    assert found.evidence[0].value == ("" if "pushed_by" not in more else more["pushed_by"].selector)
