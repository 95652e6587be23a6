"""Monitors of an account: create, show, list, change, delete; silences: begin, show, list, end.

The validation of their fields needs no database.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TypeVar
from zoneinfo import available_timezones

import msgspec
from msgspec.structs import replace

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.model.account import Caller
from pagegrade.model.errors import (
    Condition,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    ValidationFailed,
    Violation,
    refuse_if_changed,
)
from pagegrade.model.monitors import (
    LONGEST_MS,
    MAX_BUDGETS,
    MAX_CONDITION,
    MAX_JITTER,
    MAX_REASON,
    MAX_SCHEDULE,
    MAX_SILENCES,
    Crossing,
    Monitor,
    PageSet,
    Remind,
    Silence,
)
from pagegrade.model.stored import ListPart
from pagegrade.parse.url import parse_target_url, project_of
from pagegrade.report.gates import merge_budgets, parse_condition, parse_site_gate
from pagegrade.report.sanitize import clean_text
from pagegrade.service.accounts.quotas import check_count
from pagegrade.service.audits.operations import show_audit
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.service.monitors.due_runs import check_schedule, next_due_ms
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report
from pagegrade.service.reports.projects import read_tags
from pagegrade.service.reports.validation import check_allowed
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import monitors as store
from pagegrade.store.repositories.monitors import load_monitor

T = TypeVar("T")


def read_schedule(text: str, violations: list[Violation]) -> str:
    """Return the canonical form of a schedule; empty, with a violation, where it is none."""
    if len(text) > MAX_SCHEDULE:
        violations.append(_violation("schedule", "too_long", f"At most {MAX_SCHEDULE} characters.", MAX_SCHEDULE))
        return ""
    return _read(check_schedule, text, "schedule", violations) or ""


def read_timezone(text: str, violations: list[Violation]) -> str:
    """Return the name of a time zone; empty, with a violation, where it is none."""
    if text in _zones():
        return text
    message = "Use the name of a time zone from the IANA database, such as Europe/Prague."
    violations.append(_violation("timezone", "unknown", message))
    return ""


def read_budgets(texts: Sequence[str], violations: list[Violation], *, of_audit: bool = False) -> tuple[str, ...]:
    """Return the canonical forms of conditions, each once; those that are none are violations.

    Args:
        texts: Each has one condition a line.
        violations: Where what is wrong is added.
        of_audit: The conditions are about an audit, not about a report.
    """
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_BUDGETS:
        violations.append(_violation("budgets", "too_many", f"At most {MAX_BUDGETS}.", MAX_BUDGETS))
        return ()
    found = (_read(partial(_check_condition, of_audit=of_audit), text, "budgets", violations) for text in lines)
    return tuple(dict.fromkeys(text for text in found if text is not None))


def _check_condition(text: str, *, of_audit: bool) -> str:
    if len(text) > MAX_CONDITION:
        raise InvalidInput(f"A condition has at most {MAX_CONDITION} characters.")
    if of_audit:
        return str(parse_condition(text, partial(parse_site_gate, checks=all_site_checks(), may_change=True)))
    condition = parse_condition(text)
    check = condition.gate.subject.removeprefix("check.")
    if check != condition.gate.subject and check not in all_checks():
        raise InvalidInput(f"There is no check {check!r}. `pagegrade checks` and /checks list them all.")
    return str(condition)


def _read(read: Callable[[str], T], text: str, field: str, violations: list[Violation]) -> T | None:
    try:
        return read(text)
    except InvalidInput as error:
        violations.append(_violation(field, "invalid", error.message))
        return None


def _violation(field: str, code: str, message: str, limit: int | None = None) -> Violation:
    return Violation(field=field, place="body", code=code, message=message, limit=limit)


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


DAY_MS = 86_400_000


class MonitorChange(msgspec.Struct, frozen=True, kw_only=True):
    """Members of a monitor, validated; ``None``: as it is, or the default."""

    schedule: str | None = None
    timezone: str | None = None
    """``None`` for a new monitor: that of the account."""
    budgets: tuple[str, ...] | None = None
    """Conditions in their canonical form."""
    paused: bool | None = None
    remind: Remind | None = None


def create_monitor(
    tx: Transaction,
    caller: Caller,
    change: MonitorChange,
    options: ServiceOptions,
    now_ms: int,
    *,
    report_id: int | None = None,
    audit_id: int | None = None,
    pages: PageSet | None = None,
) -> Monitor:
    """Store a monitor for a report, an audit or a set of pages of the caller.

    Its first run is due at the next time of its schedule; a set of pages is due at once.

    Raises:
        QuotaExceeded: The account has as many monitors as it may have.
        ValidationFailed: It has no report or audit of that number, or not one of the three is given.
    """
    account = caller.account
    hold_account(tx, account.id)
    check_count(account, options, "monitors", used=store.count_used(tx, account.id))
    if pages is None or report_id is not None or audit_id is not None:
        _check_subject(tx, caller, report_id, audit_id, pages, options=options, now_ms=now_ms)
    schedule = change.schedule or ("daily" if audit_id is None else "weekly")
    timezone = change.timezone or account.timezone
    jitter = secrets.randbelow(MAX_JITTER)
    return store.add_monitor(
        tx,
        account_id=account.id,
        report_id=report_id,
        audit_id=audit_id,
        schedule=schedule,
        timezone=timezone,
        jitter=jitter,
        budgets=merge_budgets(change.budgets or (), ()),
        paused=change.paused or False,
        remind=change.remind or "never",
        pages=pages,
        due_at_ms=next_due_ms(schedule, timezone, jitter, after_ms=now_ms) if pages is None else now_ms,
        now_ms=now_ms,
    )


def read_page_set(
    sent: Mapping[str, str | None], options: AnalyzeOptions, violations: list[Violation]
) -> PageSet | None:
    """Return the set of pages that one of these members names: ``project``, ``sitemap`` or ``tag``.

    Args:
        sent: Members as typed; ``None`` or empty: not sent.
        options: What may be contacted.
        violations: Where what is wrong is added.
    """
    found = {name: text for name in ("project", "sitemap", "tag") if (text := (sent.get(name) or "").strip())}
    if len(found) > 1:
        violations.append(_violation([*found][-1], "conflict", "A monitor has one of project, sitemap and tag."))
    elif "project" in found:
        if project := project_of(found["project"]):
            return PageSet(kind="project", value=project)
        violations.append(_violation("project", "invalid", "Must be a host, like example.com."))
    elif "tag" in found:
        try:
            return PageSet(kind="tag", value=read_tags([found["tag"]], "tag")[0])
        except ValidationFailed as refused:
            violations.extend(refused.violations)
    elif "sitemap" in found:
        try:
            url = parse_target_url(found["sitemap"]).url
            check_allowed(url, options)
            return PageSet(kind="sitemap", value=url)
        except InvalidInput as error:
            violations.append(_violation("sitemap", error.reason or error.code, error.message))
    return None


def monitor_reports(
    tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int, *, change: MonitorChange
) -> None:
    """Store a monitor for each of the reports that the caller still has and that has none, all or none.

    Raises:
        QuotaExceeded: The account would have more monitors than it may have.
    """
    for report_id in ids:
        if not store.list_of_report(tx, report_id):
            with contextlib.suppress(ValidationFailed):
                create_monitor(tx, caller, change, options, now_ms, report_id=report_id)


def _check_subject(
    tx: Transaction,
    caller: Caller,
    report_id: int | None,
    audit_id: int | None,
    pages: PageSet | None,
    *,
    options: ServiceOptions,
    now_ms: int,
) -> None:
    field, code, message = "report_id", "required", "Name a report or an audit."
    try:
        if report_id is not None and audit_id is not None:
            field, code, message = "audit_id", "conflict", "A monitor is for a report or for an audit, not for both."
        elif pages is not None:
            field, code, message = pages.kind, "conflict", "A monitor is for one report, one audit or one set of pages."
        elif report_id is not None:
            field, code, message = "report_id", "unknown", "There is no such report."
            find_report(tx, caller, report_id, options, now_ms)
            return
        elif audit_id is not None:
            field, code, message = "audit_id", "unknown", "There is no such audit."
            show_audit(tx, caller, audit_id)
            return
    except NotFound:
        pass
    raise ValidationFailed([Violation(field=field, place="body", code=code, message=message)])


def show_monitor(tx: Transaction, caller: Caller, monitor_id: int) -> Monitor:
    """Return a monitor of the caller.

    Raises:
        NotFound: There is no such monitor.
    """
    found = store.load_monitor(tx, caller.account.id, monitor_id)
    if found is None:
        raise NotFound
    return found


def list_monitors(
    tx: Transaction,
    caller: Caller,
    part: ListPart,
    *,
    report_id: int | None = None,
    audit_id: int | None = None,
    project: str | None = None,
    parent_id: int | None = None,
) -> Listed[Monitor]:
    """Some of the caller's monitors, newest first."""
    account_id = caller.account.id
    wanted = _typed(project)
    return read_part(
        partial(
            store.list_monitors,
            tx,
            account_id,
            report_id=report_id,
            audit_id=audit_id,
            project=wanted,
            parent_id=parent_id,
        ),
        lambda monitor: monitor.id,
        part,
        partial(
            store.count_monitors,
            tx,
            account_id,
            report_id=report_id,
            audit_id=audit_id,
            project=wanted,
            parent_id=parent_id,
        ),
    )


