from collections.abc import Mapping
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric
from pagegrade.model.outcome import Evidence, Severity
from pagegrade.model.rendering import LoadMetrics, Rendering, ShiftCause, ShiftedElement
from pagegrade.parse.rendering.causes import shifted_elements

LIMITS: Final = Limits(good={"mobile": 0.1, "desktop": 0.1}, bad={"mobile": 0.25, "desktop": 0.25})
_CAUSES: Final[Mapping[ShiftCause, str]] = {
    "image": "pushed by an image without reserved space",
    "frame": "pushed by a frame or a video that came later",
    "content": "pushed by an element that was inserted or grew",
    "font": "a font arrived just before",
}
WHY: Final = "Visitors lose the line that they read, and press a button that they did not mean."
FIX: Final = (
    "Give images, frames and advertisements their size before they arrive (`width` and `height`, or "
    "`aspect-ratio`), and add nothing above what is already shown."
)


@check(
    id="cumulative-layout-shift",
    title="Cumulative Layout Shift (CLS)",
    severity=Severity.HIGH,
    cause="layout-shift",
    since="0.1.0",
    states=(
        State("stable", "The layout hardly moves while the page loads."),
        State(
            "unstable",
            "The layout moves while the page loads.",
            loss=0.075,
            loss_max=0.3,
            title="Keep the layout still while the page loads",
            why=WHY,
            fix=FIX,
        ),
        State(
            "very_unstable",
            "The layout moves a lot while the page loads.",
            loss=0.375,
            loss_max=0.921875,
            title="Keep the layout still while the page loads",
            why=WHY,
            fix=FIX,
        ),
        State(
            "restless",
            "The layout moves again and again while the page loads.",
            loss=1.0,
            title="Keep the layout still while the page loads",
            why=WHY,
            fix=FIX,
        ),
    ),
    sources=("https://web.dev/articles/cls",),
)
def cumulative_layout_shift(rendering: Rendering, rendered_metrics: LoadMetrics) -> Verdict:
    """The cumulative layout shift measures how far visible content moves unexpectedly.

    ## What it checks

    The sum of the layout shifts in the worst session of at most five seconds without a gap of more than one second,
    each shift being the share of the screen that moves times the distance; shifts after an input of the visitor do not
    count. The median of several loads. Up to 0.1 is good, more than 0.25 is bad and costs 3 points, with four steps
    between; more than 0.75 costs 8, with eight steps between. Only shifts during the load are seen. The elements that
    moved in the worst shifts are named, when and how far they moved, and what pushed them as far as that was seen.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 1200, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000,
         "layout_shifts": [{"time_ms": 1500, "score": 0.21}, {"time_ms": 1900, "score": 0.12}]}
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
         "layout_shifts": [{"time_ms": 1500, "score": 0.02}]}
      ]
    }
    ```
    """
    moves = (rendered_metrics.cls or 0) > LIMITS.good[rendering.device]
    return evaluate_metric(
        rendering,
        rendered_metrics,
        "cls",
        LIMITS,
        states=("stable", "unstable", "very_unstable", "restless"),
        share=0.375,
        evidence=tuple(map(_evidence, shifted_elements(rendering))) if moves else (),
        sentence="Unexpected layout shifts add up to {value} ({device}).",
    )


def _evidence(moved: ShiftedElement) -> Evidence:
    """The element that moved, when, how far, and why as far as it was seen."""
    reasons = ["it was moved"]
    if moved.time_ms is not None:
        way = f"moved down by {moved.down_px:,.0f} px" if moved.down_px > 0 else f"moved up by {-moved.down_px:,.0f} px"
        reasons = [
            way if moved.down_px else "moved sideways or changed its size",
            f"after {moved.time_ms / 1_000:.1f} s",
        ]
    if moved.cause:
        reasons.append(_CAUSES[moved.cause])
    pusher = "" if moved.pushed_by is None else moved.pushed_by.selector
    return Evidence(
        selector=moved.selector,
        snippet=moved.html[:200],
        url=moved.cause_url,
        value=pusher,
        reason="; ".join(reasons),
    )
