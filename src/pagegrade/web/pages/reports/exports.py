"""A report as a file to take away, for its owner and for whoever may see its share page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.report import Report
from pagegrade.model.stored import StoredReport
from pagegrade.render.csv import render_csv
from pagegrade.render.filename import content_disposition, export_name
from pagegrade.render.html import render_html
from pagegrade.render.markdown import render_markdown
from pagegrade.render.sarif import render_sarif
from pagegrade.report.serialize import report_to_dict
from pagegrade.service.reports.views import Viewed, exported_object, shown_report, view_found, view_own
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.headers import INERT
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY
from pagegrade.web.pages.reports.report_context import FORMATS
from pagegrade.web.pages.share_access import not_found, to_gate, too_many, visit

MEDIA_TYPES: Final = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "sarif": "application/sarif+json",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
}
_RENDERERS: Final[dict[str, Callable[[tuple[Report, ...]], str]]] = {
    "md": render_markdown,
    "sarif": render_sarif,
    "html": render_html,
}
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
    shown = await asyncio.to_thread(shown_report, viewed, base_url=call.services.options.base_url)
    if shown is None or (name == "pdf" and shown.state != "completed"):
        raise NotFound
    if name == "pdf":
        body = await call.services.documents.pdf(await asyncio.to_thread(_encoded, shown))
    else:
        body = await asyncio.to_thread(_written, call, viewed, shown)
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


def _encoded(shown: Report) -> bytes:
    return msgspec.json.encode(report_to_dict(shown))


def _written(call: Call, viewed: Viewed, shown: Report) -> bytes:
    name = call.params["format"]
    if name == "json":
        exported = exported_object(viewed, base_url=call.services.options.base_url)
        if exported is None:
            raise NotFound
        return msgspec.json.format(exported, indent=2)
    if name == "csv":
        return render_csv((shown,), ids=() if viewed.masked else (viewed.report.id,)).encode()
    return _RENDERERS[name]((shown,)).encode("utf-8", "replace")


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
