"""Reports as one self-contained HTML file: no scripts, nothing loaded, light and dark, on paper too."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.report import CATEGORIES, Report
from pagegrade.render import view
from pagegrade.render.inert import safe_href, unicode_host, visible
from pagegrade.render.prose import parse_prose
from pagegrade.report.compare import Comparison
from pagegrade.report.json import format_timestamp

GAUGE_RADIUS: Final = 52
GAUGE_LENGTH: Final = 2 * 3.14159265 * GAUGE_RADIUS
"""Length of the gauge's whole circle, in its own units."""
GAUGE_SHARE: Final = 0.75
"""The gauge is three quarters of a circle."""
OPEN_FINDINGS: Final = 3
"""How many of the first findings are unfolded from the start."""
_POLICY: Final = "default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
_LONG: Final = 2048


def render_html(reports: Sequence[Report], *, comparisons: Sequence[Comparison | None] = ()) -> str:
    """The reports as a document that needs nothing but itself."""
    css = _css()
    padded = [*comparisons, *[None] * (len(reports) - len(comparisons))]
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            reports=list(zip(reports, padded, strict=True)),
            # Both are ours and hold no page text.
            css=Markup(css),  # noqa: S704
            policy=report_policy(),
            title=_title(reports),
        )
    )


@cache
def report_policy() -> str:
    """The content security policy of ``render_html``'s documents, for those who send them as an answer."""
    return content_policy(_css())


def content_policy(css: str) -> str:
    """A policy for a document that has one style sheet inside it and loads nothing.

    The style sheet is named by its hash: no style that a page smuggled in could ever apply.
    """
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return _POLICY.format(digest=digest)


def _title(reports: Sequence[Report]) -> str:
    if len(reports) != 1:
        return f"Pagegrade: {len(reports)} pages"
    report = reports[0]
    score = "not analysed" if report.score is None else f"{report.score} of 100"
    return f"{visible(report.url, 100)}: {score} · Pagegrade"


def arc(score: float | None) -> str:
    """``stroke-dasharray`` of the gauge for a score from 0 to 100."""
    share = max(0.0, min(score or 0.0, 100.0)) / 100
    return f"{GAUGE_LENGTH * GAUGE_SHARE * share:.2f} {GAUGE_LENGTH:.2f}"


def timing_bars(report: Report) -> tuple[tuple[str, float, float, float], ...]:
    """(phase, start, width, milliseconds) of the document's phases, start and width in per cent of the whole."""
    labels = {"dns": "DNS", "connect": "Connect", "tls": "TLS", "first_byte": "First byte", "download": "Download"}
    timing = report.page.timing_ms if report.page else {}
    known = [(label, ms) for name, label in labels.items() if (ms := timing.get(name)) is not None]
    whole = sum(ms for _, ms in known)
    if whole <= 0:
        return ()
    bars, start = [], 0.0
    for label, ms in known:
        bars.append((label, 100 * start / whole, 100 * ms / whole, ms))
        start += ms
    return tuple(bars)


def score_strip(report: Report) -> tuple[tuple[str, float, float], ...]:
    """(kind, start, width) of the 100 points: first those kept, then what each finding costs, the dearest first."""
    found = [finding for finding in view.findings(report) if finding.lost > 0]
    lost = min(100.0, sum(finding.lost for finding in found))
    strip, start = [("kept", 0.0, 100 - lost)], 100 - lost
    for finding in found:
        width = min(finding.lost, 100 - start)
        strip.append((finding.result.importance, start, width))
        start += width
    return tuple(strip)


@cache
def _css() -> str:
    return files("pagegrade.render").joinpath("templates/report.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pagegrade.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        visible=visible,
        href=safe_href,
        host=unicode_host,
        prose=parse_prose,
        timestamp=format_timestamp,
        points=view.points,
        ms=view.format_ms,
        arc=arc,
    )
    environment.globals.update(
        view=view,
        categories=tuple(CATEGORIES),
        timing_bars=timing_bars,
        score_strip=score_strip,
        project_url=PROJECT_URL,
        open_findings=OPEN_FINDINGS,
        gauge_radius=GAUGE_RADIUS,
        gauge_track=arc(100),
        long=_LONG,
    )
    return environment
