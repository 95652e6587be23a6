"""The shape of a check: its states, its documentation, what it needs and what it can cost."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast, get_args

import msgspec

from pagegrade.model.outcome import Cap as Cap  # noqa: PLC0414 - what a check declares comes from one module
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity
from pagegrade.model.report import Category

Verdict = Outcome | NotApplicable | NotRun
NEEDS_RENDERING: Final = NotRun(
    "empty_shell", "Scripts render this page, and the HTML was evaluated as served, without their output."
)
"""Verdict of a content check on an empty shell; shared, so that reports can group the checks."""
CONTENT: Final = frozenset(
    (
        "accessibility alternates assets concealed_text document drawn_document exposed_secrets font_faces link_probes "
        "markup page_links rendered_metrics rendering resources served_document source_maps"
    ).split()
)
"""Parameters of checks that are made of the document or of the files it names."""
RENDERED: Final = frozenset({"drawn_document", "rendered_metrics", "rendering"})
"""Parameters of checks that evaluate the page as a browser drew it."""
SECTIONS: Final = ("What it checks", "Fails on", "Passes on")
"""Sections of the docstring of a check; why and how to fix are said by its states."""


class State(msgspec.Struct, frozen=True):
    """One thing a check can find.

    A state that costs something has a ``title``, a ``why`` and a ``fix`` of its own, and so has one of an informative
    check that is worth a reader's time; other states have none of the three.

    ``loss`` is the share of the severity's points this state costs, 0 to 1; with ``loss_max`` the state is graded and
    its outcome carries the exact loss between the two.
    """

    name: str
    message: str
    """One sentence about the page, present tense, no advice."""
    loss: float = 0.0
    loss_max: float | None = None
    title: str = ""
    """The problem or the task, in the terms of the field; a saving or a count may follow. No full stop."""
    why: str = ""
    """Effect on the site's visitors or its owner, in one to three sentences."""
    fix: str = ""
    """Fix for this state, in one to three sentences; fenced code may follow as Markdown."""
    counted: bool = False
    """True if the title names things in the plural, so that the number of offenders follows it."""

    @property
    def highest(self) -> float:
        """The most this state can cost."""
        return self.loss if self.loss_max is None else self.loss_max


class Advice(msgspec.Struct, frozen=True):
    """Reason and fix of a fault, with the states that are degrees of it."""

    title: str
    why: str
    fix: str
    states: tuple[str, ...]


class Documented:
    """Common parts of checks of pages and of sites: documentation by their function, and states by name."""

    __slots__ = ()
    id: str
    title: str
    states: tuple[State, ...]
    function: Callable[..., object]
    _states: Mapping[str, State]

    @property
    def summary(self) -> str:
        """First sentence of the documentation."""
        return inspect.cleandoc(self.function.__doc__ or "").split("\n\n", 1)[0].replace("\n", " ")

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Reasons and fixes of its faults, in the order of its states; empty for a check that only informs."""
        alike: dict[tuple[str, str, str], list[str]] = {}
        for state in self.states:
            if state.title:
                alike.setdefault((state.title, state.why, state.fix), []).append(state.name)
        return tuple(Advice(*texts, tuple(names)) for texts, names in alike.items())

    @property
    def documentation(self) -> dict[str, str]:
        """The sections of the docstring by their heading, as Markdown."""
        text = inspect.cleandoc(self.function.__doc__ or "")
        parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
        return {heading.strip(): body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)}

    def state(self, name: str) -> State:
        """The state of that name; ``KeyError`` for one the check does not declare."""
        try:
            return self._states[name]
        except KeyError:
            raise KeyError(f"{self.id} has no state {name!r}") from None


@dataclass(frozen=True, slots=True)
class Check(Documented):
    """One check: what it is called, what it can say, what it needs, and the function that says it."""

    id: str
    title: str
    category: Category
    severity: Severity
    since: str
    states: tuple[State, ...]
    sources: tuple[str, ...]
    function: Callable[..., Verdict]
    requirements: Mapping[str, bool]
    """Artifact name -> whether the check can do without it (it is then handed the ``NotGathered``)."""
    cause: str | None = None
    """Checks of one category that name the same cause see one fault from several sides: the most expensive finding
    is charged, the others are listed beneath it and cost nothing."""
    caps: tuple[Cap, ...] = ()
    changed: tuple[str, ...] = ()
    visible_only: bool = True
    """It looks at what is rendered: where that is unknown, its findings are at most warnings."""
    _states: Mapping[str, State] = field(init=False, repr=False)
    """The states by their names."""

    def __post_init__(self) -> None:
        """File the states: each page asks every check for one."""
        object.__setattr__(self, "_states", {state.name: state for state in self.states})

    @property
    def reads_content(self) -> bool:
        """Return whether it reads the document or its files, and so does not apply if these are not the page's."""
        return not CONTENT.isdisjoint(self.requirements)

    @property
    def needs_browser(self) -> bool:
        """True for a check that evaluates what only a browser sees, and nothing else."""
        if RENDERED.isdisjoint(self.requirements):
            return False
        return RENDERED.issuperset(self.requirements) or any(
            name in RENDERED for name, optional in self.requirements.items() if not optional
        )


