from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import LoadMetrics, Rendering

LIMITS: Final = Limits(good={"mobile": 1800, "desktop": 934}, bad={"mobile": 3000, "desktop": 1600})
WHY: Final = "Until something is painted, visitors see a blank screen and do not know whether the page works."
FIX: Final = (
    "Shorten the server response, and load stylesheets and scripts that the first screen does not need without "
    "blocking it."
)


@check(
    id="first-contentful-paint",
    title="First Contentful Paint (FCP)",
    severity=Severity.MEDIUM,
    cause="paint-time",
    since="0.1.0",
    states=(
        State("fast", "The first text or image appears quickly."),
        State(
            "slow",
            "The first text or image appears late.",
            loss=0.2,
            loss_max=0.8,
            title="Show the first content sooner",
            why=WHY,
            fix=FIX,
        ),
        State(
            "very_slow",
            "The first text or image appears very late.",
            loss=1.0,
            title="Show the first content sooner",
            why=WHY,
            fix=FIX,
        ),
    ),
    sources=("https://web.dev/articles/fcp",),
)
def first_contentful_paint(rendering: Rendering, rendered_metrics: LoadMetrics) -> Verdict:
    """The first contentful paint is the moment at which the screen is no longer blank.

    ## What it checks

    The time from the start of the navigation to the first text or image that the browser painted, the median of several
    loads over the simulated connection. Up to 1.8 s on a phone (0.9 s on a desktop) is good, more than 3 s (1.6 s) is
    bad, with four steps between.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 3400, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000}
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 900, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000}
      ]
    }
    ```
    """
    return evaluate_metric(
        rendering,
        rendered_metrics,
        "fcp_ms",
        LIMITS,
        states=("fast", "slow", "very_slow"),
        sentence="The first text or image is painted after {value} ({device}).",
    )
