"""The page in a browser, for people: engine, metrics and pictures of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pagegrade.model.artifacts import NOT_ASKED, NOT_RENDERED
from pagegrade.model.rendering import Device, ElementFacts, RenderedPicture
from pagegrade.model.report import Report, Result
from pagegrade.render.amounts import format_ms
from pagegrade.render.browser_facts import paint_phases
from pagegrade.render.english import ENGLISH, N_, Words

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
        name == "rendering" and not reason.startswith((NOT_RENDERED.code, NOT_ASKED.code))
        for name, reason in report.run.not_gathered
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
        value, low, high = (getattr(one, field) for one in (rendered.metrics, rendered.lowest, rendered.highest))
        if value is None:
            continue
        shown, least, most = (
            words.number(each, digits=3) if field == "cls" else format_ms(each, words)
            for each in (value, value if low is None else low, value if high is None else high)
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
    if rendered is None or element is None or picture is None or not picture.name or rendered.viewport_px[0] <= 0:
        return None
    scale = picture.width_px / rendered.viewport_px[0]
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
