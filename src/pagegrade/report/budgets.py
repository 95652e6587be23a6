"""Budgets of monitors: conditions as of ``--fail-on``, kept or breached over several runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.audit_result import AuditResult
from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import UNREACHABLE_AFTER, Budget, BudgetChange
from pagegrade.model.report import Basis, Report
from pagegrade.report.gates import EXAMPLES, Gate, Measured, parse_gate, parse_site_gate

MAX_IN_A_ROW: Final = 10
"""Runs in a row that a condition may ask for."""
_FOR: Final = re.compile(r"(.*\S)\s+for\s+([0-9]{1,3})\s*", re.IGNORECASE | re.DOTALL)
NOT_THE_PAGE: Final = frozenset({"internal", "address_not_allowed"})
"""Codes of failures that say nothing about the page."""


class Condition(msgspec.Struct, frozen=True):
    """A gate that must hold for several runs in a row to be a breach."""

    gate: Gate
    in_a_row: int

    def __str__(self) -> str:
        """The condition as it may be typed, without what is the default."""
        return str(self.gate) if self.in_a_row == default_in_a_row(self.gate) else f"{self.gate} for {self.in_a_row}"


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """Budgets after a run, and those that crossed their limits at it."""

    budgets: tuple[Budget, ...]
    breached: tuple[BudgetChange, ...] = ()
    recovered: tuple[BudgetChange, ...] = ()


class Reachability(msgspec.Struct, frozen=True, kw_only=True):
    """Failed runs of a page, and since when it counts as unreachable."""

    failures: int
    """Runs in a row that could not reach the page, at most ``UNREACHABLE_AFTER``."""
    since_ms: int | None
    """Since when it counts as unreachable; ``None``: it does not."""


def default_in_a_row(gate: Gate) -> int:
    """Runs in a row that are a breach where the condition does not say it: 2 for timings, which vary, else 1."""
    return 2 if gate.is_timing else 1


def read_site_gate(text: str) -> Gate:
    """Read a condition of a monitor on an audit, as it was stored; raises as ``parse_gate``."""
    return parse_site_gate(text, None, may_change=True)


def parse_condition(text: str, parse: Callable[[str], Gate] = parse_gate) -> Condition:
    """Read a condition with an optional `` for N``.

    Args:
        text: As it was typed.
        parse: Reads what is before `` for N``.

    Raises:
        InvalidInput: It is none.
    """
    found = _FOR.fullmatch(text) if len(text) <= 2 * len(EXAMPLES) else None
    if found is None:
        gate = parse(text)
        return Condition(gate, default_in_a_row(gate))
    in_a_row = int(found[2])
    if not 1 <= in_a_row <= MAX_IN_A_ROW:
        raise InvalidInput(f"'for {found[2]}' must be for 1 to {MAX_IN_A_ROW} runs in a row.")
    return Condition(parse(found[1]), in_a_row)


def merge_budgets(conditions: Sequence[str], known: Sequence[Budget]) -> tuple[Budget, ...]:
    """Return budgets for canonical conditions; those that were known before keep their state."""
    before = {budget.condition: budget for budget in known}
    return tuple(before.get(condition) or Budget(condition=condition) for condition in dict.fromkeys(conditions))


def evaluate_budgets(
    budgets: Sequence[Budget],
    report: Report | AuditResult,
    earlier: Sequence[Measured],
    at_ms: int,
    *,
    basis: Basis | None = None,
    static_is_meant: bool = True,
) -> Evaluated:
    """Evaluate budgets on a completed run.

    A run that does not have the figure of a budget leaves it as it is. A budget is breached at the last of the runs in
    a row that its condition asks for, and kept again at the first one that does not hold it.

    The first run with another basis than the budget was evaluated on crosses nothing: a budget that was kept and is
    not kept any more is unknown until the next run. A static run in place of one in a browser measures nothing.

    Args:
        budgets: As they were before the run.
        report: Of the run, or of the crawl.
        earlier: Of the completed runs before with the same basis, or of crawls that compare, the newest first.
        at_ms: Time of the run.
        basis: Of the run; ``None``: that of the report or audit, if it is whole.
        static_is_meant: False if a static run is the replacement for one in a browser, where a browser was used before.
    """
    after: list[Budget] = []
    breached = []
    recovered = []
    parse = read_site_gate if isinstance(report, AuditResult) else parse_gate
    basis = basis or (Basis(report.ruleset, None) if isinstance(report, AuditResult) else report.basis)
    for one in budgets:
        if basis.device is None and not static_is_meant and one.basis is not None and one.basis.device is not None:
            after += leave_unmeasured((one,), at_ms)
            continue
        budget = replace(one, basis=basis, unmeasured_since_ms=None)
        condition = parse_condition(budget.condition, parse)
        evaluation = condition.gate.evaluate(report, earlier)
        change = BudgetChange(condition=budget.condition, value=evaluation.value, limit=evaluation.limit)
        if one.basis not in {None, basis}:
            after.append(_rebased(budget, at_ms, holds=evaluation.holds))
            continue
        if evaluation.holds is None or (evaluation.holds and budget.state == "breached"):
            after.append(budget)
        elif evaluation.holds:
            in_a_row = budget.in_a_row + 1
            if in_a_row < condition.in_a_row:
                after.append(replace(budget, in_a_row=in_a_row))
                continue
            breached.append(change)
            after.append(replace(budget, state="breached", since_ms=at_ms, in_a_row=0))
        else:
            if budget.state == "breached":
                recovered.append(change)
            since_ms = budget.since_ms if budget.state == "ok" else at_ms
            after.append(replace(budget, state="ok", since_ms=since_ms, in_a_row=0))
    return Evaluated(budgets=tuple(after), breached=tuple(breached), recovered=tuple(recovered))


def leave_unmeasured(budgets: Sequence[Budget], at_ms: int) -> tuple[Budget, ...]:
    """Return budgets after a run that could not measure them."""
    return tuple(replace(budget, unmeasured_since_ms=budget.unmeasured_since_ms or at_ms) for budget in budgets)


def _rebased(budget: Budget, at_ms: int, *, holds: bool | None) -> Budget:
    """The budget after its first run with another basis, which crosses nothing."""
    if holds is None or (holds and budget.state == "breached"):
        return replace(budget, in_a_row=0)
    if holds:
        return replace(budget, state="unknown", since_ms=None, in_a_row=0)
    return replace(budget, state="ok", since_ms=budget.since_ms if budget.state == "ok" else at_ms, in_a_row=0)


def count_failure(before: Reachability, error_code: str, at_ms: int) -> Reachability:
    """Return the reachability of a page after a run that failed."""
    if error_code in NOT_THE_PAGE or before.since_ms is not None:
        return before
    failures = before.failures + 1
    return Reachability(failures=failures, since_ms=at_ms if failures >= UNREACHABLE_AFTER else None)
