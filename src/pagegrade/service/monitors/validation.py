"""Validation of monitors, for the API, pages and the command line; needs no database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TypeVar
from zoneinfo import available_timezones

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.model.errors import InvalidInput, Violation
from pagegrade.model.monitors import MAX_BUDGETS, MAX_CONDITION, MAX_SCHEDULE
from pagegrade.report.gates import parse_condition, parse_site_gate
from pagegrade.service.monitors.schedule import check_schedule

T = TypeVar("T")


def read_schedule(text: str, violations: list[Violation]) -> str:
    """Return the canonical form of a schedule; empty, with a violation, where it is none."""
    if len(text) > MAX_SCHEDULE:
        violations.append(_violation("schedule", "too_long", f"At most {MAX_SCHEDULE} characters.", MAX_SCHEDULE))
        return ""
    return _read(check_schedule, text, "schedule", violations) or ""


def read_timezone(text: str, violations: list[Violation]) -> str:
    """Return the name of a time zone; empty, with a violation, where it is none."""
    if text in _zones():
        return text
    message = "Use the name of a time zone from the IANA database, such as Europe/Prague."
    violations.append(_violation("timezone", "unknown", message))
    return ""


def read_budgets(texts: Sequence[str], violations: list[Violation], *, of_audit: bool = False) -> tuple[str, ...]:
    """Return the canonical forms of conditions, each once; those that are none are violations.

    Args:
        texts: Each has one condition a line.
        violations: Where what is wrong is added.
        of_audit: The conditions are about an audit, not about a report.
    """
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_BUDGETS:
        violations.append(_violation("budgets", "too_many", f"At most {MAX_BUDGETS}.", MAX_BUDGETS))
        return ()
    found = (_read(partial(_check_condition, of_audit=of_audit), text, "budgets", violations) for text in lines)
    return tuple(dict.fromkeys(text for text in found if text is not None))


def _check_condition(text: str, *, of_audit: bool) -> str:
    if len(text) > MAX_CONDITION:
        raise InvalidInput(f"A condition has at most {MAX_CONDITION} characters.")
    if of_audit:
        return str(parse_condition(text, partial(parse_site_gate, checks=all_site_checks(), may_change=True)))
    condition = parse_condition(text)
    check = condition.gate.subject.removeprefix("check.")
    if check != condition.gate.subject and check not in all_checks():
        raise InvalidInput(f"There is no check {check!r}. `pagegrade checks` and /checks list them all.")
    return str(condition)


def _read(read: Callable[[str], T], text: str, field: str, violations: list[Violation]) -> T | None:
    try:
        return read(text)
    except InvalidInput as error:
        violations.append(_violation(field, "invalid", error.message))
        return None


def _violation(field: str, code: str, message: str, limit: int | None = None) -> Violation:
    return Violation(field=field, place="body", code=code, message=message, limit=limit)


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
