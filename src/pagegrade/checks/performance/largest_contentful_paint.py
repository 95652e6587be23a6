from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric, format_metric
from pagegrade.model.outcome import Evidence, NotRun, Saving, Severity
from pagegrade.model.rendering import LoadMetrics, PaintCause, Rendering
from pagegrade.parse.rendering.causes import largest_paint

LIMITS: Final = Limits(good={"mobile": 2500, "desktop": 1200}, bad={"mobile": 4000, "desktop": 2400})
_NOT_SAVED: Final[frozenset[PaintCause]] = frozenset({"server", "file", "drawing"})
"""Causes of a phase that gets shorter, but does not go away."""
WHY: Final = "Visitors take a page for loaded when its main picture or headline is there, and many leave before."
FIX: Final = (
    'Check that the element is part of the HTML and not loaded lazily, and that an image has `fetchpriority="high"`. '
    "Then shorten what comes before it: the server response, render-blocking files, redirects."
)


@check(
    id="largest-contentful-paint",
    title="Largest Contentful Paint (LCP)",
    severity=Severity.CRITICAL,
    cause="paint-time",
    since="0.1.0",
    states=(
        State("fast", "The largest element of the first screen appears quickly."),
        State(
            "slow",
            "The largest element of the first screen appears late.",
            loss=0.064,
            loss_max=0.256,
            title="Show the largest element of the first screen sooner",
            why=WHY,
            fix=FIX,
        ),
        State(
            "very_slow",
            "The largest element of the first screen appears very late.",
            loss=0.32,
            loss_max=0.915,
            title="Show the largest element of the first screen sooner",
            why=WHY,
            fix=FIX,
        ),
        State(
            "far_too_slow",
            "The largest element of the first screen appears when most visitors have left.",
            loss=1.0,
            title="Show the largest element of the first screen sooner",
            why=WHY,
            fix=FIX,
        ),
    ),
    sources=("https://web.dev/articles/lcp",),
)
def largest_contentful_paint(rendering: Rendering, rendered_metrics: LoadMetrics) -> Verdict:
    """The largest contentful paint is the moment at which the main content of the first screen is visible.

    ## What it checks

    The time from the start of the navigation to the last candidate for the largest text or image that the browser
    painted, the median of several loads over the simulated connection. Up to 2.5 s on a phone (1.2 s on a desktop) is
    good, more than 4 s (2.4 s) is bad and costs 8 points, with four steps between; three times that costs 25, with
    eight steps between. It was not measured where nothing was painted. The evidence names the element, the phases of
    the last load (until the first byte, until its image is asked for, until that has arrived, until it is painted) and
    the reason for the longest of them; where the fix takes that phase away, its length is the most that it saves.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 1200, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000,
         "paint_candidates": [{"time_ms": 4300, "size_px": 90000, "kind": "image"}]}
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 900, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000,
         "paint_candidates": [{"time_ms": 1100, "size_px": 90000, "kind": "image"}]}
      ]
    }
    ```
    """
    outcome = evaluate_metric(
        rendering,
        rendered_metrics,
        "lcp_ms",
        LIMITS,
        states=("fast", "slow", "very_slow", "far_too_slow"),
        share=0.32,
        sentence="The largest element of the first screen is painted after {value} ({device}).",
        evidence=_evidence(rendering),
    )
    paint = largest_paint(rendering)
    if isinstance(outcome, NotRun) or paint is None or paint.cause in _NOT_SAVED:
        return outcome
    return replace(outcome, saving=Saving(paint.cause_ms, "ms"))


def _evidence(rendering: Rendering) -> tuple[Evidence, ...]:
    """The element, the cause, and the phases."""
    element, paint = rendering.lcp_element, largest_paint(rendering)
    found = [] if element is None else [Evidence(selector=element.selector, snippet=element.html[:200])]
    if paint is None:
        return tuple(found)
    first_byte, render_delay = (_time(value) for value in (paint.first_byte_ms, paint.render_delay_ms))
    phases = f"first byte {first_byte}, render delay {render_delay}"
    if paint.load_delay_ms is not None and paint.load_time_ms is not None:
        delay, load = _time(paint.load_delay_ms), _time(paint.load_time_ms)
        phases = f"first byte {first_byte}, load delay {delay}, load time {load}, render delay {render_delay}"
    found.append(Evidence(url=paint.cause_url, value=_time(paint.cause_ms), reason=paint.message))
    return (*found, Evidence(reason=phases))


def _time(milliseconds: float) -> str:
    return format_metric("lcp_ms", milliseconds)
