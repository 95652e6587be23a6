"""The commands that look after the database of the service: groups of them, and those that stand alone."""

from __future__ import annotations

from collections.abc import MutableMapping
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

GROUPS: Final = {
    "access-profiles": ("access_profiles", "Manage access profiles: what analyses send to own pages behind a sign-in."),
    "accounts": ("accounts", "Manage the accounts of this installation."),
    "keys": ("keys_and_members", "Manage API keys."),
    "members": ("keys_and_members", "Manage the members of an account, and invitations to become one."),
    "monitors": ("monitors", "Manage monitors: reports and audits that are made again on a schedule."),
    "webhooks": ("webhooks", "Manage webhooks: receivers of events, for programs and people."),
}
"""Name -> its module in ``cli.commands``, and its help."""


class _Group(TyperGroup):
    """Commands about one thing, which are imported when one of them or their help is asked for."""

    _commands: MutableMapping[str, Any]

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """Name -> command, in the order of their module."""
        if not self._commands:
            name = str(self.name)
            module = import_module(f"pagegrade.cli.commands.{GROUPS[name][0]}")
            self._commands = get_group(getattr(module, name.replace("-", "_"))).commands
        return self._commands

    @commands.setter
    def commands(self, commands: MutableMapping[str, Any]) -> None:
        self._commands = commands


def migrate(
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if a migration is needed, else 0.")
    ] = False,
) -> None:
    """Migrate the database to this version. Other commands and the server do it automatically."""
    from pagegrade.cli.commands.maintenance import migrate_database

    raise typer.Exit(migrate_database(check=check))


def transfer(
    *,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="URL", help="URL of the PostgreSQL database. Visible to other users of this machine."
        ),
    ] = None,
    to_file: Annotated[
        str | None, typer.Option("--to-file", metavar="FILE", help="File that contains its URL; - reads stdin.")
    ] = None,
    from_file: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="SQLite database; from the settings by default.")
    ] = None,
) -> None:
    """Copy all data from SQLite to an empty PostgreSQL database: PAGEGRADE_DATABASE_URL, or the options."""
    from pagegrade.store.engine.factory import require_postgresql

    require_postgresql()
    from pagegrade.cli.commands.transfer import transfer_database

    raise typer.Exit(transfer_database(from_file=from_file, to=to, to_file=to_file))


def prune(
    *,
    days: Annotated[
        int | None,
        typer.Option(
            "--days", metavar="N", min=1, max=36_500, help="Delete reports whose last results are older than N days."
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option("--runs", metavar="N", min=1, help="Keep the newest N runs of each report.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Delete nothing; print what would be deleted.")] = False,
    trust_clock: Annotated[
        bool,
        typer.Option(
            "--trust-clock", help="Go by the clock, even if it is far ahead of all that the database has seen."
        ),
    ] = False,
) -> None:
    """Delete expired reports and runs, by the settings or the options. The server does it automatically."""
    from pagegrade.cli.commands.maintenance import prune_database

    prune_database(days=days, runs=runs, dry_run=dry_run, trusts_clock=trust_clock)


def prove_site(
    url: Annotated[str, typer.Argument(metavar="URL", help="Start page of the site.")],
    *,
    account_id: Annotated[
        int | None, typer.Option("--account", metavar="ID", help="Whose audits; optional if there is only one account.")
    ] = None,
) -> None:
    """Show how to prove that a site is yours, and whether it is proved; 1 if it is not."""
    from pagegrade.cli.commands.prove_site import prove_site as prove

    raise typer.Exit(prove(url, account_id))


def register(app: typer.Typer) -> None:
    """Add these commands to the program."""
    for name, (_, text) in GROUPS.items():
        app.add_typer(typer.Typer(cls=_Group, no_args_is_help=True, help=text), name=name)
    app.command()(migrate)
    app.command()(prove_site)
    app.command()(prune)
    app.command()(transfer)
