from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric
from pagegrade.model.outcome import Evidence, Severity
from pagegrade.model.rendering import LoadMetrics, Rendering

LIMITS: Final = Limits(good={"mobile": 2500, "desktop": 1200}, bad={"mobile": 4000, "desktop": 2400})
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
    good, more than 4 s (2.4 s) is bad and costs 8 points, with four steps between; three times that costs 25. It was
    not measured where nothing was painted.

    ## Why it matters

    Visitors take a page for loaded when its main picture or headline is there, and many leave before.

    ## How to fix

    Look at the element that is named, and at the request that brings it. An image belongs in the HTML as `<img>` with
    `fetchpriority="high"` and without `loading="lazy"`; text needs its font early. Then shorten what every element
    waits for: the server response, redirects, render-blocking styles and scripts.

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
    element = rendering.lcp_element
    evidence = () if element is None else (Evidence(selector=element.selector, snippet=element.html[:200]),)
    return evaluate_metric(
        rendering,
        rendered_metrics,
        "lcp_ms",
        LIMITS,
        states=("fast", "slow", "very_slow", "far_too_slow"),
        share=0.32,
        sentence="The largest element of the first screen is painted after {value} ({device}).",
        evidence=evidence,
    )