def list_with_urls(
    tx: Transaction, caller: Caller, options: ServiceOptions, now_ms: int, part: ListPart, *, project: str | None = None
) -> tuple[Listed[Monitor], dict[int, str]]:
    """Some of the caller's monitors; id of a monitor -> URL of its report, or of the start page of its audit."""
    found = list_monitors(tx, caller, part, project=project)
    urls = {}
    for monitor in found.items:
        with contextlib.suppress(NotFound):
            urls[monitor.id] = url_of(tx, caller, monitor, options, now_ms)
    return found, urls


def find_bad_pages(
    tx: Transaction,
    caller: Caller,
    options: ServiceOptions,
    now_ms: int,
    monitors: Sequence[Monitor],
    *,
    named: int = 0,
) -> tuple[Mapping[int, int], Sequence[tuple[int, str]]]:
    """Return the pages of sets that breach a budget or cannot be reached.

    Args:
        monitors: Of the caller; those of no set count as well.
        named: So many of the pages are named.

    Returns:
        Id of a monitor -> number of pages, and (report, URL) of the first pages.
    """
    bad = store.list_bad_pages(tx, [monitor.id for monitor in monitors if monitor.pages is not None])
    pages = []
    for page in bad[:named]:
        with contextlib.suppress(NotFound):
            pages.append((page.report_id or 0, url_of(tx, caller, page, options, now_ms)))
    return Counter(page.parent_id or 0 for page in bad), pages


