"""Record what a person found of a success criterion on the page of a report, or take it back."""

from __future__ import annotations

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.manual_results import MANUAL_OUTCOMES, MAX_NOTE, ManualOutcome, ManualResult
from pagegrade.model.report import Report
from pagegrade.render.criteria import CRITERIA
from pagegrade.report.page_state import page_fingerprint
from pagegrade.report.sanitize import clean_text
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import shown_report, view_own
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import manual_results as store

_NUMBERS = frozenset(criterion.number for criterion in CRITERIA)


def record_result(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    criterion: str,
    outcome: str,
    note: str,
    evidence: str,
) -> None:
    """Store the result of a criterion, in place of the one before.

    Args:
        tx: A writing transaction.
        caller: Whose report it must be; the person or the key becomes its author.
        report_id: Any number.
        options: Of the installation.
        now_ms: The time now.
        criterion: Its number, such as ``1.4.3``.
        outcome: One of ``MANUAL_OUTCOMES``.
        note: At most ``MAX_NOTE`` characters; needed where the outcome is not ``passed``, so that readers know why.
        evidence: At most ``MAX_NOTE`` characters.

    Raises:
        NotFound: There is no such report or criterion, or the report has no results yet.
        ValidationFailed: A field cannot be used.
    """
    report = find_recordable(tx, caller, report_id, options, now_ms, criterion=criterion)
    known: dict[str, ManualOutcome] = {each: each for each in MANUAL_OUTCOMES}
    texts = {"note": clean_text(note).strip(), "evidence": clean_text(evidence).strip()}
    violations = []
    if outcome not in known:
        violations.append(Violation(field="outcome", place="body", code="required", message="Required."))
    elif outcome != "passed" and not texts["note"]:
        violations.append(Violation(field="note", place="body", code="required", message="Required."))
    violations += [
        Violation(field=name, place="body", code="too_long", message=f"Must be at most {MAX_NOTE} characters.")
        for name, text in texts.items()
        if len(text) > MAX_NOTE
    ]
    if violations:
        raise ValidationFailed(violations)
    result = ManualResult(
        criterion=criterion,
        outcome=known[outcome],
        author=caller.person.name if caller.key is None else caller.key.name,
        at_ms=now_ms,
        page_sha256=page_fingerprint(report),
        note=texts["note"],
        evidence=texts["evidence"],
    )
    store.save_result(tx, caller, report_id, result)


def remove_result(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, criterion: str
) -> None:
    """Take the result of a criterion back, if there is one; raises ``NotFound`` as ``record_result``."""
    find_recordable(tx, caller, report_id, options, now_ms, criterion=criterion)
    store.delete_result(tx, report_id, criterion, now_ms=now_ms)


def find_recordable(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, criterion: str
) -> Report:
    """Return what a report of the caller shows, of which a result of this criterion can be recorded.

    Raises:
        NotFound: There is no such report or criterion, or the report has no results yet.
    """
    viewed = view_own(tx, caller, report_id, options, now_ms)
    shown = shown_report(viewed)
    if criterion not in _NUMBERS or shown is None or shown.state != "completed":
        raise NotFound
    return shown
