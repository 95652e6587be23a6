from typing import Final

from msgspec.structs import replace

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._metrics import Limits, evaluate_metric, format_metric
from pagegrade.model.outcome import Evidence, NotRun, Saving, Severity
from pagegrade.model.rendering import LoadMetrics, Rendering
from pagegrade.parse.rendering.metrics import measure_load, total_blocking_time_ms

SHOWN: Final = 5
"""Scripts that are named."""
LIMITS: Final = Limits(good={"mobile": 200, "desktop": 150}, bad={"mobile": 600, "desktop": 350})
WHY: Final = "While a long task runs, the page reacts to no tap, key or scroll."
FIX: Final = (
    "Load fewer scripts, and later those that the first screen does not need. Split long tasks, and move "
    "heavy work to a worker."
)


@check(
    id="total-blocking-time",
    cause="script-bytes",
    title="Total Blocking Time (TBT)",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("responsive", "Scripts leave the page responsive while it loads."),
        State(
            "sluggish",
            "Scripts block the page at times while it loads.",
            loss=0.2,
            loss_max=0.8,
            title="Block the main thread less",
            why=WHY,
            fix=FIX,
        ),
        State(
            "blocked",
            "Scripts block the page for long while it loads.",
            loss=1.0,
            title="Block the main thread less",
            why=WHY,
            fix=FIX,
        ),
    ),
    sources=("https://web.dev/articles/tbt",),
)
def total_blocking_time(rendering: Rendering, rendered_metrics: LoadMetrics) -> Verdict:
    """The total blocking time is how long tasks of the main thread keep a page from reacting to its visitor.

    ## What it checks

    The part beyond 50 ms of every task on the main thread between the first contentful paint and the time at which the
    page is interactive, the median of several loads. The processor is not slowed down unless that was requested, so a
    real phone is slower. Up to 200 ms (150 ms on a desktop) is good, more than 600 ms (350 ms) is bad, with four steps
    between. Where the page never became quiet, what was seen until the end counts. The scripts that took most of these
    tasks in the last load are named, each with the time that it blocks, which is what the page would save without it.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [
        {"first_contentful_paint_ms": 1200, "dom_content_loaded_ms": 300, "load_ms": 900, "end_ms": 30000,
         "long_tasks": [{"start_ms": 1300, "end_ms": 2100}]}
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
         "long_tasks": [{"start_ms": 1300, "end_ms": 1400}]}
      ]
    }
    ```
    """
    outcome = evaluate_metric(
        rendering,
        rendered_metrics,
        "tbt_ms",
        LIMITS,
        states=("responsive", "sluggish", "blocked"),
        evidence=_evidence(rendering) if (rendered_metrics.tbt_ms or 0) > LIMITS.good[rendering.device] else (),
        sentence="Long tasks block the page for {value} in all ({device}).",
    )
    saved = sum(blocked for url, (blocked, _) in _blocking_scripts(rendering).items() if url)
    if isinstance(outcome, NotRun) or saved < 1:
        return outcome
    return replace(outcome, saving=Saving(round(saved), "ms"))


def _evidence(rendering: Rendering) -> tuple[Evidence, ...]:
    """The scripts that block the page, the worst first, with how long and in how many tasks."""
    found = sorted(_blocking_scripts(rendering).items(), key=lambda one: (-one[1][0], one[0]))
    return tuple(
        Evidence(
            url=url,
            value=format_metric("time_ms", blocked),
            reason=f"blocks in {amount(tasks, 'long task')}" if url else "in tasks that are of no single script",
        )
        for url, (blocked, tasks) in found[:SHOWN]
        if blocked >= 1
    )


def _blocking_scripts(rendering: Rendering) -> dict[str, tuple[float, int]]:
    """Return the script of each long task of the last load -> (ms beyond 50 ms of each task, number of tasks).

    Only what counts for the metric; tasks without a script that took most of them are those of ``""``.
    """
    found: dict[str, tuple[float, int]] = {}
    load = rendering.loads[-1] if rendering.loads else None
    if load is None or load.first_contentful_paint_ms is None:
        return found
    interactive = measure_load(load).tti_ms
    for task in load.long_tasks:
        end = load.end_ms if interactive is None else interactive
        blocked = total_blocking_time_ms((task,), load.first_contentful_paint_ms, end)
        if blocked > 0:
            before, tasks = found.get(task.script_url, (0.0, 0))
            found[task.script_url] = before + blocked, tasks + 1
    return found
