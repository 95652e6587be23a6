"""Reports: list, create, show, change, delete."""

from __future__ import annotations

from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, PreconditionFailed
from pagegrade.model.identity import VERSION
from pagegrade.model.stored import UNFINISHED, StoredReport
from pagegrade.render.filename import content_disposition, export_name
from pagegrade.service.reports import operations as service
from pagegrade.service.reports.operations import Stored
from pagegrade.service.reports.validation import read_change
from pagegrade.service.reports.views import Viewed, view_found
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.accept import preferred_by_program
from pagegrade.web.http.body import FORM, JSON, MULTIPART
from pagegrade.web.http.conditional import may_change
from pagegrade.web.idempotency import do_once, idempotency_key, refuse_done
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.parameters import CreateReportBody, ShowReportQuery, UpdateReportBody
from pagegrade.web.problems import Rejected
from pagegrade.web.report_files import MEDIA_TYPES, make_file
from pagegrade.web.report_requests import judge_fields, read_wish, refuse_when_draining
from pagegrade.web.responses import (
    Headers,
    enveloped,
    picked,
    unchanged,
    validators,
)
from pagegrade.web.schemas import DeletedReport, ReportAnswer
from pagegrade.web.wait_for_report import wait_until_finished

PATH: Final = "/api/v1/reports"
ASK_AGAIN: Final = ("Retry-After", "2")
"""For a report that is not finished, in seconds."""
MINIMAL: Final = ("id", "object", "state")
"""Members of a report that an answer to a change has with ``Prefer: return=minimal``."""
FORMATS: Final = {name: kind.partition(";")[0] for name, kind in MEDIA_TYPES.items() if name != "json"}
"""What a report can be besides JSON -> its media type, as Accept names it."""


async def show_report(call: Call) -> Answer:
    """Answer with a report, at once or when it is finished."""
    name = "json"

    def work(tx: Transaction, caller: Caller) -> Answer | Viewed | float:
        nonlocal name
        query = call.query(ShowReportQuery)
        name = "md" if query.format == "markdown" else query.format or _format(call)
        report = service.find_report(tx, caller, call.id, call.services.options, call.now_ms)
        seconds = call.preferences.seconds(0.0)
        if seconds and report.state in UNFINISHED and not waited:
            return seconds
        if name == "json":
            return _shown(call, tx, report, query)
        return _unchanged_file(call, report, name) or view_found(tx, report, masked=False)

    waited = False
    answer = await call.read(work)
    if isinstance(answer, float):
        await wait_until_finished(call, call.id, answer)
        waited = True
        answer = await call.read(work)
    if isinstance(answer, float):
        raise TypeError("a report is waited for once")
    return await _file(call, answer, name) if isinstance(answer, Viewed) else answer


def _format(call: Call) -> str:
    """The format that the client prefers; JSON unless that is clearly another."""
    wanted = preferred_by_program(call.header(b"accept"), (MEDIA_TYPES["json"], *FORMATS.values()))
    return next((name for name, media_type in FORMATS.items() if media_type == wanted), "json")


def _file_tag(report: StoredReport, name: str) -> str:
    """Another one for each format, and for what another version may make of it."""
    return f'"{report.etag[1:-1]}-{name}-{VERSION}"'


def _file_headers(call: Call, report: StoredReport, name: str) -> Headers:
    return (*call.preferences.applied(), *validators(_file_tag(report, name), report.updated_at_ms))


def _unchanged_file(call: Call, report: StoredReport, name: str) -> Answer | None:
    return unchanged(
        call, _file_tag(report, name), modified_ms=report.updated_at_ms, headers=call.preferences.applied()
    )


async def _file(call: Call, viewed: Viewed, name: str) -> Answer:
    """The report as a file.

    Raises:
        Rejected: There are no results that could be in it.
        Unavailable: Too many documents are being made.
    """
    made = await make_file(call, viewed, name)
    if made is None:
        message = "The report has no results yet that could be shown in this format."
        raise Rejected("not_found", message, headers=(ASK_AGAIN,) if viewed.report.state in UNFINISHED else ())
    shown, body = made
    disposition = ("Content-Disposition", content_disposition(export_name(shown, name)))
    headers = (disposition, *_file_headers(call, viewed.report, name))
    return Answer(status=200, body=body, media_type=MEDIA_TYPES[name], headers=headers)


