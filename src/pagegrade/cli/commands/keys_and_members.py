"""``pagegrade keys`` and ``pagegrade members``: who may use an account, without what commands about accounts load."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final, TypeVar

import typer

from pagegrade.cli.database import in_account, opened
from pagegrade.cli.options import Format
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import (
    ACCESS,
    DEFAULT_SCOPES,
    KEYS,
    MEMBERS,
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

keys = typer.Typer(rich_markup_mode=None)
members = typer.Typer(rich_markup_mode=None)

OwnerOfTeam = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the members; optional if there is only one.")
]
PersonId = Annotated[int, typer.Argument(metavar="PERSON", help="As `pagegrade members list` shows it.")]

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


@keys.command("create")
def create_key(
    *,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Purpose of the key.")],
    account_id: Annotated[
        int | None,
        typer.Option("--account", metavar="ID", help="Account of the key or link; optional if there is only one."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            "--scopes",
            metavar="SCOPE",
            help=f"{', '.join(DEFAULT_SCOPES)}; repeatable, or with commas. All of these by default, and not "
            f"{KEYS}, which lets the key make and revoke keys through the API, {ACCESS}, with which it shows and "
            f"changes access profiles, nor {MEMBERS}, with which it invites and removes members as an owner does.",
        ),
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="HOST", help="Limit the key to the reports of one host.")
    ] = None,
    expires_in_days: Annotated[
        int | None, typer.Option("--expires-in-days", metavar="N", min=1, max=36_500, help="Lifetime in days.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="DATE", help="Last day of validity (UTC), such as 2027-01-31.")
    ] = None,
) -> None:
    """Create a key and print its secret, which is shown only once: KEY=$(pagegrade keys create --name ci)."""
    now = now_ms()
    expires_at_ms = _key_expiry(expires_in_days, expires, now)

    def make(tx: Transaction) -> tuple[Account, Key, str]:
        account = choose_account(tx, account_id, now)
        key, secret = issue_key(
            tx,
            account.id,
            name=name,
            scopes=DEFAULT_SCOPES if scope is None else tuple(" ".join(scope).replace(",", " ").split()),
            project=project,
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


@keys.command("list")
def show_keys(
    *,
    account_id: Annotated[int | None, typer.Option("--account", metavar="ID", help="Those of one account.")] = None,
    format_name: Format = "text",
) -> None:
    """List the keys, without their secrets."""
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


@keys.command("revoke")
def turn_off_key(
    which: Annotated[str, typer.Argument(metavar="ID_OR_PREFIX", help="As `pagegrade keys list` shows it.")],
) -> None:
    """Revoke a key, effective with the next request."""
    with opened() as database:
        key, changed = database.write_here(lambda tx: revoke(tx, which, now_ms()))
    state = "is revoked, from the next request on" if changed else "was revoked before"
    sys.stderr.write(f"Key {key.id} ({key.name}, {key.prefix}...) {state}.\n")


@members.command("list")
def show_members(*, account_id: OwnerOfTeam = None, format_name: Format = "text") -> None:
    """List the members of an account with their roles."""
    check_format(format_name)
    _, found = _in_account(account_id, lambda tx, caller: team.find_team(tx, caller, now_ms()))
    write_list([_member_entry(each) for each in found.members], MEMBER_COLUMNS, format_name)


@members.command("invite")
def invite(
    *,
    label: Annotated[str, typer.Option("--for", metavar="NAME", help="Whom it is for; only the list shows it.")],
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="viewer, editor, admin or owner: what they may do.")
    ] = "viewer",
    account_id: OwnerOfTeam = None,
) -> None:
    """Print a link that makes one person a member, once, within seven days."""
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


@members.command("invitations")
def show_invitations(*, account_id: OwnerOfTeam = None, format_name: Format = "text") -> None:
    """List the invitations that can be accepted, without their links."""
    check_format(format_name)
    _, found = _in_account(account_id, lambda tx, caller: team.find_team(tx, caller, now_ms()))
    write_list([_invitation_entry(each) for each in found.invitations], INVITATION_COLUMNS, format_name)


@members.command("withdraw")
def withdraw(
    invitation_id: Annotated[
        int, typer.Argument(metavar="INVITATION", help="As `pagegrade members invitations` shows it.")
    ],
    *,
    account_id: OwnerOfTeam = None,
) -> None:
    """Withdraw an invitation: its link no longer works."""
    account, _ = _in_account(
        account_id,
        lambda tx, caller: team.withdraw(tx, caller, invitation_id),
        missing=f"There is no invitation {invitation_id}; `pagegrade members invitations` shows them.",
    )
    sys.stderr.write(f"Invitation {invitation_id} to account {account.id} ({account.name}) no longer works.\n")


@members.command("role")
def change_role(
    person_id: PersonId,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, editor, admin or owner.")],
    *,
    account_id: OwnerOfTeam = None,
) -> None:
    """Give a member another role, effective with the next request."""
    wanted = _role_of(role)
    account, _ = _in_account(
        account_id, lambda tx, caller: team.change_role(tx, caller, person_id, wanted), missing=_no_member(person_id)
    )
    sys.stderr.write(f"Member {person_id} of account {account.id} ({account.name}) has the role {role}.\n")


@members.command("remove")
def remove_member(person_id: PersonId, *, account_id: OwnerOfTeam = None) -> None:
    """Make a person a member no longer, effective with the next request. What they made stays."""
    account, _ = _in_account(
        account_id, lambda tx, caller: team.remove_member(tx, caller, person_id), missing=_no_member(person_id)
    )
    sys.stderr.write(f"Member {person_id} of account {account.id} ({account.name}) was removed.\n")


def _key_expiry(expires_in_days: int | None, expires: str | None, now: int) -> int | None:
    if expires_in_days is not None and expires is not None:
        raise typer.BadParameter("Give --expires-in-days or --expires, not both.", param_hint="'--expires'")
    if expires_in_days is not None:
        return now + expires_in_days * DAY_MS
    if expires is None:
        return None
    problem = typer.BadParameter(
        f"{expires!r} is no time. Write a day like 2027-01-31 (the last one, in UTC) or a time with its "
        "offset like 2027-01-31T12:00:00Z.",
        param_hint="'--expires'",
    )
    try:
        # A day means until its end: who writes the last day of a month wants the key to work on it.
        if len(expires) == len("2027-01-31"):
            end = datetime.combine(date.fromisoformat(expires), time.min, UTC) + timedelta(days=1)
        else:
            end = datetime.fromisoformat(expires)
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


def _in_account(
    account_id: int | None, work: Callable[[Transaction, Caller], T], *, missing: str = ""
) -> tuple[Account, T]:
    """Run a use case alone among those of an account.

    Raises:
        NotFound: There is no such account, or with ``missing`` what the use case looked for.
    """

    def alone(tx: Transaction, caller: Caller) -> tuple[Account, T]:
        hold_account(tx, caller.account.id)
        return caller.account, work(tx, caller)

    return in_account(account_id, alone, missing=missing)


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
