"""Batches: many reports from one call."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, ValidationFailed, Violation
from pagegrade.model.report import Grade
from pagegrade.model.schema import URL, Count, Points, Timestamp, about
from pagegrade.model.stored import GRADES, State
from pagegrade.render.english import N_
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports import batches as service
from pagegrade.service.reports.batches import BatchState
from pagegrade.service.reports.validation import NewReport
from pagegrade.service.sitemaps import read_sitemap_urls
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateBatchBody, CreateReportBody, Paged
from pagegrade.web.report_requests import evaluate_fields, new_report_of, refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, listed_answer, picked, url_of
from pagegrade.web.schemas.envelope import answer_with, deleted, numbered_list
from pagegrade.web.schemas.shape import Document, extended


class BatchItem(Document, frozen=True, kw_only=True):
    """Progress of a batch."""

    id: Annotated[int, about("Unique number; increases with every new batch.", 7, minimum=1)]
    object: Annotated[Literal["batch"], about("The kind of object.", "batch")]
    total: Annotated[Count, about("Reports of the batch that still exist.", 2)]
    queued: Annotated[Count, about("Reports whose analysis has not ended.", 1)]
    completed: Annotated[Count, about("Reports that were analyzed.", 1)]
    failed: Annotated[Count, about("Reports that could not be analyzed.", 0)]
    created_at: Annotated[Timestamp, about("Time of creation.", "2026-01-05T12:34:56.789Z")]


class RefusedURL(Document, frozen=True, kw_only=True):
    """A URL that got no report."""

    url: Annotated[str, about("The URL as sent, cut after 200 characters.", "ftp://example.com/")]
    code: Annotated[str, about("Stable code of the reason.", "scheme_not_allowed")]
    message: Annotated[str, about("The reason in one sentence.", "Only http and https are contacted.")]


class BatchReport(Document, frozen=True, kw_only=True):
    """State of a report of a batch."""

    id: Annotated[int, about("Number of the report.", 1042, minimum=1)]
    object: Annotated[Literal["report"], about("The kind of object.", "report")]
    url: Annotated[URL, about("URL of the report in canonical form.", "https://example.com/pricing")]
    state: Annotated[State, about("State of the last analysis.", "completed")]
    result: Annotated[Grade | None, about("Good, decent or bad; null without a result.", "decent")]
    score: Annotated[Points | None, about("0 to 100; null without a result.", 74)]


class Batch(BatchItem, frozen=True, kw_only=True):
    """A batch with its reports."""

    refused: Annotated[list[RefusedURL], about("URLs that are not valid, or occurred more than once.")]
    reports: Annotated[list[BatchReport], about("Reports of the batch, in the order of the URLs.")]


BatchAnswer: Final = answer_with("BatchAnswer", Batch, "One batch.", "The batch.")
BatchList: Final = numbered_list("BatchList", BatchItem, "Batches.", "The batches of this page.")
DeletedBatch: Final = deleted(
    "DeletedBatch", "batch", "a batch was deleted; its reports are kept", "The deleted batch.", 7
)


def batch_item(batch: BatchState) -> bytes:
    """The JSON object of a batch as an item of a list."""
    return msgspec.json.encode(_batch(batch))


def batch_object(batch: BatchState) -> bytes:
    """The JSON object of a batch, whole."""
    refused = msgspec.json.decode(batch.refused, type=list[RefusedURL])
    reports = [
        BatchReport(
            id=report.id,
            object="report",
            url=report.url,
            state=report.state,
            result=None if report.rating is None else GRADES[report.rating],
            score=report.score,
        )
        for report in batch.reports
    ]
    return msgspec.json.encode(extended(_batch(batch), Batch, refused=refused, reports=reports))


def _batch(batch: BatchState) -> BatchItem:
    return BatchItem(
        id=batch.id,
        object="batch",
        total=len(batch.reports),
        queued=batch.unfinished,
        completed=batch.count("completed"),
        failed=batch.count("failed"),
        created_at=timestamp(batch.created_at_ms),
    )


PATH: Final = "/api/v1/batches"
MAX_BODY_BYTES: Final = 1_048_576
"""Maximum length of a body: fits the maximum number of URLs of usual length, and some more."""
ASK_AGAIN: Final = ("Retry-After", "5")
"""While reports are unfinished, in seconds."""
MINIMAL: Final = ("id", "object", "total")
"""Members of a batch that the response to its creation has with ``Prefer: return=minimal``."""


async def create_batch(
    request: Request, work: UnitOfWork, idempotency: Idempotency, limits: RateLimit, services: Services
) -> Response:
    """Store a batch with its reports and answer at once; their analyses go on."""
    refuse_when_draining(services)
    options = services.options
    fields, violations = await request.fields(CreateBatchBody, max_bytes=MAX_BODY_BYTES, lists=("urls",))
    listed = service.URLList(urls=(), refused=())
    new_reports: tuple[NewReport, ...] = ()
    password_hash: str | None = None
    if not await idempotency.is_executed(fields):
        listed = await _listed(work.caller.account, limits, services, fields, violations)
        new_reports = _new_reports(work.caller.account, services.options, fields, violations, listed)
        await limits.take_analysis()
        password = new_reports[0].password
        password_hash = None if password is None else await services.passwords.hash(password)

    async def respond(number: int) -> Response:
        services.wake()
        batch = await work.read(service.show_batch, number, options, request.received_at_ms)
        body = picked(batch_object(batch), MINIMAL if request.preferences.minimal else None)
        location = ("Location", f"{url_of(request, services)}/{number}")
        headers = (location, *request.preferences.applied(writing=True), *((ASK_AGAIN,) if batch.unfinished else ()))
        return Response(status_code=202, content=enveloped(body, status=202), headers=headers)

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_batch,
            new_reports=new_reports,
            options=options,
            now_ms=request.received_at_ms,
            refused=listed.refused,
            password_hash=password_hash,
        ),
        resource_id=int,
        load_existing=partial(service.check_batch, options=options, now_ms=request.received_at_ms),
        respond=respond,
        is_analysis=True,
    )


async def _listed(
    account: Account, limits: RateLimit, services: Services, fields: CreateBatchBody, violations: list[Violation]
) -> service.URLList:
    """The URLs of the list and of the sitemap.

    Raises:
        ValidationFailed: There are none, or the sitemap cannot be read.
        RateLimited: The key may not start an analysis now, and neither have a sitemap fetched.
    """
    typed = list(fields.urls or ())
    if fields.sitemap and not violations:
        await limits.take_analysis()
        typed += await _sitemap(account, services, fields.sitemap)
    listed = await asyncio.to_thread(service.read_urls, typed, services.options)
    if not listed.urls and not any(each.field in {"urls", "sitemap"} for each in violations):
        code, message = "required", "Send urls or a sitemap."
        if listed.refused:
            code, message = "none_usable", f"None of the URLs can be used. The first: {listed.refused[0]['message']}"
        violations.append(Violation(field="urls", place="body", code=code, message=message))
    if violations and not listed.urls:
        raise ValidationFailed(violations)
    return listed


async def _sitemap(account: Account, services: Services, typed: str) -> tuple[str, ...]:
    try:
        found = await read_sitemap_urls(services, typed, account_id=account.id)
    except InvalidInput as error:
        code, message = error.reason or error.code, error.message
    else:
        if not found.failure:
            return found.urls
        code, message = found.failure, "The sitemap could not be read, or lists no pages."
    raise ValidationFailed([Violation(field="sitemap", place="body", code=code, message=message)])


def _new_reports(
    account: Account,
    options: ServiceOptions,
    fields: CreateBatchBody,
    violations: list[Violation],
    listed: service.URLList,
) -> tuple[NewReport, ...]:
    """A request for each report, all with the same options.

    Raises:
        ValidationFailed: The privacy or the password cannot be used, or something was wrong before.
    """
    first, *others = (
        CreateReportBody(
            url=url,
            privacy=fields.privacy,
            password=fields.password,
            render=fields.render,
            device=fields.device,
            access=fields.access,
        )
        for url in listed.urls
    )
    read = evaluate_fields(violations, lambda: new_report_of(account, options, first, ()))
    return read, *(new_report_of(account, options, other, ()) for other in others)


async def show_batch(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a batch and where its reports stand."""
    options = services.options
    batch = await work.read(service.show_batch, request.id, options, request.received_at_ms)
    more = (ASK_AGAIN,) if batch.unfinished else ()
    return fresh_answer(request, enveloped(batch_object(batch)), headers=more)


