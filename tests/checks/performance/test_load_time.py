from __future__ import annotations

import pytest

from pagegrade.checks.performance.load_time import load_time
from pagegrade.model.artifacts import Timings
from pagegrade.model.outcome import NotRun, Outcome, Severity
from tests.builders import evaluated, make_response, outcome, run


@pytest.mark.parametrize(
    ("milliseconds", "state", "loss"),
    [
        (0.0, "fast", 0),
        (1_999.0, "fast", 0),
        (2_000.0, "fast", 0),
        (2_001.0, "slow", 0.2),
        (2_750.0, "slow", 0.4),
        (5_000.0, "slow", 0.8),
        (5_000.1, "very_slow", 1),
    ],
)
def test_the_limits_are_two_and_five_seconds(milliseconds: float, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluated(load_time, load_samples_ms=(milliseconds,))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_the_median_counts() -> None:
    """One cold cache on the way decides nothing."""
    found = outcome(load_time, load_samples_ms=(9_000.0, 300.0, 350.0))

    assert found.state == "fast"
    assert found.value == "400 ms"


def test_of_two_samples_the_better_counts() -> None:
    """With one doubtful measurement the site gets the benefit."""
    found = outcome(load_time, load_samples_ms=(9_000.0, 300.0))

    assert found.value == "300 ms"


def test_noise_below_a_tenth_of_a_second_changes_nothing() -> None:
    """Times are rounded up to 100 ms and evaluated in coarse steps."""
    one = evaluated(load_time, load_samples_ms=(2_310.0,))
    other = evaluated(load_time, load_samples_ms=(2_390.0,))

    assert one.loss == other.loss
    assert isinstance(one.verdict, Outcome)
    assert one.verdict.value == "2,400 ms"


def test_a_faster_page_never_costs_more() -> None:
    """Loss only falls with time."""
    losses = [evaluated(load_time, load_samples_ms=(float(ms),)).loss or 0 for ms in range(0, 6_000, 50)]

    assert losses == sorted(losses)
    assert len(set(losses)) <= 6


def test_it_weighs_at_most_medium() -> None:
    """Our place is not the visitor's."""
    assert load_time.severity.value <= Severity.MEDIUM.value


def test_the_phases_samples_and_place_are_reported() -> None:
    """The owner sees where the time goes and from where it was measured."""
    timings = Timings(dns_ms=12.4, connect_ms=None, first_byte_ms=2_400.0, total_ms=2_500.0)
    found = outcome(load_time, load_samples_ms=(2_500.0, 2_600.0), response=make_response(timings=timings))

    assert [(entry.reason, entry.value) for entry in found.evidence] == [
        ("total time of each fetch", "2,500 ms, 2,600 ms"),
        ("DNS", "12 ms"),
        ("first byte", "2,400 ms"),
    ]
    assert "from where the analysis ran" in found.message


def test_a_saved_page_is_not_evaluated() -> None:
    """Without samples there is no time."""
    verdict = run(load_time, load_samples_ms=())

    assert verdict == NotRun("not_measured", "The saved page does not include its timings.")
