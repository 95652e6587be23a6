from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import AgentFile, AgentFiles
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Severity

_NAMES: Final = {"agent-card": "agent card (A2A)", "mcp-server-card": "MCP server card"}


@check(
    id="agent-files",
    title="Agent files",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("valid", "The site describes its interfaces for agents."),
        State(
            "invalid",
            "The site describes its interfaces for agents in a way that they cannot use.",
            title="Agent files with mistakes",
            why="Agents that look for the file cannot use what it describes.",
            fix=(
                "Serve the listed file as JSON with the members that are named as missing, or remove it if the site "
                "has no such interface."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://a2a-protocol.org/latest/specification/",
        "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127",
    ),
)
def agent_files(agent_files: AgentFiles) -> Verdict:
    """Some sites describe interfaces for agents in well-known files.

    ## What it checks

    Two files of the site, where they exist: the agent card of the Agent2Agent protocol
    (`/.well-known/agent-card.json`), which needs a name, a description, a version, capabilities, skills and an address,
    and the server card of the Model Context Protocol (`/.well-known/mcp/server-card.json`), a draft, which needs a
    name. Sites without them, and applications that answer every URL with a page, are not evaluated. What the files
    describe is not used, and it is informative and costs nothing.

    ## Fails on

    ```json agent_files
    {"items": [{"kind": "agent-card", "url": "https://example.com/.well-known/agent-card.json", "status": 200,
      "media_type": "application/json", "name": "Shop", "faults": ["no skills", "no URL of the agent"]}]}
    ```

    ## Passes on

    ```json agent_files
    {"items": [{"kind": "agent-card", "url": "https://example.com/.well-known/agent-card.json", "status": 200,
      "media_type": "application/json", "name": "Shop", "entries": 2}]}
    ```
    """
    files = [item for item in agent_files.items if item.kind in _NAMES]
    there = [item for item in files if _is_there(item)]
    if not there:
        failed = next((item.failure for item in files if item.failure is not None), None)
        if failed is not None:
            return NotRun(failed.code, failed.detail)
        return NotApplicable("The site has no file for agents.")
    bad = [item for item in there if item.faults]
    shown = bad or there
    evidence = tuple(
        Evidence(url=item.url, value=item.name[:100], reason="; ".join(item.faults)[:200] or _NAMES[item.kind])
        for item in shown
    )
    return Outcome(
        "invalid" if bad else "valid",
        value=", ".join(_NAMES[item.kind] for item in shown),
        evidence=evidence,
        total=len(evidence),
    )


def _is_there(item: AgentFile) -> bool:
    """A success that is not the page of an application that answers every URL with one."""
    return item.status is not None and 200 <= item.status < 300 and item.faults != ("html",)
