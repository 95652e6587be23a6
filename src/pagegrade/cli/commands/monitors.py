"""``pagegrade monitors``, with the silences about them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pagegrade.cli.database import opened
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.monitors import Monitor, Remind, Silence
from pagegrade.model.stored import ListPart
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.access import choose_account
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

T = TypeVar("T")
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


def read_change(
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


def create(
    report_id: int | None,
    audit_id: int | None,
    change: MonitorChange,
    account_id: int | None,
    of_many: Mapping[str, str | None],
) -> None:
    """Create a monitor; its id alone goes to stdout. ``of_many`` is as ``read_page_set`` takes it."""
    options = service_options(workers=0)
    violations: list[Violation] = []
    pages = read_page_set(of_many, options.analyze, violations)
    if violations:
        raise InvalidInput(violations[0].message)
    if sum(each is not None for each in (report_id, audit_id, pages)) != 1:
        raise InvalidInput("Name a report, or one of --audit, --site, --sitemap and --tag.")
    try:
        monitor = _write(
            account_id,
            lambda tx, caller: service.create_monitor(
                tx, caller, change, options, now_ms(), report_id=report_id, audit_id=audit_id, pages=pages
            ),
        )
    except ValidationFailed:
        raise NotFound(
            f"The account has no report {report_id}." if audit_id is None else f"The account has no audit {audit_id}."
        ) from None
    except QuotaExceeded as error:
        raise InvalidInput(error.message) from None
    sys.stderr.write(f"Created monitor {monitor.id}. Its next run is due at {timestamp(monitor.due_at_ms)}.\n")
    write_stdout(f"{monitor.id}\n")


def change(monitor_id: int, account_id: int | None, **changed: Any) -> None:
    """Change a monitor; ``changed`` are arguments of ``read_change``."""

    def work(tx: Transaction, caller: Caller) -> Monitor:
        is_of_audit = service.show_monitor(tx, caller, monitor_id).audit_id is not None
        return service.update_monitor(tx, caller, monitor_id, read_change(of_audit=is_of_audit, **changed), now_ms())

    monitor = _write(account_id, _known(monitor_id, work))
    due = "paused" if monitor.next_run_at_ms is None else f"due next at {timestamp(monitor.next_run_at_ms)}"
    sys.stderr.write(f"Monitor {monitor.id} is {due}.\n")


def delete(monitor_id: int, account_id: int | None) -> None:
    """Delete a monitor; its report or audit stays."""
    _write(account_id, _known(monitor_id, lambda tx, caller: service.delete_monitor(tx, caller, monitor_id)))
    sys.stderr.write(f"Monitor {monitor_id} is deleted.\n")


def show_all(account_id: int | None, format_name: str) -> None:
    """Write the monitors of an account to stdout."""
    check_format(format_name)

    def load(tx: Transaction, caller: Caller) -> tuple[Monitor, ...]:
        return service.list_monitors(tx, caller, ListPart(per_page=LISTED)).items

    write_list([_entry(monitor) for monitor in _write(account_id, load)], COLUMNS, format_name)


def silence(monitor_id: int | None, project: str | None, account_id: int | None, *, reason: str, hours: float) -> None:
    """Begin a silence about a monitor or a site; its id alone goes to stdout."""
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
        begun = _write(account_id, work)
    except ValidationFailed as error:
        first = error.violations[0]
        raise InvalidInput(_SILENCE_FIELDS.get((first.field, first.code), first.message)) from None
    except QuotaExceeded as error:
        raise InvalidInput(error.message) from None
    sys.stderr.write(f"Nobody gets messages until {timestamp(begun.until_ms)}.\n")
    write_stdout(f"{begun.id}\n")


def show_silences(account_id: int | None, format_name: str) -> None:
    """Write the silences of an account that are not over to stdout."""
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
        for each in _write(account_id, load)
    ]
    write_list(rows, SILENCE_COLUMNS, format_name)


def end(silence_id: int, account_id: int | None) -> None:
    """End a silence now."""
    try:
        _write(account_id, lambda tx, caller: end_silence(tx, caller, silence_id, now_ms()))
    except NotFound:
        raise NotFound(f"The account has no silence {silence_id}; `pagegrade monitors silences` shows them.") from None
    sys.stderr.write(f"Silence {silence_id} is over.\n")


def _write(account_id: int | None, work: Callable[[Transaction, Caller], T]) -> T:
    """Run a use case for an account; ``None``: the only one that works."""
    with opened() as database:
        return database.write_here(lambda tx: work(tx, Caller(account=choose_account(tx, account_id, now_ms()))))


def _known(monitor_id: int, work: Callable[[Transaction, Caller], T]) -> Callable[[Transaction, Caller], T]:
    def named(tx: Transaction, caller: Caller) -> T:
        try:
            return work(tx, caller)
        except NotFound:
            raise NotFound(f"The account has no monitor {monitor_id}; `pagegrade monitors list` shows them.") from None

    return named


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
