"""Success criteria of WCAG 2.2 on the page of a report, and the results that persons record."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BaseModel, Field

from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.model.report import MAX_NOTE, ManualOutcome
from pagegrade.model.schema import URL, Timestamp, about
from pagegrade.render.criteria import CriterionResult, Level, Status, remark
from pagegrade.render.english import N_
from pagegrade.report.serialize import timestamp
from pagegrade.service.container import Services
from pagegrade.service.reports import manual_results as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import Paged
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, listed_answer, precondition, written_answer
from pagegrade.web.schemas.envelope import Deleted, answer_with, numbered_list
from pagegrade.web.schemas.shape import Document


class RecordedResult(Document, frozen=True, kw_only=True):
    """Result of a criterion on a page, by a person or a program."""

    outcome: Annotated[ManualOutcome, about("What was found.", "failed")]
    note: Annotated[str, about("Reason for it; empty: none.", "The banner is an image of text.")]
    evidence: Annotated[
        str, about("Place that shows it, such as an address; empty: none.", "https://example.org/banner.png")
    ]
    author: Annotated[str, about("Present name of the person or the key; empty: it is gone.", "Example")]
    recorded_at: Annotated[Timestamp, about("Time of the record.", "2026-01-05T12:34:56.789Z")]
    stale: Annotated[bool, about("The page, or how it was analyzed, has changed since: it decides nothing.", False)]  # noqa: FBT003


class CriterionOfReport(Document, frozen=True, kw_only=True):
    """A success criterion of WCAG 2.2 on the page of a report."""

    criterion: Annotated[str, about("Number of the criterion.", "1.4.5")]
    object: Annotated[Literal["criterion"], about("The kind of object.", "criterion")]
    report_id: Annotated[int, about("The report.", 1042, minimum=1)]
    name: Annotated[str, about("Its name in WCAG.", "Images of Text")]
    level: Annotated[Level, about("Its level.", "AA")]
    wcag: Annotated[Literal["2.0", "2.1", "2.2"], about("Version of WCAG that introduced it.", "2.0")]
    en_301_549: Annotated[str | None, about("Clause of EN 301 549 V3.2.1; null: none.", "9.1.4.5")]
    section_508: Annotated[str | None, about("Provision of Section 508; null: none.", "E205.4")]
    source: Annotated[
        URL, about("Explanation by W3C.", "https://www.w3.org/WAI/WCAG22/Understanding/images-of-text.html")
    ]
    status: Annotated[
        Status,
        about(
            "The result: that of `manual` unless it is stale or automatic tests found a failure for certain.", "failed"
        ),
    ]
    by_machine: Annotated[Status, about("Result of the automatic tests alone.", "needs_person")]
    remark: Annotated[
        str, about("Reason for the result of the tests; empty where findings give it.", "No automatic test decides it.")
    ]
    found: Annotated[list[str], about("Checks with findings that break it, or that a person has to look at.", [])]
    passed: Annotated[list[str], about("Checks that found nothing.", [])]
    not_evaluated: Annotated[list[str], about("Checks that could not be evaluated.", [])]
    manual: Annotated[RecordedResult | None, about("Recorded result; null: none.")]


CriterionAnswer: Final = answer_with("CriterionAnswer", CriterionOfReport, "One success criterion.", "The criterion.")
CriterionList: Final = numbered_list(
    "CriterionList", CriterionOfReport, "Success criteria.", "The criteria of this page."
)


class WithdrawnResult(Deleted, frozen=True, kw_only=True):
    """Confirmation that the recorded result of a criterion was taken back."""

    criterion: Annotated[str, about("Number of the criterion.", "1.4.5")]
    object: Annotated[Literal["manual_result"], about("The kind of object.", "manual_result")] = "manual_result"
    report_id: Annotated[int, about("The report.", 1042, minimum=1)]


def criterion_object(result: CriterionResult, report_id: int) -> bytes:
    """The JSON object of a criterion of a report."""
    criterion, manual = result.criterion, result.manual
    return msgspec.json.encode(
        CriterionOfReport(
            criterion=criterion.number,
            object="criterion",
            report_id=report_id,
            name=criterion.name,
            level=criterion.level,
            wcag=criterion.since,
            en_301_549=criterion.en_clause or None,
            section_508=criterion.section_508 or None,
            source=criterion.source,
            status=result.status,
            by_machine=result.by_machine,
            remark=remark(result),
            found=[each.check for each in result.found],
            passed=[each.check for each in result.passed],
            not_evaluated=[each.check for each in result.not_evaluated],
            manual=None
            if manual is None
            else RecordedResult(
                outcome=manual.outcome,
                note=manual.note,
                evidence=manual.evidence,
                author=manual.author,
                recorded_at=timestamp(manual.at_ms),
                stale=manual.is_stale,
            ),
        )
    )


PATH: Final = "/api/v1/reports/{id}/criteria"
_ONE: Final = f"{PATH}/{{criterion}}"
_CONDITIONS: Final = ("If-Match", "If-None-Match")


class RecordResultBody(BaseModel):
    """The result of a criterion."""

    outcome: ManualOutcome = Field(description="What was found.", examples=["failed"])
    note: str = Field(
        "",
        max_length=MAX_NOTE,
        description="Reason for it; required unless the criterion is met.",
        examples=["The banner is an image of text."],
    )
    evidence: str = Field(
        "",
        max_length=MAX_NOTE,
        description="Place that shows it, such as an address.",
        examples=["https://example.org/banner.png"],
    )


async def list_criteria(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the criteria of a report."""
    report_id, query = request.id, request.query(Paged)
    found = await work.read(
        service.list_criteria,
        report_id,
        services.options,
        request.received_at_ms,
        page=query.page,
        per_page=query.per_page,
    )
    encode = partial(criterion_object, report_id=report_id)
    return listed_answer(request, services, found, query, encode=encode)


