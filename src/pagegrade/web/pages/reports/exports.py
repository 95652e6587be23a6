"""A report as a file to take away, for its owner and for whoever may see its share page."""

from __future__ import annotations

import re
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import StoredReport
from pagegrade.render.filename import content_disposition, export_name
from pagegrade.service.reports.views import Viewed, view_found, view_own
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.headers import INERT
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY
from pagegrade.web.pages.reports.report_context import FORMATS
from pagegrade.web.pages.share_access import not_found, to_gate, too_many, visit
from pagegrade.web.report_files import MEDIA_TYPES, make_file

SHARED_PDFS_PER_MINUTE: Final = 10
"""PDFs that a client address may have of shared reports: each takes a process, and there is room for few."""
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")


async def export_report(call: Call) -> Answer:
    """Answer with a report of the caller as a file."""

    def work(tx: Transaction, caller: Caller) -> Viewed:
        options = call.services.options
        return view_own(tx, caller, call.id, options, call.now_ms, number=_run_of(call))

    viewed = await call.read(work)
    return await _export(call, viewed)


async def export_shared(call: Call) -> Answer:
    """Answer with the report behind a share link as a file: what is no page is no way past the password."""

    def look(tx: Transaction, report: StoredReport) -> Viewed:
        return view_found(tx, report, masked=True, number=_run_of(call))

    found = await visit(call, look)
    if isinstance(found, Answer):
        return found
    if found.seen is None:
        return to_gate(call)
    if call.params["format"] == "pdf":
        standing = await call.services.limits.take_now("shared PDFs", limited_as(call.client), SHARED_PDFS_PER_MINUTE)
        if not standing.allowed:
            return too_many(call, standing.reset_s)
    try:
        return await _export(call, found.seen)
    except NotFound:
        return not_found(call)


def _run_of(call: Call) -> int | None:
    """The run that is wanted; ``None``: the report as it stands.

    Raises:
        NotFound: There can be no such run, or no such format.
    """
    if call.params["format"] not in FORMATS:
        raise NotFound
    text = read_query(call).get("run", "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise NotFound
    return int(text)


async def _export(call: Call, viewed: Viewed) -> Answer:
    """The file.

    Raises:
        NotFound: There is nothing to be taken away yet, or not in this format.
        Unavailable: Too many documents are being made.
    """
    name = call.params["format"]
    made = await make_file(call, viewed, name)
    if made is None:
        raise NotFound
    shown, body = made
    return Answer(
        status=200,
        body=body,
        media_type=MEDIA_TYPES[name],
        headers=(
            ("Content-Disposition", content_disposition(export_name(shown, name))),
            INERT,
            UNLISTED,
            UNKEPT,
            VARY,
        ),
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/reports/{id}/export/{format}",
        name="export_report",
        summary="A report as a file",
        handler=export_report,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/r/{slug}/export/{format}",
        name="export_shared",
        summary="A shared report as a file",
        handler=export_shared,
        tag=PAGES,
    ),
)
