from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.model.rendering import Rendering, ThreadWork, Timeline

BUSY_MS: Final = 1_000
_SHORTEST_MS: Final = 1.0
_KINDS: Final = {
    "script": "scripts",
    "layout": "styles and layout",
    "paint": "painting",
    "parse": "parsing HTML and CSS",
    "memory": "collecting unused memory",
}


@check(
    id="main-thread-work",
    title="Work of the main thread",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("little", "Loading the page is little work for the main thread."),
        State(
            "much",
            "Loading the page is much work for the main thread.",
            title="Much work for the main thread",
            why="While the main thread works, the page reacts to nothing, and phones need several times as long.",
            fix=(
                "Look at the kind with most time. For scripts, load less of them; for styles and layout, reduce the "
                "number of elements, and read sizes in scripts before anything is changed, not after."
            ),
        ),
    ),
    sources=(
        "https://developer.chrome.com/docs/lighthouse/performance/mainthread-work-breakdown",
        "https://web.dev/articles/avoid-large-complex-layouts-and-layout-thrashing",
    ),
)
def main_thread_work(rendering: Rendering) -> Verdict:
    """The time of the main thread while a page loads, by the kind of its work.

    ## What it checks

    How long the page's main thread ran scripts, computed styles and layout, painted, parsed HTML and CSS, and collected
    unused memory during a load, each moment counted once. Of several loads the one with the middle sum counts. Layout
    that a script forced, because it asked for a size right after a change, is named. A second and more in all is much.
    The processor is not slowed down unless that was requested, so a phone is slower.

    It costs nothing: the checks of long tasks, blocking time and scripts charge what delays visitors.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900, "work": [
        {"kind": "script", "time_ms": 1450.5}, {"kind": "layout", "time_ms": 310.0, "forced_ms": 240.0}
      ]}]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900, "work": [{"kind": "script", "time_ms": 80.0}]}]
    }
    ```
    """
    loads = sorted((load for load in rendering.loads if load.work), key=_total_ms)
    if not loads:
        return NotRun("not_measured", "The browser did not record the work of the main thread.")
    load = loads[(len(loads) - 1) // 2]
    total_ms = round(_total_ms(load))
    return Outcome(
        "much" if total_ms > BUSY_MS else "little",
        value=total_ms,
        evidence=tuple(_evidence(work) for work in load.work if work.time_ms >= _SHORTEST_MS),
        details=(Detail(code="main_thread_ms", actual=total_ms, limit=BUSY_MS),),
        message=f"The main thread works for {total_ms:,} ms while the page loads.",
    )


def _total_ms(load: Timeline) -> float:
    return sum(work.time_ms for work in load.work)


def _evidence(work: ThreadWork) -> Evidence:
    reason = _KINDS[work.kind]
    if work.forced_ms >= _SHORTEST_MS:
        reason = f"styles and layout, {work.forced_ms:,.0f} ms of it forced by scripts"
    return Evidence(value=f"{work.time_ms:,.0f} ms", reason=reason)
