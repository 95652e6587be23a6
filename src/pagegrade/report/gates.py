"""Conditions on a report or an audit: ``score<80``, ``severity=high``, ``score drop>=5``.

They make a build fail (``--fail-on``), and are the budgets of monitors: ``evaluate_budgets`` decides at which run a
score that falls is reported, and at which one it has recovered.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from statistics import median
from typing import Final, Literal, cast

import msgspec
from msgspec.structs import replace

from pagegrade.model.audit_result import AuditResult, AuditSummary, summary_of
from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import UNREACHABLE_AFTER, Budget, BudgetChange
from pagegrade.model.report import CATEGORIES, Basis, Category, Grade, Report

Importance = Literal["critical", "high", "medium", "low"]
Part = Literal["summary", "page", "results"]
"""Of a stored report: its summary, also what is known about the page and was measured, also the results of checks."""
PARTS: Final[tuple[Part, ...]] = ("summary", "page", "results")
"""Each has those before it."""
SEVERITIES: Final[tuple[Importance, ...]] = ("low", "medium", "high", "critical")
"""From the least to the most severe."""
METRICS: Final = ("fcp_ms", "lcp_ms", "tbt_ms", "si_ms", "tti_ms", "cls")
"""Measured by a browser; a report without one has none of them."""
AMOUNTS: Final = ("transfer_bytes", "requests", "ttfb_ms")
"""Bytes of the page with its files on the wire, number of those files, and time to the first byte of the page."""
COMPARED_RUNS: Final = 5
"""Earlier reports whose median a change is measured from."""
_RESULTS: Final = ("bad", "decent", "good")
_SHAPE: Final = re.compile(
    r"\s*([a-z_]+(?:\.[a-z]+)?)(?:\s+(drop|rise))?\s*(<=|>=|!=|==|=|<|>)\s*([a-z]+|[0-9]+(?:\.[0-9]+)?)\s*(%?)\s*"
)
_CHECK: Final = re.compile(r"\s*check\.([a-z0-9]+(?:-[a-z0-9]+)*)\s*")
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_SHOWN_CHECKS: Final = 5
_MAX_EXPRESSION_CHARS: Final = 100
_MAX_AMOUNT: Final = 1e12
EXAMPLES: Final = (
    "score<80, category.seo<70, severity>=high, high>0, check.noindex, coverage<0.9, result=bad, lcp_ms>2500, "
    "transfer_bytes>1500000, score drop>=5, transfer_bytes rise>=20%"
)

SITE_EXAMPLES: Final = "score<80, severity>=high, high>0, check.orphan-pages, coverage<0.9, result=bad"
SITE_PAGES: Final = "pages"
"""Subject of conditions on audits only: the HTML pages of status 200 that were read."""
_SITE_FIGURES: Final = ("score", "coverage", SITE_PAGES, *SEVERITIES)
Measured = Report | AuditResult | AuditSummary
"""A condition is about one of them; of an earlier audit, the figures are enough."""


class Evaluation(msgspec.Struct, frozen=True):
    """A condition, evaluated on one report."""

    holds: bool | None
    """``None``: the report does not have what the condition is about."""
    sentence: str
    """The finding, for people, without a full stop."""
    value: float | str | None = None
    """The figure of the report, in the unit of the subject; the number of findings for ``severity``, a word for
    ``result``; ``None`` where there is none, and for a check."""
    limit: float | str | None = None
    """That the value was compared with; for a change, the value from which on the condition holds."""


class Verdict(msgspec.Struct, frozen=True):
    """A condition on one report, as a build reads it."""

    condition: str
    """As it was typed, such as ``score<80``."""
    failure: str | None
    """The reason for which the report fails it, in one sentence; ``None`` if it passes."""


class Gate(msgspec.Struct, frozen=True):
    """One condition; it *fails* the build when it holds."""

    subject: str
    """``score``, ``coverage``, ``severity``, ``result``, ``category.NAME``, ``check.ID``, a severity, one of
    ``METRICS`` or one of ``AMOUNTS``; of an audit ``SITE_PAGES``, too."""
    comparison: str = ""
    """Empty for a check: the condition is that it found something."""
    limit: str = ""
    change: Literal["", "drop", "rise"] = ""
    """Compare not the figure, but how much lower or higher it is than before."""
    is_percentage: bool = False
    """The change is compared as a percentage of the figure before."""

    def __str__(self) -> str:
        """The expression as it may be typed."""
        change = f" {self.change}" if self.change else ""
        return f"{self.subject}{change}{self.comparison}{self.limit}{'%' if self.is_percentage else ''}"

    @property
    def is_timing(self) -> bool:
        """True if the figure differs from one run to the next although the page is the same."""
        return self.subject in METRICS or self.subject == "ttfb_ms"

    @property
    def reads(self) -> Part:
        """The largest part of a report that the condition needs."""
        if self.subject == "severity" or self.subject.startswith("check."):
            return "results"
        return "page" if self.subject in {*METRICS, *AMOUNTS} else "summary"

    def failure(self, report: Report | AuditResult, earlier: Sequence[Measured] = ()) -> str | None:
        """Return the reason why the report or audit fails the gate, in one sentence; ``None`` if it passes.

        A figure the report does not have (no result because it is withheld) does not get through either: a gate that
        cannot be evaluated must not be open.

        Args:
            report: A completed one; an audit for a gate of ``parse_site_gate``.
            earlier: Completed reports on the page from before with the same basis, the newest first, or audits that
                compare; a change is measured from the median of the first ``COMPARED_RUNS`` that have the figure.
        """
        evaluation = self.evaluate(report, earlier)
        return None if evaluation.holds is False else f"{self}: {evaluation.sentence}"

    def evaluate(self, report: Report | AuditResult, earlier: Sequence[Measured] = ()) -> Evaluation:
        """Evaluate the condition; takes what ``failure`` does."""
        kind = "audit" if isinstance(report, AuditResult) else "report"
        if self.subject == "severity":
            return self._evaluate_severity(report)
        if self.subject.startswith("check."):
            return self._evaluate_check(report)
        if self.subject == "result":
            result = report.rating if isinstance(report, AuditResult) else report.result
            return self._compare_result(result, f"the {kind} has no result{_because(report)}")
        figure = self._figure(report)
        if figure is not None and self.change:
            return self._evaluate_change(figure, earlier, kind)
        return self._compare(figure, f"the {kind} has no {self.subject}{_because(report)}")

    def _compare_result(self, result: Grade | None, missing: str) -> Evaluation:
        if result is None:
            return Evaluation(None, missing)
        holds = _COMPARE[self.comparison](_RESULTS.index(result), _RESULTS.index(self.limit))
        return Evaluation(holds, f"the result is {result}", result, self.limit)

    def _compare(self, figure: float | None, missing: str) -> Evaluation:
        if figure is None:
            return Evaluation(None, missing)
        limit = float(self.limit)
        holds = _COMPARE[self.comparison](figure, limit)
        return Evaluation(holds, f"the {self.subject} is {figure:.12g}", figure, limit)

    def _evaluate_change(self, figure: float, earlier: Sequence[Measured], kind: str) -> Evaluation:
        figures = [known for one in earlier if (known := self._figure(one)) is not None][:COMPARED_RUNS]
        if not figures:
            return Evaluation(None, f"there is no earlier {kind} with a {self.subject} to compare with", figure)
        before = median(figures)
        amount = float(self.limit)
        change = before - figure if self.change == "drop" else figure - before
        if self.is_percentage:
            change = 100 * change / before if before else (100.0 if change > 0 else 0.0)
            amount = before * amount / 100
        # What is written with a decimal point must not depend on how computers round it.
        holds = _COMPARE[self.comparison](round(change, 9), float(self.limit))
        limit = round(before - amount if self.change == "drop" else before + amount, 9)
        return Evaluation(holds, f"the {self.subject} is {figure:.12g}, it was {before:.12g}", figure, limit)

    def _figure(self, report: Measured) -> float | None:
        subject = self.subject
        if isinstance(report, AuditResult):
            report = summary_of(report)
        if isinstance(report, AuditSummary):
            figures = {"score": report.score, "coverage": report.coverage, SITE_PAGES: report.read}
            return figures[subject] if subject in figures else report.severities.get(subject, 0)
        if subject in METRICS:
            return None if report.rendered is None else getattr(report.rendered.metrics, subject)
        if subject in AMOUNTS:
            return _amount(report, subject)
        if subject in {"score", "coverage"}:
            return cast("float | None", getattr(report, subject))
        if subject in SEVERITIES:
            return cast("int", getattr(report.counts, subject))
        category = report.categories.get(cast("Category", subject.removeprefix("category.")))
        return None if category is None else category.score

    def _evaluate_check(self, report: Report | AuditResult) -> Evaluation:
        check = self.subject.removeprefix("check.")
        if isinstance(report, AuditResult):
            finding = next((one for one in report.findings if one.check == check), None)
            if finding is not None:
                return Evaluation(holds=True, sentence=finding.title)
            is_known = check in report.passed or check in report.not_applicable
            return Evaluation(False if is_known else None, "the check was not evaluated")
        result = next((result for result in report.results if result.check == check), None)
        if result is None or result.outcome == "not_evaluated":
            return Evaluation(None, "the check was not evaluated")
        return Evaluation(result.passed is False, result.title)

    def _evaluate_severity(self, report: Report | AuditResult) -> Evaluation:
        if isinstance(report, AuditResult):
            return self._count((one.check, one.severity) for one in report.findings)
        return self._count(
            (result.check, result.importance) for result in report.results if result.outcome in {"failed", "warning"}
        )

    def _count(self, findings: Iterable[tuple[str, str]]) -> Evaluation:
        """Count the findings, each a check and its severity, whose severity the condition is about."""
        compare = _COMPARE[self.comparison]
        limit = SEVERITIES.index(cast("Importance", self.limit))
        order: Sequence[str] = SEVERITIES
        found = [check for check, severity in findings if severity in order and compare(order.index(severity), limit)]
        more = len(found) - _SHOWN_CHECKS
        shown = ", ".join(found[:_SHOWN_CHECKS]) + (f" and {more} more" if more > 0 else "")
        return Evaluation(bool(found), f"{len(found)} finding{'' if len(found) == 1 else 's'} ({shown})", len(found), 0)


def _amount(report: Report, subject: str) -> float | None:
    page = report.page
    if page is None:
        return None
    if subject == "ttfb_ms":
        return page.timing_ms.get("first_byte")
    if not page.resources:
        return None
    if subject == "requests":
        return sum(total.count for total in page.resources)
    return sum(total.transfer_bytes for total in page.resources)


def _because(report: Report | AuditResult) -> str:
    if isinstance(report, AuditResult):
        return ""
    return "" if report.withheld is None else f" ({report.withheld.kind}: {report.withheld.message})"


def parse_gate(expression: str) -> Gate:
    """Read one condition.

    Raises:
        InvalidInput: It is not a condition on a report, or compares with something its subject can never be.
    """
    gate = _parse(expression)
    if gate.subject == SITE_PAGES:
        raise InvalidInput(f"{gate}: a report does not have that. Use one like: {EXAMPLES}")
    return gate


def _parse(expression: str) -> Gate:
    shown = repr(expression[:_MAX_EXPRESSION_CHARS])
    typed = expression.lower() if len(expression) <= _MAX_EXPRESSION_CHARS else ""
    check = _CHECK.fullmatch(typed)
    if check is not None:
        return Gate(f"check.{check[1]}")
    match = _SHAPE.fullmatch(typed)
    if match is None:
        raise InvalidInput(f"{shown} is no condition. Use one like: {EXAMPLES}")
    subject, change, typed_comparison, limit, percent = match.groups(default="")
    comparison = typed_comparison.replace("==", "=")
    allowed = _allowed(subject)
    if allowed is None:
        raise InvalidInput(
            f"{subject!r} in {shown} is nothing a report has. Use score, coverage, severity, result, check.ID, "
            f"{', '.join((*SEVERITIES, *METRICS, *AMOUNTS))} or category.NAME with one of {', '.join(CATEGORIES)}."
        )
    if isinstance(allowed, tuple):
        if change or percent:
            raise InvalidInput(f"{shown}: a {subject} does not drop or rise by an amount. Use a figure, such as score.")
        if limit not in allowed:
            raise InvalidInput(f"{limit!r} in {shown} is no {subject}. Use one of {', '.join(allowed)}.")
        return Gate(subject, comparison, limit)
    if percent and not change:
        raise InvalidInput(f"{shown}: a percentage belongs to a change. Write it like transfer_bytes rise>=20%.")
    if change and comparison not in {">", ">="}:
        raise InvalidInput(f"{shown}: compare a change with > or >=. Write it like score drop>=5.")
    highest = _MAX_AMOUNT if percent else allowed
    if limit.isalpha() or float(limit) > highest:
        raise InvalidInput(f"{limit!r} in {shown} must be a number from 0 to {highest:.12g}.")
    if change and float(limit) == 0 and comparison == ">=":
        raise InvalidInput(f"{shown} always holds. Use > 0 or a larger number.")
    return Gate(subject, comparison, limit, cast('Literal["", "drop", "rise"]', change), bool(percent))


def parse_site_gate(expression: str, checks: Collection[str] | None, *, may_change: bool = False) -> Gate:
    """Read one condition on an audit.

    Args:
        checks: Ids of the site checks; ``None``: the condition was read before.
        may_change: It may be about a change since earlier audits.

    Raises:
        InvalidInput: It is not a condition, or not one on an audit.
    """
    gate = _parse(expression)
    subject = gate.subject
    if subject.startswith("check."):
        if checks is not None and subject.removeprefix("check.") not in checks:
            raise InvalidInput(
                f"{gate}: there is no such site check. `pagegrade checks` lists them; "
                "findings of pages are judged by severity and score."
            )
    elif (gate.change and not may_change) or subject not in {"severity", "result", *_SITE_FIGURES}:
        raise InvalidInput(f"{gate}: an audit does not have that. Use one like: {SITE_EXAMPLES}")
    return gate


def _allowed(subject: str) -> tuple[str, ...] | float | None:
    """The words, or the highest number, the subject can be compared with; ``None``: there is no such subject."""
    if subject == "severity":
        return SEVERITIES
    if subject == "result":
        return _RESULTS
    if subject == "coverage":
        return 1.0
    if subject in SEVERITIES or subject in METRICS or subject in AMOUNTS or subject == SITE_PAGES:
        return _MAX_AMOUNT
    if subject == "score" or (subject.removeprefix("category.") in CATEGORIES and subject.startswith("category.")):
        return 100.0
    return None


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