async def show_criterion(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a criterion of a report."""
    return fresh_answer(request, enveloped(await _read(request, work, services)))


async def record_result(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Store the result of a criterion, in place of the one before."""
    refuse_when_draining(services)
    fields, violations = await request.fields(RecordResultBody)
    if violations:
        raise ValidationFailed(violations)
    await work.write(
        service.record_result,
        request.id,
        services.options,
        request.received_at_ms,
        criterion=_number(request),
        outcome=fields.outcome,
        note=fields.note,
        evidence=fields.evidence,
        changed_tag=precondition(request, partial(criterion_object, report_id=request.id)),
    )
    data = await _read(request, work, services)
    return written_answer(request, services, data, minimal=("criterion", "object", "report_id"))


async def withdraw_result(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Take the result of a criterion back."""
    number = _number(request)
    was_there = await work.write(
        service.remove_result,
        request.id,
        services.options,
        request.received_at_ms,
        criterion=number,
        changed_tag=precondition(request, partial(criterion_object, report_id=request.id)),
    )
    if not was_there:
        raise NotFound
    return deleted_answer(WithdrawnResult(criterion=number, report_id=request.id))


async def _read(request: Request, work: UnitOfWork, services: Services) -> bytes:
    found = await work.read(
        service.show_criterion, request.id, services.options, request.received_at_ms, criterion=_number(request)
    )
    return criterion_object(found, request.id)


def _number(request: Request) -> str:
    return str(request.path_params["criterion"])


_reading = partial(Operation, scope="reports:read", for_projects=True, tag="Criteria")
_writing = partial(Operation, scope="reports:write", for_projects=True, tag="Criteria")

OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List the success criteria of a report",
        description="What the report says of the 55 criteria A and AA of WCAG 2.2, by number: automatic tests, and the "
        "results that persons recorded. A report without results has none (404).",
        handler=list_criteria,
        query=Paged,
        answers={200: CriterionList},
    ),
    _reading(
        path=_ONE,
        summary="Show a success criterion of a report",
        description="What the report says of one criterion.",
        handler=show_criterion,
        answers={200: CriterionAnswer},
    ),
    _writing(
        method="PUT",
        path=_ONE,
        name="record_criterion_result",
        summary=N_("Record a criterion's result through the API"),
        description="Stores what a person, or the program of one, found of a criterion on the page, in place of the "
        "result before. It belongs to the state of the page that the report shows: once that changes it is stale.",
        handler=record_result,
        body=RecordResultBody,
        headers=_CONDITIONS,
        answers={200: CriterionAnswer},
    ),
    _writing(
        method="DELETE",
        path=_ONE,
        name="withdraw_criterion_result",
        summary=N_("Take back a criterion's result through the API"),
        description="Deletes the recorded result. The criterion itself stays, with what automatic tests say of it; "
        "one without a recorded result answers 404.",
        handler=withdraw_result,
        headers=_CONDITIONS,
        answers={200: WithdrawnResult},
    ),
)
