"""The commands that look after accounts, keys and members: what they take, and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from pagegrade.model.account import ACCESS, DEFAULT_SCOPES, KEYS, MEMBERS

accounts = typer.Typer(no_args_is_help=True, help="Manage the accounts of this installation.")
keys = typer.Typer(no_args_is_help=True, help="Manage API keys.")

AccountId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade accounts list` shows it.")]
Format = Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text or json.")]


@accounts.command("create")
def accounts_create(
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
    from pagegrade.cli.commands.accounts import add_account

    add_account(name=name, email=email, locale=locale, timezone=timezone, invite=invite)


@accounts.command("login-link")
def accounts_login_link(
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
    from pagegrade.cli.commands.accounts import login_link

    login_link(account_id, hours)


@accounts.command("password")
def accounts_password(account_id: AccountId) -> None:
    """Set the password of an account: typed, or one line of stdin. All its sessions end."""
    from pagegrade.cli.commands.accounts import set_password

    set_password(account_id)


@accounts.command("admin")
def accounts_admin(
    account_id: AccountId, *, remove: Annotated[bool, typer.Option("--remove", help="Take the rights away.")] = False
) -> None:
    """Let the owner of an account administer this installation on its pages."""
    from pagegrade.cli.commands.accounts import set_rights

    set_rights(account_id, remove=remove)


@accounts.command("quotas")
def accounts_quotas(
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
    from pagegrade.cli.commands.accounts import change_quotas

    change_quotas(account_id, plan=plan, changes=changes or (), format_name=format_name)


@accounts.command("list")
def accounts_list(format_name: Format = "text") -> None:
    """List the accounts."""
    from pagegrade.cli.commands.accounts import show_accounts

    show_accounts(format_name)


@accounts.command("disable")
def accounts_disable(account_id: AccountId) -> None:
    """Disable an account: its keys stop working and its sessions end. Its reports stay."""
    from pagegrade.cli.commands.accounts import turn_off_account

    turn_off_account(account_id)


@accounts.command("delete")
def accounts_delete(
    account_id: AccountId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,  # noqa: FBT002 - of Typer
) -> None:
    """Erase an account with its reports, keys and sessions. This cannot be undone."""
    from pagegrade.cli.commands.accounts import erase_account

    erase_account(account_id, yes=yes)


@accounts.command("enable")
def accounts_enable(account_id: AccountId) -> None:
    """Enable a disabled account and its keys."""
    from pagegrade.cli.commands.accounts import turn_on_account

    turn_on_account(account_id)


@keys.command("create")
def keys_create(
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
    from pagegrade.cli.commands.keys_and_members import NewKey, add_key

    add_key(
        NewKey(
            name=name,
            account_id=account_id,
            scopes=None
            if scope is None
            else tuple(word for typed in scope for word in typed.replace(",", " ").split()),
            project=project,
            expires_in_days=expires_in_days,
            expires=expires,
        )
    )


@keys.command("list")
def keys_list(
    *,
    account_id: Annotated[int | None, typer.Option("--account", metavar="ID", help="Those of one account.")] = None,
    format_name: Format = "text",
) -> None:
    """List the keys, without their secrets."""
    from pagegrade.cli.commands.keys_and_members import show_keys

    show_keys(account_id, format_name)


@keys.command("revoke")
def keys_revoke(
    which: Annotated[str, typer.Argument(metavar="ID_OR_PREFIX", help="As `pagegrade keys list` shows it.")],
) -> None:
    """Revoke a key, effective with the next request."""
    from pagegrade.cli.commands.keys_and_members import turn_off_key

    turn_off_key(which)


members = typer.Typer(no_args_is_help=True, help="Manage the members of an account, and invitations to become one.")

OwnerOfTeam = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the members; optional if there is only one.")
]
PersonId = Annotated[int, typer.Argument(metavar="PERSON", help="As `pagegrade members list` shows it.")]


@members.command("list")
def members_list(*, account_id: OwnerOfTeam = None, format_name: Format = "text") -> None:
    """List the members of an account with their roles."""
    from pagegrade.cli.commands.keys_and_members import show_members

    show_members(account_id, format_name)


@members.command("invite")
def members_invite(
    *,
    label: Annotated[str, typer.Option("--for", metavar="NAME", help="Whom it is for; only the list shows it.")],
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help="viewer, editor, admin or owner: what they may do.")
    ] = "viewer",
    account_id: OwnerOfTeam = None,
) -> None:
    """Print a link that makes one person a member, once, within seven days."""
    from pagegrade.cli.commands.keys_and_members import invite

    invite(label, role, account_id)


@members.command("invitations")
def members_invitations(*, account_id: OwnerOfTeam = None, format_name: Format = "text") -> None:
    """List the invitations that can be accepted, without their links."""
    from pagegrade.cli.commands.keys_and_members import show_invitations

    show_invitations(account_id, format_name)


@members.command("withdraw")
def members_withdraw(
    invitation_id: Annotated[
        int, typer.Argument(metavar="INVITATION", help="As `pagegrade members invitations` shows it.")
    ],
    *,
    account_id: OwnerOfTeam = None,
) -> None:
    """Withdraw an invitation: its link no longer works."""
    from pagegrade.cli.commands.keys_and_members import withdraw

    withdraw(invitation_id, account_id)


@members.command("role")
def members_role(
    person_id: PersonId,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, editor, admin or owner.")],
    *,
    account_id: OwnerOfTeam = None,
) -> None:
    """Give a member another role, effective with the next request."""
    from pagegrade.cli.commands.keys_and_members import change_role

    change_role(person_id, role, account_id)


@members.command("remove")
def members_remove(person_id: PersonId, *, account_id: OwnerOfTeam = None) -> None:
    """Make a person a member no longer, effective with the next request. What they made stays."""
    from pagegrade.cli.commands.keys_and_members import remove_member

    remove_member(person_id, account_id)
