from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.seo.agent_files import agent_files
from pagegrade.model.artifacts import AgentFile, AgentFileKind, AgentFiles
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import SKIPPED, evaluated, outcome, run


def file(kind: AgentFileKind = "agent-card", **more: Any) -> AgentFile:
    """One file that is there unless more is said."""
    return AgentFile(kind=kind, url=f"https://example.com/{kind}", **{"status": 200, "name": "Shop", **more})


def files(*items: AgentFile) -> dict[str, AgentFiles]:
    """As an artifact."""
    return {"agent_files": AgentFiles(items=items)}


def test_files_without_faults_are_valid() -> None:
    """Each is named."""
    found = outcome(agent_files, "<p>", **files(file(), file("mcp-server-card")))

    assert (found.state, found.value) == ("valid", "agent card (A2A), MCP server card")


def test_faults_are_named_alone() -> None:
    """A file that is fine is not listed among them."""
    found = outcome(agent_files, "<p>", **files(file(faults=("no skills", "no version")), file("mcp-server-card")))

    assert (found.state, found.total) == ("invalid", 1)
    assert [one.reason for one in found.evidence] == ["no skills; no version"]
    assert evaluated(agent_files, "<p>", **files(file(faults=("not JSON",)))).outcome == "informative"


@pytest.mark.parametrize(
    "item", [file(status=404), file(status=500), file(faults=("html",)), file("api-catalog", faults=("not JSON",))]
)
def test_sites_without_files_are_not_evaluated(item: AgentFile) -> None:
    """A catalog is another check's."""
    assert isinstance(run(agent_files, "<p>", **files(item)), NotApplicable)


def test_what_was_not_fetched_is_not_evaluated() -> None:
    """Unless another one was."""
    assert isinstance(run(agent_files, "<p>", **files(file(status=None, failure=SKIPPED))), NotRun)
    assert isinstance(run(agent_files, "<p>"), NotRun)
    assert outcome(agent_files, "<p>", **files(file(status=None, failure=SKIPPED), file())).state == "valid"
