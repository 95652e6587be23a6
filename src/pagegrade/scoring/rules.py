"""Scoring rules of each check: its severity, its worst state, its cause and its caps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pagegrade.model.outcome import Cap, Severity
from pagegrade.model.report import CATEGORIES, GOOD_FROM, Category, CheckLike

TENTHS: Final = 10
"""Penalties are whole tenths of a point, so that the costs a reader sees add up exactly."""
SERIOUS: Final = Severity.HIGH.value
"""Points from which on a finding is serious: a page that has one is not good, whatever else is right."""
SERIOUS_CAP: Final = GOOD_FROM - 1
EFFECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "paint-time": (
        "compression",
        "image-bytes",
        "javascript-defer",
        "render-blocking-css",
        "script-bytes",
        "style-bytes",
    ),
}
"""Cause -> what of the same category brings it about: causes, and checks without one. It is charged only as far as
these cost less than it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Scoring rules of one check. They depend on the check alone, never on other checks."""

    category: Category
    severity: Severity
    worst_loss: float = 1.0
    """Loss of its worst state, 0 to 1."""
    cause: str | None = None
    caps: tuple[Cap, ...] = ()
    severity_tenths: int = field(init=False)
    """Penalty of a loss of 1, in tenths of a point."""
    price_tenths: int = field(init=False)
    """The most the check can cost, in tenths of a point."""
    price: float = field(init=False)
    """The same in points."""

    def __post_init__(self) -> None:
        """Compute what every scoring would compute again."""
        object.__setattr__(self, "severity_tenths", self.severity.value * TENTHS)
        highest = min(self.penalty_tenths(self.worst_loss), CATEGORIES[self.category] * TENTHS)
        object.__setattr__(self, "price_tenths", highest)
        object.__setattr__(self, "price", highest / TENTHS)

    def penalty_tenths(self, loss: float) -> int:
        """The penalty of a loss from 0 to 1, in tenths of a point; half a tenth is rounded up."""
        return int(self.severity_tenths * loss + 0.5 + 1e-9)


def rules_of(checks: Iterable[CheckLike]) -> dict[str, Rule]:
    """Check id -> its rule, in the order of ``checks``.

    Raises:
        TypeError: A cause, or a cause and its effect, is shared across categories, so that fixing one finding could
            move a cost into a category with budget left; or a cap names a state its check does not have, or leaves out
            a worse one.
    """
    rules: dict[str, Rule] = {}
    homes: dict[str, Category] = {}
    for check in checks:
        if check.cause is not None and homes.setdefault(check.cause, check.category) != check.category:
            raise TypeError(f"{check.id}: the cause {check.cause!r} belongs to {homes[check.cause]}")
        rules[check.id] = Rule(
            category=check.category,
            severity=check.severity,
            worst_loss=check.states[-1].highest,
            cause=check.cause,
            caps=tuple(_named(check, cap) for cap in check.caps),
        )
    for effect, causes in EFFECTS.items():
        alone = {name: rules[name].category for name in causes if name in rules}
        found = {(homes | alone)[name] for name in (effect, *causes) if name in homes or name in alone}
        if len(found) > 1:
            raise TypeError(f"the effect {effect!r} and its causes belong to {', '.join(sorted(found))}")
    return rules


def _named(check: CheckLike, cap: Cap) -> Cap:
    """The cap with the names of its states; they are the worst ones of the check."""
    names = [state.name for state in check.states]
    states = cap.states or tuple(state.name for state in check.states if state.loss >= 1)
    if not states or sorted(states) != sorted(names[len(names) - len(states) :]):
        raise TypeError(f"{check.id}: a cap must apply to the worst states, all of them: {', '.join(names)}")
    return Cap(cap.max_score, cap.category_max_score, states)
