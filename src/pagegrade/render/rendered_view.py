"""The page in a browser, for people: engine, metrics and pictures of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pagegrade.model.rendering import RenderedPicture
from pagegrade.model.report import Report
from pagegrade.render import view
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
    if report.rendered is None:
        return words.gettext("Static analysis")
    if report.rendered.device == "mobile":
        return words.gettext("Analyzed in a browser, mobile")
    return words.gettext("Analyzed in a browser, desktop")


@dataclass(frozen=True, slots=True)
class MetricTile:
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
            words.number(each, digits=2) if field == "cls" else view.format_ms(each, words)
            for each in (value, value if low is None else low, value if high is None else high)
        )
        spread = "" if least == most else words.gettext("%(least)s to %(most)s", least=least, most=most)
        tiles.append(MetricTile(words.gettext(name), shown, spread))
    return tuple(tiles)


def shown_picture(report: Report, name: str) -> RenderedPicture | None:
    """Return the picture of this name; ``None`` if the report has none."""
    pictures = () if report.rendered is None else report.rendered.pictures
    return next((picture for picture in pictures if picture.name == name), None)
