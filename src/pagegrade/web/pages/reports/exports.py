"""Downloads: of a report for its owner and for visitors of its share page, and of the list of reports.

The list is a file for spreadsheets: what its filters find, in its order.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Final

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import StoredReport
from pagegrade.render.csv import MEDIA_TYPE, render_list_csv
from pagegrade.render.escape import content_disposition, list_name
from pagegrade.service.container import Services
from pagegrade.service.reports.operations import list_all
from pagegrade.service.reports.views import Viewed, view_found, view_own
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import INERT, UNKEPT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import UNLISTED, VARY, View
from pagegrade.web.pages.reports.report_context import FORMATS, HAR, points_of
from pagegrade.web.pages.reports.report_list import PATH, read_asked
from pagegrade.web.pages.share_access import REPORTS, not_found, to_gate, too_many, visit, wait_for_document
from pagegrade.web.report_files import MEDIA_TYPES, file_header, make_file, make_finding_file
from pagegrade.web.report_requests import list_query
from pagegrade.web.request import Request
from pagegrade.web.schemas.report import report_item

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")


async def export_report(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return a report of the caller as a file."""
    viewed = await work.read(view_own, request.id, view.options, view.now_ms, number=_run_of(request))
    return await _export(request, view, services, viewed)


async def export_shared(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the report behind a share link as a file, with the same password check as its page."""
    try:
        number = _run_of(request)
    except NotFound:
        return not_found(view)
    found = await visit(request, work, view, services, partial(view_found, masked=True, number=number), kind=REPORTS)
    if isinstance(found, Response):
        return found
    if found.seen is None:
        return to_gate(request, REPORTS)
    if MEDIA_TYPES[request.path_params["format"]] == MEDIA_TYPES["pdf"]:
        wait_s = await wait_for_document(request, services)
        if wait_s is not None:
            return too_many(view, wait_s)
    try:
        return await _export(request, view, services, found.seen)
    except NotFound:
        return not_found(view)


def _run_of(request: Request) -> int | None:
    """Return the number of the requested run; ``None`` for the report itself.

    Raises:
        NotFound: The run number or the format is not valid.
    """
    if request.path_params["format"] not in {*FORMATS, HAR}:
        raise NotFound
    text = read_query(request).get("run", "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise NotFound
    return int(text)


async def _export(request: Request, view: View, services: Services, viewed: Viewed) -> Response:
    """Return the file.

    Raises:
        NotFound: The report has no results yet, or not in this format.
        Unavailable: Too many documents are being rendered.
    """
    name = request.path_params["format"]
    check = read_query(request).get("check", "")
    if check:
        made = await make_finding_file(viewed, name, check)
    else:
        made = await make_file(services, viewed, name, tag=view.texts.tag, history=points_of(viewed))
    if made is None:
        raise NotFound
    shown, body = made
    return Response(
        status_code=200,
        content=body,
        media_type=MEDIA_TYPES[name],
        headers=(
            file_header(shown, name, run=viewed.shown_number, check=check),
            INERT,
            UNLISTED,
            UNKEPT,
            VARY,
        ),
    )


MAX_ROWS: Final = 10_000


async def export_list(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the file; at most ``MAX_ROWS`` reports are in it."""
    # What cannot be used of the filters is left out, as on the page that leads here.
    asked = read_asked(read_query(request), view.texts)
    query = list_query(asked.query)
    read = work.search if query.search else work.read
    found = await read(list_all, query, view.options, view.now_ms, limit=MAX_ROWS)
    body = await asyncio.to_thread(_written, found, view.options.base_url)
    return Response(
        status_code=200,
        content=body,
        media_type=MEDIA_TYPE,
        headers=(
            ("Content-Disposition", content_disposition(list_name(utc_now(), "csv"))),
            INERT,
            UNLISTED,
            UNKEPT,
            VARY,
        ),
    )


def _written(found: list[StoredReport], base_url: str) -> bytes:
    items = (msgspec.json.decode(report_item(each, base_url=base_url)) for each in found)
    return render_list_csv(items).encode("utf-8", "replace")


OPERATIONS: Final = (
    PageOperation(path="/reports/{id}/export/{format}", handler=export_report),
    PageOperation(path="/r/{slug}/export/{format}", handler=export_shared, access="anyone"),
    PageOperation(path=f"{PATH}/export.csv", handler=export_list),
)
