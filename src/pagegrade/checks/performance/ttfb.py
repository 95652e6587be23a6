from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity

GOOD_MS: Final = 800
BAD_MS: Final = 1_800
UNBEARABLE_MS: Final = 3_000
"""Costs everything: three quarters of the time from which on LCP is poor are over, and nothing has arrived."""
ROUND_MS: Final = 100


@check(
    id="ttfb",
    title="Time to first byte (TTFB)",
    severity=Severity.HIGH,
    since="0.1.0",
    cause="response-time",
    states=(
        State("fast", "The server answers quickly."),
        State(
            "slow",
            "The server takes long to start its answer.",
            loss=0.075,
            loss_max=0.3,
            title="Reduce the server response time",
            why="Nothing can be shown or requested before the first byte arrives.",
            fix=(
                "Serve rendered pages from a cache instead of building each one anew. Then look for slow "
                "database queries, cold starts and calls to other services."
            ),
        ),
        State(
            "very_slow",
            "The server takes very long to start its answer.",
            loss=0.375,
            loss_max=1.0,
            title="Reduce the server response time",
            why="Nothing can be shown or requested before the first byte arrives.",
            fix=(
                "Serve rendered pages from a cache instead of building each one anew. Then look for slow "
                "database queries, cold starts and calls to other services."
            ),
        ),
    ),
    sources=("https://web.dev/articles/ttfb",),
)
def ttfb(response: Response) -> Verdict:
    """The time to first byte is how long the server takes before it starts to answer.

    ## What it checks

    The time from sending the request for the final document to the first byte of the answer, rounded up to a tenth of a
    second. Redirects, the name lookup, connecting and TLS are left out, because other checks and the phases of
    `load-time` show them. Up to 800 ms is fine, up to 1,800 ms costs in four steps, and more up to three seconds, which
    cost everything: the first two numbers are those that web.dev publishes for a wider definition, which includes
    connecting, so this is lenient. Tools in a browser often ask for 600 ms. Here one fetch is measured, from a distance
    that is not known, so the stricter number would blame servers for their distance.

    ## Fails on

    ```json navigation
    {
      "requested_url": "https://example.com/",
      "response": {"url": "https://example.com/", "status": 200, "timings": {"first_byte_ms": 1240.0, "total_ms": 1300}}
    }
    ```

    ## Passes on

    ```json navigation
    {
      "requested_url": "https://example.com/",
      "response": {"url": "https://example.com/", "status": 200, "timings": {"first_byte_ms": 140.0, "total_ms": 190}}
    }
    ```
    """
    measured = response.timings.first_byte_ms
    if measured is None:
        return NotRun("not_measured", "The saved page does not include its timings.")
    value = int(-(-measured // ROUND_MS)) * ROUND_MS
    loss = 0.3 * meter_loss(value, GOOD_MS, BAD_MS, steps=4)
    if value > BAD_MS:
        loss = 0.375 + 0.625 * meter_loss(value, BAD_MS, UNBEARABLE_MS, steps=5)
    return Outcome(
        "fast" if loss == 0 else "slow" if value <= BAD_MS else "very_slow",
        value=f"{value} ms",
        evidence=(Evidence(value=f"{measured:,.0f} ms", reason="request sent to first byte, without redirects"),),
        details=(Detail(code="first_byte_ms", actual=value, limit=GOOD_MS),),
        loss=loss,
        message=f"The first byte arrives within {value:,} ms of the request, measured from where the analysis ran.",
    )