def url_of(tx: Transaction, caller: Caller, monitor: Monitor, options: ServiceOptions, now_ms: int) -> str:
    """The URL of the report of a monitor, or of the start page of its audit; of a set of pages its name.

    Raises:
        NotFound: The report has expired.
    """
    if monitor.pages is not None:
        return monitor.pages.value
    if monitor.audit_id is not None:
        return show_audit(tx, caller, monitor.audit_id).start_url
    return find_report(tx, caller, monitor.report_id or 0, options, now_ms).url


def update_monitor(
    tx: Transaction,
    caller: Caller,
    monitor_id: int,
    change: MonitorChange,
    now_ms: int,
    *,
    changed_tag: Condition[Monitor] = None,
) -> Monitor:
    """Change a monitor of the caller; a change to nothing changes nothing.

    Budgets that it had before keep their state. A monitor that goes on after a pause is due at once if a due time has
    passed meanwhile.

    Raises:
        NotFound: There is no such monitor.
        PreconditionFailed: The monitor has changed.
        ValidationFailed: It belongs to that of a set of pages.
    """
    hold_account(tx, caller.account.id)
    monitor = _show_own(tx, caller, monitor_id)
    refuse_if_changed(monitor, changed_tag)
    schedule = monitor.schedule if change.schedule is None else change.schedule
    timezone = monitor.timezone if change.timezone is None else change.timezone
    due_at_ms = monitor.due_at_ms
    if (schedule, timezone) != (monitor.schedule, monitor.timezone):
        due_at_ms = next_due_ms(
            schedule, timezone, monitor.jitter, after_ms=now_ms, last_due_at_ms=monitor.last_due_at_ms
        )
    after = replace(
        monitor,
        schedule=schedule,
        timezone=timezone,
        budgets=monitor.budgets if change.budgets is None else merge_budgets(change.budgets, monitor.budgets),
        paused=monitor.paused if change.paused is None else change.paused,
        remind=change.remind or monitor.remind,
        due_at_ms=due_at_ms,
    )
    if after == monitor:
        return monitor
    saved = store.save_monitor(tx, replace(after, updated_at_ms=now_ms))
    if saved is None:
        raise NotFound
    for page in store.list_of_parent(tx, monitor.id):
        alike = replace(
            page,
            schedule=schedule,
            timezone=timezone,
            budgets=page.budgets if change.budgets is None else merge_budgets(change.budgets, page.budgets),
            paused=after.paused,
            remind=after.remind,
            due_at_ms=due_at_ms if due_at_ms != monitor.due_at_ms else page.due_at_ms,
            updated_at_ms=now_ms,
        )
        store.save_monitor(tx, alike)
    return saved


