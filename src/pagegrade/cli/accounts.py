"""``pagegrade accounts``."""

from __future__ import annotations

import sys

from pagegrade.cli.database import opened
from pagegrade.cli.output import write_stdout
from pagegrade.cli.tables import check_format, moment, write_list
from pagegrade.model.account import Account
from pagegrade.service.accounts import create_account, disable
from pagegrade.service.clock import now_ms
from pagegrade.store.accounts import list_accounts

COLUMNS = {"id": "ID", "name": "NAME", "email": "E-MAIL", "status": "STATUS", "created_at": "CREATED"}


def create(*, name: str, email: str, locale: str, timezone: str) -> None:
    """Make an account; its id alone goes to stdout."""
    with opened() as database:
        account = database.write_here(
            lambda tx: create_account(tx, name=name, email=email, locale=locale, timezone=timezone, now_ms=now_ms())
        )
    sys.stderr.write(
        f"Made account {account.id} ({account.name}). It has no key yet: "
        f"pagegrade keys create --account {account.id} --name NAME\n"
    )
    write_stdout(f"{account.id}\n")


def show_all(format_name: str) -> None:
    """Write all accounts to stdout."""
    check_format(format_name)
    with opened() as database:
        accounts = database.read_here(list_accounts)
    write_list([_entry(account) for account in accounts], COLUMNS, format_name)


def turn_off(account_id: int) -> None:
    """Disable an account; doing it again is no error."""
    with opened() as database:
        account, changed = database.write_here(lambda tx: disable(tx, account_id, now_ms()))
    state = "is disabled: none of its keys works any more" if changed else "was disabled before"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")


def _entry(account: Account) -> dict[str, object]:
    return {
        "id": account.id,
        "name": account.name,
        "email": account.email,
        "locale": account.locale,
        "timezone": account.timezone,
        "status": "active" if account.disabled_at_ms is None else "disabled",
        "created_at": moment(account.created_at_ms),
        "disabled_at": moment(account.disabled_at_ms),
    }
