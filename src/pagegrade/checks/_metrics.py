"""Body of the checks that evaluate one metric of the page in a browser."""

from __future__ import annotations

import msgspec

from pagegrade.checks._check import meter_loss
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome
from pagegrade.model.rendering import Device, LoadMetrics, Rendering
from pagegrade.parse.rendering.metrics import measure_load

STEPS = 4
"""Between good and bad, so that the noise of a measurement moves the score rarely."""
FAR = 3
"""Times the limit of bad from which on few visitors stay."""
FAR_STEPS = 8
"""Between bad and that far beyond it, so that no millisecond costs more than a step."""
_FAR_STATE = 3


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Values up to which a metric is good, and from which on it is bad, by device."""

    good: dict[Device, float]
    bad: dict[Device, float]


def evaluate_metric(
    rendering: Rendering,
    metrics: LoadMetrics,
    name: str,
    limits: Limits,
    *,
    states: tuple[str, ...],
    share: float = 1.0,
    sentence: str,
    evidence: tuple[Evidence, ...] = (),
) -> Outcome | NotRun:
    """Evaluate a metric.

    Args:
        rendering: Whose loads show the spread.
        metrics: Medians.
        name: Field of ``LoadMetrics``; one that ends in ``_ms`` is a time.
        limits: Of its rating.
        states: Of the check: good, to be improved, bad, and perhaps far beyond bad, which costs everything.
        share: Loss from which the bad state begins; it grows to everything where a state is far beyond bad.
        sentence: What the message says, with ``{value}`` for the value.
        evidence: What to show besides the values of the single loads.
    """
    value = getattr(metrics, name)
    if value is None:
        return NotRun("not_measured", _why_not(rendering, metrics, name))
    good, bad = limits.good[rendering.device], limits.bad[rendering.device]
    loss = round(share * (1.0 if value > bad else 0.8 * meter_loss(value, good, bad, steps=STEPS)), 6)
    state = states[0] if loss == 0 else states[1] if value <= bad else states[2]
    if len(states) > _FAR_STATE and value > FAR * bad:
        state, loss = states[_FAR_STATE], 1.0
    elif len(states) > _FAR_STATE and value > bad:
        beyond = meter_loss(value, bad, FAR * bad, steps=FAR_STEPS) - 1 / FAR_STEPS
        loss = round(share + (1 - share) * beyond, 6)
    loads = [getattr(measure_load(load), name) for load in rendering.loads]
    shown = tuple(
        Evidence(value=f"{_prefix(name)}{format_metric(name, one)}", reason=f"load {number}")
        for number, one in enumerate(loads, start=1)
        if one is not None
    )
    return Outcome(
        state,
        value=format_metric(name, value),
        evidence=(*evidence, *shown) if loss > 0 or len(shown) > 1 else evidence,
        details=(Detail(code=name, actual=round(value, 4), limit=good),),
        loss=loss,
        message=sentence.format(value=format_metric(name, value), device=rendering.device),
    )


def paints_nothing(rendering: Rendering) -> bool:
    """Return whether neither text nor a picture was painted in any load; what frames paint is not known."""
    return "nothing_painted" in rendering.notes and all(measure_load(load).fcp_ms is None for load in rendering.loads)


def _why_not(rendering: Rendering, metrics: LoadMetrics, name: str) -> str:
    """Say why a metric is missing."""
    if metrics.fcp_ms is None and name != "load_ms":
        return "The browser painted no text and no picture of the page."
    if name in {"tbt_ms", "tti_ms"} and not any(load.has_tasks for load in rendering.loads):
        return "The browser recorded no tasks of the page."
    if name == "load_ms":
        return "The page did not finish loading before the time for it was over."
    return "The browser reported no value for it."


def format_metric(name: str, value: float) -> str:
    """Write the value of a metric with its unit."""
    if not name.endswith("_ms"):
        return f"{value:.3f}".rstrip("0").rstrip(".") if value else "0"
    return f"{value / 1_000:.1f} s" if value >= 1_000 else f"{value:.0f} ms"


def _prefix(name: str) -> str:
    """Name a value that has no unit."""
    return "" if name.endswith("_ms") else "layout shift "
