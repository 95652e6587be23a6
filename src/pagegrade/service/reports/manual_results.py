"""Record what a person found of a success criterion on the page of a report, or take it back."""

from __future__ import annotations

from pagegrade.model.account import Caller
from pagegrade.model.errors import Condition, NotFound, ValidationFailed, Violation, refuse_if_changed
from pagegrade.model.report import MANUAL_OUTCOMES, MAX_NOTE, ManualOutcome, ManualResult, Report
from pagegrade.render.criteria import CRITERIA, CriterionResult, by_criterion
from pagegrade.report.fingerprint import page_fingerprint
from pagegrade.report.sanitize import clean_text
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.views import shown_report, view_own
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import decisions as store

_NUMBERS = frozenset(criterion.number for criterion in CRITERIA)


def list_criteria(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, page: int, per_page: int
) -> Listed[CriterionResult]:
    """A page of what a report of the caller says about every criterion, by number; raises as ``find_recordable``."""
    shown = find_recordable(tx, caller, report_id, options, now_ms)
    first = (page - 1) * per_page
    return Listed(items=by_criterion(shown)[first : first + per_page], total=len(CRITERIA))


def show_criterion(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, criterion: str
) -> CriterionResult:
    """Return what a report of the caller says about a criterion; raises as ``find_recordable``."""
    return _result_of(find_recordable(tx, caller, report_id, options, now_ms, criterion=criterion), criterion)


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
    changed_tag: Condition[CriterionResult] = None,
) -> None:
    """Store the result of a criterion, in place of the one before.

    Args:
        caller: Whose report it must be; the person or the key becomes its author.
        criterion: Its number, such as ``1.4.3``.
        outcome: One of ``MANUAL_OUTCOMES``.
        note: At most ``MAX_NOTE`` characters; needed where the outcome is not ``passed``, so that readers know why.
        evidence: At most ``MAX_NOTE`` characters.

    Raises:
        NotFound: There is no such report or criterion, or the report has no results yet.
        PreconditionFailed: What the report says about the criterion has changed.
        ValidationFailed: A field cannot be used.
    """
    hold_account(tx, caller.account.id)
    report = find_recordable(tx, caller, report_id, options, now_ms, criterion=criterion)
    refuse_if_changed(_result_of(report, criterion), changed_tag)
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
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    criterion: str,
    changed_tag: Condition[CriterionResult] = None,
) -> bool:
    """Take the result of a criterion back; raises as ``record_result``.

    Returns:
        Whether there was one.
    """
    hold_account(tx, caller.account.id)
    report = find_recordable(tx, caller, report_id, options, now_ms, criterion=criterion)
    refuse_if_changed(_result_of(report, criterion), changed_tag)
    if all(each.criterion != criterion for each in report.manual):
        return False
    store.delete_result(tx, report_id, criterion, now_ms=now_ms)
    return True


def find_recordable(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    criterion: str | None = None,
) -> Report:
    """Return what a report of the caller shows, of which a result of this criterion can be recorded.

    Raises:
        NotFound: There is no such report or criterion, or the report has no results yet.
    """
    viewed = view_own(tx, caller, report_id, options, now_ms)
    shown = shown_report(viewed)
    if (criterion is not None and criterion not in _NUMBERS) or shown is None or shown.state != "completed":
        raise NotFound
    return shown


def _result_of(report: Report, number: str) -> CriterionResult:
    return next(one for one in by_criterion(report) if one.criterion.number == number)
