"""``pagegrade keys`` and ``pagegrade members``: who may use an account, without what commands about accounts load."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, TypeVar

import msgspec
import typer

from pagegrade.cli.database import opened
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import (
    DEFAULT_SCOPES,
    Account,
    Caller,
    Invitation,
    Key,
    Role,
    Teammate,
)
from pagegrade.model.errors import NotFound
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts import team
from pagegrade.service.accounts.access import choose_account, issue_key, revoke
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.repositories.credentials import list_keys
from pagegrade.wiring import public_origin

KEY_COLUMNS: Final = {
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
T = TypeVar("T")
MEMBER_COLUMNS: Final = {"id": "ID", "name": "NAME", "email": "E-MAIL", "role": "ROLE", "joined_at": "MEMBER SINCE"}
INVITATION_COLUMNS: Final = {"id": "ID", "label": "FOR", "role": "ROLE", "expires_at": "WORKS UNTIL"}


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


def add_key(arguments: NewKey) -> None:
    """Make a key; its secret alone goes to stdout, so that a script can take it."""
    now = now_ms()
    expires_at_ms = _key_expiry(arguments, now)

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


def show_keys(account_id: int | None, format_name: str) -> None:
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
    write_list([_key_entry(key, accounts[key.account_id], now) for key in keys], KEY_COLUMNS, format_name)


def turn_off_key(which: str) -> None:
    """Revoke a key; doing it again is no error."""
    with opened() as database:
        key, changed = database.write_here(lambda tx: revoke(tx, which, now_ms()))
    state = "is revoked, from the next request on" if changed else "was revoked before"
    sys.stderr.write(f"Key {key.id} ({key.name}, {key.prefix}...) {state}.\n")


def _key_expiry(arguments: NewKey, now: int) -> int | None:
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


def _key_entry(key: Key, account: Account, now: int) -> dict[str, object]:
    return {
        "id": key.id,
        "account_id": key.account_id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "project": key.project,
        "made_by": key.made_by,
        "status": _key_status(key, account, now),
        "created_at": timestamp(key.created_at_ms),
        "expires_at": timestamp(key.expires_at_ms),
        "revoked_at": timestamp(key.revoked_at_ms),
        "last_used_at": timestamp(key.last_used_at_ms),
    }


def _key_status(key: Key, account: Account, now: int) -> str:
    if key.revoked_at_ms is not None:
        return "revoked"
    if account.disabled_at_ms is not None:
        return "account disabled"
    return "expired" if key.expires_at_ms is not None and key.expires_at_ms <= now else "active"


def show_members(account_id: int | None, format_name: str) -> None:
    """Write the members of an account to stdout."""
    check_format(format_name)
    _, found = _in_account(account_id, lambda tx, caller: team.find_team(tx, caller, now_ms()))
    write_list([_member_entry(each) for each in found.members], MEMBER_COLUMNS, format_name)


def show_invitations(account_id: int | None, format_name: str) -> None:
    """Write the invitations that can be accepted to stdout; never their links, of which only hashes are kept."""
    check_format(format_name)
    _, found = _in_account(account_id, lambda tx, caller: team.find_team(tx, caller, now_ms()))
    write_list([_invitation_entry(each) for each in found.invitations], INVITATION_COLUMNS, format_name)


def invite(label: str, role: str, account_id: int | None) -> None:
    """Make an invitation; its link alone goes to stdout."""
    wanted = _role_of(role)
    account, made = _in_account(
        account_id, lambda tx, caller: team.invite(tx, caller, role=wanted, label=label, now_ms=now_ms())
    )
    with opened() as database:
        origin = public_origin(database)
    sys.stderr.write(
        f"This link makes one person a member of account {account.id} ({account.name}) with the role {role}, until "
        f"{timestamp(made.invitation.expires_at_ms)}. Anyone with the link can join. If the server has another URL, "
        "set PAGEGRADE_BASE_URL.\n"
    )
    write_stdout(f"{origin}/join/{made.token}\n")


def withdraw(invitation_id: int, account_id: int | None) -> None:
    """Delete an invitation."""
    account, _ = _in_account(
        account_id,
        lambda tx, caller: team.withdraw(tx, caller, invitation_id),
        missing=f"There is no invitation {invitation_id}; `pagegrade members invitations` shows them.",
    )
    sys.stderr.write(f"Invitation {invitation_id} to account {account.id} ({account.name}) no longer works.\n")


def change_role(person_id: int, role: str, account_id: int | None) -> None:
    """Give a member another role; the same one again is no error."""
    wanted = _role_of(role)
    account, _ = _in_account(
        account_id, lambda tx, caller: team.change_role(tx, caller, person_id, wanted), missing=_no_member(person_id)
    )
    sys.stderr.write(f"Member {person_id} of account {account.id} ({account.name}) has the role {role}.\n")


def remove_member(person_id: int, account_id: int | None) -> None:
    """Make a person a member no longer."""
    account, _ = _in_account(
        account_id, lambda tx, caller: team.remove_member(tx, caller, person_id), missing=_no_member(person_id)
    )
    sys.stderr.write(f"Member {person_id} of account {account.id} ({account.name}) was removed.\n")


def _in_account(
    account_id: int | None, work: Callable[[Transaction, Caller], T], *, missing: str = ""
) -> tuple[Account, T]:
    """Run a use case alone among those of an account.

    Raises:
        NotFound: There is no such account, or with ``missing`` what the use case looked for.
    """

    def run(tx: Transaction) -> tuple[Account, T]:
        account = choose_account(tx, account_id, now_ms())
        hold_account(tx, account.id)
        try:
            return account, work(tx, Caller(account=account))
        except NotFound:
            raise NotFound(missing) from None

    with opened() as database:
        return database.write_here(run)


def _no_member(person_id: int) -> str:
    return (
        f"There is no member {person_id} whose role can change; `pagegrade members list` shows them. Whose own "
        "workspace it is stays its owner."
    )


def _role_of(name: str) -> Role:
    try:
        return Role[name.upper()]
    except KeyError:
        names = ", ".join(each.name.lower() for each in Role)
        raise typer.BadParameter(f"{name!r} is no role. Use one of {names}.") from None


def _member_entry(member: Teammate) -> dict[str, object]:
    return {
        "id": member.person.id,
        "name": member.person.name,
        "email": member.person.email,
        "role": member.role.name.lower(),
        "status": "active" if member.person.disabled_at_ms is None else "disabled",
        "joined_at": timestamp(member.joined_at_ms),
    }


def _invitation_entry(invitation: Invitation) -> dict[str, object]:
    return {
        "id": invitation.id,
        "label": invitation.label,
        "role": invitation.role.name.lower(),
        "created_at": timestamp(invitation.created_at_ms),
        "expires_at": timestamp(invitation.expires_at_ms),
    }
