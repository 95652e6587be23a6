"""The three figures that a report shows first: what a browser measured, else what the requests show."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pagegrade.model.report import Report
from pagegrade.render.amounts import format_bytes, format_ms
from pagegrade.render.english import ENGLISH, N_, Words

Rating = Literal["good", "decent", "bad", ""]
LCP_MS: Final = (2_500, 4_000)
"""Good up to the first, bad above the second (web.dev/articles/lcp); so the next ones."""
CLS: Final = (0.1, 0.25)
TBT_MS: Final = (200, 600)
FIRST_BYTE_MS: Final = (800, 1_800)


class KeyFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure with its name."""

    name: str
    """Short."""
    meaning: str
    """The name in full."""
    value: str
    rating: Rating
    """Empty: the figure has no thresholds."""


def key_figures(report: Report, words: Words = ENGLISH) -> tuple[KeyFigure, ...]:
    """At most three figures; empty where neither a browser nor the requests were seen."""
    rendered, page = report.rendered, report.page
    if rendered is not None:
        metrics = rendered.metrics
        cls = "–" if metrics.cls is None else words.number(metrics.cls, digits=3)
        return (
            _timed("LCP", N_("Largest Contentful Paint"), metrics.lcp_ms, LCP_MS, words),
            _figure("CLS", N_("Cumulative Layout Shift"), cls, rate(metrics.cls, CLS), words),
            _timed("TBT", N_("Total Blocking Time"), metrics.tbt_ms, TBT_MS, words),
        )
    if page is None:
        return ()
    first_byte = page.timing_ms.get("first_byte")
    figures = []
    if first_byte is not None:
        figures.append(_timed("TTFB", N_("Time to first byte"), first_byte, FIRST_BYTE_MS, words))
    if page.resources:
        fetched = sum(total.transfer_bytes for total in page.resources)
        count = sum(total.count for total in page.resources)
        size = format_bytes(loaded_bytes(report) or fetched, words)
        figures.append(_figure(N_("Weight"), N_("Page weight, as transferred"), size, "", words))
        named = _evaluated(report, "http-requests")
        # The check counts what the document names; the document itself is a request as well, as in the table of all.
        shown = words.number(count if named is None else named + 1)
        figures.append(_figure(N_("Requests"), N_("The document and the files it needs"), shown, "", words))
    return tuple(figures)


def loaded_bytes(report: Report) -> int | None:
    """Bytes on the wire of what a browser loads at once, as the check of the weight counts them.

    ``None`` where it was not evaluated. What is fetched can be more: files that a rule of a stylesheet may load, and
    candidates of which a browser takes one.
    """
    return _evaluated(report, "total-byte-weight")


def _evaluated(report: Report, check: str) -> int | None:
    values = (result.value for result in report.results if result.check == check)
    value = next(values, None)
    return value if isinstance(value, int) else None


def rate(value: float | None, limits: tuple[float, float]) -> Rating:
    """Rate a value by its two thresholds; an unknown one has no rating."""
    if value is None:
        return ""
    return "good" if value <= limits[0] else "decent" if value <= limits[1] else "bad"


def _timed(name: str, meaning: str, value_ms: float | None, limits: tuple[float, float], words: Words) -> KeyFigure:
    shown = "–" if value_ms is None else format_ms(value_ms, words)
    return _figure(name, meaning, shown, rate(value_ms, limits), words)


def _figure(name: str, meaning: str, value: str, rating: Rating, words: Words) -> KeyFigure:
    return KeyFigure(name=words.gettext(name), meaning=words.gettext(meaning), value=value, rating=rating)
