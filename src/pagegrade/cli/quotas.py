"""``pagegrade accounts quotas``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pagegrade.cli.database import opened
from pagegrade.cli.tables import check_format, write_list
from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.quotas import Quotas, QuotaState, read_quotas
from pagegrade.service.accounts.quotas import find_states, set_quotas
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account
from pagegrade.wiring import service_options

COLUMNS = {"quota": "QUOTA", "used": "USED", "most": "AT MOST"}


def change_quotas(account_id: int, *, plan: str | None, changes: Sequence[str], format_name: str) -> None:
    """Change the plan and the quotas of an account where asked for, and write all of its quotas to stdout.

    Raises:
        InvalidInput: A change cannot be used, or there is no such plan.
        NotFound: There is no such account.
    """
    check_format(format_name)
    changed = _read_changes(changes)
    options = service_options()

    def work(tx: Transaction) -> tuple[QuotaState, ...]:
        account = load_account(tx, account_id)
        if account is None:
            raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
        if plan is not None or changes:
            cleared = {change.partition("=")[0] for change in changes}
            kept = {name: most for name, most in account.quotas.items() if name not in cleared}
            name = account.plan if plan is None else None if plan == "none" else plan
            account = set_quotas(tx, account_id, plan=name, quotas={**kept, **changed}, plans=options.plans)
        return find_states(tx, account, options, now_ms())

    with opened() as database:
        states = database.write_here(work)
    if plan is not None or changes:
        sys.stderr.write(f"Account {account_id} has other quotas now.\n")
    none = "no limit" if format_name == "text" else None
    entries = [
        {"quota": each.name, "used": each.used, "most": none if each.most is None else each.most} for each in states
    ]
    write_list(entries, COLUMNS, format_name)


def _read_changes(changes: Sequence[str]) -> Quotas:
    pairs = [change.partition("=") for change in changes]
    if not all(sign for _, sign, _ in pairs):
        raise InvalidInput("Write a quota like reports=500.")
    try:
        return read_quotas({name: value for name, _, value in pairs})
    except ValueError as error:
        raise InvalidInput(f"{error}.") from None
