"""The catalogue of checks as plain values, for every interface that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from pagegrade.checks import Check, SiteCheck, all_checks, all_site_checks
from pagegrade.scoring import rules_of


@cache
def check_penalties() -> Mapping[str, float]:
    """Check id -> the most it can cost, in points of the score."""
    return MappingProxyType({name: rule.price for name, rule in rules_of(all_checks().values()).items()})


def check_entry(check: Check, price: float) -> dict[str, Any]:
    """A check as it stands in a list."""
    return {
        "id": check.id,
        "title": check.title,
        "category": check.category,
        "importance": check.severity.label,
        "price": price,
        "cause": check.cause,
        "summary": check.summary,
        "states": _states(check),
        "requires": [],
        "cap": min((cap.max_score for cap in check.caps), default=None),
        "since": check.since,
        "sources": list(check.sources),
    }


def site_check_entries() -> list[dict[str, Any]]:
    """Every check of a site, in the order of the catalogue."""
    return [site_check_entry(check) for check in all_site_checks().values()]


def site_check_entry(check: SiteCheck) -> dict[str, Any]:
    """A check of a site, shaped as those of a page; ``requires`` names what it is not evaluated without."""
    return {
        "id": check.id,
        "title": check.title,
        "category": "site",
        "importance": check.severity.label,
        "price": check.severity.value * max(state.highest for state in check.states),
        "cause": check.cause,
        "summary": check.summary,
        "states": _states(check),
        "requires": list(check.needs),
        "cap": None,
        "since": check.since,
        "sources": list(check.sources),
    }


def _states(check: Check | SiteCheck) -> list[dict[str, Any]]:
    return [
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
    ]


def check_entries() -> list[dict[str, Any]]:
    """Every check, in the order of the catalogue."""
    cost = check_penalties()
    return [check_entry(check, cost[check.id]) for check in all_checks().values()]


def check_documentation(check: Check | SiteCheck) -> dict[str, str]:
    """Its documentation in five parts, as Markdown; reasons and advice are those of its states, by their titles."""
    sections = check.documentation
    advice = check.advice
    single = len(advice) == 1
    return {
        "what_it_checks": sections["What it checks"],
        "why_it_matters": "\n".join(one.why if single else f"- {one.title}: {one.why}" for one in advice),
        "how_to_fix": "\n\n".join(one.fix if single else f"### {one.title}\n\n{one.fix}" for one in advice),
        "fails_on": sections["Fails on"],
        "passes_on": sections["Passes on"],
    }


@cache
def catalogue_names() -> frozenset[str]:
    """The id of every check, of pages and of sites."""
    return frozenset({*all_checks(), *all_site_checks()})
