"""Runs every check over the artifacts; only here can a check end as "not run"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.checks._check import NEEDS_RENDERING, Check, Verdict
from pagegrade.checks._exposed_keys import mask_outcome
from pagegrade.checks._facts import Facts
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, UNDETERMINED, UNREAD_SHEETS, NotApplicable, NotRun, Outcome, Severity
from pagegrade.model.report import OutcomeName

_SHOWN_ONLY: Final = Severity.INFO
UNCERTAIN_LOSS: Final = 0.5
"""The most that is lost by what may not be rendered at all."""


class Evaluated(msgspec.Struct, frozen=True, gc=False):
    """A check, what it said, and its own loss (before any inheritance); ``loss`` is ``None`` when not evaluated."""

    check: Check
    verdict: Verdict
    outcome: OutcomeName
    loss: float | None


def run_checks(checks: Mapping[str, Check], facts: Facts) -> dict[str, Evaluated]:
    """Run the checks on the page; results keep the order of ``checks``. Never raises because of the page."""
    return {check.id: evaluate(check, run_check(check, facts)) for check in checks.values()}


def run_check(check: Check, facts: Facts) -> Verdict:
    """Hand ``check`` exactly the artifacts it names.

    A missing required artifact, and any exception of the check, is ``NotRun``: a check that fails must never be
    mistaken for a page that fails. So is a check of what is rendered that has nothing to evaluate on a page whose
    content scripts add.
    """
    arguments: list[object] = []
    if facts.is_drawn:
        facts = facts.for_category(check.category)
    try:
        made = facts.made
        for name, optional in check.requirements.items():
            artifact = made[name] if name in made else facts.get(name)
            if type(artifact) is NotGathered and not optional:
                if artifact.code == "not_applicable":
                    return NotApplicable(artifact.detail)
                return NotRun(artifact.code, artifact.detail)
            arguments.append(artifact)
        verdict = check.function(*arguments)
        if type(verdict) is not Outcome:
            # Of what scripts add, an empty page has nothing yet.
            is_early = check.visible_only and type(verdict) is NotApplicable and facts.document.client_rendered
            return NEEDS_RENDERING if is_early else verdict
        # Whatever a check quotes of the page, it quotes no key.
        if secrets := facts.secrets:
            verdict = mask_outcome(verdict, secrets)
    except Exception as error:  # noqa: BLE001 - whatever a check raises is our mistake, not the page's
        return NotRun("check_error", f"The check stopped with {type(error).__name__}.")
    evidence = verdict.evidence
    if len(evidence) > MAX_EVIDENCE:
        total = len(evidence) if verdict.total is None else verdict.total
        verdict = replace(verdict, evidence=evidence[:MAX_EVIDENCE], total=total)
    if evidence and check.visible_only:
        return _with_doubt(check, verdict, facts.document)
    return verdict


def _with_doubt(check: Check, outcome: Outcome, document: Document) -> Outcome:
    """The outcome, marked and saying so when nothing that it lists is certain to be rendered."""
    if not check.state(outcome.state).highest or not all(map(document.is_uncertain, outcome.evidence)):
        return outcome
    reason = UNREAD_SHEETS if document.visibility.unknown_sheets else UNDETERMINED
    message = outcome.message or check.state(outcome.state).message
    return replace(outcome, uncertain=True, message=f"{message} {reason}")


def evaluate(check: Check, verdict: Verdict) -> Evaluated:
    """Read a verdict by the check's own table of states.

    Raises:
        KeyError: The check returned a state it does not declare.
        ValueError: Its loss lies outside the range of that state.
    """
    if type(verdict) is not Outcome:
        if isinstance(verdict, NotRun):
            return Evaluated(check, verdict, "not_evaluated", None)
        return Evaluated(check, verdict, "not_applicable", 0.0)
    state = check.state(verdict.state)
    loss = verdict.loss
    if loss is None:
        loss = state.loss
    elif not state.loss <= loss <= state.highest:
        raise ValueError(f"{check.id}: loss {loss} is outside {state.loss}..{state.highest} of {state.name}")
    if verdict.uncertain:
        loss = min(loss, UNCERTAIN_LOSS)
    outcome: OutcomeName = "passed"
    if check.severity is _SHOWN_ONLY:
        outcome = "informative"
    elif loss > 0:
        outcome = "failed" if loss >= 1 else "warning"
    return Evaluated(check, verdict, outcome, loss)
