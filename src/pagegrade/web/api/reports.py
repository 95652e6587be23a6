"""Reports and the pictures of their pages; the list is in numbered pages, or from cursor to cursor."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from pagegrade.model.errors import Condition, NotFound, ValidationFailed
from pagegrade.model.identity import VERSION
from pagegrade.model.stored import UNFINISHED, StoredReport
from pagegrade.parse.files.image import SHOWN_TYPES
from pagegrade.render.english import N_
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.container import Services
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports import operations as service
from pagegrade.service.reports import views
from pagegrade.service.reports.operations import ReportItem, ReportResults, Stored
from pagegrade.service.reports.validation import read_change
from pagegrade.service.reports.views import Viewed, view_unless
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import FORM, JSON, MULTIPART
from pagegrade.web.http.request_headers import may_change, preferred_by_program
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.paging import Walk, position_in, write_cursor
from pagegrade.web.parameters import CreateReportBody, ReportWalkQuery, ShowReportQuery, UpdateReportBody
from pagegrade.web.problems import Rejected
from pagegrade.web.report_files import MEDIA_TYPES, file_header, make_file
from pagegrade.web.report_requests import (
    evaluate_fields,
    new_report_of,
    refuse_when_draining,
    wait_until_finished,
    walk_query,
)
from pagegrade.web.request import Request
from pagegrade.web.responses import (
    PAGE_AND_CURSOR,
    Headers,
    deleted_answer,
    enveloped,
    known_picture,
    listed_answer,
    picked,
    picture_response,
    unchanged,
    url_of,
    validators,
    walked_answer,
)
from pagegrade.web.schemas.report import (
    DeletedReport,
    ReportAnswer,
    ReportList,
    report_item,
    report_object,
    report_parts,
)

PATH: Final = "/api/v1/reports"


async def list_reports(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's reports, or with those at a cursor."""
    query = request.query(ReportWalkQuery)
    options = services.options
    asked = walk_query(query)
    picks = query.fields
    whole = query.include == "results" if picks is None else not {"results", "page", "rendered"}.isdisjoint(picks)
    read = work.search if asked.search else work.read
    if "cursor" not in request.sent:
        found = await read(service.list_reports, asked, options, request.received_at_ms, with_results=whole)
        encoded = await _encoded(found, options.base_url, picks)
        return listed_answer(request, services, encoded, query, encode=bytes)
    if request.sent.get("page") and not request.preferences.lenient:
        raise ValidationFailed([PAGE_AND_CURSOR])
    walked = await read(
        service.walk_reports,
        asked,
        options,
        request.received_at_ms,
        position=None if query.cursor is None else position_in(query.cursor, asked),
        count=query.count == 1,
        with_results=whole,
    )
    walk = Walk(
        path=url_of(request, services),
        query=request.filters(query),
        per_page=query.per_page,
        before=None if walked.before is None else write_cursor(asked, walked.before),
        after=None if walked.after is None else write_cursor(asked, walked.after),
        total=walked.total,
    )
    encoded = await _encoded(walked.listed, options.base_url, picks)
    return walked_answer(request, encoded.items, walk, version=encoded.version)


async def _encoded(found: Listed[ReportItem], base_url: str, names: tuple[str, ...] | None) -> Listed[bytes]:
    """The page with the JSON object of each report; with results outside of the event loop."""

    def encode() -> Listed[bytes]:
        items = tuple([picked(_encode_item(item, base_url), names) for item in found.items])
        return Listed(items=items, total=found.total, version=found.version)

    return encode() if found.version else await asyncio.to_thread(encode)


def _encode_item(item: ReportItem, base_url: str) -> bytes:
    if isinstance(item, ReportResults):
        return report_object(item.report, base_url=base_url, detail=item.detail)
    return report_item(item, base_url=base_url)


ASK_AGAIN: Final = ("Retry-After", "2")
"""Header for a report that is not finished; in seconds."""
MINIMAL: Final = ("id", "object", "state")
"""Members of the answer to a change with ``Prefer: return=minimal``."""
_NOT_ASKED: Final = frozenset({"json", "pdf-letter"})
"""The answer itself, and what only the pages offer."""
FORMATS: Final = {name: kind.partition(";")[0] for name, kind in MEDIA_TYPES.items() if name not in _NOT_ASKED}
"""Format of a report besides JSON -> its media type for the Accept header."""


