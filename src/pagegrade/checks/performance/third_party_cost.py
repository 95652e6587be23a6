from collections import Counter
from statistics import median
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.party import Parties
from pagegrade.parse.url import host, is_http, registrable_domain

GOOD_MS: Final = 250
BAD_MS: Final = 1_000
SHOWN: Final = 20


@check(
    id="third-party-cost",
    title="Cost of third parties",
    severity=Severity.LOW,
    cause="script-bytes",
    since="0.1.0",
    states=(
        State("small", "Scripts of third parties take little time on the main thread."),
        State(
            "large",
            "Scripts of third parties keep the main thread busy.",
            loss=0.2,
            loss_max=1.0,
            title="Third-party scripts keep the main thread busy",
            why="While they run, the page reacts to nothing, and their authors can make them slower at any time.",
            fix=(
                "Remove what is not needed. Load the rest after the page, on the first interaction, or behind a "
                "placeholder that is replaced by a click."
            ),
        ),
    ),
    sources=("https://web.dev/articles/third-party-javascript",),
)
def third_party_cost(rendering: Rendering, parties: Parties) -> Verdict:
    """Scripts of other sites run on the page's own main thread.

    ## What it checks

    The time that scripts of other sites take on the main thread while the page loads, including what they cause, the
    median of several loads. Calls of less than a millisecond are left out, and so are frames of other sites, which have
    a main thread of their own. Up to 250 ms costs nothing, one second and more costs everything, with five steps
    between. The sites are listed with their time, requests and transferred bytes as the browser saw them. Which files
    are the site's own is decided as in `third-party-share`.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900,
        "script_times": [{"url": "https://widgets.example.net/a.js", "time_ms": 640}]}],
      "requests": [{"url": "https://widgets.example.net/a.js", "kind": "script", "wire_bytes": 90000}]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900,
        "script_times": [{"url": "https://widgets.example.net/a.js", "time_ms": 40}]}],
      "requests": [{"url": "https://widgets.example.net/a.js", "kind": "script", "wire_bytes": 9000}]
    }
    ```
    """
    requests: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for request in rendering.requests:
        if is_http(request.url) and not parties.is_own(request.url):
            site = registrable_domain(host(request.url))
            requests[site] += 1
            sizes[site] += request.wire_bytes or 0
    times = [
        sum(script.time_ms for script in load.script_times if not parties.is_own(script.url))
        for load in rendering.loads
    ]
    spent: Counter[str] = Counter()
    for script in rendering.loads[-1].script_times if rendering.loads else ():
        if not parties.is_own(script.url):
            spent[registrable_domain(host(script.url))] += round(script.time_ms)
    sites = sorted(requests.keys() | spent.keys(), key=lambda site: (-spent[site], -sizes[site], site))
    if not sites:
        return NotApplicable("The browser loaded nothing from other sites.")
    time = median(times)
    details = (
        Detail(code="third_party_main_thread_ms", actual=round(time), limit=GOOD_MS),
        Detail(code="third_party_requests", actual=requests.total()),
        Detail(code="third_party_bytes", actual=sizes.total()),
    )
    evidence = tuple(
        Evidence(
            value=f"{spent[site]:,} ms",
            reason=f"{site}, {amount(requests[site], 'request')}, {sizes[site]:,} bytes",
        )
        for site in sites[:SHOWN]
    )
    loss = meter_loss(time, GOOD_MS, BAD_MS)
    return Outcome(
        "large" if loss else "small",
        value=f"{time:,.0f} ms",
        evidence=evidence,
        total=len(sites),
        details=details,
        loss=max(0.2, loss) if loss else 0.0,
        message=f"Scripts of other sites take {time:,.0f} ms of the main thread while the page loads.",
    )
