"""``pagegrade accounts``, with the quotas of accounts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from pagegrade.cli.database import opened
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.options import Format
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import (
    Account,
    Quotas,
    QuotaState,
    read_quotas,
)
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.access import choose_account
from pagegrade.service.accounts.operations import create_account, disable, enable, need_person, set_admin
from pagegrade.service.accounts.passwords import Passwords
from pagegrade.service.accounts.quotas import find_states, set_quotas
from pagegrade.service.administration import begin_erasure, erase_part
from pagegrade.service.sign_in import INVITATION_HOURS, check_new_password, link_url, make_link, store_password
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import count_admins, list_accounts, list_erasing, load_account
from pagegrade.store.repositories.search import compact_index
from pagegrade.wiring import public_origin, service_options

accounts = typer.Typer(rich_markup_mode=None)

AccountId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade accounts list` shows it.")]

NO_ADMIN = "No account administers this installation now; appoint one: pagegrade accounts admin ID\n"
ACCOUNT_COLUMNS = {"id": "ID", "name": "NAME", "email": "E-MAIL", "status": "STATUS", "created_at": "CREATED"}


@accounts.command("create")
def add_account(
    *,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Display name.")],
    email: Annotated[str, typer.Option("--email", metavar="ADDRESS", help="E-mail address of its owner.")],
    locale: Annotated[str, typer.Option("--locale", metavar="TAG", help="Language, such as pt-BR.")] = "en",
    timezone: Annotated[str, typer.Option("--timezone", metavar="ZONE", help="Such as Europe/Prague.")] = "UTC",
    invite: Annotated[
        bool, typer.Option("--invite", help="Print a one-time sign-in link for the owner instead of the id.")
    ] = False,
) -> None:
    """Create an account and print its id."""
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


@accounts.command("login-link")
def login_link(
    *,
    account_id: Annotated[
        int | None,
        typer.Option("--account", metavar="ID", help="Account of the key or link; optional if there is only one."),
    ] = None,
    hours: Annotated[
        int, typer.Option("--hours", metavar="N", min=1, max=720, help="Lifetime in hours; the link works once.")
    ] = 24,
) -> None:
    """Print a link that signs you in to the pages once, to set a password there."""
    now = now_ms()

    def make(tx: Transaction) -> tuple[Account, tuple[str, int]]:
        account = choose_account(tx, account_id, now)
        return account, make_link(tx, account.id, hours=hours, now_ms=now)

    with opened() as database:
        account, link = database.write_here(make)
        origin = public_origin(database)
    _print_link(account, link, origin)


@accounts.command("password")
def set_password(account_id: AccountId) -> None:
    """Set the password of an account: typed, or one line of stdin. All its sessions end."""
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


@accounts.command("admin")
def set_rights(
    account_id: AccountId, *, remove: Annotated[bool, typer.Option("--remove", help="Take the rights away.")] = False
) -> None:
    """Let the owner of an account administer this installation on its pages."""
    with opened() as database:
        account, _ = database.write_here(lambda tx: set_admin(tx, account_id, is_admin=not remove))
    state = "administers this installation no longer" if remove else "administers this installation"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")


@accounts.command("quotas")
def change_quotas(
    account_id: AccountId,
    *,
    plan: Annotated[
        str | None,
        typer.Option("--plan", metavar="NAME", help="One of PAGEGRADE_PLANS; none for the default one."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="QUOTA=N",
            help="A quota of the account alone, such as reports=500; repeatable. none: no limit; empty: as its plan.",
        ),
    ] = None,
    format_name: Format = "text",
) -> None:
    """Show the quotas of an account and what it has used; change them first where an option says so."""
    check_format(format_name)
    changes = changes or []
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


@accounts.command("list")
def show_accounts(format_name: Format = "text") -> None:
    """List the accounts."""
    check_format(format_name)
    with opened() as database:
        accounts = database.read_here(list_accounts)
    write_list([_account_entry(account) for account in accounts], ACCOUNT_COLUMNS, format_name)


@accounts.command("disable")
def turn_off_account(account_id: AccountId) -> None:
    """Disable an account: its keys stop working and its sessions end. Its reports stay."""
    with opened() as database:
        account, changed = database.write_here(lambda tx: disable(tx, account_id, now_ms()))
        admins = database.read_here(count_admins)
    state = "is disabled: none of its keys works any more" if changed else "was disabled before"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")
    if not admins:
        sys.stderr.write(NO_ADMIN)


@accounts.command("delete")
def erase_account(
    account_id: AccountId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,  # noqa: FBT002 - of Typer
) -> None:
    """Erase an account with its reports, keys and sessions. This cannot be undone."""
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


@accounts.command("enable")
def turn_on_account(account_id: AccountId) -> None:
    """Enable a disabled account and its keys."""
    with opened() as database:
        account, changed = database.write_here(lambda tx: enable(tx, account_id))
    state = "works again, and so do its keys" if changed else "was not disabled"
    sys.stderr.write(f"Account {account.id} ({account.name}) {state}.\n")


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


def _read_changes(changes: Sequence[str]) -> Quotas:
    pairs = [change.partition("=") for change in changes]
    if not all(sign for _, sign, _ in pairs):
        raise InvalidInput("Write a quota like reports=500.")
    try:
        return read_quotas({name: value for name, _, value in pairs})
    except ValueError as error:
        raise InvalidInput(f"{error}.") from None
