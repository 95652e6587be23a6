"""One report's settings: who may see it and its password, another analysis, and its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, PreconditionFailed, QuotaExceeded, RateLimited, Unavailable
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.render.english import N_
from pagegrade.service.reports.operations import Stored, delete_report, find_report, update_report
from pagegrade.service.reports.serializers import share_url
from pagegrade.service.reports.validation import ReportChange, read_change
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.fields import read_fields
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.field_messages import problems_of_input, refusal_of
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import HELPED, go, page
from pagegrade.web.pages.reports.list_query import PATH
from pagegrade.web.pages.reports.report_list import privacy_options
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_address
from pagegrade.web.parameters import UpdateReportBody
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import judge_fields, refuse_when_draining

_FIELDS: Final = ("privacy", "password")
_CHANGED: Final = N_(
    "Somebody changed these settings after you opened this page: another tab, or a program. They are shown as they are "
    "now. Nothing was saved yet."
)


async def show_settings(call: Call) -> Answer:
    """Answer with the form."""
    report = await call.read(lambda tx, caller: _find(call, tx, caller))
    return _form(call, report)


async def save_settings(call: Call) -> Answer:
    """Keep what the form says."""
    report = await call.read(lambda tx, caller: _find(call, tx, caller))
    form = await read_form(call)
    sent = {name: form[name] for name in _FIELDS if name in form}
    try:
        await _save(call, sent, seen=form.get("seen"))
    except PreconditionFailed as error:
        now = await call.read(lambda tx, caller: _find(call, tx, caller))
        return _form(call, now, problems={"": call.texts.gettext(_CHANGED)}, status=problem_of(error).status)
    except InvalidInput as error:
        problems = problems_of_input(call.texts, error, field="privacy")
        return _form(call, report, privacy=sent.get("privacy"), problems=problems, status=422)
    call.services.changes.notify(report.id)
    return go(f"{PATH}/{report.id}?said=saved")


async def _save(call: Call, sent: Mapping[str, str], *, seen: str | None) -> Stored:
    """Change what was sent, if the settings still are what the form showed.

    Raises:
        PreconditionFailed: They are not.
        ValidationFailed: They cannot be what was sent.
    """
    report_id, options = call.id, call.services.options
    fields, violations = read_fields(UpdateReportBody, sent, "body")
    change = judge_fields(violations, lambda: read_change(privacy=fields.privacy, password=fields.password))
    password_hash: str | None = None
    if change.needs_hash and change.password is not None:
        password_hash = await call.services.passwords.hash(change.password)

    def work(tx: Transaction, caller: Caller) -> Stored:
        report = _find(call, tx, caller)
        if seen is not None and seen != _shown(report):
            raise PreconditionFailed(report.etag)
        return update_report(tx, caller, report_id, options, call.now_ms, change=change, password_hash=password_hash)

    return await call.write(work)


async def run_again(call: Call) -> Answer:
    """Analyse the page once more, or join the analysis that is under way, and go to the report."""
    report = await call.read(lambda tx, caller: _find(call, tx, caller))
    try:
        await analyse_again(call, (report.id,))
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return _form(call, report, problems={"": refusal_of(call.texts, error)}, status=problem_of(error).status)
    return go(f"{PATH}/{report.id}?said=running")


async def analyse_again(call: Call, ids: tuple[int, ...]) -> None:
    """Queue another run of each of these reports of the caller, all or none.

    Raises:
        NotFound: One of them is not there.
        RateLimited: The caller started too many analyses in the last minute.
        QuotaExceeded: The account has no room for so many.
        Unavailable: The queue has none.
    """
    refuse_when_draining(call)
    await call.take_analysis()

    def work(tx: Transaction, caller: Caller) -> None:
        for report_id in ids:
            change = ReportChange(run=True)
            update_report(tx, caller, report_id, call.services.options, call.now_ms, change=change)

    await call.write(work)
    for report_id in ids:
        call.services.changes.notify(report_id)
    call.services.wake()


async def ask_to_delete(call: Call) -> Answer:
    """Answer with the question whether it is meant."""
    report = await call.read(lambda tx, caller: _find(call, tx, caller))
    return page(
        call, "report_delete.html.jinja", report=report, address=short_address(report.url), crumb=_crumb(report)
    )


async def delete_report_for_good(call: Call) -> Answer:
    """Delete the report and go to the list."""
    report_id = call.id

    def work(tx: Transaction, caller: Caller) -> None:
        delete_report(tx, caller, report_id, call.services.options, call.now_ms)

    await call.write(work)
    call.services.changes.notify(report_id)
    return go(f"{PATH}?said=deleted")


def _find(call: Call, tx: Transaction, caller: Caller) -> StoredReport:
    return find_report(tx, caller, call.id, call.services.options, call.now_ms)


def _shown(report: StoredReport) -> str:
    """The settings as a form shows them: a stale tab must not open what was closed since."""
    return f"{report.privacy}-{report.password_version}"


def _crumb(report: StoredReport) -> str:
    return short_address(report.url, MAX_CRUMB)


def _form(
    call: Call,
    report: StoredReport,
    *,
    privacy: str | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Answer:
    return page(
        call,
        "report_settings.html.jinja",
        status=status,
        policy=HELPED,
        report=report,
        crumb=_crumb(report),
        share_link=None
        if report.privacy == Privacy.PRIVATE
        else share_url(call.services.options.base_url, report.slug),
        privacies=privacy_options(call.texts),
        chosen_privacy=str(report.privacy) if privacy is None else privacy,
        has_password=report.password_hash is not None,
        seen=_shown(report),
        problems=problems or {},
    )


def _operation(
    method: str, path: str, name: str, summary: str, handler: Callable[[Call], Awaitable[Answer]]
) -> Operation:
    return Operation(
        method=method,
        path=f"{PATH}/{{id}}/{path}",
        name=name,
        summary=summary,
        handler=handler,
        access="account",
        problems=("not_found",),
        tag=PAGES,
    )


OPERATIONS: Final = (
    _operation("GET", "settings", "show_settings", "A report's settings", show_settings),
    _operation("POST", "settings", "save_settings", "Change a report's settings", save_settings),
    _operation("POST", "run", "run_again", "Analyse the page again", run_again),
    _operation("GET", "delete", "ask_to_delete", "Whether to delete a report", ask_to_delete),
    _operation("POST", "delete", "delete_report_for_good", "Delete a report", delete_report_for_good),
)
