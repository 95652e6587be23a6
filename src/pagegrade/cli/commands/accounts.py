"""``pagegrade accounts``, with quotas, ``pagegrade keys`` and ``pagegrade members``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, TypeVar

import msgspec
import typer

from pagegrade.cli.database import opened
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import (
    DEFAULT_SCOPES,
    Account,
    Caller,
    Invitation,
    Key,
    Quotas,
    QuotaState,
    Role,
    Teammate,
    read_quotas,
)
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts import team
from pagegrade.service.accounts.access import choose_account, issue_key, revoke
from pagegrade.service.accounts.operations import create_account, disable, enable, need_person, set_admin
from pagegrade.service.accounts.passwords import Passwords
from pagegrade.service.accounts.quotas import find_states, set_quotas
from pagegrade.service.erasure import begin_erasure, erase_part
from pagegrade.service.sign_in import INVITATION_HOURS, check_new_password, link_url, make_link, store_password
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import count_admins, list_accounts, list_erasing, load_account
from pagegrade.store.repositories.keys import list_keys
from pagegrade.store.repositories.search import compact_index
from pagegrade.wiring import public_origin, service_options

NO_ADMIN = "No account administers this installation now; appoint one: pagegrade accounts admin ID\n"
ACCOUNT_COLUMNS = {"id": "ID", "name": "NAME", "email": "E-MAIL", "status": "STATUS", "created_at": "CREATED"}
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


def add_account(*, name: str, email: str, locale: str, timezone: str, invite: bool) -> None:
    """Make an account; its id alone goes to stdout, or with an invitation the link alone."""
    now = now_ms()

    def make(tx: Transaction) -> tuple[Account, tuple[str, int] | None]:
        made = create_account(tx, name=name, email=email, locale=locale, timezone=timezone, now_ms=now)
        return made, make_link(tx, made.id, hours=INVITATION_HOURS, now_ms=now) if invite else None

    with opened() as database:
        account, link = database.write_here(make)
        origin = public_origin(database)
    sys.stderr.write(
        f"Made account {account.id} ({account.name}). It has no key yet: "
        f"pagegrade keys create --account {account.id} --name NAME\n"
    )
    if link is None:
        write_stdout(f"{account.id}\n")
    else:
        _print_link(account, link, origin)


def login_link(account_id: int | None, hours: int) -> None:
    """Make a link that signs in once; it alone goes to stdout.

    Args:
        account_id: Whose; ``None``: the only account that works.
        hours: For so long it is good.
    """
    now = now_ms()

    def make(tx: Transaction) -> tuple[Account, tuple[str, int]]:
        account = choose_account(tx, account_id, now)
        return account, make_link(tx, account.id, hours=hours, now_ms=now)

    with opened() as database:
        account, link = database.write_here(make)
        origin = public_origin(database)
    _print_link(account, link, origin)


def set_password(account_id: int) -> None:
    """Set the password of an account; it is typed, or read from stdin, and never an argument that others can see."""
    if sys.stdin.isatty():
        typed = str(typer.prompt("New password", hide_input=True, confirmation_prompt=True, err=True))
    else:
        typed = sys.stdin.readline().removesuffix("\n")
    check_new_password(typed)
    passwords = Passwords()
    try:
        hashed = run_async(passwords.hash(typed))
    finally:
        passwords.close()

    def store(tx: Transaction) -> Account:
        account = choose_account(tx, account_id, now_ms())
        need_person(account)
        store_password(tx, account.id, hashed)
        return account

    with opened() as database:
        account = database.write_here(store)
    sys.stderr.write(
        f"Account {account.id} ({account.name}) has a new password. Sign in with {account.email}. "
        "All sessions of the account have ended.\n"
    )


def set_rights(account_id: int, *, remove: bool) -> None:
    """Let the owner of an account administer the installation, or no longer; doing it again is no error."""
    with opened() as database:
        account, _ = database.write_here(lambda tx: set_admin(tx, account_id, is_admin=not remove))
    state = "administers this installation no longer" if remove else "administers this installation"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")


def show_accounts(format_name: str) -> None:
    """Write all accounts to stdout."""
    check_format(format_name)
    with opened() as database:
        accounts = database.read_here(list_accounts)
    write_list([_account_entry(account) for account in accounts], ACCOUNT_COLUMNS, format_name)


def turn_off_account(account_id: int) -> None:
    """Disable an account; doing it again is no error."""
    with opened() as database:
        account, changed = database.write_here(lambda tx: disable(tx, account_id, now_ms()))
        admins = database.read_here(count_admins)
    state = "is disabled: none of its keys works any more" if changed else "was disabled before"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")
    if not admins:
        sys.stderr.write(NO_ADMIN)


def turn_on_account(account_id: int) -> None:
    """Let an account work again; doing it again is no error."""
    with opened() as database:
        account, changed = database.write_here(lambda tx: enable(tx, account_id))
    state = "works again, and so do its keys" if changed else "was not disabled"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")


def erase_account(account_id: int, *, yes: bool) -> None:
    """Erase an account with everything of it; where an earlier call was interrupted, go on."""
    with opened() as database:
        if account_id not in database.read_here(list_erasing):
            account = database.read_here(lambda tx: load_account(tx, account_id))
            if account is None:
                raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
            if not yes:
                _confirm(account)
            database.write_here(lambda tx: begin_erasure(tx, account_id, now_ms(), by=None))
        count = 0
        while gone := database.write_here(lambda tx: erase_part(tx, account_id)):
            count += len(gone)
        is_first = True
        while database.write_here(lambda tx, is_first=is_first: compact_index(tx, is_first=is_first)):  # type: ignore[misc]
            is_first = False
        admins = database.read_here(count_admins)
    sys.stderr.write(f"Account {account_id} is erased, with {count} reports.\n")
    if not admins:
        sys.stderr.write(NO_ADMIN)


def _confirm(account: Account) -> None:
    """Ask at the terminal for the number of the account.

    Raises:
        InvalidInput: The number differs, or there is no terminal to ask at.
    """
    if not sys.stdin.isatty():
        raise InvalidInput("This erases the account with all of its reports. Add --yes to confirm it.")
    sys.stderr.write(
        f"This erases account {account.id} ({account.name}, {account.email}) with its reports, keys and sessions. "
        "It cannot be undone.\n"
    )
    if str(typer.prompt("Type the account's ID to confirm", err=True)).strip() != str(account.id):
        raise InvalidInput("That is not its ID. Nothing was erased.")


def _print_link(account: Account, link: tuple[str, int], origin: str) -> None:
    token, until_ms = link
    sys.stderr.write(
        f"This link signs in to account {account.id} ({account.name}) once, until {timestamp(until_ms)}. "
        "Anyone with the link can sign in. If the server has another URL, set PAGEGRADE_BASE_URL.\n"
    )
    write_stdout(f"{link_url(origin, token)}\n")


def _account_entry(account: Account) -> dict[str, object]:
    return {
        "id": account.id,
        "name": account.name,
        "email": account.email,
        "locale": account.locale,
        "timezone": account.timezone,
        "status": "active" if account.disabled_at_ms is None else "disabled",
        "is_admin": account.is_admin,
        "has_password": account.has_password,
        "is_personal": account.is_personal,
        "created_at": timestamp(account.created_at_ms),
        "disabled_at": timestamp(account.disabled_at_ms),
    }


QUOTA_COLUMNS = {"quota": "QUOTA", "used": "USED", "most": "AT MOST"}


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
    write_list(entries, QUOTA_COLUMNS, format_name)


def _read_changes(changes: Sequence[str]) -> Quotas:
    pairs = [change.partition("=") for change in changes]
    if not all(sign for _, sign, _ in pairs):
        raise InvalidInput("Write a quota like reports=500.")
    try:
        return read_quotas({name: value for name, _, value in pairs})
    except ValueError as error:
        raise InvalidInput(f"{error}.") from None


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
