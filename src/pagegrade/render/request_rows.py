"""The requests of a page as rows of a table, with their place in a waterfall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.rendering import RenderedRequest
from pagegrade.model.report import RESOURCE_TYPES, LoadedFile, Report, ResourceType
from pagegrade.parse.url import project_of

MAX_REQUESTS: Final = 200
"""Rows of the table."""
_TYPE_OF_KIND: Final[dict[str, ResourceType]] = {
    "document": "document",
    "stylesheet": "stylesheet",
    "script": "script",
    "image": "image",
    "font": "font",
    "media": "media",
}
"""Kind of a request in a browser -> type of a file; others are ``other``."""
_FIRST_ERROR: Final = 400
_LEAST_WIDTH: Final = 0.6
"""Per cent of the waterfall, so that a short bar can be seen."""


class RequestRow(msgspec.Struct, frozen=True, kw_only=True):
    """One request."""

    url: str
    type: ResourceType
    first_party: bool
    status: int | None
    failure: str
    """Reason why there is no response; empty where there is one."""
    protocol: str
    bytes: int | None
    start_ms: float
    took_ms: float | None
    wait_ms: float | None
    """Of ``took_ms``, the part before the first byte."""
    start: float = 0.0
    """Per cent of the waterfall's width; so the next ones."""
    wait: float = 0.0
    width: float = 0.0

    @property
    def failed(self) -> bool:
        """Return whether there is no usable response."""
        return bool(self.failure) or self.status is None or self.status >= _FIRST_ERROR


class RequestTable(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of a page, sorted."""

    rows: tuple[RequestRow, ...]
    left_out: int
    """Requests beyond those of the report or of the table."""
    measured: bool
    """The starts are those of a browser; else each file starts where the one that names it ends."""
    span_ms: float
    """Width of the waterfall."""
    third_parties: int
    """Requests to other sites."""
    third_party_bytes: int


def request_table(report: Report, order: str = "start") -> RequestTable | None:
    """Return the table of requests; ``None`` where no single requests are known.

    Args:
        report: The report.
        order: ``start``, ``size``, ``time``, ``type`` or ``url``.
    """
    rendered, page = report.rendered, report.page
    total = 0
    if rendered is not None and rendered.requests:
        rows = [_row_in_browser(request, report) for request in rendered.requests]
        total = rendered.request_count
    elif page is not None and page.files:
        rows = _rows_of_files(report, page.files)
        total = sum(one.count for one in page.resources)
    else:
        return None
    span = max((row.start_ms + (row.took_ms or 0.0) for row in rows), default=0.0)
    shown = sorted(rows, key=lambda row: _sort_key(row, order))[:MAX_REQUESTS]
    foreign = [row for row in rows if not row.first_party]
    return RequestTable(
        rows=tuple(_placed(row, span) for row in shown),
        left_out=max(0, total - len(shown)),
        measured=rendered is not None and bool(rendered.requests),
        span_ms=span,
        third_parties=len(foreign),
        third_party_bytes=sum(row.bytes or 0 for row in foreign),
    )


def _row_in_browser(request: RenderedRequest, report: Report) -> RequestRow:
    took = None if request.end_ms is None else max(0.0, request.end_ms - request.start_ms)
    wait = None if request.response_ms is None else max(0.0, request.response_ms - request.start_ms)
    return RequestRow(
        url=request.url,
        type=_TYPE_OF_KIND.get(request.kind, "other"),
        first_party=project_of(request.url) == project_of(report.final_url or report.url),
        status=request.status,
        failure=request.failure,
        protocol=request.protocol,
        bytes=request.wire_bytes,
        start_ms=request.start_ms,
        took_ms=took,
        wait_ms=wait,
    )


def _rows_of_files(report: Report, files: Sequence[LoadedFile]) -> list[RequestRow]:
    """The document and its files; each starts where the file that names it ends."""
    page = report.page
    if page is None:
        raise ValueError("files belong to a page")
    address = report.final_url or report.url
    phases = [ms for name in ("dns", "connect", "tls", "first_byte") if (ms := page.timing_ms.get(name)) is not None]
    wait = sum(phases)
    took = wait + (page.timing_ms.get("download") or 0.0)
    ends = {address: took}
    rows = [
        RequestRow(
            url=address,
            type="document",
            first_party=True,
            status=page.http_status,
            failure="",
            protocol=page.http_version,
            bytes=page.transfer_bytes,
            start_ms=0.0,
            took_ms=took,
            wait_ms=wait,
        )
    ]
    # A stylesheet is listed before what it names.
    for file in files:
        start = ends.get(file.initiator_url, took)
        ends.setdefault(file.url, start + (file.total_ms or 0.0))
        rows.append(
            RequestRow(
                url=file.url,
                type=file.type,
                first_party=file.first_party,
                status=file.status,
                failure=file.failure,
                protocol=file.http_version,
                bytes=file.transfer_bytes,
                start_ms=start,
                took_ms=file.total_ms,
                wait_ms=file.first_byte_ms,
            )
        )
    return rows


def _placed(row: RequestRow, span_ms: float) -> RequestRow:
    if not span_ms or row.took_ms is None:
        return row
    width = max(_LEAST_WIDTH, 100 * row.took_ms / span_ms)
    start = min(100 * row.start_ms / span_ms, 100 - width)
    wait = 0.0 if row.wait_ms is None else min(width, 100 * row.wait_ms / span_ms)
    return replace(row, start=start, wait=wait, width=width)


def _sort_key(row: RequestRow, order: str) -> tuple[float, float, str]:
    if order == "size":
        return (-(row.bytes or 0), row.start_ms, row.url)
    if order == "time":
        return (-(row.took_ms or 0.0), row.start_ms, row.url)
    if order == "type":
        return (RESOURCE_TYPES.index(row.type), row.start_ms, row.url)
    return (0 if order == "url" else row.start_ms, 0, row.url)
