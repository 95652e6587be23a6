from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.checks._metrics import format_metric
from pagegrade.model.outcome import Detail, Evidence, Outcome, Saving, Severity
from pagegrade.model.rendering import DepartureKind, Rendering

GOOD_MS: Final = 0
BAD_MS: Final = 2_000
_WAYS: Final[dict[DepartureKind, str]] = {
    "script": "by a script",
    "meta": "by a meta element",
    "header": "by the header Refresh",
    "reload": "by loading itself again",
}


@check(
    id="client-redirect",
    title="Redirect in the browser",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("stays", "The page stays where it is while a browser loads it."),
        State(
            "leaves",
            "The page leads on to another one while a browser loads it.",
            loss=0.4,
            loss_max=1.0,
            title="Redirect on the server, not in the page",
            why=(
                "Visitors wait for a page that they never see before the one that they get, and programs without "
                "scripts stay on the first."
            ),
            fix=(
                "Answer the first URL with status 301 or 302 and the URL of the second, or link to the second at once."
            ),
        ),
    ),
    sources=("https://developers.google.com/search/docs/crawling-indexing/301-redirects",),
)
def client_redirect(rendering: Rendering) -> Verdict:
    """A page that leads on to another one by a script or a `<meta>` element costs its visitors a whole load.

    ## What it checks

    Whether the document left by itself while a browser loaded it: by a script, by `<meta http-equiv="refresh">`, by the
    header `Refresh`, or by loading itself again. The time until the last document arrived is lost; at least 0.4 of the
    points, and all from 2 seconds on. The metrics of the page begin after it. A page that leads to another site is not
    graded at all.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/en/", "loads": [{"first_contentful_paint_ms": 900}],
      "departures": [{"kind": "script", "url": "https://example.com/en/", "after_ms": 840.5}]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}]
    }
    ```
    """
    if not rendering.departures:
        return Outcome("stays", value=0)
    lost_ms = round(rendering.departures[-1].after_ms)
    return Outcome(
        "leaves",
        value=format_metric("after_ms", lost_ms),
        evidence=tuple(
            Evidence(url=one.url, value=format_metric("after_ms", one.after_ms), reason=_WAYS[one.kind])
            for one in rendering.departures
        ),
        details=(Detail(code="after_ms", actual=lost_ms, limit=GOOD_MS),),
        loss=max(0.4, meter_loss(lost_ms, GOOD_MS, BAD_MS)),
        saving=Saving(lost_ms, "ms"),
    )
