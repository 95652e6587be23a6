from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity
from pagegrade.model.rendering import Rendering, Span, Timeline

GOOD_MS: Final = 200
BAD_MS: Final = 1_000
SHOWN: Final = 20


@check(
    id="long-tasks",
    title="Long tasks",
    severity=Severity.LOW,
    cause="script-bytes",
    since="0.1.0",
    states=(
        State("short", "No task of the main thread takes long."),
        State(
            "long",
            "Tasks of the main thread take long.",
            loss=0.2,
            loss_max=1.0,
            title="Long tasks on the main thread",
            why="A tap or key during such a task gets its answer only when the task is over.",
            fix=(
                "Look at the scripts below that take most time. Split their work into parts with "
                "`scheduler.yield()`, or move it to a worker."
            ),
            counted=True,
        ),
    ),
    sources=("https://web.dev/articles/optimize-long-tasks",),
)
def long_tasks(rendering: Rendering) -> Verdict:
    """While a task runs on the main thread, the page reacts to nothing.

    ## What it checks

    The longest task on the page's main thread during a load: parsing, style, layout or scripts without a pause. Of
    several loads the one with the middle value counts. A task of 200 ms or less costs nothing, though those of more
    than 50 ms are counted; one of a second or more costs everything, with five steps between. The processor is not
    slowed down unless that was requested, so a phone is slower. The scripts with most time on the main thread are
    listed with it.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900, "long_tasks": [{"start_ms": 1000, "end_ms": 1480}],
        "script_times": [{"url": "https://example.com/app.js", "time_ms": 470}]}]
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/",
      "loads": [{"first_contentful_paint_ms": 900, "long_tasks": [{"start_ms": 1000, "end_ms": 1070}]}]
    }
    ```
    """
    loads = [load for load in rendering.loads if load.has_tasks]
    if not loads:
        return NotRun("not_measured", "The browser did not record the tasks of the page.")
    load = sorted(loads, key=_longest_ms)[(len(loads) - 1) // 2]
    longest = _longest_ms(load)
    tasks = sorted(load.long_tasks, key=lambda task: (-_length_ms(task, load), task.start_ms))
    details = (
        Detail(code="longest_task_ms", actual=round(longest), limit=GOOD_MS),
        Detail(code="long_tasks", actual=len(tasks)),
    )
    loss = meter_loss(longest, GOOD_MS, BAD_MS)
    if loss == 0:
        return Outcome("short", value=amount(len(tasks), "long task"), details=details)
    slow = [task for task in tasks if _length_ms(task, load) > GOOD_MS]
    shown = [
        Evidence(
            url=task.script_url,
            value=f"{_length_ms(task, load):,.0f} ms",
            reason=f"from {task.start_ms / 1_000:.1f} s on",
        )
        for task in slow[:SHOWN]
    ]
    scripts = [
        Evidence(url=script.url, value=f"{script.time_ms:,.0f} ms", reason="time of the script on the main thread")
        for script in load.script_times[:SHOWN]
        if script.time_ms >= 50
    ]
    return Outcome(
        "long",
        value=f"{longest:,.0f} ms",
        evidence=(*shown, *scripts),
        total=len(slow) + len(scripts),
        count=len(slow),
        details=details,
        loss=max(0.2, loss),
        message=f"The longest task of the main thread takes {longest:,.0f} ms.",
    )


def _length_ms(task: Span, load: Timeline) -> float:
    return (load.end_ms if task.end_ms is None else task.end_ms) - task.start_ms


def _longest_ms(load: Timeline) -> float:
    return max((_length_ms(task, load) for task in load.long_tasks), default=0.0)
