"""The commands that look after the database of the service: what they take, and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from pagegrade.cli.account_commands import Format, accounts, keys, members
from pagegrade.model.monitors import Remind
from pagegrade.model.webhooks import KINDS

monitors = typer.Typer(
    no_args_is_help=True, help="Manage monitors: reports and audits that are made again on a schedule."
)

MonitorId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade monitors list` shows it.")]
Reminder = Annotated[
    Remind | None,
    typer.Option("--remind", help="How often it is said again that the page is still bad. never by default."),
]
OfAccount = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the monitor; optional if there is only one.")
]
Schedule = Annotated[
    str | None,
    typer.Option(
        "--schedule",
        metavar="SCHEDULE",
        help="hourly, daily, weekly, monthly or five fields of cron. daily by default, of an audit weekly.",
    ),
]
Zone = Annotated[
    str | None,
    typer.Option("--timezone", metavar="ZONE", help="Such as Europe/Prague. That of the account by default."),
]
Budgets = Annotated[
    list[str] | None,
    typer.Option("--budget", metavar="CONDITION", help="Breached when it holds, such as 'score<80 for 2'; repeatable."),
]


@monitors.command("list")
def monitors_list(*, account_id: OfAccount = None, format_name: Format = "text") -> None:
    """List the monitors of an account with the budgets that are breached."""
    from pagegrade.cli.commands.monitors import show_all

    show_all(account_id, format_name)


@monitors.command("create")
def monitors_create(
    report_id: Annotated[int | None, typer.Argument(metavar="[REPORT]", help="Number of the report.")] = None,
    *,
    audit_id: Annotated[
        int | None, typer.Option("--audit", metavar="AUDIT", help="Number of an audit, in place of a report.")
    ] = None,
    site: Annotated[
        str | None, typer.Option("--site", metavar="HOST", help="All pages of a site that there are reports of.")
    ] = None,
    sitemap: Annotated[str | None, typer.Option("--sitemap", metavar="URL", help="The pages of a sitemap.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="All pages of the sites with a tag.")] = None,
    schedule: Schedule = None,
    timezone: Zone = None,
    budget: Budgets = None,
    remind: Reminder = None,
    account_id: OfAccount = None,
) -> None:
    """Create a monitor for a report, an audit or many pages and print its id."""
    from pagegrade.cli.commands.monitors import create, read_change

    changed = read_change(
        of_audit=audit_id is not None, schedule=schedule, timezone=timezone, budgets=budget, remind=remind
    )
    create(report_id, audit_id, changed, account_id, {"project": site, "sitemap": sitemap, "tag": tag})


@monitors.command("change")
def monitors_change(
    monitor_id: MonitorId,
    *,
    schedule: Schedule = None,
    timezone: Zone = None,
    budget: Budgets = None,
    remind: Reminder = None,
    account_id: OfAccount = None,
) -> None:
    """Change the schedule, the time zone, all budgets, or the reminder of a monitor."""
    from pagegrade.cli.commands.monitors import change

    change(monitor_id, account_id, schedule=schedule, timezone=timezone, budgets=budget or None, remind=remind)


@monitors.command("pause")
def monitors_pause(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Pause a monitor."""
    from pagegrade.cli.commands.monitors import change

    change(monitor_id, account_id, paused=True)


