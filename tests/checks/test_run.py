"""The runner: what a check sees, and that its own mistakes are never the page's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pagegrade.checks._check import Check, State, Verdict
from pagegrade.checks._facts import Facts
from pagegrade.checks._run import UNCERTAIN_LOSS, evaluate, run_check
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, NotApplicable, NotRun, Outcome, Severity
from tests.builders import make_artifacts

STATES = (
    State("ok", "Fine."),
    State("some", "Some.", loss=0.5, loss_max=0.9),
    State("bad", "Bad.", loss=1.0),
)


def make_check(
    function: Any, requirements: Mapping[str, bool] | None = None, *, severity: Severity = Severity.HIGH
) -> Check:
    """A check of the technical category around any function."""
    return Check(
        id="x",
        title="X",
        category="technical",
        severity=severity,
        since="0.1.0",
        states=STATES,
        sources=("https://example.com/",),
        function=function,
        requirements=requirements or {},
    )


def verdict_of(function: Any, **requirements: bool) -> Verdict:
    """The verdict of the runner for a function on an empty page."""
    return run_check(make_check(function, requirements), Facts(make_artifacts()))


def test_exception_is_not_run() -> None:
    """A check that stops says nothing about the page."""
    verdict = verdict_of(lambda: 1 / 0)

    assert verdict == NotRun("check_error", "The check stopped with ZeroDivisionError.")


def test_missing_artifact_is_not_run_with_its_reason() -> None:
    """Nothing is evaluated that was not gathered."""
    assert verdict_of(lambda _: Outcome("bad"), tls=False) == NotRun("skipped", "Not part of this test.")


def test_optional_artifact_is_handed_over_as_missing() -> None:
    """A check that can do without it learns the reason for its absence."""
    seen: list[object] = []

    def keep(tls: object) -> Outcome:
        seen.append(tls)
        return Outcome("ok")

    verdict_of(keep, tls=True)

    assert isinstance(seen[0], NotGathered)


def test_evidence_is_bounded_and_the_number_kept() -> None:
    """A hundred places are shown, the true number is said."""
    verdict = verdict_of(lambda: Outcome("bad", evidence=(Evidence(line=1),) * (MAX_EVIDENCE + 1)))

    assert isinstance(verdict, Outcome)
    assert len(verdict.evidence) == MAX_EVIDENCE
    assert verdict.total == MAX_EVIDENCE + 1


def test_evidence_at_the_limit_is_whole() -> None:
    """Exactly a hundred are not cut."""
    verdict = verdict_of(lambda: Outcome("bad", evidence=(Evidence(line=1),) * MAX_EVIDENCE))

    assert isinstance(verdict, Outcome)
    assert verdict.total is None


@pytest.mark.parametrize(
    ("verdict", "outcome", "loss"),
    [
        (Outcome("ok"), "passed", 0.0),
        (Outcome("some"), "warning", 0.5),
        (Outcome("some", loss=0.9), "warning", 0.9),
        (Outcome("bad"), "failed", 1.0),
        (NotApplicable("nothing there"), "not_applicable", 0.0),
        (NotRun("timeout"), "not_evaluated", None),
    ],
)
def test_verdict_is_read_by_the_table_of_states(verdict: Verdict, outcome: str, loss: float | None) -> None:
    """The state decides the word and the loss."""
    evaluated = evaluate(make_check(lambda: verdict), verdict)

    assert (evaluated.outcome, evaluated.loss) == (outcome, loss)


def test_information_is_never_a_finding() -> None:
    """Informative checks inform, whatever their state."""
    assert evaluate(make_check(lambda: 0, severity=Severity.INFO), Outcome("bad")).outcome == "informative"


def test_loss_outside_of_its_state_is_a_mistake() -> None:
    """A graded loss stays in the range that the law of the score was tested with."""
    with pytest.raises(ValueError, match="outside"):
        evaluate(make_check(lambda: 0), Outcome("some", loss=0.95))
    with pytest.raises(KeyError):
        evaluate(make_check(lambda: 0), Outcome("unknown"))


@pytest.mark.parametrize(
    ("css", "outcome", "loss", "said"),
    [
        ("", "failed", 1.0, ""),
        ("@container (width > 1px){.x{display:none}}", "warning", UNCERTAIN_LOSS, "The stylesheets alone"),
        ("@import 'unread.css';", "warning", UNCERTAIN_LOSS, "not read"),
    ],
)
def test_finding_that_may_not_be_rendered_is_a_warning(css: str, outcome: str, loss: float, said: str) -> None:
    """And its message says why; a check that does not depend on it is left alone."""
    facts = Facts(make_artifacts(f"<!doctype html><style>{css}</style><p id=p class=x>"))

    def finds(document: Document) -> Outcome:
        return Outcome("bad", evidence=(document.evidence(document.ids["p"]),))

    check = make_check(finds, {"document": False})
    found = evaluate(replace(check, visible_only=True), run_check(replace(check, visible_only=True), facts))
    other = evaluate(replace(check, visible_only=False), run_check(replace(check, visible_only=False), facts))

    assert isinstance(found.verdict, Outcome)

    assert (found.outcome, found.loss) == (outcome, loss)
    assert said in found.verdict.message
    assert other.outcome == "failed"


def test_one_certain_offender_keeps_a_failure() -> None:
    """The others may be hidden: this one is not."""
    html = "<!doctype html><style>@container (width > 1px){.x{display:none}}</style><p id=p class=x><p id=q>"

    def finds(document: Document) -> Outcome:
        return Outcome("bad", evidence=tuple(document.evidence(document.ids[name]) for name in "pq"))

    check = make_check(finds, {"document": False})
    verdict = run_check(check, Facts(make_artifacts(html)))

    assert evaluate(check, verdict).outcome == "failed"
