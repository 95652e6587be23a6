"""``pagegrade members``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final, TypeVar

import typer

from pagegrade.cli.database import opened
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Caller, Invitation, Role, Teammate
from pagegrade.model.errors import NotFound
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts import team
from pagegrade.service.accounts.access import choose_account
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.wiring import public_origin

T = TypeVar("T")
COLUMNS: Final = {"id": "ID", "name": "NAME", "email": "E-MAIL", "role": "ROLE", "joined_at": "MEMBER SINCE"}
INVITATION_COLUMNS: Final = {"id": "ID", "label": "FOR", "role": "ROLE", "expires_at": "WORKS UNTIL"}


def show_all(account_id: int | None, format_name: str) -> None:
    """Write the members of an account to stdout."""
    check_format(format_name)
    _, found = _in_account(account_id, lambda tx, caller: team.find_team(tx, caller, now_ms()))
    write_list([_entry(each) for each in found.members], COLUMNS, format_name)


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


def remove(person_id: int, account_id: int | None) -> None:
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


def _entry(member: Teammate) -> dict[str, object]:
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