@monitors.command("resume")
def monitors_resume(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Resume a monitor; a run that was due meanwhile follows at once."""
    from pagegrade.cli.commands.monitors import change

    change(monitor_id, account_id, paused=False)


@monitors.command("delete")
def monitors_delete(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Delete a monitor; its report or audit stays."""
    from pagegrade.cli.commands.monitors import delete

    delete(monitor_id, account_id)


@monitors.command("silence")
def monitors_silence(
    monitor_id: Annotated[int | None, typer.Argument(metavar="[ID]", help="Number of the monitor.")] = None,
    *,
    project: Annotated[
        str | None, typer.Option("--site", metavar="HOST", help="A site, in place of a monitor.")
    ] = None,
    hours: Annotated[float, typer.Option("--hours", min=0.01, max=2160, help="How long.")] = 8,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Shown in the list of silences.")],
    account_id: OfAccount = None,
) -> None:
    """Let nobody get messages about a monitor or a site for a while and print the id of the silence."""
    from pagegrade.cli.commands.monitors import silence

    silence(monitor_id, project, account_id, reason=reason, hours=hours)


@monitors.command("silences")
def monitors_silences(*, account_id: OfAccount = None, format_name: Format = "text") -> None:
    """List the silences of an account that are not over."""
    from pagegrade.cli.commands.monitors import show_silences

    show_silences(account_id, format_name)


@monitors.command("unsilence")
def monitors_unsilence(
    silence_id: Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade monitors silences` shows it.")],
    *,
    account_id: OfAccount = None,
) -> None:
    """End a silence now."""
    from pagegrade.cli.commands.monitors import end

    end(silence_id, account_id)


webhooks = typer.Typer(no_args_is_help=True, help="Manage webhooks: receivers of events, for programs and people.")

WebhookId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade webhooks list` shows it.")]
OwnerOfWebhook = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the webhook; optional if there is only one.")
]
Events = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="TYPE", help="Type of event to send, such as report.failed; repeatable."),
]
ProjectOfEvents = Annotated[
    str | None, typer.Option("--project", metavar="HOST", help="Only events of reports of this host.")
]


@webhooks.command("list")
def webhooks_list(*, account_id: OwnerOfWebhook = None, format_name: Format = "text") -> None:
    """List the webhooks of an account, without their secrets."""
    from pagegrade.cli.commands.webhooks import show_all

    show_all(account_id, format_name)


