"""Runs every check over the artifacts; only here can a check end as "not run"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pagegrade.checks._check import Check, Verdict
from pagegrade.checks._facts import Facts
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import MAX_EVIDENCE, NotApplicable, NotRun, Outcome, Severity
from pagegrade.model.report import OutcomeName


@dataclass(frozen=True, slots=True)
class Judged:
    """A check, what it said, and its own loss (before any inheritance); ``loss`` is ``None`` when not evaluated."""

    check: Check
    verdict: Verdict
    outcome: OutcomeName
    loss: float | None


def run_checks(checks: Mapping[str, Check], facts: Facts) -> dict[str, Judged]:
    """What each check says about the page, in the order of ``checks``. Never raises because of the page."""
    return {check.id: judge(check, run_check(check, facts)) for check in checks.values()}


def run_check(check: Check, facts: Facts) -> Verdict:
    """Hand ``check`` exactly the artifacts it names.

    A missing required artifact, and any exception of the check, is ``NotRun``: a check that fails must never be
    mistaken for a page that fails.
    """
    arguments: dict[str, object] = {}
    try:
        for name, optional in check.requirements.items():
            artifact = facts.get(name)
            if isinstance(artifact, NotGathered) and not optional:
                return NotRun(artifact.code, artifact.detail)
            arguments[name] = artifact
        verdict = check.function(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever a check raises is our mistake, not the page's
        return NotRun("check_error", f"The check stopped with {type(error).__name__}.")
    if isinstance(verdict, Outcome) and len(verdict.evidence) > MAX_EVIDENCE:
        total = len(verdict.evidence) if verdict.total is None else verdict.total
        return replace(verdict, evidence=verdict.evidence[:MAX_EVIDENCE], total=total)
    return verdict


def judge(check: Check, verdict: Verdict) -> Judged:
    """Read a verdict by the check's own table of states.

    Raises:
        KeyError: The check returned a state it does not declare.
        ValueError: Its loss lies outside the range of that state.
    """
    match verdict:
        case NotRun():
            return Judged(check, verdict, "not_evaluated", None)
        case NotApplicable():
            return Judged(check, verdict, "not_applicable", 0.0)
        case Outcome():
            state = check.state(verdict.state)
            loss = state.loss if verdict.loss is None else verdict.loss
            if not state.loss <= loss <= state.highest:
                raise ValueError(f"{check.id}: loss {loss} is outside {state.loss}..{state.highest} of {state.name}")
            return Judged(check, verdict, _outcome_name(check, loss), loss)


def _outcome_name(check: Check, loss: float) -> OutcomeName:
    if check.severity is Severity.INFO:
        return "informative"
    if loss <= 0:
        return "passed"
    return "failed" if loss >= 1 else "warning"