def _shown(call: Call, tx: Transaction, report: StoredReport, query: ShowReportQuery) -> Answer:
    headers: Headers = call.preferences.applied()
    same = unchanged(call, report.etag, modified_ms=report.updated_at_ms, headers=headers)
    if same is not None:
        return same
    shown = service.represent_report(tx, report, call.services.options)
    body = enveloped(picked(shown.body, query.fields))
    return Answer(status=200, body=body, headers=(*headers, *_report_headers(report)))


async def create_report(call: Call) -> Answer:
    """Store a new report, wait a little for its analysis, and answer with it."""
    refuse_when_draining(call)
    services = call.services
    options = services.options
    fields, violations = await call.fields(CreateReportBody)
    seconds = call.preferences.seconds(options.create_wait_s)
    key = idempotency_key(call)
    wish = read_wish(call, fields, violations)
    if key is None:
        await call.take_analysis()
    password_hash = None if wish.password is None else await services.passwords.hash(wish.password)

    def make(tx: Transaction, caller: Caller) -> Stored:
        call.check_analysis()
        return service.create_report(tx, caller, wish, options, call.now_ms, password_hash=password_hash)

    def again(tx: Transaction, caller: Caller, report_id: int) -> Stored:
        report = service.find_report(tx, caller, report_id, options, call.now_ms)
        return Stored(report=report, warnings=wish.warnings)

    async def tell(made: Stored) -> Answer:
        services.wake()
        location = ("Location", f"{options.base_url}{PATH}/{made.report.id}")
        return await _finished(call, made, status=201, seconds=seconds, headers=(location,))

    return await do_once(call, fields, make=make, resource_id=_report_id, again=again, tell=tell)


async def update_report(call: Call) -> Answer:
    """Change the settings of a report, analyse it again if that is wanted, and answer with it."""
    services = call.services
    options = services.options
    fields, violations = await call.fields(UpdateReportBody)
    report_id = call.id
    seconds = call.preferences.seconds(options.create_wait_s)
    key = idempotency_key(call)
    change = judge_fields(
        violations,
        lambda: read_change(privacy=fields.privacy, password=fields.password, results=fields.results),
    )
    if change.run:
        refuse_when_draining(call)
    if change.run or change.needs_hash:
        # The report of another account must cost neither an analysis nor a hash.
        try:
            await call.read(lambda tx, caller: service.find_report(tx, caller, report_id, options, call.now_ms))
        except NotFound:
            if change.run:
                await refuse_done(call, fields)
            raise
    if change.run and key is None:
        await call.take_analysis()
    password_hash: str | None = None
    if change.needs_hash and change.password is not None:
        password_hash = await services.passwords.hash(change.password)

    def make(tx: Transaction, caller: Caller) -> Stored:
        _check_conditions(call, tx, caller)
        if change.run:
            call.check_analysis()
        return service.update_report(
            tx, caller, report_id, options, call.now_ms, change=change, password_hash=password_hash
        )

    def again(tx: Transaction, caller: Caller, _report_id: int) -> Stored:
        return Stored(report=service.find_report(tx, caller, report_id, options, call.now_ms))

    async def tell(made: Stored) -> Answer:
        services.changes.notify(report_id)
        if change.run:
            services.wake()
        return await _finished(call, made, status=200, seconds=seconds if change.run else 0.0, headers=())

    if change.run:
        return await do_once(call, fields, make=make, resource_id=_report_id, again=again, tell=tell)
    return await tell(await call.write(make))


async def delete_report(call: Call) -> Answer:
    """Delete a report and answer that it is gone."""
    report_id = call.id

    def work(tx: Transaction, caller: Caller) -> None:
        _check_conditions(call, tx, caller)
        service.delete_report(tx, caller, report_id, call.services.options, call.now_ms)

    await call.write(work)
    call.services.changes.notify(report_id)
    return Answer(status=200, body=b'{"id":%d,"object":"report","deleted":true,"status":200}' % report_id)


def _report_id(stored: Stored) -> int:
    return stored.report.id


async def _finished(call: Call, made: Stored, *, status: int, seconds: float, headers: Headers) -> Answer:
    """The answer to a change: the report when its analysis is finished, or as it is when the time is over."""
    options = call.services.options

    def work(tx: Transaction, caller: Caller) -> tuple[StoredReport, bytes]:
        shown = service.show_report(tx, caller, made.report.id, options, call.now_ms)
        return shown.report, shown.body

    await wait_until_finished(call, made.report.id, seconds)
    report, body = await call.read(work)
    if call.preferences.minimal:
        body = picked(body, MINIMAL)
    return Answer(
        status=status,
        body=enveloped(body, status=status, remarks=made.warnings),
        headers=(*headers, *call.preferences.applied(writing=True), *_report_headers(report)),
    )


