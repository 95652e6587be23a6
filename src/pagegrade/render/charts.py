"""The geometry of charts: figures of a report as lengths and places, which templates draw as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from pagegrade.model.report import Report, ResourceTotal, Result
from pagegrade.render import view
from pagegrade.render.english import ENGLISH, N_, Words

GAUGE_RADIUS: Final = 52
GAUGE_LENGTH: Final = 2 * 3.14159265 * GAUGE_RADIUS
"""Length of the gauge's whole circle, in its own units."""
GAUGE_SHARE: Final = 0.75
"""The gauge is three quarters of a circle."""
_PHASES: Final = {
    "dns": N_("DNS"),
    "connect": N_("Connect"),
    "tls": N_("TLS"),
    "first_byte": N_("First byte"),
    "download": N_("Download"),
}
"""Name of a phase of the document's exchange -> its label, in their order."""


def arc(score: float | None) -> str:
    """``stroke-dasharray`` of the gauge for a score from 0 to 100."""
    share = max(0.0, min(score or 0.0, 100.0)) / 100
    return f"{GAUGE_LENGTH * GAUGE_SHARE * share:.2f} {GAUGE_LENGTH:.2f}"


def timing_bars(report: Report, words: Words = ENGLISH) -> tuple[tuple[str, float, float, float], ...]:
    """(phase, start, width, milliseconds) of the document's phases, start and width in per cent of the whole."""
    timing = report.page.timing_ms if report.page else {}
    known = [(words.gettext(label), ms) for name, label in _PHASES.items() if (ms := timing.get(name)) is not None]
    whole = sum(ms for _, ms in known)
    if whole <= 0:
        return ()
    bars, start = [], 0.0
    for label, ms in known:
        bars.append((label, 100 * start / whole, 100 * ms / whole, ms))
        start += ms
    return tuple(bars)


def size_bars(report: Report) -> tuple[tuple[ResourceTotal, float], ...]:
    """(what of one type was loaded, its share of the largest in per cent), the heaviest first."""
    totals = report.page.resources if report.page else ()
    largest = max((total.transfer_bytes for total in totals), default=0)
    ordered = sorted(totals, key=lambda total: -total.transfer_bytes)
    return tuple((total, 100 * total.transfer_bytes / largest if largest else 0.0) for total in ordered)


def losses(report: Report) -> tuple[Result, ...]:
    """The results with a penalty, the largest first."""
    return tuple(sorted((r for r in report.results if r.lost > 0), key=lambda r: (-r.lost, r.check)))


def same_causes(report: Report) -> Mapping[str, int]:
    """Return the number of further findings with the same cause, by the check that carries their cost; 0 elsewhere."""
    return Counter(result.counted_in for result in report.results if result.counted_in is not None)


def score_strip(report: Report) -> tuple[tuple[str, float, float], ...]:
    """(kind, start, width) of the 100 points: first those kept, then the penalty of each finding, the largest first."""
    found = [finding for finding in view.findings(report) if finding.lost > 0]
    lost = min(100.0, sum(finding.lost for finding in found))
    strip, start = [("kept", 0.0, 100 - lost)], 100 - lost
    for finding in found:
        width = min(finding.lost, 100 - start)
        strip.append((finding.result.importance, start, width))
        start += width
    return tuple(strip)
