"""Runs of one report over time: scores, a line chart by date, and what is said of two runs that are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from pagegrade.model.monitors import Crossing, CrossingKind
from pagegrade.model.rendering import Device
from pagegrade.model.report import CATEGORIES, Basis, Category, Grade
from pagegrade.model.stored import State
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.view import headline
from pagegrade.report.compare import Change, Comparison

MAX_RUNS: Final = 30
"""The newest so many are drawn and listed: more make neither a line one can read nor a page that loads fast."""
HEIGHT: Final = 200
"""Of the chart's plot, in CSS pixels; its width is that of the page."""
_LEFT: Final = 6.0
"""Per cent of the width left of the first run: for the scale."""
_RIGHT: Final = 97.0
_FULL: Final = 100
_LABEL_WIDTH: Final = 14.0
"""Per cent of the width that a date below the chart takes on the narrowest screen that shows all of them."""
_MIN_SPAN: Final = 20
"""Points that a scale of its own shows at least, so that no change of a point or two fills the whole height."""
SPARK_RUNS: Final = 12
SPARK_SIZE: Final = (120, 32)
"""Of a sparkline, in its own units."""
_SPARK_MARGIN: Final = 3
_ONLY_NEWER: Final = N_("Only the newer one saw the page in a browser.")
_ONLY_OLDER: Final = N_("Only the older one saw the page in a browser.")
_DEVICES: Final = N_("The browser imitated different devices: %(before)s and %(after)s.")
_RULES: Final = N_("Different rules evaluated the page: %(before)s and %(after)s.")


class RunPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One analysis of a report, as far as its history shows it."""

    number: int
    """From 1, within its report."""
    state: State
    result: Grade | None
    score: int | None
    exact: float | None = None
    """The score before caps and rounding; ``None`` where it is not known."""
    ruleset: str | None
    """``None`` while it has not finished."""
    device: Device | None = None
    """Device that a browser imitated; ``None``: the static engine."""
    engine: str | None
    at_ms: int
    """Time of completion, or of creation for an unfinished run."""
    categories: Mapping[Category, int] = msgspec.field(default_factory=dict)
    """Score of each category that has one."""
    error_code: str | None = None
    """One of ``model.errors.FAILURE_CODES``; ``None`` when it did not fail."""
    crossings: tuple[Crossing, ...] = ()
    """Of monitors at this run."""

    @property
    def basis(self) -> Basis | None:
        """Properties that a run must share to be compared with this one; ``None`` without results."""
        return None if self.state != "completed" or self.ruleset is None else Basis(self.ruleset, self.device)

    @property
    def is_breach(self) -> bool:
        """True if budgets were breached at this run, or the page became unreachable."""
        return any(crossing.kind != "recovered" for crossing in self.crossings)

    @property
    def crossed(self) -> tuple[tuple[CrossingKind, tuple[str, ...]], ...]:
        """(kind, conditions of budgets), each once, however many monitors have them."""
        found: dict[CrossingKind, dict[str, None]] = {}
        for crossing in self.crossings:
            found.setdefault(crossing.kind, {}).update(dict.fromkeys(one.condition for one in crossing.budgets))
        return tuple((kind, tuple(conditions)) for kind, conditions in found.items())


class ScoreChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of the score since the last scored run that compares, or without one since the previous scored run."""

    since: RunPoint
    shown: RunPoint
    points: int
    """After minus before; 0 where they do not compare."""
    comparable: bool
    hidden: tuple[float, float] | None = None
    """(before, after) of the scores before caps and rounding, where only these two differ."""


Anchor = Literal["start", "middle", "end"]


class Scale(msgspec.Struct, frozen=True):
    """The scores between the bottom of a plot and its top."""

    low: int = 0
    high: int = _FULL

    def height(self, score: float) -> float:
        """Pixels from the top of the plot; what is beyond the scale stands at its edge."""
        share = (max(self.low, min(score, self.high)) - self.low) / (self.high - self.low)
        return round(HEIGHT * (1 - share), 1)


WHOLE_SCALE: Final = Scale()


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One run in the chart."""

    run: RunPoint
    x: float
    """In per cent of the width."""
    y: float | None
    """In pixels from the top of the plot; ``None``: it has no score."""
    label: Anchor | None
    """Part of its date that stands below the mark; ``None``: the date is left out."""


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the line, between two runs that follow each other and both have a score."""

    x1: float
    y1: float
    x2: float
    y2: float


