"""Reads the files under ``/.well-known/`` that describe a site's interfaces to programs.

Sources: https://www.rfc-editor.org/rfc/rfc9727 and https://www.rfc-editor.org/rfc/rfc9264 (API catalog),
https://a2a-protocol.org/latest/specification/ (agent card),
https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127 (server card, a draft)
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.artifacts import AgentFile, AgentFileKind, Response
from pagegrade.parse.files.robots import looks_like_html

PATHS: Final[dict[AgentFileKind, str]] = {
    "api-catalog": "/.well-known/api-catalog",
    "agent-card": "/.well-known/agent-card.json",
    "mcp-server-card": "/.well-known/mcp/server-card.json",
}
MAX_NAME: Final = 200
_CARD_MEMBERS: Final = ("name", "description", "version", "capabilities", "skills")


def read_agent_files(answers: tuple[tuple[AgentFileKind, str, Response], ...]) -> tuple[AgentFile, ...]:
    """Read (kind, address that was asked, answer) each; never raises, linear in the bodies."""
    return tuple(_read(kind, url, response) for kind, url, response in answers)


def _read(kind: AgentFileKind, url: str, response: Response) -> AgentFile:
    media_type = (response.header("content-type") or "").partition(";")[0].strip().lower()[:MAX_NAME]
    file = AgentFile(kind=kind, url=url, status=response.status, media_type=media_type)
    if not 200 <= response.status < 300:
        return file
    if "html" in media_type or looks_like_html(response.body):
        return replace(file, faults=("html",))
    if response.truncated:
        return replace(file, faults=("cut off",))
    try:
        value = msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return replace(file, faults=("not JSON",))
    if not isinstance(value, dict):
        return replace(file, faults=("not a JSON object",))
    faults, name, entries = _READERS[kind](value)
    return replace(file, faults=tuple(faults), name=name[:MAX_NAME], entries=entries)


def _catalog(value: dict[object, object]) -> tuple[list[str], str, int]:
    linkset = value.get("linkset")
    if not isinstance(linkset, list):
        return ["no linkset"], "", 0
    entries = sum(isinstance(entry, dict) for entry in linkset)
    return ([] if entries else ["an empty linkset"]), "", entries


def _card(value: dict[object, object]) -> tuple[list[str], str, int]:
    faults = [f"no {member}" for member in _CARD_MEMBERS if not value.get(member) and value.get(member) != {}]
    if not value.get("url") and not value.get("supportedInterfaces"):
        faults.append("no URL of the agent")
    skills = value.get("skills")
    return faults, _text(value.get("name")), len(skills) if isinstance(skills, list) else 0


def _server_card(value: dict[object, object]) -> tuple[list[str], str, int]:
    info = value.get("serverInfo")
    name = _text(value.get("name")) or _text(info.get("name") if isinstance(info, dict) else None)
    tools = value.get("tools")
    return ([] if name else ["no name"]), name, len(tools) if isinstance(tools, list) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


_READERS: Final = {"api-catalog": _catalog, "agent-card": _card, "mcp-server-card": _server_card}
