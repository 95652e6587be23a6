from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.seo.api_catalog import api_catalog
from pagegrade.model.artifacts import AgentFile, AgentFiles
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import SKIPPED, evaluated, outcome, run

HTML = ("Content-Type", "text/html; charset=utf-8")


def files(**more: Any) -> dict[str, AgentFiles]:
    """A catalog that was asked for."""
    facts: dict[str, Any] = {"status": 200, "media_type": "application/linkset+json", "entries": 1, **more}
    return {"agent_files": AgentFiles(items=(AgentFile(kind="api-catalog", url="https://example.com/c", **facts),))}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "valid"),
        ({"media_type": "application/json"}, "valid"),
        ({"media_type": "text/plain"}, "invalid"),
        ({"media_type": ""}, "invalid"),
        ({"faults": ("no linkset",)}, "invalid"),
        ({"faults": ("not JSON",), "media_type": "text/plain"}, "invalid"),
    ],
)
def test_catalog_is_json_of_its_type(more: dict[str, Any], expected: str) -> None:
    """All that is wrong is named."""
    assert outcome(api_catalog, "<p>", **files(**more)).state == expected


@pytest.mark.parametrize("more", [{"status": 404}, {"status": 403}, {"faults": ("html",), "media_type": "text/html"}])
def test_sites_without_one_are_not_evaluated(more: dict[str, Any]) -> None:
    """Unless the page names one."""
    link = "<link rel=api-catalog href=/.well-known/api-catalog>"
    header = ("Link", '</.well-known/api-catalog>; rel="api-catalog"')

    assert isinstance(run(api_catalog, "<p>", **files(**more)), NotApplicable)
    assert outcome(api_catalog, link, **files(**more)).state == "missing"
    assert outcome(api_catalog, "<p>", headers=(HTML, header), **files(**more)).state == "missing"


def test_what_was_not_fetched_is_not_evaluated() -> None:
    """For want of an answer or of permission."""
    assert isinstance(run(api_catalog, "<p>", **files(status=None, failure=SKIPPED)), NotRun)
    assert isinstance(run(api_catalog, "<p>", agent_files=AgentFiles()), NotRun)
    assert isinstance(run(api_catalog, "<p>"), NotRun)


def test_it_costs_nothing() -> None:
    """Few sites have one."""
    assert evaluated(api_catalog, "<p>", **files(faults=("not JSON",))).outcome == "informative"
