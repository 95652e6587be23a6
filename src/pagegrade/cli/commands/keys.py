"""``pagegrade keys``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import msgspec
import typer

from pagegrade.cli.database import opened
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import DEFAULT_SCOPES, Account, Key
from pagegrade.model.errors import NotFound
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.access import choose_account, issue_key, revoke
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.repositories.keys import list_keys

COLUMNS: Final = {
    "id": "ID",
    "account_id": "ACCOUNT",
    "name": "NAME",
    "prefix": "BEGINS WITH",
    "status": "STATUS",
    "last_used_at": "LAST USED",
    "expires_at": "EXPIRES",
    "made_by": "MADE BY KEY",
    "scopes": "SCOPES",
    "project": "PROJECT",
}
DAY_MS: Final = 86_400_000


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of ``keys create``."""

    name: str
    account_id: int | None = None
    """``None``: the only account there is."""
    scopes: tuple[str, ...] | None = None
    """``None``: those of ``DEFAULT_SCOPES``."""
    project: str | None = None
    """Host, or a URL of it; ``None``: all projects."""
    expires_in_days: int | None = None
    expires: str | None = None
    """A day, or a time with its offset."""


def create(arguments: NewKey) -> None:
    """Make a key; its secret alone goes to stdout, so that a script can take it."""
    now = now_ms()
    expires_at_ms = _expiry(arguments, now)

    def make(tx: Transaction) -> tuple[Account, Key, str]:
        account = choose_account(tx, arguments.account_id, now)
        key, secret = issue_key(
            tx,
            account.id,
            name=arguments.name,
            scopes=DEFAULT_SCOPES if arguments.scopes is None else arguments.scopes,
            project=arguments.project,
            expires_at_ms=expires_at_ms,
            now_ms=now,
        )
        return account, key, secret

    with opened() as database:
        account, key, secret = database.write_here(make)
    until = "does not expire" if key.expires_at_ms is None else f"expires at {timestamp(key.expires_at_ms)}"
    sys.stderr.write(
        f"Made key {key.id} ({key.name}) of account {account.id} ({account.name}). It {until} and may do: "
        f"{', '.join(key.scopes)}{f', for the project {key.project} only' if key.project else ''}.\n"
        "It is shown this one time; only a hash of it is kept.\n"
    )
    write_stdout(f"{secret}\n")


def show_all(account_id: int | None, format_name: str) -> None:
    """Write the keys of an account, or of all, to stdout; never a secret."""
    check_format(format_name)
    now = now_ms()

    def load(tx: Transaction) -> tuple[Mapping[int, Account], Sequence[Key]]:
        accounts = {account.id: account for account in list_accounts(tx)}
        if account_id is not None and account_id not in accounts:
            raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
        return accounts, list_keys(tx, account_id)

    with opened() as database:
        accounts, keys = database.read_here(load)
    write_list([_entry(key, accounts[key.account_id], now) for key in keys], COLUMNS, format_name)


def turn_off(which: str) -> None:
    """Revoke a key; doing it again is no error."""
    with opened() as database:
        key, changed = database.write_here(lambda tx: revoke(tx, which, now_ms()))
    state = "is revoked, from the next request on" if changed else "was revoked before"
    sys.stderr.write(f"Key {key.id} ({key.name}, {key.prefix}...) {state}.\n")


def _expiry(arguments: NewKey, now: int) -> int | None:
    if arguments.expires_in_days is not None and arguments.expires is not None:
        raise typer.BadParameter("Give --expires-in-days or --expires, not both.", param_hint="'--expires'")
    if arguments.expires_in_days is not None:
        return now + arguments.expires_in_days * DAY_MS
    if arguments.expires is None:
        return None
    problem = typer.BadParameter(
        f"{arguments.expires!r} is no time. Write a day like 2027-01-31 (the last one, in UTC) or a time with its "
        "offset like 2027-01-31T12:00:00Z.",
        param_hint="'--expires'",
    )
    try:
        # A day means until its end: who writes the last day of a month wants the key to work on it.
        if len(arguments.expires) == len("2027-01-31"):
            end = datetime.combine(date.fromisoformat(arguments.expires), time.min, UTC) + timedelta(days=1)
        else:
            end = datetime.fromisoformat(arguments.expires)
    except (ValueError, OverflowError):
        raise problem from None
    if end.tzinfo is None:
        raise problem
    return int(end.timestamp() * 1000)


def _entry(key: Key, account: Account, now: int) -> dict[str, object]:
    return {
        "id": key.id,
        "account_id": key.account_id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "project": key.project,
        "made_by": key.made_by,
        "status": _status(key, account, now),
        "created_at": timestamp(key.created_at_ms),
        "expires_at": timestamp(key.expires_at_ms),
        "revoked_at": timestamp(key.revoked_at_ms),
        "last_used_at": timestamp(key.last_used_at_ms),
    }


def _status(key: Key, account: Account, now: int) -> str:
    if key.revoked_at_ms is not None:
        return "revoked"
    if account.disabled_at_ms is not None:
        return "account disabled"
    return "expired" if key.expires_at_ms is not None and key.expires_at_ms <= now else "active"
