"""The settings of a report: privacy and password, engine, another analysis, and deletion."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from pagegrade.model.access import NO_ACCESS
from pagegrade.model.account import Role
from pagegrade.model.errors import InvalidInput, PreconditionFailed, QuotaExceeded, RateLimited, Unavailable
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.render.english import N_
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.container import Services
from pagegrade.service.reports.operations import (
    Stored,
    delete_report,
    find_report,
    rerun_reports,
    shares_access,
    update_report,
)
from pagegrade.service.reports.validation import ReportChange, read_change
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.forms import problems_of_input, read_form, refusal_of
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.pages.reports.report_list import PATH, find_access_choices, privacy_options
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
from pagegrade.web.parameters import UpdateReportBody
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import evaluate_fields, refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.schemas.report import share_url

_FIELDS: Final = ("privacy", "password", "render", "device", "access")
_ASKED: Final = N_(
    "The report is made with an access profile: anyone with its link would see what is not public. Nothing was saved "
    "yet. Tick the box to confirm that, or choose who may see it."
)
_ACCESS_WORDS: Final = {None: "default", NO_ACCESS: "none"}
_CHANGED: Final = N_(
    "These settings were changed in another tab or by a program after you opened this page. The form shows the current "
    "settings. Nothing was saved yet."
)


async def show_settings(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form."""
    report = await _find(request, work, view)
    return await _form(work, view, report)


async def save_settings(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Save the settings of the form."""
    report = await _find(request, work, view)
    form = await read_form(request)
    sent = {name: form[name] for name in _FIELDS if name in form}
    try:
        change = _read_change(sent)
        if form.get("share_anyway") != "1" and await work.read(shares_access, report, change):
            problems = {"share_anyway": view.texts.gettext(_ASKED)}
            return await _form(work, view, report, sent=sent, problems=problems, status=422)
        await _save(request, work, view, services, change, seen=form.get("seen"))
    except PreconditionFailed as error:
        now = await _find(request, work, view)
        return await _form(
            work, view, now, problems={"": view.texts.gettext(_CHANGED)}, status=problem_of(error).status
        )
    except InvalidInput as error:
        problems = problems_of_input(view.texts, error, field="privacy")
        return await _form(work, view, report, sent=sent, problems=problems, status=422)
    services.changes.notify(report.id)
    return go(f"{PATH}/{report.id}?said=saved")


async def _save(
    request: Request, work: UnitOfWork, view: View, services: Services, change: ReportChange, *, seen: str | None
) -> Stored:
    """Save the settings, if they still are those that the form showed.

    Raises:
        PreconditionFailed: They were changed in the meantime.
        ValidationFailed: The new settings are not valid.
    """
    report_id, options = request.id, view.options
    password_hash: str | None = None
    if change.needs_hash and change.password is not None:
        password_hash = await services.passwords.hash(change.password)

    return await work.write(
        update_report,
        report_id,
        options,
        view.now_ms,
        change=change,
        password_hash=password_hash,
        changed_tag=None if seen is None else lambda report: None if seen == _shown(report) else report.etag,
    )


def _read_change(sent: Mapping[str, str]) -> ReportChange:
    """Return the change that the form asks for.

    Raises:
        ValidationFailed: The new settings are not valid.
    """
    fields, violations = read_fields(UpdateReportBody, sent, "body")
    return evaluate_fields(
        violations,
        lambda: read_change(
            privacy=fields.privacy,
            password=fields.password,
            render=fields.render,
            device=fields.device,
            access=fields.access,
        ),
    )


async def run_again(request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services) -> Response:
    """Analyze the page again, or join the analysis under way, and redirect to the report."""
    report = await _find(request, work, view)
    try:
        await analyze_again(work, limits, view, services, (report.id,))
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return await _form(
            work, view, report, problems={"": refusal_of(view.texts, error)}, status=problem_of(error).status
        )
    return go(f"{PATH}/{report.id}?said=running")


async def analyze_again(
    work: UnitOfWork, limits: RateLimit, view: View, services: Services, ids: tuple[int, ...]
) -> None:
    """Queue another run of each of these reports of the caller, all or none.

    Raises:
        NotFound: A report does not exist.
        RateLimited: The caller started too many analyses in the last minute.
        QuotaExceeded: The account's limit of queued runs is too low.
        Unavailable: The queue is full.
    """
    refuse_when_draining(services)
    await limits.take_analysis()
    await work.write(rerun_reports, ids, view.options, view.now_ms)
    for report_id in ids:
        services.changes.notify(report_id)
    services.wake()


async def ask_to_delete(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask for confirmation to delete the report."""
    report = await _find(request, work, view)
    return view.page("report_delete.html.jinja", report=report, url=short_url(report.url), crumb=_crumb(report))


async def delete_report_for_good(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Delete the report and redirect to the list."""
    report_id = request.id
    await work.write(delete_report, report_id, view.options, view.now_ms)
    services.changes.notify(report_id)
    return go(f"{PATH}?said=deleted")


async def _find(request: Request, work: UnitOfWork, view: View) -> StoredReport:
    return await work.read(find_report, request.id, view.options, view.now_ms)


def _shown(report: StoredReport) -> str:
    """Return the settings as the form shows them: a stale tab must not undo a later restriction of access."""
    return f"{report.privacy}-{report.password_version}-{report.render}-{report.device}-{report.access}"


def _crumb(report: StoredReport) -> str:
    return short_url(report.url, MAX_CRUMB)


async def _form(
    work: UnitOfWork,
    view: View,
    report: StoredReport,
    *,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    access_choices = await find_access_choices(work, report.url)
    return view.page(
        "report_settings.html.jinja",
        status=status,
        policy=HELPED,
        report=report,
        crumb=_crumb(report),
        share_link=None if report.privacy == Privacy.PRIVATE else share_url(view.options.base_url, report.slug),
        privacies=privacy_options(view.texts),
        chosen_privacy=(sent or {}).get("privacy", str(report.privacy)),
        chosen_render=(sent or {}).get("render", report.render),
        chosen_device=(sent or {}).get("device", report.device),
        access_choices=access_choices,
        chosen_access=(sent or {}).get("access") or _ACCESS_WORDS.get(report.access, report.access),
        asks_to_share="share_anyway" in (problems or {}),
        has_password=report.password_hash is not None,
        seen=_shown(report),
        problems=problems or {},
    )


def _operation(
    method: str, path: str, name: str, summary: str, handler: Callable[..., Awaitable[Response]]
) -> Operation:
    return PageOperation(
        method=method, path=f"{PATH}/{{id}}/{path}", name=name, summary=summary, handler=handler, role=Role.EDITOR
    )


OPERATIONS: Final = (
    _operation("GET", "settings", "show_settings", "A report's settings", show_settings),
    _operation("POST", "settings", "save_settings", N_("Change a report's settings"), save_settings),
    _operation("POST", "run", "run_again", N_("Analyze the page again"), run_again),
    _operation("GET", "delete", "ask_to_delete", "Whether to delete a report", ask_to_delete),
    _operation("POST", "delete", "delete_report_for_good", N_("Delete a report"), delete_report_for_good),
)
