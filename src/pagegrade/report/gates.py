"""Conditions on a report that make a build fail: ``score<80``, ``severity=high``, ``category.seo<70``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, cast

from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import CATEGORIES, Category, Report

Importance = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Importance, ...]] = ("low", "medium", "high", "critical")
"""From the least to the most severe."""
_RESULTS: Final = ("bad", "decent", "good")
_SHAPE: Final = re.compile(r"\s*([a-z]+(?:\.[a-z]+)?)\s*(<=|>=|!=|==|=|<|>)\s*([a-z]+|[0-9]+(?:\.[0-9]+)?)\s*")
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
EXAMPLES: Final = "score<80, severity>=high, severity=critical, coverage<0.9, result=bad, category.seo<70"


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition; it *fails* the build when it holds."""

    subject: str
    """``score``, ``coverage``, ``severity``, ``result`` or ``category.NAME``."""
    comparison: str
    limit: str

    def __str__(self) -> str:
        """The expression as it may be typed."""
        return f"{self.subject}{self.comparison}{self.limit}"

    def failure(self, report: Report) -> str | None:
        """Return the reason why the report fails the gate, in one sentence; ``None`` if it passes.

        A figure the report does not have (no result because it is withheld) does not get through either: a gate that
        cannot be evaluated must not be open.
        """
        compare = _COMPARE[self.comparison]
        if self.subject == "severity":
            return self._severity_failure(report)
        if self.subject == "result":
            if report.result is None:
                return f"{self}: the report has no result{_because(report)}"
            holds = compare(_RESULTS.index(report.result), _RESULTS.index(self.limit))
            return f"{self}: the result is {report.result}" if holds else None
        figure = self._figure(report)
        if figure is None:
            return f"{self}: the report has no {self.subject}{_because(report)}"
        return f"{self}: the {self.subject} is {figure:g}" if compare(figure, float(self.limit)) else None

    def _figure(self, report: Report) -> float | None:
        if self.subject == "score":
            return report.score
        if self.subject == "coverage":
            return report.coverage
        category = report.categories.get(cast("Category", self.subject.removeprefix("category.")))
        return None if category is None else category.score

    def _severity_failure(self, report: Report) -> str | None:
        compare = _COMPARE[self.comparison]
        limit = SEVERITIES.index(cast("Importance", self.limit))
        found = [
            result.check
            for result in report.results
            if result.outcome in {"failed", "warning"}
            and result.importance in SEVERITIES
            and compare(SEVERITIES.index(result.importance), limit)
        ]
        if not found:
            return None
        more = len(found) - _SHOWN_CHECKS
        shown = ", ".join(found[:_SHOWN_CHECKS]) + (f" and {more} more" if more > 0 else "")
        return f"{self}: {len(found)} finding{'s' if len(found) > 1 else ''} ({shown})"


def _because(report: Report) -> str:
    return "" if report.withheld is None else f" ({report.withheld.kind}: {report.withheld.message})"


def parse_gate(expression: str) -> Gate:
    """Read one condition.

    Raises:
        InvalidInput: It is not a condition, or compares with something its subject can never be.
    """
    match = _SHAPE.fullmatch(expression.lower()) if len(expression) <= _MAX_EXPRESSION_CHARS else None
    if match is None:
        raise InvalidInput(f"{expression[:_MAX_EXPRESSION_CHARS]!r} is no condition. Use one like: {EXAMPLES}")
    subject, comparison, limit = match[1], match[2].replace("==", "="), match[3]
    allowed = _allowed(subject)
    if allowed is None:
        raise InvalidInput(
            f"{subject!r} in {expression!r} is nothing a report has. "
            f"Use score, coverage, severity, result or category.NAME with one of {', '.join(CATEGORIES)}."
        )
    if isinstance(allowed, tuple):
        if limit not in allowed:
            raise InvalidInput(f"{limit!r} in {expression!r} is no {subject}. Use one of {', '.join(allowed)}.")
    elif limit.isalpha() or float(limit) > allowed:
        raise InvalidInput(f"{limit!r} in {expression!r} must be a number from 0 to {allowed:g}.")
    return Gate(subject, comparison, limit)


def _allowed(subject: str) -> tuple[str, ...] | float | None:
    """The words, or the highest number, the subject can be compared with; ``None``: there is no such subject."""
    if subject == "severity":
        return SEVERITIES
    if subject == "result":
        return _RESULTS
    if subject == "coverage":
        return 1.0
    if subject == "score" or (subject.removeprefix("category.") in CATEGORIES and subject.startswith("category.")):
        return 100.0
    return None
