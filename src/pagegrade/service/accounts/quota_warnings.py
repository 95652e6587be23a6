"""Events of quotas that are nearly used, or used up: each once in a month."""

from __future__ import annotations

from pagegrade.model.account import QuotaName, QuotaState
from pagegrade.model.webhooks import Event
from pagegrade.service.accounts.quotas import find_states
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import load_account, load_warned, save_warned
from pagegrade.store.repositories.outbox import add_event


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
