from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import LoadMetrics, Rendering

LIMITS: Final = Limits(good={"mobile": 3387, "desktop": 1311}, bad={"mobile": 5800, "desktop": 2300})
WHY: Final = "A page that is painted in pieces feels slow, even when its first piece comes early."
FIX: Final = (
    "Send the content of the first screen in the HTML, and load fonts and images of the first screen "
    "before everything else."
)


@check(
    id="speed-index",
    title="Speed Index",
    severity=Severity.MEDIUM,
    cause="paint-time",
    since="0.1.0",
    states=(
        State("fast", "The first screen fills quickly."),
        State(
            "slow",
            "The first screen fills slowly.",
            loss=0.2,
            loss_max=0.8,
            title="Fill the first screen sooner",
            why=WHY,
            fix=FIX,
        ),
        State(
            "very_slow",
            "The first screen fills very slowly.",
            loss=1.0,
            title="Fill the first screen sooner",
            why=WHY,
            fix=FIX,
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/performance/speed-index",),
)
def speed_index(rendering: Rendering, rendered_metrics: LoadMetrics) -> Verdict:
    """The speed index is the average time at which the parts of the first screen are visible.

    ## What it checks

    Pictures of the screen during the load are compared with the last one by their histograms of colors, without
    near-white; the share that is missing is added up over the time. The median of several loads. Up to 3.4 s on a phone
    (1.3 s on a desktop) is good, more than 5.8 s (2.3 s) is bad, with four steps between. It was not measured where the
    browser made no pictures.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 1200, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000,
         "frames": [{"time_ms": 0, "progress": 0}, {"time_ms": 6000, "progress": 1}]}
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
         "frames": [{"time_ms": 0, "progress": 0}, {"time_ms": 1000, "progress": 1}]}
      ]
    }
    ```
    """
    return evaluate_metric(
        rendering,
        rendered_metrics,
        "si_ms",
        LIMITS,
        states=("fast", "slow", "very_slow"),
        sentence="On average, the parts of the first screen are visible after {value} ({device}).",
    )
