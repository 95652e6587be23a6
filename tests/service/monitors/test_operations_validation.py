from __future__ import annotations

import pytest

from pagegrade.model.errors import Violation
from pagegrade.model.monitors import MAX_BUDGETS, MAX_CONDITION, MAX_SCHEDULE
from pagegrade.service.monitors.operations import read_budgets, read_schedule, read_timezone


def test_conditions_on_an_audit_are_others_than_on_a_report() -> None:
    """Site checks and pages; what only a page has is refused."""
    violations: list[Violation] = []
    typed = ("Pages drop >= 10%", "check.orphan-pages for 2", "score<80", "lcp_ms>2500", "check.image-alt")
    found = read_budgets(typed, violations, of_audit=True)

    assert found == ("pages drop>=10%", "check.orphan-pages for 2", "score<80")
    assert [one.code for one in violations] == ["invalid", "invalid"]


def test_what_can_be_used_is_read() -> None:
    """In canonical forms, each condition once."""
    violations: list[Violation] = []

    assert read_schedule("DAILY", violations) == "daily"
    assert read_timezone("Europe/Prague", violations) == "Europe/Prague"
    assert read_budgets(("Score < 80", "score<80", " ", "check.image-alt for 2"), violations) == (
        *("score<80", "check.image-alt for 2"),
    )
    assert violations == []


@pytest.mark.parametrize("name", ["", "europe/prague", "../etc/passwd", "Mars/Olympus", "x" * 10_000])
def test_a_zone_that_is_not_known_is_refused(name: str) -> None:
    """No name opens a file."""
    violations: list[Violation] = []

    assert read_timezone(name, violations) == ""
    assert [(one.field, one.code) for one in violations] == [("timezone", "unknown")]


@pytest.mark.parametrize("text", ["check.no-such-check", "score", "score<80 for 99", f"score<{'0' * MAX_CONDITION}"])
def test_a_condition_that_cannot_be_used_is_refused(text: str) -> None:
    """A check must be one of the catalogue."""
    violations: list[Violation] = []

    assert read_budgets((text, "score<80"), violations) == ("score<80",)
    assert [(one.field, one.code) for one in violations] == [("budgets", "invalid")]


def test_limits_are_where_they_are_said_to_be() -> None:
    """One past them is refused."""
    violations: list[Violation] = []
    conditions = tuple(f"score<{number}" for number in range(MAX_BUDGETS + 1))

    assert len(read_budgets(conditions[1:], violations)) == MAX_BUDGETS
    assert read_schedule(f"0 0 * * {','.join('1' * ((MAX_SCHEDULE - 7) // 2))}".ljust(MAX_SCHEDULE), violations)
    assert violations == []
    assert read_budgets(conditions, violations) == ()
    assert read_schedule("0 0 * * *".ljust(MAX_SCHEDULE + 1), violations) == ""
    assert [(one.field, one.code, one.limit) for one in violations] == [
        ("budgets", "too_many", MAX_BUDGETS),
        ("schedule", "too_long", MAX_SCHEDULE),
    ]
