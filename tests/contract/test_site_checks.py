"""Promises of every check of whole sites, tested over every one; those about texts are in ``test_checks.py``."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from pagegrade.checks import SiteCheck, all_checks, all_site_checks
from pagegrade.checks._site_check import NEEDS
from pagegrade.model.audit_result import Unevaluated
from tests.site_builders import examined, of_example, rows_of

CHECKS: Final = list(all_site_checks().values())
MISSING: Final[dict[str, dict[str, Any]]] = {
    "complete": {"complete": 0},
    "sitemap": {"sitemap": 0},
    "assets": {"assets": 0},
    "external": {"external": 0},
    "probes": {"probes": []},
    "rendered": {"rendered": 0},
    "traps": {"traps": 0},
}
"""Need -> facts of a site that does not meet it; the others are columns of pages."""
every_check = pytest.mark.parametrize("check", CHECKS, ids=[check.id for check in CHECKS])


def test_names_are_unique_over_both_kinds() -> None:
    """A name stands for one check, of a page or of a site."""
    assert len(CHECKS) >= 40
    assert set(all_site_checks()) & set(all_checks()) == set()


@every_check
def test_documented_failing_example_is_true(check: SiteCheck) -> None:
    """The rows under "Fails on" bring a state that is declared and explained."""
    outcome, found = examined(check.id, of_example(check.documentation["Fails on"]))

    assert outcome == "found"
    assert {row[1] for row in found} <= {state.name for state in check.states if state.title and state.loss > 0}


@every_check
def test_documented_passing_example_is_true(check: SiteCheck) -> None:
    """The rows under "Passes on" hold what is examined, or nothing of it, and no fault."""
    outcome, found = examined(check.id, of_example(check.documentation["Passes on"]))

    assert outcome in {"passed", "not_applicable"}
    assert found == set()


@every_check
def test_an_empty_site_passes_nothing(check: SiteCheck) -> None:
    """A check that has seen nothing does not apply, or is not evaluated."""
    outcome, found = examined(check.id, rows_of(pages=[]))

    assert outcome == "not_applicable" or isinstance(outcome, Unevaluated)
    assert found == set()


@every_check
def test_what_is_missing_is_named(check: SiteCheck) -> None:
    """Without what a check needs it is not evaluated, whatever the rows say, and the reason is told."""
    for need in check.needs:
        rows = of_example(check.documentation["Fails on"])
        facts = MISSING.get(need, {})
        rows["site"] = [row for row in rows["site"] if row["key"] not in facts]
        rows["site"] += [{"key": key, "value": json.dumps(value)} for key, value in facts.items()]
        if not facts:
            rows["pages"] = [row | {"headers": None} for row in rows["pages"]]
        outcome, found = examined(check.id, rows)

        assert outcome == Unevaluated(check=check.id, title=check.title, reason=NEEDS[need])
        assert found == set()