async def list_batches(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's batches."""
    query = request.query(Paged)
    found = await work.read(
        service.list_batches, services.options, request.received_at_ms, page=query.page, per_page=query.per_page
    )
    return listed_answer(request, services, found, query, encode=batch_item)


async def delete_batch(request: Request, work: UnitOfWork) -> Response:
    """Forget a batch and answer that it is gone; its reports stay."""
    await work.write(service.delete_batch, request.id)
    return deleted_answer(DeletedBatch(id=request.id))


_reading = partial(Operation, scope="reports:read", tag="Batches")
_writing = partial(Operation, scope="reports:write", tag="Batches")

OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List batches",
        description="The batches of the account, newest first, without their reports.",
        handler=list_batches,
        query=Paged,
        answers={200: BatchList},
    ),
    _writing(
        method="POST",
        path=PATH,
        recorded=False,
        summary=N_("Create many reports"),
        description="Stores a report for each URL, all or none, and answers at once. Their analyses wait behind what "
        "else the account asks for. URLs that cannot be used are named in `refused` and keep the others from nothing.",
        handler=create_batch,
        body=CreateBatchBody,
        answers={202: BatchAnswer},
        answer_headers=("Location", "Retry-After"),
    ),
    _reading(
        path=f"{PATH}/{{id}}",
        summary="Show a batch",
        description="Progress of a batch and state of each of its reports. Deleted reports are no longer in it.",
        handler=show_batch,
        answers={200: BatchAnswer},
        answer_headers=("Retry-After",),
    ),
    _writing(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete a batch"),
        description="Forgets the batch. Its reports stay; delete those one by one, or by project.",
        handler=delete_batch,
        answers={200: DeletedBatch},
    ),
)
