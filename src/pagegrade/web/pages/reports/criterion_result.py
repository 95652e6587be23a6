"""The form in which a person records the result of a success criterion on the page of a report."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from pagegrade.model.account import Role
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.report import MAX_NOTE, ManualOutcome, Report
from pagegrade.render.criteria import OUTCOME_NAMES, STATUS_NAMES, CriterionResult, by_criterion, manual_remark, remark
from pagegrade.render.english import N_
from pagegrade.render.finding_texts import in_language
from pagegrade.render.view import headline
from pagegrade.service.reports.manual_results import find_recordable, record_result, remove_result
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.field_messages import problems_of
from pagegrade.web.pages.forms import read_form, read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.list_query import PATH
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
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
    return await _form(request, view, shown, number)


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
        return await _form(request, view, shown, number, sent=form, problems=problems_of(view.texts, error.violations))
    return _done(request, number)


def _result_of(shown: Report, number: str, tag: str) -> CriterionResult:
    return next(one for one in by_criterion(in_language(shown, tag)) if one.criterion.number == number)


def _done(request: Request, number: str) -> Response:
    # To the row: who records many goes on with the one below it.
    return go(f"{PATH}/{request.id}?view=criteria#criterion-{number}")


async def _form(
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


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}/criterion",
        name="ask_for_result",
        summary="The result of a success criterion",
        handler=ask_for_result,
        access="account",
        role=Role.EDITOR,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/criterion",
        name="record_criterion",
        summary=N_("Record the result of a success criterion"),
        handler=record_criterion,
        access="account",
        role=Role.EDITOR,
        tag=PAGES,
    ),
)
