"""Losses -> score: absolute penalties, causes charged once, effects less their causes, category budgets, caps.

The rules of a check are its severity, its worst state, its cause and its caps.

The score cannot fall when something is fixed, because no step of the sum costs more when a loss is smaller:

- A penalty grows with its loss.
- A cause costs the maximum of its findings.
- An effect and its causes together cost the maximum of the effect and the sum of the causes, all in one category.
- A category takes the sum of these, up to its budget; the score is what the categories leave.
- A cap applies to the worst states of its check, or to what it costs by itself.

Sums are of whole tenths of a point, so the order of the checks cannot change a digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pagegrade.model.outcome import Cap, Severity
from pagegrade.model.report import CATEGORIES, GOOD_FROM, AppliedCap, Category, CheckLike

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
_FULL = 100 * TENTHS


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


class Observed(msgspec.Struct, frozen=True, gc=False):
    """Observation of one check."""

    loss: float | None
    """Loss of its state, 0 to 1; ``None``: it could not be evaluated."""
    state: str | None = None
    """Name of its state; ``None``: it does not apply or was not evaluated."""
    applies: bool = True
    """False: the check has nothing to evaluate on this page."""


class CategoryTotal(msgspec.Struct, frozen=True, kw_only=True):
    """The sum of one category."""

    score: int
    """0 to 100: the share of its budget that is left, after its caps."""
    lost: float
    """Points that its findings cost."""
    taken: float
    """Points taken from the score of the page: ``lost``, at most its budget."""
    coverage: float
    """Share of its possible penalties that could be evaluated, 0 to 1; 1 where nothing applies."""


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """The score and how it came to be."""

    score: int
    uncapped: float
    """100 minus what the categories took, at least 0."""
    coverage: float
    """Share of the possible penalties of the checks that apply which could be evaluated, 0 to 1."""
    categories: Mapping[Category, CategoryTotal]
    lost: Mapping[str, float]
    """Check -> points it is charged."""
    counted_in: Mapping[str, str]
    """Check with a finding that costs nothing -> the check that is charged for their common cause, or for the cause of
    which it is an effect."""
    caps: tuple[AppliedCap, ...]
    """Every cap that applies, the lowest first, whether it changes the score or not."""


def score(rules: Mapping[str, Rule], observed: Mapping[str, Observed]) -> Scores:
    """Score a page.

    Args:
        rules: The rule of every check.
        observed: What each check saw; one that is absent was not evaluated.
    """
    penalties: dict[str, int] = {}
    carriers: dict[str, str] = {}
    possible = dict.fromkeys(CATEGORIES, 0)
    missed = dict.fromkeys(CATEGORIES, 0)
    caps: list[AppliedCap] = []
    for name, rule in rules.items():
        highest = rule.price_tenths
        if not (highest or rule.caps):
            continue
        seen = observed.get(name, _NOT_EVALUATED)
        loss = seen.loss
        if seen.applies:
            possible[rule.category] += highest
            if loss is None:
                missed[rule.category] += highest
        if loss and (penalty := min(rule.penalty_tenths(loss), highest)):
            penalties[name] = penalty
            if rule.cause is not None:
                carrier = carriers.get(rule.cause)
                if carrier is None or _order(carrier, rules, penalties) > _order(name, rules, penalties):
                    carriers[rule.cause] = name
        if rule.caps:
            caps += _applied(name, rule, seen.state)
    counted_in = {
        name: carriers[cause]
        for name in penalties
        if (cause := rules[name].cause) is not None and carriers[cause] != name
    }
    limited = {cap.check for cap in caps if cap.category is None and cap.max_score <= SERIOUS_CAP}
    # By what it costs alone: an effect must not become serious when one of its causes is fixed.
    caps += (
        AppliedCap(check=name, max_score=SERIOUS_CAP)
        for name, penalty in penalties.items()
        if penalty >= SERIOUS * TENTHS and name not in counted_in and name not in limited
    )
    charged = penalties | dict.fromkeys(counted_in, 0)
    for effect, causes in EFFECTS.items():
        _charge_effect(effect, causes, rules=rules, carriers=carriers, charged=charged, counted_in=counted_in)
    caps.sort(key=lambda cap: (cap.max_score, cap.check, cap.category or ""))
    totals = dict.fromkeys(CATEGORIES, 0)
    for name, penalty in charged.items():
        if penalty:
            totals[rules[name].category] += penalty
    taken = {category: min(totals[category], budget * TENTHS) for category, budget in CATEGORIES.items()}
    left = max(0, _FULL - sum(taken.values()))
    return Scores(
        score=min([_whole(left, _FULL), *(cap.max_score for cap in caps if cap.category is None)]),
        uncapped=left / TENTHS,
        coverage=_share(sum(possible.values()) - sum(missed.values()), sum(possible.values())),
        categories={
            category: CategoryTotal(
                score=min(
                    [
                        _whole(budget * TENTHS - taken[category], budget * TENTHS),
                        *(cap.max_score for cap in caps if cap.category == category),
                    ]
                ),
                lost=totals[category] / TENTHS,
                taken=taken[category] / TENTHS,
                coverage=_share(possible[category] - missed[category], possible[category]),
            )
            for category, budget in CATEGORIES.items()
        },
        lost=dict.fromkeys(rules, 0.0) | {name: penalty / TENTHS for name, penalty in charged.items() if penalty},
        counted_in=counted_in,
        caps=tuple(caps),
    )


_NOT_EVALUATED = Observed(None)


def _charge_effect(
    effect: str,
    causes: Iterable[str],
    *,
    rules: Mapping[str, Rule],
    carriers: Mapping[str, str],
    charged: dict[str, int],
    counted_in: dict[str, str],
) -> None:
    """Reduce what an effect costs by what its causes cost; an effect that costs nothing more is counted in them."""
    carrier = carriers.get(effect)
    paid = [name for cause in causes if charged.get(name := carriers.get(cause, cause))]
    if carrier is None or not paid:
        return
    charged[carrier] = max(0, charged[carrier] - sum(charged[name] for name in paid))
    if not charged[carrier]:
        highest = min(paid, key=lambda name: _order(name, rules, charged))
        counted_in |= {name: highest for name, other in counted_in.items() if other == carrier} | {carrier: highest}


def _order(name: str, rules: Mapping[str, Rule], penalties: Mapping[str, int]) -> tuple[int, int, str]:
    """The most expensive finding first, then the most severe check, then by id."""
    return -penalties[name], -rules[name].severity.value, name


def _applied(name: str, rule: Rule, state: str | None) -> list[AppliedCap]:
    """The caps of a check in one of its states."""
    found = []
    for cap in rule.caps:
        if state in cap.states:
            found.append(AppliedCap(check=name, max_score=cap.max_score))
            if cap.category_max_score is not None:
                found.append(AppliedCap(check=name, max_score=cap.category_max_score, category=rule.category))
    return found


def _whole(part: int, whole: int) -> int:
    """``part`` of ``whole`` in per cent as a whole number; a half goes to the lower one."""
    return -((whole - 200 * part) // (2 * whole))


def _share(part: int, whole: int) -> float:
    """0 to 1, with four decimals; 1 where there is no whole."""
    return round(part / whole, 4) if whole else 1.0
