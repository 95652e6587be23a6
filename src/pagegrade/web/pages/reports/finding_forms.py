"""Forms about a single result of a report: ignore a finding, or record the result of a success criterion; ignore rules.

Ignoring says what of the finding, where, until when, and why. The page of the rules says what an account ignores; each
can be removed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.model.account import Role
from pagegrade.model.errors import NotFound, QuotaExceeded, ValidationFailed, Violation
from pagegrade.model.outcome import MAX_REASON, MAX_SELECTOR, IgnoreRule, StoredIgnore
from pagegrade.model.report import MAX_NOTE, ManualOutcome, Report, Result
from pagegrade.model.stored import ListPart, StoredReport
from pagegrade.render import view as report_view
from pagegrade.render.criteria import OUTCOME_NAMES, STATUS_NAMES, CriterionResult, by_criterion, manual_remark, remark
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.render.finding_texts import in_language, translated
from pagegrade.render.view import headline
from pagegrade.report.serialize import timestamp
from pagegrade.service.ignores import operations as service
from pagegrade.service.ignores.operations import create_ignore
from pagegrade.service.reports.manual_results import find_recordable, record_result, remove_result
from pagegrade.service.reports.views import shown_report, view_own
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.keys import DAY_MS
from pagegrade.web.pages.forms import problems_of, read_form, read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.report_list import PATH
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
from pagegrade.web.parameters import CreateIgnoreBody, IgnoreListQuery
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import read_rule
from pagegrade.web.request import Request

MEANINGS: Final[Mapping[ManualOutcome, str]] = {
    "passed": N_("Every part of the page meets the criterion. What tests find for certain still fails."),
    "failed": N_("At least one part of the page breaks it. Say which in the note."),
    "not_applicable": N_("The page has nothing that the criterion is about. Say why in the note."),
}


async def ask_for_result(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for the criterion that the query names."""
    number = read_query(request).get("number", "")
    shown = await work.read(find_recordable, request.id, view.options, view.now_ms, criterion=number)
    return await _criterion_form(request, view, shown, number)


