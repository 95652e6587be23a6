"""The shape of a check, and the two ways to grade a loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.checks._check import State, Verdict, check, meter_loss, offender_loss
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity

OK = State("ok", "It is fine.")
BAD = State("bad", "It is bad.", loss=1.0)


@pytest.mark.parametrize(
    "states",
    [
        (BAD, OK),
        (State("ok", "Fine.", loss=0.1), BAD),
        (OK, State("odd", "Odd.", loss=1.5)),
        (OK, State("wide", "Wide.", loss=0.5, loss_max=1.0), State("late", "Late.", loss=0.7)),
    ],
)
def test_states_out_of_order_are_refused(states: tuple[State, ...]) -> None:
    """The order from best to worst is what makes the score monotone, so it is checked at import."""
    with pytest.raises(TypeError, match="best"):
        check(id="x", title="X", severity=Severity.LOW, since="0.1.0", states=states, sources=())


def test_check_outside_of_a_category_is_refused() -> None:
    """The category is the folder."""

    def x(document: Document) -> Verdict:
        """Say something."""
        return Outcome(str(document))

    with pytest.raises(TypeError, match="no category"):
        check(id="x", title="X", severity=Severity.LOW, since="0.1.0", states=(OK, BAD), sources=())(x)


def test_one_offender_costs_half_and_many_cost_all() -> None:
    """The ramp of counted offenders."""
    assert [offender_loss(n, 10) for n in (0, 1, 10, 11)] == [0.0, 0.5, 1.0, 1.0]
    assert offender_loss(1, 1) == 1.0
    assert [offender_loss(n, 10, 0.25) for n in (0, 1, 4, 10, 11)] == [0.0, 0.25, 0.5, 1.0, 1.0]
    assert offender_loss(-3, 10) == 0.0


@given(count=st.integers(0, 10_000), full_at=st.integers(1, 100))
def test_more_offenders_never_cost_less(count: int, full_at: int) -> None:
    """Monotone and bounded."""
    assert 0 <= offender_loss(count, full_at) <= offender_loss(count + 1, full_at) <= 1


def test_meter_climbs_in_steps() -> None:
    """Nothing up to the good value, everything from the bad one, at most five levels between."""
    levels = {meter_loss(value, 100, 200) for value in range(100, 201)}

    assert meter_loss(100, 100, 200) == 0.0
    assert meter_loss(100.5, 100, 200) == 0.2
    assert meter_loss(120, 100, 200) == 0.2
    assert meter_loss(120.5, 100, 200) == 0.4
    assert meter_loss(200, 100, 200) == 1.0
    assert len(levels) <= 6


@given(value=st.floats(0, 1e9), more=st.floats(0, 1e9), good=st.floats(0, 1e6), width=st.floats(0.001, 1e6))
def test_meter_never_falls(value: float, more: float, good: float, width: float) -> None:
    """A worse value never costs less, whatever the limits."""
    assert 0 <= meter_loss(value, good, good + width) <= meter_loss(value + more, good, good + width) <= 1
