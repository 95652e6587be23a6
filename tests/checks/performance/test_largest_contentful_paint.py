from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.largest_contentful_paint import largest_contentful_paint
from pagegrade.model.outcome import NotRun, Outcome, Saving
from pagegrade.model.rendering import ElementFacts, PaintCandidate, RenderedRequest
from tests.builders import evaluated, run
from tests.rendering_builders import make_rendering, make_timeline


def evaluate(value: float) -> Evaluated:
    """The verdict on a load with this value."""
    return evaluated(
        largest_contentful_paint,
        rendering=make_rendering(
            make_timeline(paint_candidates=(PaintCandidate(time_ms=value, size_px=9, kind="image"),))
        ),
    )


@pytest.mark.parametrize(
    ("value", "state", "loss"),
    [
        (2500.0, "fast", 0),
        (2501.0, "slow", 0.064),
        (4000.0, "slow", 0.256),
        (4001.0, "very_slow", 0.32),
        (5000.0, "very_slow", 0.32),
        (5001.0, "very_slow", 0.405),
        (12000.0, "very_slow", 0.915),
        (12001.0, "far_too_slow", 1),
    ],
)
def test_limits(value: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate(value)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_what_was_never_painted_is_not_measured() -> None:
    """A blank page is not a fast one."""
    verdict = run(largest_contentful_paint, rendering=make_rendering(make_timeline(first_contentful_paint_ms=None)))

    assert isinstance(verdict, NotRun)
    assert verdict.code == "not_measured"


def test_the_cause_and_the_phases_stand_beside_the_element() -> None:
    """And what the fix saves, where it takes a phase away."""
    url = "https://example.com/hero.jpg"
    candidate = PaintCandidate(
        time_ms=4_600.0, size_px=9, kind="image", url=url, load_start_ms=3_300.0, load_end_ms=4_500.0
    )
    document = RenderedRequest(url="https://example.com/", kind="document", response_ms=300.0, end_ms=310.0)
    load = make_timeline(paint_candidates=(candidate,))
    element = ElementFacts(selector="#hero", html='<img id="hero">')
    rendering = make_rendering(load, requests=(document,), lcp_element=element)
    found = evaluated(largest_contentful_paint, rendering=rendering).verdict

    assert isinstance(found, Outcome)
    assert [one.selector or one.url or one.reason for one in found.evidence[:3]] == [
        "#hero",
        url,
        "first byte 300 ms, load delay 3.0 s, load time 1.2 s, render delay 100 ms",
    ]
    assert found.evidence[1].reason == "Its image is asked for late, after other files."
    assert found.saving == Saving(3_000, "ms")


def test_a_slow_answer_gets_faster_but_does_not_go_away() -> None:
    """So no saving is claimed for it."""
    candidate = PaintCandidate(time_ms=4_600.0, size_px=9, kind="text")
    document = RenderedRequest(url="https://example.com/", kind="document", response_ms=4_300.0, end_ms=4_310.0)
    rendering = make_rendering(make_timeline(paint_candidates=(candidate,)), requests=(document,))
    found = evaluated(largest_contentful_paint, rendering=rendering).verdict

    assert isinstance(found, Outcome)
    assert found.saving is None