async def record_criterion(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store the result, or take it back, and return to the criteria of the report."""
    form = await read_form(request)
    number = form.get("number", "")
    shown = await work.read(find_recordable, request.id, view.options, view.now_ms, criterion=number)
    if form.get("deed") == "remove":
        await work.write(remove_result, request.id, view.options, view.now_ms, criterion=number)
        return _done(request, number)
    try:
        await work.write(
            record_result,
            request.id,
            view.options,
            view.now_ms,
            criterion=number,
            outcome=form.get("outcome", ""),
            note=form.get("note", ""),
            evidence=form.get("evidence", ""),
        )
    except ValidationFailed as error:
        return await _criterion_form(
            request, view, shown, number, sent=form, problems=problems_of(view.texts, error.violations)
        )
    return _done(request, number)


def _result_of(shown: Report, number: str, tag: str) -> CriterionResult:
    return next(one for one in by_criterion(in_language(shown, tag)) if one.criterion.number == number)


def _done(request: Request, number: str) -> Response:
    # To the row: who records many goes on with the one below it.
    return go(f"{PATH}/{request.id}?view=criteria#criterion-{number}")


async def _criterion_form(
    request: Request,
    view: View,
    shown: Report,
    number: str,
    *,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> Response:
    result = await asyncio.to_thread(_result_of, shown, number, view.texts.tag)
    manual = result.manual
    stored = {} if manual is None else {"outcome": manual.outcome, "note": manual.note, "evidence": manual.evidence}
    return view.page(
        "criterion_result.html.jinja",
        status=422 if problems else 200,
        report_id=request.id,
        crumb=short_url(shown.url, MAX_CRUMB),
        criterion=result.criterion,
        machine=view.texts.gettext(STATUS_NAMES[result.by_machine]),
        why=remark(replace(result, manual=None), view.texts),
        found=[headline(each, view.texts) for each in result.found],
        manual=manual_remark(result, view.texts),
        outcomes=[
            (outcome, view.texts.gettext(name), view.texts.gettext(MEANINGS[outcome]))
            for outcome, name in OUTCOME_NAMES.items()
        ],
        sent=stored if sent is None else sent,
        problems=problems or {},
        max_note=MAX_NOTE,
    )


EXPIRIES: Final[dict[str, str]] = {
    "": N_("Never"),
    "30": N_("In 30 days"),
    "90": N_("In 90 days"),
    "365": N_("In a year"),
}
"""Days until the rule expires -> their name."""
COVERS: Final[dict[str, tuple[str, str]]] = {
    "check": (N_("The whole finding"), N_("All places, whatever the check finds.")),
    "element": (N_("One element"), N_("Only the place that you choose below.")),
    "selector": (N_("Elements that match a selector"), N_("Only places in those elements.")),
}
"""Value of ``covers`` -> its name, and what it means."""
SCOPES: Final[dict[str, tuple[str, str]]] = {
    "report": (N_("In this report"), N_("The finding comes back when it gets worse than it is now.")),
    "project": (N_("In all reports of this site"), ""),
    "account": (N_("In all your reports"), ""),
}
"""Value of ``scope`` -> its name, and what it means."""
MAX_ELEMENTS: Final = 50
"""Elements to choose from."""
ACCOUNT_IS_FULL: Final = N_("Your account has as many ignore rules as it may have. Remove some of them first.")
_MAX_SHOWN: Final = 100
"""Characters of an element in the list of them."""


async def ask_to_ignore(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form for the finding that the query names."""
    report, result = await _find(request, work, view, read_query(request).get("check", ""))
    return _ignore_form(view, report, result)


async def ignore_finding(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store the rule, and return to the report."""
    form = await read_form(request)
    report, result = await _find(request, work, view, form.get("check", ""))
    try:
        scope = _chosen(SCOPES, form, "scope", "report")
        await work.write(
            create_ignore,
            _read(form, report, result, view.now_ms),
            view.options,
            view.now_ms,
            report_id=report.id if scope == "report" else None,
        )
    except ValidationFailed as error:
        problems = problems_of(view.texts, error.violations)
        return _ignore_form(view, report, result, sent=form, problems=problems, status=422)
    except QuotaExceeded as error:
        problems = {"": view.texts.gettext(ACCOUNT_IS_FULL)}
        return _ignore_form(view, report, result, sent=form, problems=problems, status=problem_of(error).status)
    return go(f"{PATH}/{report.id}?said=ignoring")


async def _find(request: Request, work: UnitOfWork, view: View, check: str) -> tuple[StoredReport, Result]:
    """Return the report and its finding.

    Raises:
        NotFound: The caller has no such report, or it has no such finding.
    """
    viewed = await work.read(view_own, request.id, view.options, view.now_ms)
    shown = await asyncio.to_thread(shown_report, viewed)
    found = None if shown is None else report_view.find_finding(shown, check)
    if found is None:
        raise NotFound
    return viewed.report, found.result


def _read(form: Mapping[str, str], report: StoredReport, result: Result, now_ms: int) -> IgnoreRule:
    """Read the rule that a form describes.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    covers = _chosen(COVERS, form, "covers", "check")
    days = _chosen(EXPIRIES, form, "expires", "")
    selector = "" if covers == "check" else form.get(covers, "").strip()
    sent = {
        "check": result.check,
        "reason": form.get("reason", "").strip(),
        "selector": selector,
        "project": report.project if _chosen(SCOPES, form, "scope", "report") == "project" else "",
        "expires_at": timestamp(now_ms + int(days) * DAY_MS) if days else "",
    }
    fields, violations = read_fields(CreateIgnoreBody, sent, "body")
    if covers != "check" and not selector:
        missing = Violation(field=covers, place="body", code="required", message="Required.")
        violations = [missing, *violations]
    return read_rule(fields, violations, now_ms)


def _chosen(known: Mapping[str, Any], form: Mapping[str, str], name: str, default: str) -> str:
    value = form.get(name, default)
    return value if value in known else default


def elements_of(result: Result) -> tuple[str, ...]:
    """The selectors of the places of a finding that a rule can hold, each once."""
    found = dict.fromkeys(evidence.selector for evidence in result.evidence)
    return tuple(selector for selector in found if selector and len(selector) <= MAX_SELECTOR)[:MAX_ELEMENTS]


def _ignore_form(
    view: View,
    report: StoredReport,
    result: Result,
    *,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    elements = elements_of(result)
    result = replace(result, title=translated(result.title, view.texts.tag))
    return view.page(
        "ignore_finding.html.jinja",
        status=status,
        report=report,
        crumb=short_url(report.url, MAX_CRUMB),
        result=result,
        title=report_view.counted_title(result, view.texts),
        covers=_options(view, {name: each for name, each in COVERS.items() if elements or name != "element"}),
        scopes=_options(view, SCOPES),
        expiries=[(value, view.texts.gettext(name)) for value, name in EXPIRIES.items()],
        elements=[(selector, visible(selector, _MAX_SHOWN)) for selector in elements],
        sent=sent or {},
        problems=problems or {},
        max_reason=MAX_REASON,
        max_selector=MAX_SELECTOR,
    )


def _options(view: View, known: Mapping[str, tuple[str, str]]) -> Sequence[tuple[str, str, str]]:
    return [
        (value, view.texts.gettext(name), view.texts.gettext(meaning) if meaning else "")
        for value, (name, meaning) in known.items()
    ]


RULES_PATH: Final = "/ignores"
PER_PAGE: Final = 25
SAID: Final = {"removed": N_("The rule was removed. Its findings count again from the next analysis on.")}


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A rule as the list shows it."""

    stored: StoredIgnore
    name: str
    """Of the check; its id where there is no such check any more."""
    is_known: bool
    """The catalogue has the check."""
    expires_ms: int | None
    is_over: bool


async def list_rules(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a page of the rules, newest first."""
    sent = read_query(request)
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(IgnoreListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    found = await work.read(service.list_ignores, ListPart(page=query.page, per_page=query.per_page))
    said = SAID.get(sent.get("said", ""))
    size = "" if query.per_page == PER_PAGE else f"&per_page={query.per_page}"
    return view.page(
        "ignore_rules.html.jinja",
        rows=[_row(stored, view.now_ms, view.texts.tag) for stored in found.items],
        total=found.total,
        page=query.page,
        last_page=max(1, -(-found.total // query.per_page)),
        url=lambda number: f"{RULES_PATH}?page={number}{size}",
        said=None if said is None else view.texts.gettext(said),
        timezone=view.admitted.person.timezone,
    )


async def remove_rule(request: Request, work: UnitOfWork) -> Response:
    """Delete a rule, and return to the list."""
    await work.write(service.delete_ignore, request.id)
    return go(f"{RULES_PATH}?said=removed")


def _row(stored: StoredIgnore, now_ms: int, tag: str) -> _Row:
    rule = stored.rule
    check = all_checks().get(rule.check)
    expires_ms = None if rule.expires_at is None else int(rule.expires_at.timestamp() * 1000)
    return _Row(
        stored=stored,
        name=rule.check if check is None else translated(check.title, tag),
        is_known=check is not None,
        expires_ms=expires_ms,
        is_over=expires_ms is not None and expires_ms <= now_ms,
    )


OPERATIONS: Final = (
    PageOperation(path=f"{PATH}/{{id}}/criterion", handler=ask_for_result, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{id}}/criterion",
        summary=N_("Record the result of a success criterion"),
        handler=record_criterion,
        role=Role.EDITOR,
    ),
    PageOperation(path=f"{PATH}/{{id}}/ignore", handler=ask_to_ignore, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{id}}/ignore",
        summary=N_("Ignore a finding"),
        handler=ignore_finding,
    ),
    PageOperation(path=RULES_PATH, handler=list_rules),
    PageOperation(
        method="POST",
        path=f"{RULES_PATH}/{{id}}/remove",
        summary=N_("Remove an ignore rule"),
        handler=remove_rule,
    ),
)
