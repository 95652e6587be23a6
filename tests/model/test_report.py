from __future__ import annotations

import pytest

from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import Basis, CheckLike, StateLike, Thresholds, severity_of_finding


@pytest.mark.parametrize(
    ("before", "after", "differences"),
    [
        (Basis("2026.9", None), Basis("2026.9", None), ()),
        (Basis("2026.9", "mobile"), Basis("2026.9", "mobile"), ()),
        (Basis("2026.9", None), Basis("2026.9", "mobile"), ("engine",)),
        (Basis("2026.9", "desktop"), Basis("2026.9", "mobile"), ("device",)),
        (Basis("2026.2", None), Basis("2026.9", None), ("ruleset",)),
        (Basis("2026.2", "mobile"), Basis("2026.9", None), ("engine", "ruleset")),
    ],
)
def test_what_keeps_two_runs_from_being_compared(before: Basis, after: Basis, differences: tuple[str, ...]) -> None:
    """In either direction; another engine is not another device as well."""
    assert before.differences(after) == after.differences(before) == differences


def test_the_engine_follows_from_the_device() -> None:
    """A browser always imitates one."""
    assert (Basis("2026.9", None).engine, Basis("2026.9", "mobile").engine) == ("static", "rendered")


def test_thresholds_move_the_word_not_the_score() -> None:
    """The grade is a reading of the score."""
    thresholds = Thresholds(good=90, decent=50)

    assert [thresholds.grade(n) for n in (49, 50, 89, 90)] == ["bad", "decent", "decent", "good"]


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
