from __future__ import annotations

import json
from typing import Any

import pytest

from pagegrade.model.artifacts import AgentFile, AgentFileKind
from pagegrade.parse.files.agent_files import MAX_NAME, read_agent_files
from tests.builders import make_response

URL = "https://example.com/.well-known/x"
CARD = {
    "name": "Shop", "description": "Sells chairs.", "version": "1.0", "capabilities": {}, "skills": [{"id": "a"}],
    "supportedInterfaces": [{"url": "https://example.com/a2a"}],
}  # fmt: skip


def read(
    kind: AgentFileKind, value: Any, *, status: int = 200, media_type: str = "application/json", **more: Any
) -> AgentFile:
    """The facts of one file."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    response = make_response(body, url=URL, status=status, headers=(("Content-Type", media_type),), **more)
    (file,) = read_agent_files(((kind, URL, response),))
    return file


@pytest.mark.parametrize(
    ("value", "faults", "entries"),
    [
        ({"linkset": [{"anchor": "https://example.com/api"}, {}]}, (), 2),
        ({"linkset": []}, ("an empty linkset",), 0),
        ({"linkset": ["a"]}, ("an empty linkset",), 0),
        ({"linkset": {}}, ("no linkset",), 0),
        ({"apis": []}, ("no linkset",), 0),
        ([], ("not a JSON object",), 0),
        (b"{", ("not JSON",), 0),
        (b"\xff", ("not JSON",), 0),
        (b"[" * 60_000, ("not JSON",), 0),
        (b"", ("not JSON",), 0),
        (b"<!doctype html><p>", ("html",), 0),
    ],
)
def test_catalog_is_a_linkset(value: Any, faults: tuple[str, ...], entries: int) -> None:
    """With at least one entry."""
    file = read("api-catalog", value)

    assert (file.faults, file.entries) == (faults, entries)


@pytest.mark.parametrize("member", ["name", "description", "version", "capabilities", "skills"])
def test_agent_card_needs_its_members(member: str) -> None:
    """An object without content is there."""
    assert read("agent-card", CARD).faults == ()
    assert read("agent-card", {key: value for key, value in CARD.items() if key != member}).faults == (f"no {member}",)


def test_agent_card_needs_an_address() -> None:
    """That of the first version of the protocol, or that of the current one."""
    bare = {key: value for key, value in CARD.items() if key != "supportedInterfaces"}

    assert read("agent-card", bare).faults == ("no URL of the agent",)
    assert read("agent-card", {**bare, "url": "https://example.com/a2a"}).faults == ()
    assert (read("agent-card", CARD).name, read("agent-card", CARD).entries) == ("Shop", 1)


def test_server_card_needs_a_name() -> None:
    """At the top, or in the form of the earlier draft."""
    assert read("mcp-server-card", {"name": "a", "tools": [1, 2]}).entries == 2
    assert read("mcp-server-card", {"serverInfo": {"name": "a"}}).name == "a"
    assert read("mcp-server-card", {"serverInfo": "a"}).faults == ("no name",)
    assert len(read("mcp-server-card", {"name": "a" * (MAX_NAME + 1)}).name) == MAX_NAME


def test_other_answers_are_not_read() -> None:
    """Errors, web pages by their type, and what was cut off."""
    assert read("agent-card", b"{", status=404).faults == ()
    assert read("agent-card", CARD, media_type="text/html").faults == ("html",)
    assert read("agent-card", CARD, truncated="limit").faults == ("cut off",)
    assert read("agent-card", CARD, media_type="Application/JSON; a=b").media_type == "application/json"
