"""Tools about the catalogue of checks, which are the same everywhere."""

from __future__ import annotations

from difflib import get_close_matches  # lint: allow slow-parser - at most 80 characters
from typing import Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from msgspec import structs
from pydantic import Field

from pagegrade.checks import Check, SiteCheck, all_checks, all_site_checks
from pagegrade.mcp.results import CheckExplanation, CheckLine, CheckStateEntry
from pagegrade.model.report import Category
from pagegrade.service.catalogue import (
    CheckItem,
    check_documentation,
    check_entries,
    check_entry,
    site_check_entries,
)

CheckId = Annotated[str, Field(description="Id of a check, such as canonical.", max_length=80)]


def list_checks(
    category: Annotated[
        Category | Literal["site"] | None,
        Field(description="Only this category; site: the checks of whole sites, which are not listed without it."),
    ] = None,
) -> list[CheckLine]:
    """List the checks with the most points that each can cost."""
    listed = site_check_entries() if category == "site" else check_entries()
    return [
        CheckLine(
            check=entry.id,
            title=entry.title,
            category=entry.category,
            severity=entry.importance,
            points=entry.price,
        )
        for entry in listed
        if category in {None, entry.category}
    ]


def explain_check(check: CheckId) -> CheckExplanation:
    """Explain a check: what it tests, why, its states and how to fix each."""
    found = _check(check)
    return _explanation(found, check_entry(found))


def _check(name: str) -> Check | SiteCheck:
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    catalogue: dict[str, Check | SiteCheck] = {**all_checks(), **all_site_checks()}
    if wanted not in catalogue:
        close = get_close_matches(wanted, catalogue, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(close)}?" if close else "list_checks lists them all."
        raise ToolError(f"There is no check {name!r}. {hint}")
    return catalogue[wanted]


def _explanation(check: Check | SiteCheck, entry: CheckItem) -> CheckExplanation:
    return CheckExplanation(
        check=check.id,
        title=check.title,
        category=entry.category,
        severity=entry.importance,
        points=entry.price,
        summary=check.summary,
        documentation=structs.asdict(check_documentation(check)),
        states=[
            CheckStateEntry(state=one.name, message=one.message, fix=one.fix, costs_points=one.highest > 0)
            for one in check.states
        ],
        sources=list(check.sources),
    )
