"""The list of reports as a file for spreadsheets: what its filters find, in its order."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.stored import StoredReport
from pagegrade.render.csv import MEDIA_TYPE, render_list_csv
from pagegrade.render.filename import content_disposition, list_name
from pagegrade.service.reports.operations import list_all
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.headers import INERT
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY, View
from pagegrade.web.pages.reports.list_query import PATH, read_asked
from pagegrade.web.report_requests import list_query
from pagegrade.web.request import Request
from pagegrade.web.schemas.report import report_item

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
    Operation(
        method="GET",
        path=f"{PATH}/export.csv",
        name="export_list",
        summary="The list of reports for spreadsheets",
        handler=export_list,
        access="account",
        tag=PAGES,
    ),
)