class NewRules(msgspec.Struct, frozen=True, kw_only=True):
    """Position of a change of the rules, between two runs."""

    x: float
    ruleset: str
    anchor: Anchor
    """Anchor of the label relative to ``x``."""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A line chart without its words: the width is in per cent, so that letters keep their size on any screen."""

    marks: tuple[Mark, ...]
    """Oldest first."""
    segments: tuple[Segment, ...]
    new_rules: tuple[NewRules, ...]
    lines: Mapping[Category, tuple[str, ...]]
    """Category -> the stretches of its line, each as ``points`` of an SVG polyline: x in per cent, y in pixels."""


def of_engine(history: Sequence[RunPoint], number: int | None) -> tuple[RunPoint, ...]:
    """Return the runs of the same engine and device as run ``number``, or as the newest with results, and failures.

    Rules may differ: where they change, a line is interrupted.
    """
    known = [run for run in history if run.basis is not None]
    chosen = next((run for run in known if run.number == number), max(known, key=lambda run: run.number, default=None))
    if chosen is None or chosen.basis is None:
        return tuple(history)
    return tuple(run for run in history if run.basis is None or run.basis.device == chosen.basis.device)


def finished(history: Sequence[RunPoint]) -> tuple[RunPoint, ...]:
    """The newest runs that have ended, newest first."""
    ended = (run for run in history if run.state in {"completed", "failed"})
    return tuple(sorted(ended, key=lambda run: -run.number)[:MAX_RUNS])


def change_since(history: Sequence[RunPoint], number: int | None) -> ScoreChange | None:
    """Return the changes from the previous scored run to ``number``; ``None`` if one of the two is missing."""
    shown = next((run for run in history if run.number == number), None)
    if shown is None or shown.score is None or shown.basis is None:
        return None
    older = [run for run in history if run.number < shown.number and run.score is not None and run.basis is not None]
    if not older:
        return None
    alike = [run for run in older if run.basis == shown.basis]
    since = max(alike or older, key=lambda run: run.number)
    if since.score is None or not alike:
        return ScoreChange(since=since, shown=shown, points=0, comparable=False)
    points, before, after = shown.score - since.score, since.exact, shown.exact
    hidden = None if points or before is None or after is None or before == after else (before, after)
    return ScoreChange(since=since, shown=shown, points=points, comparable=True, hidden=hidden)


def own_scale(scores: Sequence[float]) -> Scale:
    """Return a scale in tens around some scores, at least one, on which their changes can be seen."""
    low, high = math.floor(min(scores) / 10) * 10, math.ceil(max(scores) / 10) * 10
    if high - low < _MIN_SPAN:
        low = max(0, min(low - _MIN_SPAN // 2, _FULL - _MIN_SPAN))
        high = low + _MIN_SPAN
    return Scale(low, high)


def chart_of(history: Sequence[RunPoint], number: int | None = None, scale: Scale = WHOLE_SCALE) -> Chart:
    """Compute the positions; runs stand where their time is between that of the first and that of the last.

    Only runs of the engine of run ``number`` are drawn (``of_engine``).
    """
    runs = finished(of_engine(history, number))[::-1]
    places = _places(runs)
    marks = tuple(
        Mark(run=run, x=x, y=None if run.score is None else scale.height(run.score), label=label)
        for run, x, label in zip(runs, places, _labels(places), strict=True)
    )
    pairs = list(pairwise(marks))
    return Chart(
        marks=marks,
        segments=tuple(
            Segment(x1=a.x, y1=a.y, x2=b.x, y2=b.y)
            for a, b in pairs
            # A line across other rules would show a change that the page did not make.
            if a.y is not None and b.y is not None and a.run.basis == b.run.basis
        ),
        new_rules=tuple(
            NewRules(
                x=round((a.x + b.x) / 2, 2),
                ruleset=b.run.ruleset,
                anchor="start" if a.x + b.x < _FULL else "end",
            )
            for a, b in pairs
            if a.run.ruleset and b.run.ruleset and a.run.ruleset != b.run.ruleset
        ),
        lines={name: _stretches(marks, name) for name in CATEGORIES},
    )


def _places(runs: Sequence[RunPoint]) -> tuple[float, ...]:
    """Return x of each run in per cent, oldest first; in the middle where there is one time only."""
    if not runs:
        return ()
    times = [run.at_ms for run in runs]
    first, span = min(times), max(times) - min(times)
    left, width = _LEFT + 2, _RIGHT - _LEFT - 4
    return tuple(round(left + width * ((at_ms - first) / span if span else 0.5), 2) for at_ms in times)


def _labels(places: Sequence[float]) -> list[Anchor | None]:
    """Return where the date of each mark stands, so that none leaves the plot and no two touch.

    The newest one is always named.
    """
    labels: list[Anchor | None] = []
    free_until = math.inf
    for x in reversed(places):
        half = _LABEL_WIDTH / 2
        anchor: Anchor = "end" if x + half > _RIGHT else "start" if x - half < _LEFT else "middle"
        left = x - {"start": 0.0, "middle": half, "end": _LABEL_WIDTH}[anchor]
        is_free = left + _LABEL_WIDTH <= free_until
        labels.append(anchor if is_free else None)
        free_until = left if is_free else free_until
    return labels[::-1]


def _stretches(marks: Sequence[Mark], name: Category) -> tuple[str, ...]:
    """Return the unbroken parts of a category's line; a part of one point draws nothing and is left out."""
    stretches: list[list[str]] = []
    basis: Basis | None = None
    for mark in marks:
        score = mark.run.categories.get(name)
        if score is None:
            basis = None
            continue
        if basis is None or mark.run.basis != basis:
            stretches.append([])
            basis = mark.run.basis
        stretches[-1].append(f"{mark.x},{WHOLE_SCALE.height(score)}")
    return tuple(" ".join(points) for points in stretches if len(points) > 1)