async def show_report(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a report, at once or when it is finished, depending on Prefer."""
    query = request.query(ShowReportQuery)
    name = "md" if query.format == "markdown" else query.format or _format(request)
    seconds = request.preferences.seconds(0.0)
    if seconds and not await work.read(service.is_finished, request.id):
        await wait_until_finished(request, work, services, request.id, seconds)
    return (
        await _show_json(request, work, services, query)
        if name == "json"
        else await _show_file(request, work, services, name)
    )


def _format(request: Request) -> str:
    """Return the format that the client prefers; JSON unless the client clearly prefers another one."""
    wanted = preferred_by_program(request.header(b"accept"), (MEDIA_TYPES["json"], *dict.fromkeys(FORMATS.values())))
    return next((name for name, media_type in FORMATS.items() if media_type == wanted), "json")


def _file_tag(report: StoredReport, name: str) -> str:
    """Return the entity tag of a report in one format; it differs between formats and versions of Pagegrade."""
    return f'"{report.etag[1:-1]}-{name}-{VERSION}"'


def _file_headers(request: Request, report: StoredReport, name: str) -> Headers:
    return (*request.preferences.applied(), *validators(_file_tag(report, name), report.updated_at_ms))


def _unchanged_file(request: Request, report: StoredReport, name: str) -> Response | None:
    return unchanged(
        request, _file_tag(report, name), modified_ms=report.updated_at_ms, headers=request.preferences.applied()
    )


async def _file(request: Request, services: Services, viewed: Viewed, name: str) -> Response:
    """Return the report as a file.

    Raises:
        Rejected: The report has no results yet.
        Unavailable: Too many documents are being rendered.
    """
    made = await make_file(services, viewed, name)
    if made is None:
        message = "The report has no results yet that could be shown in this format."
        raise Rejected("not_found", message, headers=(ASK_AGAIN,) if viewed.report.state in UNFINISHED else ())
    shown, body = made
    headers = (file_header(shown, name, run=viewed.shown_number), *_file_headers(request, viewed.report, name))
    return Response(status_code=200, content=body, media_type=MEDIA_TYPES[name], headers=headers)


async def _show_json(request: Request, work: UnitOfWork, services: Services, query: ShowReportQuery) -> Response:
    headers: Headers = request.preferences.applied()

    def known(report: StoredReport) -> Response | None:
        return unchanged(request, report.etag, modified_ms=report.updated_at_ms, headers=headers)

    shown = await work.read(
        service.show_unless,
        request.id,
        services.options,
        request.received_at_ms,
        is_known=lambda report: known(report) is not None,
    )
    if isinstance(shown, StoredReport):
        return _known(known(shown))
    parts = report_parts(shown.report, base_url=services.options.base_url, detail=shown.detail)
    body = enveloped(*(parts if query.fields is None else [picked(b"".join(parts), query.fields)]))
    return Response(status_code=200, content=body, headers=(*headers, *_report_headers(shown.report)))


async def _show_file(request: Request, work: UnitOfWork, services: Services, name: str) -> Response:
    viewed = await work.read(
        view_unless,
        request.id,
        services.options,
        request.received_at_ms,
        is_known=lambda report: _unchanged_file(request, report, name) is not None,
    )
    if isinstance(viewed, StoredReport):
        return _known(_unchanged_file(request, viewed, name))
    return await _file(request, services, viewed, name)


def _known(answer: Response | None) -> Response:
    if answer is None:
        raise RuntimeError("a report that the client knows was read twice")
    return answer


async def create_report(
    request: Request, work: UnitOfWork, idempotency: Idempotency, limits: RateLimit, services: Services
) -> Response:
    """Store a new report, wait a limited time for its analysis, and answer with it."""
    refuse_when_draining(services)
    options = services.options
    fields, violations = await request.fields(CreateReportBody)
    seconds = request.preferences.seconds(options.create_wait_s)
    key = idempotency.key
    new_report = new_report_of(work.caller.account, services.options, fields, violations)
    if key is None:
        await limits.take_analysis()
    password = new_report.password
    password_hash = None if password is None else await services.passwords.hash(password)

    async def respond(made: Stored) -> Response:
        services.wake()
        location = ("Location", f"{url_of(request, services)}/{made.report.id}")
        return await _finished(request, work, services, made, status=201, seconds=seconds, headers=(location,))

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_report,
            new_report=new_report,
            options=options,
            now_ms=request.received_at_ms,
            password_hash=password_hash,
        ),
        resource_id=_report_id,
        load_existing=partial(
            service.find_stored, options=options, now_ms=request.received_at_ms, warnings=new_report.warnings
        ),
        respond=respond,
        is_analysis=True,
    )


async def update_report(
    request: Request, work: UnitOfWork, idempotency: Idempotency, limits: RateLimit, services: Services
) -> Response:
    """Change the settings of a report, analyze it again if requested, and answer with it."""
    options = services.options
    fields, violations = await request.fields(UpdateReportBody)
    report_id = request.id
    seconds = request.preferences.seconds(options.create_wait_s)
    key = idempotency.key
    change = evaluate_fields(
        violations,
        lambda: read_change(
            privacy=fields.privacy,
            password=fields.password,
            results=fields.results,
            render=fields.render,
            device=fields.device,
            access=fields.access,
        ),
    )
    if change.run:
        refuse_when_draining(services)
    if change.run or change.needs_hash:
        # A report of another account must cost neither an analysis nor a password hash.
        try:
            await work.read(service.find_report, report_id, options, request.received_at_ms)
        except NotFound:
            if change.run:
                await idempotency.refuse_executed(fields)
            raise
    if change.run and key is None:
        await limits.take_analysis()
    password_hash: str | None = None
    if change.needs_hash and change.password is not None:
        password_hash = await services.passwords.hash(change.password)

    update = partial(
        service.update_report,
        report_id=report_id,
        options=options,
        now_ms=request.received_at_ms,
        change=change,
        password_hash=password_hash,
        changed_tag=_precondition(request),
    )

    async def respond(made: Stored) -> Response:
        services.changes.notify(report_id)
        if change.run:
            services.wake()
        return await _finished(
            request, work, services, made, status=200, seconds=seconds if change.run else 0.0, headers=()
        )

    if change.run:
        return await idempotency.execute(
            fields,
            create=update,
            resource_id=_report_id,
            load_existing=partial(service.find_stored, options=options, now_ms=request.received_at_ms),
            respond=respond,
            is_analysis=True,
        )
    return await respond(await work.write(update))


async def delete_report(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete a report and confirm the deletion."""
    report_id = request.id
    options = services.options
    await work.write(
        service.delete_report, report_id, options, request.received_at_ms, changed_tag=_precondition(request)
    )
    services.changes.notify(report_id)
    return deleted_answer(DeletedReport(id=report_id))


def _report_id(stored: Stored) -> int:
    return stored.report.id


async def _finished(
    request: Request,
    work: UnitOfWork,
    services: Services,
    made: Stored,
    *,
    status: int,
    seconds: float,
    headers: Headers,
) -> Response:
    """Answer a change with the report, once its analysis is finished or the wait time is over."""
    await wait_until_finished(request, work, services, made.report.id, seconds)
    shown = await work.read(service.show_report, made.report.id, services.options, request.received_at_ms)
    report = shown.report
    item = report_object(shown.report, base_url=services.options.base_url, detail=shown.detail)
    body = picked(item, MINIMAL if request.preferences.minimal else None)
    return Response(
        status_code=status,
        content=enveloped(body, status=status, warnings=made.warnings),
        headers=(*headers, *request.preferences.applied(writing=True), *_report_headers(report)),
    )


def _report_headers(report: StoredReport) -> Headers:
    tags = validators(report.etag, report.updated_at_ms)
    return (*tags, ASK_AGAIN) if report.state in UNFINISHED else tags


def _precondition(request: Request) -> Condition[StoredReport]:
    """Return the condition that the request puts on the state of the report; ``None`` without a condition."""
    names = (b"if-match", b"if-none-match", b"if-unmodified-since")
    sent = tuple(request.header(name) for name in names)
    if sent == (None, None, None):
        return None
    return lambda report: None if may_change(*sent, etag=report.etag, modified_ms=report.updated_at_ms) else report.etag


_CHANGE_HEADERS: Final = (
    "If-Match",
    "If-None-Match",
    "If-Unmodified-Since",
    "Idempotency-Key",
)
_UPDATE: Final = (
    "Changes who may open the share page, and with `results=1` analyses the page again. What is not sent stays as it "
    "is. Waits for the analysis as creating does; meanwhile, and if it fails, the old results stay readable."
)


async def show_picture(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a picture of the run that the report shows."""
    shown = await work.read(
        views.show_picture,
        request.id,
        services.options,
        request.received_at_ms,
        name=request.path_params["picture"],
        is_known=known_picture(request),
    )
    return picture_response(shown)


_writing = partial(Operation, scope="reports:write", for_projects=True)
_reading = partial(Operation, scope="reports:read", for_projects=True)


def _update(method: str, name: str, more: str = "", *, body_types: tuple[str, ...] = (FORM, MULTIPART)) -> Operation:
    return _writing(
        method=method,
        path=f"{PATH}/{{id}}",
        name=name,
        summary=N_("Change a report or analyze it again"),
        description=f"{_UPDATE}{more}",
        handler=update_report,
        body=UpdateReportBody,
        body_types=body_types,
        headers=_CHANGE_HEADERS,
        answers={200: ReportAnswer},
        answer_headers=("Retry-After",),
        problems=("quota_exceeded",),
    )


OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List reports",
        description="The reports of the account, filtered, searched and sorted: in numbered pages, or from cursor to "
        "cursor, which neither misses nor repeats a report while others come and go.",
        handler=list_reports,
        query=ReportWalkQuery,
        answers={200: ReportList},
    ),
    _writing(
        method="POST",
        path=PATH,
        recorded=False,
        summary=N_("Create a report"),
        description="Stores a report for a URL and analyses the page. Waits a little for the analysis: the answer "
        "holds the finished report, or one that is `queued` or `running` and a `Retry-After`. A page that cannot be "
        "analyzed is a report in the state `failed`.",
        handler=create_report,
        body=CreateReportBody,
        body_types=(FORM, MULTIPART),
        answers={201: ReportAnswer},
        answer_headers=("Last-Modified", "Retry-After"),
        problems=("url_not_allowed",),
    ),
    _reading(
        path=f"{PATH}/{{id}}",
        summary="Show a report",
        formats=tuple(dict.fromkeys(FORMATS.values())),
        description="One report with all of its results; as JSON, or as a file with `format` or `Accept`. While it is "
        "not finished the answer says when to ask again; with `Prefer: wait=N` it comes when it is finished, or "
        "after N seconds.",
        handler=show_report,
        query=ShowReportQuery,
        headers=("Prefer", "If-Modified-Since"),
        answers={200: ReportAnswer},
        answer_headers=("Retry-After",),
        problems=("pdf_not_installed",),
    ),
    _update("PUT", "update_report"),
    _update("PATCH", "patch_report", " The same as PUT.", body_types=(JSON,)),
    _update("POST", "post_report", " The same as PUT, for clients that cannot send it."),
    _writing(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete a report"),
        description="Deletes the report with its runs, ends a run under way and its share link.",
        handler=delete_report,
        headers=("If-Match", "If-None-Match", "If-Unmodified-Since"),
        answers={200: DeletedReport},
    ),
)

PICTURES: Final = (
    _reading(
        path=f"{PATH}/{{id}}/pictures/{{picture}}",
        summary="Show a picture of a page",
        description="A picture of the run that the report shows: one that a browser made of the page, in WebP, or one "
        "that the page names for previews, as its site sent it. The names are those of `rendered.pictures`, and of "
        "`image` and `icon` in `page.preview`.",
        handler=show_picture,
        file_types=tuple(sorted(SHOWN_TYPES.values())),
    ),
)
