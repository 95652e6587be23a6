"""The catalogue of checks as plain values, for every interface that shows it."""

from __future__ import annotations

from functools import cache
from typing import Any

from pagegrade.checks import Check, all_checks
from pagegrade.score import Weighed, prices


def check_prices() -> dict[str, float]:
    """Check id -> what it can cost, in points of the final score."""
    weighed = {
        check.id: Weighed(category=check.category, weight=check.severity.value) for check in all_checks().values()
    }
    return {name: float(price) for name, price in prices(weighed).items()}


def check_entry(check: Check, price: float) -> dict[str, Any]:
    """A check as it stands in a list."""
    return {
        "id": check.id,
        "title": check.title,
        "category": check.category,
        "importance": check.severity.label,
        "price": round(price, 4),
        "summary": check.summary,
        "states": [
            {
                "name": state.name,
                "message": state.message,
                "loss": state.loss,
                "loss_max": state.highest,
                "title": state.title,
                "why": state.why,
                "fix": state.fix,
            }
            for state in check.states
        ],
        "requires": list(check.requires),
        "cap": None if check.cap is None else check.cap.max_score,
        "since": check.since,
        "sources": list(check.sources),
    }


def check_entries() -> list[dict[str, Any]]:
    """Every check, in the order of the catalogue."""
    cost = check_prices()
    return [check_entry(check, cost[check.id]) for check in all_checks().values()]


def check_documentation(check: Check) -> dict[str, str]:
    """The five sections of its documentation, as Markdown; a heading becomes a name: ``what_it_checks``."""
    return {heading.lower().replace(" ", "_"): text for heading, text in check.documentation.items()}


@cache
def catalogue_names() -> frozenset[str]:
    """The id of every check."""
    return frozenset(all_checks())
