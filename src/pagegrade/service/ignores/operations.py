"""Ignore rules of an account: create, show, list, delete."""

from __future__ import annotations

from functools import partial

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.outcome import MAX_RULES, IgnoreRule, StoredIgnore
from pagegrade.model.stored import ListPart, StoredReport
from pagegrade.report.compare import FINDINGS
from pagegrade.service.accounts.access import require_project
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import decisions as store
from pagegrade.store.repositories.run_history import load_detail


def create_ignore(
    tx: Transaction, caller: Caller, rule: IgnoreRule, options: ServiceOptions, now_ms: int, *, report_id: int | None
) -> StoredIgnore:
    """Store a valid rule of the caller.

    A rule for one report without a state and a number of places of its own gets those of the finding as it is now, so
    that it comes back when it gets worse.

    Raises:
        QuotaExceeded: The account has ``MAX_RULES`` already.
        ValidationFailed: It has no report of that number.
        OtherProject: The key of the caller is limited to another project.
    """
    hold_account(tx, caller.account.id)
    if store.count_ignores(tx, caller.account.id) >= MAX_RULES:
        raise QuotaExceeded(f"An account has at most {MAX_RULES} ignore rules; delete one first.")
    if report_id is not None:
        try:
            report = find_report(tx, caller, report_id, options, now_ms)
        except NotFound:
            unknown = Violation(field="report_id", place="body", code="unknown", message="There is no such report.")
            raise ValidationFailed([unknown]) from None
        if rule.state is None and rule.places is None:
            rule = _bounded_by_finding(tx, rule, report)
    else:
        require_project(caller, rule.project)
    rule = replace(rule, author=caller.person.name)
    return store.add_ignore(tx, caller.account.id, rule, report_id=report_id, now_ms=now_ms)


def _bounded_by_finding(tx: Transaction, rule: IgnoreRule, report: StoredReport) -> IgnoreRule:
    """Return the rule with the state and the places of the finding as it is now; as it is where there is none."""
    packed = None if report.run_number is None else load_detail(tx, report.id, report.run_number)
    results = {} if packed is None else msgspec.json.decode(packed).get("results") or {}
    found = results.get(rule.check)
    if not found or found["outcome"] not in FINDINGS:
        return rule
    return replace(rule, state=found["state"], places=found["evidence_total"] or None)


def show_ignore(tx: Transaction, caller: Caller, ignore_id: int) -> StoredIgnore:
    """Return a rule of the caller.

    Raises:
        NotFound: There is no such rule.
    """
    found = store.load_ignore(tx, caller.account.id, ignore_id, project=caller.project)
    if found is None:
        raise NotFound
    return found


def list_ignores(
    tx: Transaction, caller: Caller, part: ListPart, *, check: str | None = None, report_id: int | None = None
) -> Listed[StoredIgnore]:
    """Some of the caller's rules, newest first."""
    account_id, project = caller.account.id, caller.project
    return read_part(
        partial(store.list_ignores, tx, account_id, check=check, report_id=report_id, project=project),
        lambda stored: stored.rule.id or 0,
        part,
        lambda: store.count_ignores(tx, account_id, check=check, report_id=report_id, project=project),
    )


def delete_ignore(tx: Transaction, caller: Caller, ignore_id: int) -> None:
    """Delete a rule of the caller; findings come back with the next analysis.

    Raises:
        NotFound: There is no such rule.
    """
    show_ignore(tx, caller, ignore_id)
    if not store.delete_ignore(tx, caller.account.id, ignore_id):
        raise NotFound