def _report_headers(report: StoredReport) -> Headers:
    tags = validators(report.etag, report.updated_at_ms)
    return (*tags, ASK_AGAIN) if report.state in UNFINISHED else tags


def _check_conditions(call: Call, tx: Transaction, caller: Caller) -> None:
    """Do nothing to a report that is not the one the client knows.

    Raises:
        NotFound: There is no such report.
        PreconditionFailed: It has changed.
    """
    names = (b"if-match", b"if-none-match", b"if-unmodified-since")
    sent = tuple(call.header(name) for name in names)
    if sent == (None, None, None):
        return
    report = service.find_report(tx, caller, call.id, call.services.options, call.now_ms)
    if not may_change(*sent, etag=report.etag, modified_ms=report.updated_at_ms):
        raise PreconditionFailed(report.etag)


_CHANGE_HEADERS: Final = (
    "If-Match",
    "If-None-Match",
    "If-Unmodified-Since",
    "Prefer",
    "Idempotency-Key",
)
_UPDATE: Final = (
    "Changes who may open the share page, and with `results=1` analyses the page again. What is not sent stays as it "
    "is. Waits for the analysis as creating does; meanwhile, and if it fails, the old results stay readable."
)


def _update(method: str, name: str, more: str = "", *, body_types: tuple[str, ...] = (FORM, MULTIPART)) -> Operation:
    return Operation(
        method=method,
        path=f"{PATH}/{{id}}",
        name=name,
        summary="Change a report or analyse it again",
        description=f"{_UPDATE}{more}",
        handler=update_report,
        scope="reports:write",
        body=UpdateReportBody,
        body_types=body_types,
        headers=_CHANGE_HEADERS,
        answers={200: ReportAnswer},
        answer_headers={200: ("ETag", "Last-Modified", "Retry-After", "Preference-Applied", "Idempotency-Replayed")},
        problems=(
            "not_found",
            "precondition_failed",
            "unsupported_media_type",
            "too_large",
            "validation_failed",
            "idempotency_in_progress",
            "idempotency_key_reused",
            "report_deleted",
            "quota_exceeded",
        ),
    )


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=PATH,
        name="create_report",
        summary="Create a report",
        description="Stores a report for a URL and analyses the page. Waits a little for the analysis: the answer "
        "holds the finished report, or one that is `queued` or `running` and a `Retry-After`. A page that cannot be "
        "analysed is a report in the state `failed`.",
        handler=create_report,
        scope="reports:write",
        body=CreateReportBody,
        headers=("Prefer", "Idempotency-Key"),
        answers={201: ReportAnswer},
        answer_headers={
            201: ("Location", "ETag", "Last-Modified", "Retry-After", "Preference-Applied", "Idempotency-Replayed")
        },
        problems=(
            "unsupported_media_type",
            "too_large",
            "validation_failed",
            "url_not_allowed",
            "idempotency_in_progress",
            "idempotency_key_reused",
            "report_deleted",
            "quota_exceeded",
        ),
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_report",
        summary="Show a report",
        formats=tuple(FORMATS.values()),
        description="One report with all of its results; as JSON, or as a file with `format` or `Accept`. While it is "
        "not finished the answer says when to ask again; with `Prefer: wait=N` it comes when it is finished, or "
        "after N seconds.",
        handler=show_report,
        scope="reports:read",
        query=ShowReportQuery,
        headers=("Prefer", "If-None-Match", "If-Modified-Since"),
        answers={200: ReportAnswer},
        answer_headers={200: ("ETag", "Last-Modified", "Retry-After", "Preference-Applied")},
        problems=("not_found",),
    ),
    _update("PUT", "update_report"),
    _update("PATCH", "patch_report", " The same as PUT.", body_types=(JSON,)),
    _update("POST", "post_report", " The same as PUT, for clients that cannot send it."),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="delete_report",
        summary="Delete a report",
        description="Deletes the report with its runs, ends a run under way and its share link.",
        handler=delete_report,
        scope="reports:write",
        headers=("If-Match", "If-None-Match", "If-Unmodified-Since"),
        answers={200: DeletedReport},
        problems=("not_found", "precondition_failed"),
    ),
)
