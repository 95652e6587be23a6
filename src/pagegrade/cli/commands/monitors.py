"""``pagegrade monitors``, with the silences about them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from pagegrade.cli.database import in_account
from pagegrade.cli.options import Format
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound, ValidationFailed, Violation
from pagegrade.model.monitors import Monitor, Remind, Silence
from pagegrade.model.stored import ListPart
from pagegrade.report.serialize import timestamp
from pagegrade.service.monitors import operations as service
from pagegrade.service.monitors.operations import (
    MonitorChange,
    begin_silence,
    end_silence,
    list_silences,
    read_budgets,
    read_page_set,
    read_schedule,
    read_timezone,
)
from pagegrade.store.engine.database import Transaction
from pagegrade.wiring import service_options

monitors = typer.Typer(rich_markup_mode=None)

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
Reminder = Annotated[
    Remind | None,
    typer.Option("--remind", help="How often it is said again that the page is still bad. never by default."),
]
MonitorId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade monitors list` shows it.")]

LISTED: Final = 100_000
"""Monitors of one list, at most."""
COLUMNS: Final = {
    "id": "ID",
    "report_id": "REPORT",
    "audit_id": "AUDIT",
    "schedule": "SCHEDULE",
    "timezone": "ZONE",
    "status": "STATUS",
    "next_run_at": "NEXT RUN",
    "breached": "BREACHED",
    "pages": "PAGES",
}
SILENCE_COLUMNS: Final = {
    "id": "ID",
    "monitor_id": "MONITOR",
    "project": "SITE",
    "until": "UNTIL",
    "author": "AUTHOR",
    "reason": "REASON",
}
HOUR_MS: Final = 3_600_000
_SILENCE_FIELDS: Final = {
    ("monitor_id", "required"): "Name either a monitor or --site and a host.",
    ("project", "not_with_monitor_id"): "Name either a monitor or --site and a host.",
    ("reason", "required"): "Give a reason: --reason 'Move to another server'.",
    ("until", "past"): "--hours must be more than 0.",
    ("until", "too_late"): "A silence lasts at most 90 days.",
}
"""(Field, code) of a silence -> message about the arguments."""


def _read_change(
    *,
    of_audit: bool,
    schedule: str | None = None,
    timezone: str | None = None,
    budgets: Sequence[str] | None = None,
    paused: bool | None = None,
    remind: Remind | None = None,
) -> MonitorChange:
    """Read the members of a monitor of a report or an audit from arguments.

    Raises:
        InvalidInput: One cannot be used.
    """
    violations: list[Violation] = []
    change = MonitorChange(
        schedule=None if schedule is None else read_schedule(schedule, violations),
        timezone=None if timezone is None else read_timezone(timezone, violations),
        budgets=None if budgets is None else read_budgets(budgets, violations, of_audit=of_audit),
        paused=paused,
        remind=remind,
    )
    if violations:
        raise InvalidInput(violations[0].message)
    return change


def _change(monitor_id: int, account_id: int | None, **changed: Any) -> None:
    """Change a monitor; ``changed`` are arguments of ``_read_change``."""

    def work(tx: Transaction, caller: Caller) -> Monitor:
        is_of_audit = service.show_monitor(tx, caller, monitor_id).audit_id is not None
        return service.update_monitor(tx, caller, monitor_id, _read_change(of_audit=is_of_audit, **changed), now_ms())

    monitor = in_account(account_id, work, missing=_no_monitor(monitor_id))
    due = "paused" if monitor.next_run_at_ms is None else f"due next at {timestamp(monitor.next_run_at_ms)}"
    sys.stderr.write(f"Monitor {monitor.id} is {due}.\n")


@monitors.command("list")
def show_all(*, account_id: OfAccount = None, format_name: Format = "text") -> None:
    """List the monitors of an account with the budgets that are breached."""
    check_format(format_name)

    def load(tx: Transaction, caller: Caller) -> tuple[Monitor, ...]:
        return service.list_monitors(tx, caller, ListPart(per_page=LISTED)).items

    write_list([_entry(monitor) for monitor in in_account(account_id, load)], COLUMNS, format_name)


@monitors.command("create")
def create(
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
    changed = _read_change(
        of_audit=audit_id is not None, schedule=schedule, timezone=timezone, budgets=budget, remind=remind
    )
    options = service_options(workers=0)
    violations: list[Violation] = []
    pages = read_page_set({"project": site, "sitemap": sitemap, "tag": tag}, options.analyze, violations)
    if violations:
        raise InvalidInput(violations[0].message)
    if sum(each is not None for each in (report_id, audit_id, pages)) != 1:
        raise InvalidInput("Name a report, or one of --audit, --site, --sitemap and --tag.")
    try:
        monitor = in_account(
            account_id,
            lambda tx, caller: service.create_monitor(
                tx, caller, changed, options, now_ms(), report_id=report_id, audit_id=audit_id, pages=pages
            ),
        )
    except ValidationFailed:
        raise NotFound(
            f"The account has no report {report_id}." if audit_id is None else f"The account has no audit {audit_id}."
        ) from None
    sys.stderr.write(f"Created monitor {monitor.id}. Its next run is due at {timestamp(monitor.due_at_ms)}.\n")
    write_stdout(f"{monitor.id}\n")


@monitors.command("change")
def change(
    monitor_id: MonitorId,
    *,
    schedule: Schedule = None,
    timezone: Zone = None,
    budget: Budgets = None,
    remind: Reminder = None,
    account_id: OfAccount = None,
) -> None:
    """Change the schedule, the time zone, all budgets, or the reminder of a monitor."""
    _change(monitor_id, account_id, schedule=schedule, timezone=timezone, budgets=budget or None, remind=remind)


@monitors.command("pause")
def pause(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Pause a monitor."""
    _change(monitor_id, account_id, paused=True)


