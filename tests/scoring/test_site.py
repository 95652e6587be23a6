"""The arithmetic of the score of a site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.outcome import Severity
from pagegrade.scoring.site import CAPS, SiteObserved, charge, in_hundredths, site_grade, site_score, step_of


@pytest.mark.parametrize(
    ("share", "part"),
    [
        *((0.0, 0.1), (0.0009, 0.1), (0.001, 0.25), (0.0099, 0.25), (0.01, 0.5), (0.0499, 0.5)),
        *((0.05, 0.75), (0.1999, 0.75), (0.2, 1.0), (1.0, 1.0)),
    ],
)
def test_a_share_costs_by_steps(share: float, part: float) -> None:
    """Each step begins at its share."""
    assert step_of(share) == part


def observed(check: str, state: str, share: float, loss: float = 1.0, cause: str | None = None) -> SiteObserved:
    """A finding of medium severity."""
    return SiteObserved(check, state, Severity.MEDIUM, loss, share, cause)


def test_one_cause_is_charged_once() -> None:
    """Of the states of a check, and of the checks of a cause, the most expensive one is charged."""
    findings = [observed("a", "x", 0.5, 0.5), observed("a", "y", 0.5), observed("b", "x", 0.5, cause="c")]
    findings.append(observed("d", "x", 0.01, cause="c"))

    assert charge(findings) == [(0, "a"), (300, None), (300, None), (0, "b")]


def test_half_a_point_is_rounded_up_and_caps_hold() -> None:
    """The lowest cap decides, and nothing falls below 0."""
    assert site_score(1_050, ()) == (90, 89.5)
    assert site_score(1_051, ()) == (89, 89.49)
    assert site_score(0, tuple(CAPS)) == (29, 100.0)
    assert site_score(99_999, ()) == (0, 0.0)
    assert [site_grade(score) for score in (80, 79, 50, 49)] == ["good", "decent", "decent", "bad"]


@given(st.lists(st.integers(0, 10**20), max_size=40))
def test_rounded_lines_add_up(units: list[int]) -> None:
    """The sum of the rounded lines is the rounded sum, and each line is rounded up or down."""
    one = 10**14
    lines = in_hundredths(units, one)

    assert sum(lines) == (sum(units) + one // 2) // one
    assert all(amount // one <= line <= amount // one + 1 for amount, line in zip(units, lines, strict=True))


FINDINGS = st.lists(
    st.builds(
        SiteObserved,
        check=st.sampled_from("abcd"),
        state=st.sampled_from("xyz"),
        severity=st.sampled_from(Severity),
        loss=st.sampled_from([0.5, 1.0]),
        share=st.floats(0, 1),
        cause=st.sampled_from([None, "one", "two"]),
    ),
    max_size=12,
)


@given(FINDINGS, st.data())
def test_removing_a_finding_never_costs(findings: list[SiteObserved], data: st.DataObject) -> None:
    """Less is found, less is charged; so is less of the same."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(findings), max_size=len(findings)))
    fewer = [one for one, keep in zip(findings, kept, strict=True) if keep]

    assert sum(points for points, _ in charge(fewer)) <= sum(points for points, _ in charge(findings))
