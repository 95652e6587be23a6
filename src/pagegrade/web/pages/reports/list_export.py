"""The list of reports as a file for spreadsheets: what its filters find, in its order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

import msgspec

from pagegrade.clock import utc_now
from pagegrade.model.account import Caller
from pagegrade.render.csv import render_list_csv
from pagegrade.render.filename import content_disposition, list_name
from pagegrade.service.reports.operations import list_reports
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.headers import INERT
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY
from pagegrade.web.pages.reports.list_query import PATH, read_asked
from pagegrade.web.report_requests import list_query

MAX_ROWS: Final = 10_000
AT_ONCE: Final = 500
"""Reports of one look at the database."""
MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"


async def export_list(call: Call) -> Answer:
    """Answer with the file; at most ``MAX_ROWS`` reports are in it."""

    def work(tx: Transaction, caller: Caller) -> list[bytes]:
        query = replace(list_query(asked.query, caller.account), page=1, per_page=AT_ONCE)
        items: list[bytes] = []
        for number in range(1, MAX_ROWS // AT_ONCE + 1):
            found = list_reports(tx, caller, replace(query, page=number), call.services.options, call.now_ms)
            items += found.items
            if len(found.items) < AT_ONCE:
                break
        return items

    # What cannot be used of the filters is left out, as on the page that leads here.
    asked = read_asked(read_query(call), call.texts)
    items = await call.read(work)
    body = await asyncio.to_thread(_written, items)
    return Answer(
        status=200,
        body=body,
        media_type=MEDIA_TYPE,
        headers=(
            ("Content-Disposition", content_disposition(list_name(utc_now(), "csv"))),
            INERT,
            UNLISTED,
            UNKEPT,
            VARY,
        ),
    )


def _written(items: list[bytes]) -> bytes:
    return render_list_csv(msgspec.json.decode(item) for item in items).encode("utf-8", "replace")


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
