from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._unused import evaluate_unused
from pagegrade.model.outcome import Severity
from pagegrade.model.rendering import Rendering

IGNORED_BYTES: Final = 10240
GOOD_BYTES: Final = 30000
BAD_BYTES: Final = 150000


@check(
    id="unused-css",
    title="Unused CSS",
    severity=Severity.LOW,
    since="0.1.0",
    cause="style-bytes",
    states=(
        State("used", "The page loads little CSS that it does not use."),
        State(
            "unused",
            "The page loads CSS that it does not use.",
            loss=0.2,
            loss_max=1.0,
            title="Load less unused CSS",
            why="Nothing is painted before all stylesheets are there and read.",
            fix=("Remove rules that no page uses, and split the sheet so that each page loads its own part."),
        ),
    ),
    sources=("https://developer.chrome.com/docs/lighthouse/performance/unused-css-rules",),
)
def unused_css(rendering: Rendering) -> Verdict:
    """CSS that is loaded and not used costs time and has no effect.

    ## What it checks

    How much of each CSS file the browser used until the page was loaded and quiet, on the rendered page. What was not
    used is counted with its share of the transferred bytes, if a file has more than 10,240 of them. Up to 30,000 bytes
    in all are fine, 150,000 and more cost everything, with four steps between. Code that waits for an action of the
    visitor counts as unused, and inline code is not counted.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "coverage": [
        {"url": "https://example.com/a", "kind": "stylesheet", "total_bytes": 400000, "unused_bytes": 300000}
      ]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "coverage": [
        {"url": "https://example.com/a", "kind": "stylesheet", "total_bytes": 400000, "unused_bytes": 15000}
      ]
    }
    ```
    """
    return evaluate_unused(
        rendering,
        "stylesheet",
        ignored_bytes=IGNORED_BYTES,
        good_bytes=GOOD_BYTES,
        bad_bytes=BAD_BYTES,
        states=("used", "unused"),
    )
