from __future__ import annotations

import pytest

from pagegrade.checks import all_checks
from pagegrade.model.check import CheckLike, StateLike, severity_of_finding
from pagegrade.model.outcome import Severity


def members(protocol: type) -> list[str]:
    """Names that a protocol declares."""
    return [name for name in vars(protocol) if not name.startswith("_")]


def test_every_check_and_every_state_has_what_is_declared() -> None:
    """Neither scoring nor reports meet a check without one of these members."""
    checks = list(all_checks().values())

    assert [check.id for check in checks for name in members(CheckLike) if not hasattr(check, name)] == []
    assert [
        state.name
        for check in checks
        for state in check.states
        for name in members(StateLike)
        if not hasattr(state, name)
    ] == []


@pytest.mark.parametrize(
    ("check", "state", "severity"),
    [
        ("canonical", "missing", "medium"),
        ("canonical", "cross_domain", "critical"),
        ("meta-viewport", "missing", "high"),
        ("broken-links", "most", "critical"),
    ],
)
def test_a_finding_is_as_severe_as_what_was_found(check: str, state: str, severity: str) -> None:
    """A check that can find something critical finds trifles as well, and a cap is never one."""
    found = all_checks()[check]

    assert severity_of_finding(found, state, found.state(state).highest).label == severity


def test_no_finding_costs_more_or_matters_less_than_its_severity_says() -> None:
    """In every state of every check, at its least and at its most."""
    for check in all_checks().values():
        for state in check.states:
            for loss in (state.loss, state.highest):
                severity = severity_of_finding(check, state.name, loss)
                capped = [cap for cap in check.caps if state.name in cap.states or (not cap.states and state.loss >= 1)]

                assert severity.value >= check.severity.value * loss
                assert severity is Severity.CRITICAL or all(cap.max_score >= 60 for cap in capped), check.id
                assert capped or severity.value <= check.severity.value, check.id