@webhooks.command("create")
def webhooks_create(
    url: Annotated[str, typer.Argument(metavar="URL", help="Receiver; for the kind email an address.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help=f"{', '.join(KINDS)}; without it webhook."),
    ] = None,
    event: Events = None,
    project: ProjectOfEvents = None,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Create a webhook and print its id and its secret."""
    from pagegrade.cli.commands.webhooks import create

    create(url, kind=kind, events=event, project=project, account_id=account_id)


@webhooks.command("change")
def webhooks_change(
    webhook_id: WebhookId,
    *,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="Another receiver.")] = None,
    event: Events = None,
    project: ProjectOfEvents = None,
    disabled: Annotated[
        bool | None, typer.Option("--disable/--enable", help="Send nothing, or send again what waits.")
    ] = None,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Change the receiver, the project or all events of a webhook; disable or enable it."""
    from pagegrade.cli.commands.webhooks import change

    change(webhook_id, url=url, events=event or None, project=project, disabled=disabled, account_id=account_id)


@webhooks.command("rotate")
def webhooks_rotate(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Give a webhook a new secret and print it; the previous one signs for 24 hours more."""
    from pagegrade.cli.commands.webhooks import rotate

    rotate(webhook_id, account_id)


@webhooks.command("test")
def webhooks_test(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Send a test event and print the id of its delivery."""
    from pagegrade.cli.commands.webhooks import send_test

    send_test(webhook_id, account_id)


@webhooks.command("deliveries")
def webhooks_deliveries(
    webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None, format_name: Format = "text"
) -> None:
    """List the newest deliveries to a webhook."""
    from pagegrade.cli.commands.webhooks import show_deliveries

    show_deliveries(webhook_id, account_id, format_name)


@webhooks.command("retry")
def webhooks_retry(
    webhook_id: WebhookId,
    delivery_id: Annotated[
        int, typer.Argument(metavar="DELIVERY", help="As `pagegrade webhooks deliveries` shows it.")
    ],
    *,
    account_id: OwnerOfWebhook = None,
) -> None:
    """Send a delivery again."""
    from pagegrade.cli.commands.webhooks import retry

    retry(webhook_id, delivery_id, account_id)


@webhooks.command("delete")
def webhooks_delete(webhook_id: WebhookId, *, account_id: OwnerOfWebhook = None) -> None:
    """Delete a webhook with the log of its deliveries."""
    from pagegrade.cli.commands.webhooks import delete

    delete(webhook_id, account_id)


access_profiles = typer.Typer(
    no_args_is_help=True, help="Manage access profiles: what analyses send to own pages behind a sign-in."
)

ProfileId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade access-profiles list` shows it.")]
OwnerOfProfile = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the profile; optional if there is only one.")
]
ProfileName = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name that reports show.")]
Origins = Annotated[
    list[str] | None,
    typer.Option("--origin", metavar="ORIGIN", help="Such as https://staging.example; sent nowhere else. Repeatable."),
]
User = Annotated[
    str | None,
    typer.Option("--user", "-u", metavar="NAME[:PASSWORD]", help="Basic authentication; @FILE reads it from a file."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", "-H", metavar="'Name: value'", help="@FILE has one a line. Repeatable."),
]
Cookies = Annotated[
    list[str] | None, typer.Option("--cookie", "-b", metavar="'a=b; c=d'", help="Or @FILE. Repeatable.")
]
Query = Annotated[
    list[str] | None,
    typer.Option("--query", metavar="name=value", help="Parameter that is added to URLs, or @FILE. Repeatable."),
]
UserAgent = Annotated[
    str | None, typer.Option("--user-agent", "-A", metavar="TEXT", help="Instead of Pagegrade's own.")
]
Authorities = Annotated[
    str | None,
    typer.Option("--cacert", metavar="FILE", help="Certificates (PEM) to trust, too: of your own authority or server."),
]


@access_profiles.command("list")
def access_profiles_list(*, account_id: OwnerOfProfile = None, format_name: Format = "text") -> None:
    """List the access profiles of an account, without their secrets."""
    from pagegrade.cli.commands.access_profiles import show_all

    show_all(account_id, format_name)


@access_profiles.command("create")
def access_profiles_create(
    *,
    name: ProfileName = None,
    origin: Origins = None,
    user: User = None,
    header: Headers = None,
    cookie: Cookies = None,
    query: Query = None,
    user_agent: UserAgent = None,
    cacert: Authorities = None,
    account_id: OwnerOfProfile = None,
) -> None:
    """Create an access profile and print its id; analyses of its origins use it from now on."""
    from pagegrade.cli.commands.access_profiles import TypedProfile, create

    typed = TypedProfile(
        name=name,
        origins=tuple(origin or ()),
        user=user,
        headers=tuple(header or ()),
        cookies=tuple(cookie or ()),
        query=tuple(query or ()),
        user_agent=user_agent,
        cacert=cacert,
    )
    create(typed, account_id)


@access_profiles.command("change")
def access_profiles_change(
    profile_id: ProfileId,
    *,
    name: ProfileName = None,
    origin: Origins = None,
    user: User = None,
    header: Headers = None,
    cookie: Cookies = None,
    query: Query = None,
    user_agent: UserAgent = None,
    cacert: Authorities = None,
    account_id: OwnerOfProfile = None,
) -> None:
    """Change an access profile: all origins, all headers, all cookies or all parameters, or one of the others."""
    from pagegrade.cli.commands.access_profiles import TypedProfile, change

    typed = TypedProfile(
        name=name,
        origins=tuple(origin or ()),
        user=user,
        headers=tuple(header or ()),
        cookies=tuple(cookie or ()),
        query=tuple(query or ()),
        user_agent=user_agent,
        cacert=cacert,
    )
    change(profile_id, typed, account_id)


@access_profiles.command("delete")
def access_profiles_delete(profile_id: ProfileId, *, account_id: OwnerOfProfile = None) -> None:
    """Delete an access profile; its reports are analyzed without it from now on."""
    from pagegrade.cli.commands.access_profiles import delete

    delete(profile_id, account_id)


@access_profiles.command("rotate")
def access_profiles_rotate() -> None:
    """Encrypt the secrets of all accounts with the first key of PAGEGRADE_SECRET_KEY, so that others can go."""
    from pagegrade.cli.commands.access_profiles import rotate

    raise typer.Exit(rotate())


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
    app.add_typer(access_profiles, name="access-profiles")
    app.add_typer(accounts, name="accounts")
    app.add_typer(keys, name="keys")
    app.add_typer(members, name="members")
    app.add_typer(monitors, name="monitors")
    app.add_typer(webhooks, name="webhooks")
    app.command()(migrate)
    app.command()(prove_site)
    app.command()(prune)
    app.command()(transfer)
