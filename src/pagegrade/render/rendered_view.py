"""The page in a browser, for people: engine, metrics and pictures of a report, and requests as rows of a waterfall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import NOT_ASKED, NOT_RENDERED
from pagegrade.model.rendering import Device, DrawnRequest, ElementFacts, RenderedPicture
from pagegrade.model.report import RESOURCE_TYPES, LoadedFile, Report, ResourceType, Result
from pagegrade.parse.url import project_of
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.figures import format_ms, paint_phases

_METRIC_NAMES: Final[Mapping[str, str]] = {
    "fcp_ms": N_("First Contentful Paint"),
    "lcp_ms": N_("Largest Contentful Paint"),
    "tbt_ms": N_("Total Blocking Time"),
    "cls": N_("Cumulative Layout Shift"),
    "si_ms": N_("Speed Index"),
}


def engine_line(report: Report, words: Words = ENGLISH) -> str:
    """Name the engine that a report comes from; empty where the page was not seen."""
    if report.page is None:
        return ""
    if drawing_failed(report):
        return words.gettext("Static analysis, because the page could not be drawn in a browser")
    return engine_name(report.basis.device, words)


def drawing_failed(report: Report) -> bool:
    """Return whether a browser was to draw the page, and did not."""
    return report.rendered is None and any(
        one.artifact == "rendering" and not one.reason.startswith((NOT_RENDERED.code, NOT_ASKED.code))
        for one in report.run.not_gathered
    )


def engine_name(device: Device | None, words: Words = ENGLISH) -> str:
    """Name the engine of a run by the device that a browser imitated; ``None``: no browser was used."""
    if device is None:
        return words.gettext("Static analysis")
    if device == "mobile":
        return words.gettext("Analyzed in a browser, mobile")
    return words.gettext("Analyzed in a browser, desktop")


class MetricTile(msgspec.Struct, frozen=True):
    """A metric of the load, for people."""

    name: str
    value: str
    spread: str
    """Least and greatest value over the loads; empty where they are equal or there was one load."""


def metric_tiles(report: Report, words: Words = ENGLISH) -> tuple[MetricTile, ...]:
    """Return the metrics of a page in a browser; those that could not be measured are left out."""
    rendered = report.rendered
    if rendered is None:
        return ()
    tiles = []
    for field, name in _METRIC_NAMES.items():
        value, range_ = getattr(rendered.metrics, field), rendered.spread.get(field)
        if value is None:
            continue
        shown, least, most = (
            words.number(each, digits=3) if field == "cls" else format_ms(each, words)
            for each in (value, *((value, value) if range_ is None else (range_.min, range_.max)))
        )
        spread = "" if least == most else words.gettext("%(least)s to %(most)s", least=least, most=most)
        tiles.append(MetricTile(words.gettext(name), shown, spread))
    return tuple(tiles)


def shown_picture(report: Report, name: str) -> RenderedPicture | None:
    """Return the picture of this name; ``None`` if the report has none."""
    pictures = () if report.rendered is None else report.rendered.pictures
    return next((picture for picture in pictures if picture.name == name), None)


MARKS: Final[Mapping[str, str]] = {"fcp_ms": "FCP", "lcp_ms": "LCP", "load_ms": N_("loaded")}
"""Metric -> its mark below the picture that was taken closest to it."""
CROP_MARGIN_PX: Final = 24
"""Of the page, shown around an element."""
MAX_CROP_RATIO: Final = 1.5
"""Height of a crop to its width, at most."""


class StripFrame(msgspec.Struct, frozen=True):
    """A picture of the filmstrip."""

    picture: RenderedPicture
    time: str
    marks: tuple[str, ...]
    """Events, medians of all loads, that are closer to this picture than to another."""


def filmstrip(report: Report, words: Words = ENGLISH) -> tuple[StripFrame, ...]:
    """Return the pictures of the last load in their order, each with the events that are closest to it."""
    rendered = report.rendered
    if rendered is None:
        return ()
    frames = [each for each in rendered.pictures if each.kind == "frame" and each.name and each.time_ms is not None]
    frames.sort(key=lambda each: each.time_ms or 0.0)
    marks: dict[str, list[str]] = {}
    for metric, mark in MARKS.items():
        time_ms = getattr(rendered.metrics, metric)
        if frames and time_ms is not None:
            closest = min(frames, key=lambda each: abs((each.time_ms or 0.0) - time_ms))
            marks.setdefault(closest.name, []).append(words.gettext(mark))
    return tuple(
        StripFrame(each, format_ms(each.time_ms or 0.0, words), tuple(marks.get(each.name, ()))) for each in frames
    )


class Crop(msgspec.Struct, frozen=True):
    """A part of the picture of the whole page, in pixels of that picture."""

    picture: RenderedPicture
    x: float
    y: float
    width: float
    height: float
    mark: tuple[float, float, float, float]
    """Left, top, width and height of the element."""


def element_crop(report: Report, element: ElementFacts | None) -> Crop | None:
    """Return where the picture of the whole page shows an element; ``None`` where it does not."""
    picture = shown_picture(report, "full-page")
    rendered = report.rendered
    if rendered is None or element is None or picture is None or not picture.name or rendered.viewport.width_px <= 0:
        return None
    scale = picture.width_px / rendered.viewport.width_px
    left, top = max(0.0, element.x_px * scale), max(0.0, element.y_px * scale)
    right = min(float(picture.width_px), (element.x_px + element.width_px) * scale)
    bottom = min(float(picture.height_px), (element.y_px + element.height_px) * scale)
    if right - left < 1 or bottom - top < 1:
        return None
    margin = CROP_MARGIN_PX * scale
    x, y = max(0.0, left - margin), max(0.0, top - margin)
    width = min(float(picture.width_px), right + margin) - x
    height = min(min(float(picture.height_px), bottom + margin) - y, width * MAX_CROP_RATIO)
    return Crop(picture, x, y, width, height, (left, top, right - left, bottom - top))


def finding_crop(report: Report, result: Result) -> Crop | None:
    """Return the crop of the element that a finding is about; ``None`` where its place on the page is not known."""
    rendered = report.rendered
    if rendered is None or not result.evidence:
        return None
    selector = result.evidence[0].selector
    known = (rendered.lcp_element, *rendered.shifted_elements)
    element = next((one for one in known if one is not None and one.selector == selector), None)
    return element_crop(report, element)


class PhaseBar(msgspec.Struct, frozen=True):
    """A phase of the largest paint as a bar, in per cent of the time to it."""

    name: str
    start: float
    width: float
    took_ms: float


def phase_bars(report: Report, words: Words = ENGLISH) -> tuple[PhaseBar, ...]:
    """Return the phases of the largest paint, one after the other; none where they are not known."""
    rendered = report.rendered
    phases = () if rendered is None else paint_phases(rendered, words)
    whole = sum(took for _, took in phases)
    bars, start = [], 0.0
    for name, took in phases if whole > 0 else ():
        width = 100 * took / whole
        bars.append(PhaseBar(name, start, width, took))
        start += width
    return tuple(bars)


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


def _row_in_browser(request: DrawnRequest, report: Report) -> RequestRow:
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
