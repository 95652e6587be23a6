"""The list of reports: in numbered pages, or from cursor to cursor."""

from __future__ import annotations

import asyncio
from typing import Final

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.service.container import Services
from pagegrade.service.id_lists import Listed
from pagegrade.service.reports import operations as service
from pagegrade.service.reports.operations import ReportItem, ReportResults
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.paging import Walk, position_in, write_cursor
from pagegrade.web.parameters import ReportWalkQuery
from pagegrade.web.report_requests import walk_query
from pagegrade.web.request import Request
from pagegrade.web.responses import listed_answer, picked, url_of, walked_answer
from pagegrade.web.schemas.report import ReportList, report_item, report_object

PATH: Final = "/api/v1/reports"
PAGE_AND_CURSOR: Final = Violation(
    field="page", place="query", code="not_with", message="Send either page or cursor, not both."
)


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


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_reports",
        summary="List reports",
        description="The reports of the account, filtered, searched and sorted: in numbered pages, or from cursor to "
        "cursor, which neither misses nor repeats a report while others come and go.",
        handler=list_reports,
        scope="reports:read",
        for_projects=True,
        query=ReportWalkQuery,
        answers={200: ReportList},
    ),
)
