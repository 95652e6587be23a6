from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.ttfb import ttfb
from pagegrade.model.artifacts import Timings
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import evaluated, make_response, run


def evaluate_time(first_byte_ms: float | None, **more: float) -> Evaluated:
    """The verdict on a server that answers after that time."""
    return evaluated(ttfb, response=make_response(timings=Timings(first_byte_ms=first_byte_ms, **more)))


@pytest.mark.parametrize(
    ("milliseconds", "state", "loss"),
    [
        (1.0, "fast", 0),
        (800.0, "fast", 0),
        (801.0, "slow", 0.075),
        (1_050.0, "slow", 0.15),
        (1_800.0, "slow", 0.3),
        (1_801.0, "very_slow", 0.5),
        (2_700.0, "very_slow", 0.875),
        (3_000.0, "very_slow", 1),
    ],
)
def test_the_limits_are_800_and_1800_ms(milliseconds: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluate_time(milliseconds)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_connecting_is_not_part_of_it() -> None:
    """Only the server's own waiting time counts here."""
    found = evaluate_time(200.0, dns_ms=900.0, connect_ms=900.0, tls_ms=900.0, total_ms=3_000.0)

    assert found.loss == 0


def test_it_says_which_time_is_meant() -> None:
    """Others count redirects and the connection into the same name."""
    found = evaluate_time(200.0)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.evidence[0].reason == "request sent to first byte, without redirects"


def test_steps_are_coarse_and_only_fall_with_time() -> None:
    """Noise must not move the score, and faster is never worse."""
    losses = [evaluate_time(float(ms)).loss or 0 for ms in range(0, 9_000, 20)]

    assert losses == sorted(losses)
    assert len(set(losses)) <= 11
    assert max(loss for ms, loss in zip(range(0, 9_000, 20), losses, strict=True) if ms <= 1_800) * 8 <= 3


def test_a_saved_page_is_not_evaluated() -> None:
    """Without timings there is nothing to say."""
    verdict = run(ttfb, response=make_response(timings=Timings()))

    assert verdict == NotRun("not_measured", "The saved page does not include its timings.")
