"""Tools about the catalogue of checks, which are the same everywhere."""

from __future__ import annotations

from difflib import get_close_matches  # lint: allow slow-parser - at most 80 characters
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from pagegrade.checks import Check, all_checks
from pagegrade.mcp.results import CheckExplanation, CheckLine, CheckStateEntry
from pagegrade.model.report import Category
from pagegrade.service.catalogue import check_documentation, check_penalties

CheckId = Annotated[str, Field(description="Id of a check, such as canonical.", max_length=80)]


def list_checks(
    category: Annotated[Category | None, Field(description="Only this category.")] = None,
) -> list[CheckLine]:
    """List the checks with the most points that each can cost."""
    return [_line(check) for check in all_checks().values() if category in {None, check.category}]


def explain_check(check: CheckId) -> CheckExplanation:
    """Explain a check: what it tests, why, its states and how to fix each."""
    return _explanation(_check(check))


def _check(name: str) -> Check:
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    catalogue = all_checks()
    if wanted not in catalogue:
        close = get_close_matches(wanted, catalogue, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(close)}?" if close else "list_checks lists them all."
        raise ToolError(f"There is no check {name!r}. {hint}")
    return catalogue[wanted]


def _line(check: Check) -> CheckLine:
    return CheckLine(
        check=check.id,
        title=check.title,
        category=check.category,
        severity=check.severity.label,
        points=check_penalties()[check.id],
    )


def _explanation(check: Check) -> CheckExplanation:
    return CheckExplanation(
        check=check.id,
        title=check.title,
        category=check.category,
        severity=check.severity.label,
        points=check_penalties()[check.id],
        summary=check.summary,
        documentation=check_documentation(check),
        states=[
            CheckStateEntry(state=one.name, message=one.message, fix=one.fix, costs_points=one.highest > 0)
            for one in check.states
        ],
        sources=list(check.sources),
    )