@monitors.command("resume")
def resume(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Resume a monitor; a run that was due meanwhile follows at once."""
    _change(monitor_id, account_id, paused=False)


@monitors.command("delete")
def delete(monitor_id: MonitorId, *, account_id: OfAccount = None) -> None:
    """Delete a monitor; its report or audit stays."""
    in_account(
        account_id,
        lambda tx, caller: service.delete_monitor(tx, caller, monitor_id),
        missing=_no_monitor(monitor_id),
    )
    sys.stderr.write(f"Monitor {monitor_id} is deleted.\n")


@monitors.command("silence")
def silence(
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
    until_ms = now_ms() + round(hours * HOUR_MS)

    def work(tx: Transaction, caller: Caller) -> Silence:
        return begin_silence(
            tx,
            caller,
            now_ms(),
            monitor_id=monitor_id,
            project=project or "",
            reason=reason,
            until_ms=until_ms,
        )

    try:
        begun = in_account(account_id, work)
    except ValidationFailed as error:
        first = error.violations[0]
        raise InvalidInput(_SILENCE_FIELDS.get((first.field, first.code), first.message)) from None
    sys.stderr.write(f"Nobody gets messages until {timestamp(begun.until_ms)}.\n")
    write_stdout(f"{begun.id}\n")


@monitors.command("silences")
def show_silences(*, account_id: OfAccount = None, format_name: Format = "text") -> None:
    """List the silences of an account that are not over."""
    check_format(format_name)

    def load(tx: Transaction, caller: Caller) -> tuple[Silence, ...]:
        return list_silences(tx, caller, now_ms(), ListPart(per_page=LISTED)).items

    rows = [
        {
            "id": each.id,
            "monitor_id": each.monitor_id,
            "project": each.project or None,
            "until": timestamp(each.until_ms),
            "author": each.author,
            "reason": each.reason,
        }
        for each in in_account(account_id, load)
    ]
    write_list(rows, SILENCE_COLUMNS, format_name)


@monitors.command("unsilence")
def end(
    silence_id: Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade monitors silences` shows it.")],
    *,
    account_id: OfAccount = None,
) -> None:
    """End a silence now."""
    in_account(
        account_id,
        lambda tx, caller: end_silence(tx, caller, silence_id, now_ms()),
        missing=f"The account has no silence {silence_id}; `pagegrade monitors silences` shows them.",
    )
    sys.stderr.write(f"Silence {silence_id} is over.\n")


def _no_monitor(monitor_id: int) -> str:
    return f"The account has no monitor {monitor_id}; `pagegrade monitors list` shows them."


def _entry(monitor: Monitor) -> Mapping[str, object]:
    return {
        "id": monitor.id,
        "report_id": monitor.report_id,
        "audit_id": monitor.audit_id,
        "pages": None if monitor.pages is None else f"{monitor.pages.kind} {monitor.pages.value}",
        "pages_found": monitor.pages_found,
        "schedule": monitor.schedule,
        "timezone": monitor.timezone,
        "status": _status(monitor),
        "budgets": [
            {
                "condition": budget.condition,
                "state": budget.state,
                "since": timestamp(budget.since_ms),
                "unmeasured_since": timestamp(budget.unmeasured_since_ms),
            }
            for budget in monitor.budgets
        ],
        "breached": [budget.condition for budget in monitor.budgets if budget.state == "breached"],
        "remind": monitor.remind,
        "next_run_at": timestamp(monitor.next_run_at_ms),
        "last_run_at": timestamp(monitor.last_run_at_ms),
        "created_at": timestamp(monitor.created_at_ms),
    }


def _status(monitor: Monitor) -> str:
    if monitor.paused:
        return "paused"
    if monitor.unreachable_since_ms is not None:
        return "unreachable"
    return "unmeasured" if monitor.is_unmeasured else "active"