def _show_own(tx: Transaction, caller: Caller, monitor_id: int) -> Monitor:
    """Return a monitor that can be changed by itself; raises as ``update_monitor``."""
    monitor = show_monitor(tx, caller, monitor_id)
    if monitor.parent_id is not None:
        message = f"It is one page of monitor {monitor.parent_id}; change that one."
        raise ValidationFailed([Violation(field="parent_id", place="body", code="conflict", message=message)])
    return monitor


def delete_monitor(
    tx: Transaction,
    caller: Caller,
    monitor_id: int,
    *,
    changed_tag: Condition[Monitor] = None,
) -> None:
    """Delete a monitor of the caller with its breach marks; its report or audit stays. Raises as ``update_monitor``."""
    hold_account(tx, caller.account.id)
    refuse_if_changed(_show_own(tx, caller, monitor_id), changed_tag)
    store.delete_monitor(tx, caller.account.id, monitor_id)


def _typed(project: str | None) -> str | None:
    """A project as reports have it."""
    return None if project is None else project_of(project)


def list_crossings(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, from_run: int
) -> tuple[Crossing, ...]:
    """The crossings of a report of the caller at its runs from this number on.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    return store.list_crossings(tx, report.id, from_run=from_run)


def begin_silence(
    tx: Transaction,
    caller: Caller,
    now_ms: int,
    *,
    monitor_id: int | None,
    project: str,
    reason: str,
    until_ms: int | None,
) -> Silence:
    """Store a silence, which begins now.

    Args:
        caller: Whose monitor or site it is; the person or the key becomes its author.
        monitor_id: Any number; ``None``: it is about a site.
        project: A host in any spelling; empty: it is about a monitor.
        reason: 1 to ``MAX_REASON`` characters.
        until_ms: At most ``LONGEST_MS`` from now.

    Raises:
        QuotaExceeded: The account has ``MAX_SILENCES`` already.
        ValidationFailed: A field cannot be used.
    """
    hold_account(tx, caller.account.id)
    violations: list[Violation] = []

    def refuse(field: str, code: str, message: str, limit: int | None = None) -> None:
        violations.append(Violation(field=field, place="body", code=code, message=message, limit=limit))

    site, why = project_of(project) if project else "", clean_text(reason).strip()
    if project and monitor_id is not None:
        refuse("project", "not_with_monitor_id", "Send monitor_id or project, not both.")
    elif project and not site:
        refuse("project", "invalid", "Must be a host, like example.com.")
    elif not project and monitor_id is None:
        refuse("monitor_id", "required", "Send monitor_id or project.")
    if monitor_id is not None and load_monitor(tx, caller.account.id, monitor_id) is None:
        refuse("monitor_id", "unknown", "There is no such monitor.")
    if not why:
        refuse("reason", "required", "Required.")
    elif len(why) > MAX_REASON:
        refuse("reason", "too_long", f"Must be at most {MAX_REASON} characters.", MAX_REASON)
    if until_ms is None:
        refuse("until", "required", "Required.")
    elif not now_ms < until_ms:
        refuse("until", "past", "Must be in the future.")
    elif until_ms > now_ms + LONGEST_MS:
        refuse("until", "too_late", "Must be at most 90 days ahead.")
    if violations or until_ms is None:
        raise ValidationFailed(violations)
    if store.count_silences(tx, caller.account.id, now_ms) >= MAX_SILENCES:
        raise QuotaExceeded(f"An account has at most {MAX_SILENCES} silences; end one first.")
    return store.add_silence(
        tx, caller, monitor_id=monitor_id, project=site, reason=why, until_ms=until_ms, now_ms=now_ms
    )


def show_silence(tx: Transaction, caller: Caller, silence_id: int, now_ms: int) -> Silence:
    """Return a silence of the caller that is not over; raises ``NotFound``."""
    found = store.load_silence(tx, caller.account.id, silence_id, now_ms)
    if found is None:
        raise NotFound
    return found


def list_silences(tx: Transaction, caller: Caller, now_ms: int, part: ListPart) -> Listed[Silence]:
    """Some of the caller's silences that are not over, newest first."""
    account_id = caller.account.id
    return read_part(
        partial(store.list_silences, tx, account_id, now_ms),
        lambda silence: silence.id,
        part,
        lambda: store.count_silences(tx, account_id, now_ms),
    )


def end_silence(tx: Transaction, caller: Caller, silence_id: int, now_ms: int) -> None:
    """End a silence of the caller now; raises ``NotFound`` where it is over already."""
    hold_account(tx, caller.account.id)
    show_silence(tx, caller, silence_id, now_ms)
    store.end_silence(tx, caller.account.id, silence_id, now_ms)
