"""Quotas of accounts: what applies to each, what it has used, and the checks of what it asks for.

A check belongs to the transaction of what it allows, which holds the lock of the account: requests at the same moment
come one after the other, and each finds what those before have used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from pagegrade.model.account import (
    DEFAULT_PLAN,
    QUOTA_NAMES,
    Account,
    Caller,
    MonthUsage,
    QuotaName,
    Quotas,
    QuotaState,
    limit_of,
)
from pagegrade.model.audit import AuditFilter
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded
from pagegrade.model.webhooks import Event
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import (
    load_account,
    load_month,
    load_months,
    load_usage,
    load_warned,
    save_quotas,
    save_warned,
)
from pagegrade.store.repositories.audits import count_audits, count_pages_ahead
from pagegrade.store.repositories.monitors import count_used
from pagegrade.store.repositories.outbox import add_event

MAX_AUDITS: Final = 1_000
"""Audits of an account that has no other quota."""
MB: Final = 1_000_000
MINUTE_MS: Final = 60_000
PLAN: Final = "plan"


def quotas_of(account: Account, options: ServiceOptions) -> Quotas:
    """Return the quotas that apply to an account: its own, then those of its plan, then those of the installation."""
    installation: dict[QuotaName, int] = {"monitors": options.max_monitors, "audits": MAX_AUDITS}
    if options.max_reports is not None:
        installation["reports"] = options.max_reports
    plan = dict(options.plans).get(account.plan or DEFAULT_PLAN, {})
    return {**installation, **plan, **account.quotas}


def find_states(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int) -> tuple[QuotaState, ...]:
    """Return all quotas of an account, in the order of ``QUOTA_NAMES``, with what it has used of each."""
    quotas = quotas_of(account, options)
    usage, month = load_usage(tx, account.id, now_ms), load_month(tx, account.id, now_ms)
    used: dict[QuotaName, int] = {
        "reports": usage.reports,
        "analyses_per_month": month.analyses,
        "browser_minutes_per_month": month.browser_ms // MINUTE_MS,
        "monitors": count_used(tx, account.id),
        "audits": count_audits(tx, account.id, AuditFilter()),
        "audit_pages_per_month": month.audit_pages + count_pages_ahead(tx, account.id),
        "stored_mb": usage.stored_bytes // MB,
    }
    return tuple(QuotaState(name=name, used=used[name], most=limit_of(quotas, name)) for name in QUOTA_NAMES)


def find_quotas(
    tx: Transaction, caller: Caller, options: ServiceOptions, now_ms: int, *, account_id: int | None = None
) -> tuple[tuple[QuotaState, ...], tuple[MonthUsage, ...]]:
    """Return the quotas of the open account, or of another one, and what it used in its last months.

    Raises:
        NotFound: There is no such account.
    """
    account = caller.account if account_id is None else load_account(tx, account_id)
    if account is None:
        raise NotFound
    return find_states(tx, account, options, now_ms), load_months(tx, account.id)


def check_analyses(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int, *, wanted: int) -> None:
    """Check that the account may ask for so many more analyses now.

    Raises:
        QuotaExceeded: It would have asked for too many in this month, or it keeps as much data as it may.
    """
    quotas = quotas_of(account, options)
    most = limit_of(quotas, "analyses_per_month")
    if most is not None and load_month(tx, account.id, now_ms).analyses + wanted > most:
        raise QuotaExceeded(
            f"The account may have {most} analyses in a month (UTC), and this would be more.",
            quota="analyses_per_month",
        )
    most = limit_of(quotas, "stored_mb")
    if most is not None and load_usage(tx, account.id, now_ms).stored_bytes >= most * MB:
        raise QuotaExceeded(
            f"The account may keep {most} MB of results and keeps them; delete reports first.", quota="stored_mb"
        )


def has_browser_time(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int) -> bool:
    """Return whether a browser may still draw pages for the account in this month."""
    most = limit_of(quotas_of(account, options), "browser_minutes_per_month")
    return most is None or load_month(tx, account.id, now_ms).browser_ms < most * MINUTE_MS


def check_browser_time(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int) -> None:
    """Check that a browser may draw a page for the account; raises ``QuotaExceeded`` where it may not."""
    if not has_browser_time(tx, account, options, now_ms):
        raise QuotaExceeded(
            "The account has used its minutes of the browser for this month (UTC); analyze without one.",
            quota="browser_minutes_per_month",
        )


def check_count(account: Account, options: ServiceOptions, name: QuotaName, *, used: int, wanted: int = 1) -> None:
    """Check that the account may have so many more of something.

    Raises:
        QuotaExceeded: It would have more than it may.
    """
    most = limit_of(quotas_of(account, options), name)
    if most is not None and used + wanted > most:
        raise QuotaExceeded(f"The account may have {most} {name} and has them; delete one first.", quota=name)


def pages_left(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int) -> int | None:
    """Return how many pages crawls may still fetch in this month, without those that unfinished ones may.

    Returns:
        ``None``: as many as it likes.

    Raises:
        QuotaExceeded: There are none.
    """
    most = limit_of(quotas_of(account, options), "audit_pages_per_month")
    if most is None:
        return None
    left = most - load_month(tx, account.id, now_ms).audit_pages - count_pages_ahead(tx, account.id)
    if left < 1:
        raise QuotaExceeded(
            f"The account may have {most} pages of audits fetched in a month (UTC), and has or is about to.",
            quota="audit_pages_per_month",
        )
    return left


def set_quotas(
    tx: Transaction, account_id: int, *, plan: str | None, quotas: Quotas, plans: Sequence[tuple[str, Quotas]]
) -> Account:
    """Give an account a plan and quotas of its own.

    Args:
        plan: One of ``plans``; ``None``: the default one.
        quotas: Of its own, which apply before those of the plan.

    Raises:
        InvalidInput: There is no such plan.
        NotFound: There is no such account.
    """
    hold_account(tx, account_id)
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
    if plan is not None and plan not in dict(plans):
        names = ", ".join(name for name, _ in plans) or "none: PAGEGRADE_PLANS is not set"
        raise InvalidInput(f"There is no plan {plan!r}. Plans: {names}.", reason=PLAN)
    save_quotas(tx, account_id, plan=plan, quotas=quotas)
    return replace(account, plan=plan, quotas=quotas)


def find_low(tx: Transaction, account_id: int, options: ServiceOptions, now_ms: int) -> tuple[QuotaState, ...]:
    """Return the quotas of which more was used than the account was told in this month."""
    account = load_account(tx, account_id)
    if account is None:
        return ()
    told = load_warned(tx, account_id, now_ms)
    return tuple(
        state for state in find_states(tx, account, options, now_ms) if state.warning > told.get(state.name, 0)
    )


def warn_of_quotas(tx: Transaction, account_id: int, options: ServiceOptions, now_ms: int) -> int:
    """Add an event for each quota of ``find_low``; return their number."""
    hold_account(tx, account_id)
    found = find_low(tx, account_id, options, now_ms)
    told: dict[QuotaName, int] = {}
    for state in found:
        data = {"quota": {"name": state.name, "used": state.used, "limit": state.most, "percent": state.warning}}
        if add_event(tx, Event("quota.low", account_id, "", None, None, now_ms, data)):
            told[state.name] = state.warning
    if told:
        save_warned(tx, account_id, {**load_warned(tx, account_id, now_ms), **told}, now_ms)
    return len(told)
