"""Silences of an account: begin, show, list, end."""

from __future__ import annotations

from functools import partial

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.monitors import LONGEST_MS, MAX_REASON, MAX_SILENCES, Silence
from pagegrade.parse.url import project_of
from pagegrade.report.sanitize import clean_text
from pagegrade.service.id_lists import Listed, Part, Walked, walk
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import monitors as store
from pagegrade.store.repositories.monitors import load_monitor


def begin_silence(
    tx: Transaction,
    caller: Caller,
    now_ms: int,
    *,
    monitor_id: int | None,
    project: str,
    reason: str,
    until_ms: int | None,
) -> Silence:
    """Store a silence, which begins now.

    Args:
        tx: A writing transaction.
        caller: Whose monitor or site it is; the person or the key becomes its author.
        now_ms: The time now.
        monitor_id: Any number; ``None``: it is about a site.
        project: A host in any spelling; empty: it is about a monitor.
        reason: 1 to ``MAX_REASON`` characters.
        until_ms: At most ``LONGEST_MS`` from now.

    Raises:
        QuotaExceeded: The account has ``MAX_SILENCES`` already.
        ValidationFailed: A field cannot be used.
    """
    hold_account(tx, caller.account.id)
    violations: list[Violation] = []

    def refuse(field: str, code: str, message: str, limit: int | None = None) -> None:
        violations.append(Violation(field=field, place="body", code=code, message=message, limit=limit))

    site, why = project_of(project) if project else "", clean_text(reason).strip()
    if project and monitor_id is not None:
        refuse("project", "not_with_monitor_id", "Send monitor_id or project, not both.")
    elif project and not site:
        refuse("project", "invalid", "Must be a host, like example.com.")
    elif not project and monitor_id is None:
        refuse("monitor_id", "required", "Send monitor_id or project.")
    if monitor_id is not None and load_monitor(tx, caller.account.id, monitor_id) is None:
        refuse("monitor_id", "unknown", "There is no such monitor.")
    if not why:
        refuse("reason", "required", "Required.")
    elif len(why) > MAX_REASON:
        refuse("reason", "too_long", f"Must be at most {MAX_REASON} characters.", MAX_REASON)
    if until_ms is None:
        refuse("until", "required", "Required.")
    elif not now_ms < until_ms:
        refuse("until", "past", "Must be in the future.")
    elif until_ms > now_ms + LONGEST_MS:
        refuse("until", "too_late", "Must be at most 90 days ahead.")
    if violations or until_ms is None:
        raise ValidationFailed(violations)
    if store.count_silences(tx, caller.account.id, now_ms) >= MAX_SILENCES:
        raise QuotaExceeded(f"An account has at most {MAX_SILENCES} silences; end one first.")
    return store.add_silence(
        tx, caller, monitor_id=monitor_id, project=site, reason=why, until_ms=until_ms, now_ms=now_ms
    )


def show_silence(tx: Transaction, caller: Caller, silence_id: int, now_ms: int) -> Silence:
    """Return a silence of the caller that is not over; raises ``NotFound``."""
    found = store.load_silence(tx, caller.account.id, silence_id, now_ms)
    if found is None:
        raise NotFound
    return found


def list_silences(tx: Transaction, caller: Caller, now_ms: int, *, page: int, per_page: int) -> Listed[Silence]:
    """A page of the caller's silences that are not over, newest first."""
    found, total = store.list_silences(tx, caller.account.id, now_ms, page, per_page)
    return Listed(items=found, total=total)


def walk_silences(tx: Transaction, caller: Caller, now_ms: int, part: Part) -> Walked[Silence]:
    """Some of the caller's silences that are not over, newest first."""
    account_id = caller.account.id
    return walk(
        partial(store.walk_silences, tx, account_id, now_ms),
        lambda silence: silence.id,
        part,
        lambda: store.count_silences(tx, account_id, now_ms),
    )


def end_silence(tx: Transaction, caller: Caller, silence_id: int, now_ms: int) -> None:
    """End a silence of the caller now; raises ``NotFound`` where it is over already."""
    hold_account(tx, caller.account.id)
    show_silence(tx, caller, silence_id, now_ms)
    store.end_silence(tx, caller.account.id, silence_id, now_ms)
