"""Monitors and silences of an account: their lists, and the forms that create, change, delete or begin one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from pagegrade.model.account import Role
from pagegrade.model.audit import Audit
from pagegrade.model.errors import QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.monitors import MAX_BUDGETS, MAX_CONDITION, MAX_REASON, MAX_SCHEDULE, Monitor, Remind
from pagegrade.model.stored import ListPart, StoredReport
from pagegrade.model.webhooks import EventType
from pagegrade.parse.url import project_of
from pagegrade.render.english import N_
from pagegrade.render.finding_list import SEVERITY_NAMES
from pagegrade.report.gates import SEVERITIES
from pagegrade.service.audits.operations import show_audit
from pagegrade.service.monitors import operations as service
from pagegrade.service.monitors.operations import MonitorChange, read_budgets, read_schedule, read_timezone
from pagegrade.service.reports.operations import find_report
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.service.webhooks.operations import find_hearers
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.webhooks import KIND_TEXTS
from pagegrade.web.pages.forms import problems_of, read_form, read_query, refusal_of
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
from pagegrade.web.parameters import MonitorListQuery
from pagegrade.web.problems import problem_of
from pagegrade.web.request import Request

PATH: Final = "/monitors"
PER_PAGE: Final = 25
_PICKED: Final[Mapping[str, tuple[str, str, str]]] = {
    "score_below": ("score<", N_("Score below"), N_("Points from 0 to 100.")),
    "score_drop": ("score drop>=", N_("Score falls by"), N_("Points or more, from the median of the runs before.")),
    "lcp_after": ("lcp_ms>", N_("Largest content drawn after"), N_("Milliseconds, in two runs in a row.")),
}
"""Field -> (beginning of its condition before a number, label, unit)."""
_OF_PAGES: Final = frozenset({"lcp_after"})
"""Fields that sites do not have."""
_SEVERITY: Final = "severity>="
_NO_FINDING: Final = N_("No matter")
_PLANS: Final[Mapping[str, str]] = {
    "hourly": N_("It is analyzed every hour, next on %(time)s."),
    "daily": N_("It is analyzed every day, next on %(time)s."),
    "weekly": N_("It is analyzed every week, next on %(time)s."),
    "monthly": N_("It is analyzed every month, next on %(time)s."),
}
"""Schedule -> sentence that says when."""
_OWN_PLAN: Final = N_("It is analyzed at times of your own, next on %(time)s.")
_PAUSED: Final = N_("It is paused: nothing is analyzed, and nobody is told anything.")
_UNBUDGETED: Final = N_("Without a budget, only what cannot be reached is told.")
_UNBUDGETED_SITE: Final = N_("Without a budget, you are told when the site got worse or cannot be reached.")
_OWN_TIMES: Final = N_("At times of your own")
EXAMPLES: Final = "score<80, score drop>=5, lcp_ms>2500 for 3"
SITE_EXAMPLES: Final = "score<80, score drop>=5, high>0, check.broken-internal-links, pages drop>=10%"
_NO_SITE_CONDITION: Final = N_("A line is no condition on a site. Enter conditions such as %(examples)s.")
SCHEDULES: Final[Mapping[str, str]] = {
    "hourly": N_("Every hour"),
    "daily": N_("Every day"),
    "weekly": N_("Every week"),
    "monthly": N_("Every month"),
}
NAMED_PAGES: Final = 20
"""Pages of a set that the page of its monitor names; the others are counted."""
_CRON: Final = "cron"
"""Choice of a schedule that has no name: an expression in a field of its own."""
SETS: Final = {
    "project": N_("All pages of a site that there are reports of"),
    "tag": N_("All pages of the sites with a tag"),
    "sitemap": N_("The pages of a sitemap"),
}
"""Kind of a set of pages -> its name."""
REMINDERS: Final[Mapping[Remind, str]] = {"never": N_("Never"), "daily": N_("Every day"), "weekly": N_("Every week")}
SAID: Final = {
    "created": N_("The monitor was created."),
    "saved": N_("The monitor was saved."),
    "deleted": N_("The monitor was deleted."),
}


class _Subject(NamedTuple):
    """The report or audit of a monitor."""

    id: int
    path: str
    crumb: str
    is_audit: bool
    is_set: bool = False
    project: str = ""
    """Empty for pages of several sites."""


async def show_monitors(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a page of the monitors, newest first."""
    sent = read_query(request)
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(MonitorListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    typed = (query.project or "").strip()
    project = project_of(typed) or typed
    found, urls = await work.read(
        service.list_with_urls,
        view.options,
        view.now_ms,
        ListPart(page=query.page, per_page=query.per_page),
        project=project or None,
    )
    bad, _ = await work.read(service.find_bad_pages, view.options, view.now_ms, found.items)
    said = SAID.get(sent.get("said", ""))
    size = "" if query.per_page == PER_PAGE else f"&per_page={query.per_page}"
    size += f"&project={quote(project, safe='')}" if project else ""
    return view.page(
        "monitors.html.jinja",
        rows=[
            (monitor, monitor.pages.value if monitor.pages else short_url(urls.get(monitor.id, "")))
            for monitor in found.items
        ],
        bad=bad,
        total=found.total,
        last_page=max(1, -(-found.total // query.per_page)),
        page=query.page,
        project=project,
        url=lambda number: f"{PATH}?page={number}{size}",
        said=None if said is None else view.texts.gettext(said),
        timezone=view.admitted.person.timezone,
    )


async def ask_to_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a new monitor of a report."""
    report = await work.read(find_report, request.id, view.options, view.now_ms)
    return await _form(work, view, _of_report(report), None)


async def create_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store a monitor of a report and go to the list."""
    report = await work.read(find_report, request.id, view.options, view.now_ms)
    return await _create(request, work, view, _of_report(report), report_id=report.id)


async def ask_to_monitor_audit(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a new monitor of an audit."""
    audit = await work.read(show_audit, request.id)
    return await _form(work, view, _of_audit(audit), None)


async def create_audit_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store a monitor of an audit and go to the list."""
    audit = await work.read(show_audit, request.id)
    return await _create(request, work, view, _of_audit(audit), audit_id=audit.id)


async def ask_to_monitor_many(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a new monitor of a set of pages; the query may name the set."""
    await work.admit()
    sent = read_query(request)
    kind = next((each for each in SETS if sent.get(each)), "project")
    return await _form(work, view, _MANY, None, values={"kind": kind, "of": sent.get(kind, "")})


async def create_monitor_of_many(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store a monitor of a set of pages and go to the list."""
    return await _create(request, work, view, _MANY)


async def _create(
    request: Request,
    work: UnitOfWork,
    view: View,
    subject: _Subject,
    *,
    report_id: int | None = None,
    audit_id: int | None = None,
) -> Response:
    form = await read_form(request)
    violations: list[Violation] = []
    pages = None
    if subject.is_set:
        named = {form.get("kind", ""): form.get("of", "")}
        pages = service.read_page_set(named, view.options.analyze, violations)
        if pages is None and not violations:
            violations.append(Violation(field="of", place="body", code="required", message="Required."))
    try:
        change = _read(form, violations, of_audit=subject.is_audit)
        await work.write(
            service.create_monitor,
            change,
            view.options,
            view.now_ms,
            report_id=report_id,
            audit_id=audit_id,
            pages=pages,
        )
    except ValidationFailed as error:
        return await _form(work, view, subject, None, sent=form, problems=_problems(view, subject, error), status=422)
    except QuotaExceeded as error:
        problems = {"": refusal_of(view.texts, error)}
        return await _form(work, view, subject, None, sent=form, problems=problems, status=problem_of(error).status)
    return go(f"{PATH}?said=created")


async def edit_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for a monitor."""
    monitor = await work.read(service.show_monitor, request.id)
    counts, pages = await work.read(service.find_bad_pages, view.options, view.now_ms, [monitor], named=NAMED_PAGES)
    bad = [(number, short_url(url)) for number, url in pages]
    subject = await _subject_of(work, view, monitor)
    return await _form(work, view, subject, monitor, bad=bad, bad_count=counts.get(monitor.id, 0))


async def save_monitor(request: Request, work: UnitOfWork, view: View) -> Response:
    """Change a monitor and go to the list."""
    monitor = await work.read(service.show_monitor, request.id)
    form = await read_form(request)
    try:
        change = _read(form, [], of_audit=monitor.audit_id is not None)
        await work.write(service.update_monitor, monitor.id, change, view.now_ms)
    except ValidationFailed as error:
        subject = await _subject_of(work, view, monitor)
        return await _form(
            work, view, subject, monitor, sent=form, problems=_problems(view, subject, error), status=422
        )
    return go(f"{PATH}?said=saved")


async def _subject_of(work: UnitOfWork, view: View, monitor: Monitor) -> _Subject:
    if monitor.pages is not None:
        project = monitor.pages.value if monitor.pages.kind == "project" else ""
        return _MANY._replace(crumb=monitor.pages.value, project=project)
    if monitor.audit_id is not None:
        return _of_audit(await work.read(show_audit, monitor.audit_id))
    return _of_report(await work.read(find_report, monitor.report_id or 0, view.options, view.now_ms))


_MANY: Final = _Subject(0, PATH, "", is_audit=False, is_set=True)


def _of_report(report: StoredReport) -> _Subject:
    return _Subject(
        report.id, f"/reports/{report.id}", short_url(report.url, MAX_CRUMB), is_audit=False, project=report.project
    )


def _of_audit(audit: Audit) -> _Subject:
    return _Subject(
        audit.id, f"/audits/{audit.id}", short_url(audit.start_url, MAX_CRUMB), is_audit=True, project=audit.project
    )


def _problems(view: View, subject: _Subject, error: ValidationFailed) -> Mapping[str, str]:
    problems = problems_of(view.texts, error.violations)
    if subject.is_set:
        problems = {"of" if name in SETS else name: text for name, text in problems.items()}
    if subject.is_audit and any((one.field, one.code) == ("budgets", "invalid") for one in error.violations):
        return {**problems, "budgets": view.texts.gettext(_NO_SITE_CONDITION, examples=SITE_EXAMPLES)}
    return problems


async def remove_monitor(request: Request, work: UnitOfWork) -> Response:
    """Delete a monitor and go to the list."""
    await work.write(service.delete_monitor, request.id)
    return go(f"{PATH}?said=deleted")


def _schedule_of(form: Mapping[str, str]) -> str:
    """Return the name of the chosen schedule, or its expression."""
    chosen = form.get("schedule", "")
    return form.get("cron", "") if chosen == _CRON else chosen


def _conditions_of(form: Mapping[str, str]) -> tuple[str, ...]:
    """Return the conditions that were picked, and those that were typed."""
    picked = [(beginning, form.get(name, "").strip()) for name, (beginning, _, _) in _PICKED.items()]
    picked.append((_SEVERITY, form.get("severity", "")))
    return (*(beginning + value for beginning, value in picked if value), form.get("budgets", ""))


def _as_picked(conditions: Sequence[str]) -> dict[str, str]:
    """Return the fields of conditions; those that cannot be picked, and second ones of a kind, are typed."""
    fields: dict[str, str] = {}
    typed = []
    for condition in conditions:
        for name, (beginning, _, _) in _PICKED.items():
            value = condition.removeprefix(beginning)
            if value != condition and value.isascii() and value.isdigit() and name not in fields:
                fields[name] = value
                break
        else:
            value = condition.removeprefix(_SEVERITY)
            if value in SEVERITIES and "severity" not in fields:
                fields["severity"] = value
            else:
                typed.append(condition)
    return {**fields, "budgets": "\n".join(typed)}


def _read(form: Mapping[str, str], violations: list[Violation], *, of_audit: bool) -> MonitorChange:
    """Read the monitor that a form describes.

    Raises:
        ValidationFailed: Fields cannot be used, or there were violations before.
    """
    timezone = form.get("timezone", "").strip()
    change = MonitorChange(
        schedule=read_schedule(_schedule_of(form), violations),
        timezone=read_timezone(timezone, violations) if timezone else None,
        budgets=read_budgets(_conditions_of(form), violations, of_audit=of_audit),
        paused="paused" in form,
        remind=next((each for each in REMINDERS if each == form.get("remind")), None),
    )
    if violations:
        raise ValidationFailed(violations)
    return change


def _told(subject: _Subject, monitor: Monitor | None) -> frozenset[EventType]:
    """Return what is told of a monitor, or of one that may be made; every audit tells that its site got worse."""
    if subject.is_audit:
        return frozenset({"monitor.unreachable", "audit.regressed"})
    if monitor is None or monitor.budgets:
        return frozenset({"monitor.unreachable", "report.regressed"})
    return frozenset({"monitor.unreachable"})


def _plan(view: View, monitor: Monitor) -> str:
    """Return what a monitor does, and when."""
    texts = view.texts
    if not monitor.next_run_at_ms:
        return texts.gettext(_PAUSED)
    time = texts.moment(monitor.next_run_at_ms, view.admitted.person.timezone)
    budgets = texts.ngettext(
        "You are told when its budget is exceeded, and when it is kept again.",
        "You are told when one of its %(num)s budgets is exceeded, and when it is kept again.",
        len(monitor.budgets),
    )
    when = texts.gettext(_PLANS.get(monitor.schedule, _OWN_PLAN), time=time)
    unbudgeted = texts.gettext(_UNBUDGETED if monitor.audit_id is None else _UNBUDGETED_SITE)
    return f"{when} {budgets if monitor.budgets else unbudgeted}"


async def _form(
    work: UnitOfWork,
    view: View,
    subject: _Subject,
    monitor: Monitor | None,
    *,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
    values: Mapping[str, str] | None = None,
    bad: Sequence[tuple[int, str]] = (),
    bad_count: int = 0,
) -> Response:
    """Return the form; ``monitor`` is ``None`` for a new one."""
    values = {
        **(values or {}),
        "remind": "never",
        "schedule": "weekly" if subject.is_audit else "daily",
        "timezone": view.admitted.person.timezone,
    }
    if monitor is not None:
        values = {
            **_as_picked([budget.condition for budget in monitor.budgets]),
            "schedule": monitor.schedule if monitor.schedule in SCHEDULES else _CRON,
            "cron": "" if monitor.schedule in SCHEDULES else monitor.schedule,
            "timezone": monitor.timezone,
            "remind": monitor.remind,
        }
        values = {**values, "paused": "1"} if monitor.paused else values
    chosen = (sent or {}).get("schedule")
    shown = values if sent is None else sent
    project = subject.project
    if subject.is_set and shown.get("kind") == "project":
        project = project or project_of(shown.get("of", ""))
    monitor_id = None if monitor is None else monitor.id
    hearers = await work.read(find_hearers, _told(subject, monitor), project, view.now_ms, monitor_id=monitor_id)
    return view.page(
        "monitor.html.jinja",
        status=status,
        subject=subject,
        monitor=monitor,
        plan=None if monitor is None else _plan(view, monitor),
        told=hearers,
        hearers=[(view.texts.gettext(KIND_TEXTS[kind]), number) for kind, number in Counter(hearers.kinds).items()],
        bad=bad,
        bad_count=bad_count,
        examples=SITE_EXAMPLES if subject.is_audit else EXAMPLES,
        values=shown,
        problems={
            _CRON if chosen == _CRON and name == "schedule" else name: text for name, text in (problems or {}).items()
        },
        schedules=[
            *((each, view.texts.gettext(name)) for each, name in SCHEDULES.items()),
            (_CRON, view.texts.gettext(_OWN_TIMES)),
        ],
        reminders=[(each, view.texts.gettext(name)) for each, name in REMINDERS.items()],
        sets=[(each, view.texts.gettext(name)) for each, name in SETS.items()],
        picked=[
            (name, view.texts.gettext(label), view.texts.gettext(unit))
            for name, (_, label, unit) in _PICKED.items()
            if not subject.is_audit or name not in _OF_PAGES
        ],
        severities=[
            (each, view.texts.gettext(name))
            for each, name in (("", _NO_FINDING), *((each, SEVERITY_NAMES[each]) for each in reversed(SEVERITIES)))
        ],
        max_schedule=MAX_SCHEDULE,
        max_budgets=MAX_BUDGETS * (MAX_CONDITION + 2),
        timezone=view.admitted.person.timezone,
    )


SILENCES_PATH: Final = "/silences"
_HOUR_MS: Final = 3_600_000
LENGTHS: Final[Mapping[str, str]] = {
    "1": N_("An hour"),
    "8": N_("8 hours"),
    "24": N_("A day"),
    "72": N_("3 days"),
    "168": N_("A week"),
    "720": N_("30 days"),
}
"""Hours -> their name."""
OFFERED: Final = 100
"""Monitors in the list of the form, the newest ones; a site can be typed."""
SILENCE_SAID: Final = {"begun": N_("The silence has begun."), "ended": N_("The silence has ended.")}


async def show_silences(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form."""
    query = read_query(request)
    sent = {"monitor": query.get("monitor", ""), "project": query.get("project", "")}
    return await _show(work, view, sent=sent, said=query.get("said", ""))


async def begin_silence(request: Request, work: UnitOfWork, view: View) -> Response:
    """Begin a silence and return to the list."""
    form = await read_form(request)
    chosen, hours = form.get("monitor", ""), form.get("hours", "")
    try:
        await work.write(
            service.begin_silence,
            view.now_ms,
            monitor_id=int(chosen) if chosen.isdecimal() and len(chosen) < len(str(2**63)) else None,
            project=form.get("project", "").strip(),
            reason=form.get("reason", ""),
            until_ms=view.now_ms + int(hours) * _HOUR_MS if hours in LENGTHS else None,
        )
    except ValidationFailed as error:
        return await _show(work, view, sent=form, problems=problems_of(view.texts, error.violations), status=422)
    except QuotaExceeded as error:
        problems = {"": refusal_of(view.texts, error)}
        return await _show(work, view, sent=form, problems=problems, status=problem_of(error).status)
    return go(f"{SILENCES_PATH}?said=begun")


async def end_silence(request: Request, work: UnitOfWork, view: View) -> Response:
    """End a silence and return to the list."""
    await work.write(service.end_silence, request.id, view.now_ms)
    return go(f"{SILENCES_PATH}?said=ended")


async def _show(
    work: UnitOfWork,
    view: View,
    *,
    sent: Mapping[str, str],
    said: str = "",
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    listed = await work.read(service.list_silences, view.now_ms, ListPart(per_page=OFFERED))
    known, urls = await work.read(service.list_with_urls, view.options, view.now_ms, ListPart(per_page=OFFERED))
    names = {each.id: f"{short_url(urls.get(each.id, ''))} ({each.schedule})" for each in known.items}
    return view.page(
        "silences.html.jinja",
        status=status,
        section="/monitors",
        silences=listed.items,
        monitors=names,
        lengths=[(hours, view.texts.gettext(name)) for hours, name in LENGTHS.items()],
        sent=sent,
        said=view.texts.gettext(SILENCE_SAID[said]) if said in SILENCE_SAID else None,
        problems=problems or {},
        max_reason=MAX_REASON,
        timezone=view.admitted.person.timezone,
    )


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_monitors),
    PageOperation(path="/reports/{id}/monitor", handler=ask_to_monitor, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path="/reports/{id}/monitor",
        name="start_to_monitor",
        summary=N_("Monitor a report"),
        handler=create_monitor,
    ),
    PageOperation(path=f"{PATH}/new", handler=ask_to_monitor_many, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=f"{PATH}/new",
        name="start_to_monitor_many",
        summary=N_("Monitor many pages"),
        handler=create_monitor_of_many,
    ),
    PageOperation(path="/audits/{id}/monitor", handler=ask_to_monitor_audit, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path="/audits/{id}/monitor",
        name="start_to_monitor_audit",
        summary=N_("Monitor an audit"),
        handler=create_audit_monitor,
    ),
    PageOperation(path=f"{PATH}/{{id}}", handler=edit_monitor, role=Role.EDITOR),
    PageOperation(method="POST", path=f"{PATH}/{{id}}", summary=N_("Change a monitor"), handler=save_monitor),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{id}}/delete",
        summary=N_("Delete a monitor"),
        handler=remove_monitor,
    ),
    PageOperation(path=SILENCES_PATH, handler=show_silences),
    PageOperation(method="POST", path=SILENCES_PATH, summary=N_("Begin a silence"), handler=begin_silence),
    PageOperation(
        method="POST",
        path=f"{SILENCES_PATH}/{{id}}/end",
        name="stop_silence",
        summary=N_("End a silence"),
        handler=end_silence,
    ),
)