def spark_points(scores: Sequence[int | None]) -> str:
    """``points`` of an SVG polyline of ``SPARK_SIZE`` for the last scores, oldest first; empty below two scores."""
    known = [score for score in scores if score is not None][-SPARK_RUNS:]
    if len(known) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    width, height = (side - 2 * _SPARK_MARGIN for side in SPARK_SIZE)
    # The scale is that of the scores themselves, but no change of a point or two fills the whole height.
    low, high = min(known), max(known)
    span = max(high - low, 20)
    base = min(max(0, (low + high - span) / 2), _FULL - span)
    step = width / (len(known) - 1)
    return " ".join(
        f"{_SPARK_MARGIN + place * step:.1f},{_SPARK_MARGIN + height * (1 - (score - base) / span):.1f}"
        for place, score in enumerate(known)
    )


def spark_of(history: Sequence[RunPoint], number: int | None) -> str:
    """The same for the runs of a report up to the one that is shown."""
    ended = [run for run in finished(of_engine(history, number)) if number is None or run.number <= number]
    shown = next((run for run in ended if run.basis is not None), None)
    return spark_points([run.score for run in reversed(ended) if shown is not None and run.basis == shown.basis])


def why_not_compared(before: Basis, after: Basis, words: Words = ENGLISH) -> str:
    """Return why two runs, the older one first, are not compared, in sentences; empty if they are."""
    sentences = []
    for difference in before.differences(after):
        if difference == "engine":
            sentences.append(words.gettext(_ONLY_NEWER if before.device is None else _ONLY_OLDER))
        elif difference == "device":
            sentences.append(words.gettext(_DEVICES, before=before.device, after=after.device))
        else:
            rules = {"before": visible(before.ruleset, 40), "after": visible(after.ruleset, 40)}
            sentences.append(words.gettext(_RULES, **rules))
    return " ".join(sentences)


def comparison_notes(comparison: Comparison) -> list[str]:
    """List the scores and the caveats of a comparison, one sentence each; reasons instead where nothing compares."""
    why = why_not_compared(*comparison.bases)
    if why:
        return ["The two are not compared.", why]
    scores = tuple("–" if score is None else str(score) for score in (comparison.score_before, comparison.score_after))
    exact = comparison.hidden_by_rounding
    more = "" if exact is None else f" ({exact[0]:.1f} → {exact[1]:.1f} before caps and rounding)"
    notes = [f"Score {' → '.join(scores)}{more}."]
    if not comparison.same_url:
        notes.append("The baseline is about another URL.")
    if not comparison.same_final_url:
        notes.append("The URL led to another page than before.")
    return notes


def change_title(change: Change, words: Words = ENGLISH, limit: int = 120) -> str:
    """Title of what changed; without its number where the change is one place, of which there may be more."""
    return headline(change.result, words, limit) if change.evidence is None else visible(change.result.title, limit)