def check(
    *,
    id: str,  # noqa: A002 - the word everyone uses for it
    title: str,
    severity: Severity,
    since: str,
    states: tuple[State, ...],
    sources: tuple[str, ...],
    cause: str | None = None,
    cap: Cap | tuple[Cap, ...] = (),
    changed: tuple[str, ...] = (),
    visible_only: bool | None = None,
) -> Callable[[Callable[..., Verdict]], Check]:
    """Make a check of a function whose parameters name the artifacts it needs.

    A parameter annotated ``X | NotGathered`` is optional: the check runs without that artifact and receives the reason.
    ``cause`` is a kebab-case name (see ``Check.cause``); a ``cap`` without states applies to those with loss 1, and
    several caps need states: ``cap=(Cap(49, states=("fatal",)), Cap(79, states=("warning", "fatal")))``.
    ``visible_only`` is true by default for accessibility, false elsewhere.

    Raises:
        TypeError: The states are not in order, or the declaration is otherwise inconsistent.
    """
    ordered(id, states)

    def wrap(function: Callable[..., Verdict]) -> Check:
        category = function.__module__.split(".")[-2]
        if category not in get_args(Category):
            raise TypeError(f"{id}: {category!r} is no category")
        annotations = inspect.signature(function).parameters
        return Check(
            id=id,
            title=title,
            category=cast("Category", category),
            severity=severity,
            since=since,
            states=states,
            sources=sources,
            function=function,
            requirements={name: "NotGathered" in str(p.annotation) for name, p in annotations.items()},
            cause=cause,
            caps=(cap,) if isinstance(cap, Cap) else cap,
            changed=changed,
            visible_only=category == "accessibility" if visible_only is None else visible_only,
        )

    return wrap


def ordered(check_id: str, states: tuple[State, ...]) -> None:
    """Raise ``TypeError`` unless the states go from best to worst."""
    losses = [loss for state in states for loss in (state.loss, state.highest)]
    if losses != sorted(losses) or losses[0] != 0 or losses[-1] > 1:
        raise TypeError(f"{check_id}: states go from best (loss 0) to worst (loss at most 1)")


def offender_loss(count: int, full_at: int, first: float = 0.5) -> float:
    """Loss for ``count`` offenders: 0, then from ``first`` for one to 1 at ``full_at``.

    Counts, never ratios: removing something good must not make the bad weigh more.
    """
    if count <= 0:
        return 0.0
    if full_at <= 1:
        return 1.0
    return min(1.0, first + (1 - first) * (count - 1) / (full_at - 1))


def meter_loss(value: float, good: float, bad: float, steps: int = 5) -> float:
    """Loss of a measured value: 0 up to ``good``, 1 from ``bad``, in at most ``steps`` equal steps between.

    Steps, so that a few bytes of good markup cannot cost a hair of score.
    """
    share = (value - good) / (bad - good)
    if share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    # The small number keeps a value that lies exactly on a step from jumping to the next by rounding.
    return min(1.0, -(-(share * steps - 1e-9) // 1) / steps)
