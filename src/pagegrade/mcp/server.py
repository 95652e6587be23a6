"""Server of tools for agents: what the two servers have in common."""

from __future__ import annotations

import difflib  # lint: allow slow-parser - at most 10 names of 40 characters against a fixed list
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, Final, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, ValidationError

from pagegrade.model.identity import PROJECT_URL, VERSION

MAX_UNKNOWN: Final = 10
"""Arguments that an error names."""
MAX_VALUE_CHARACTERS: Final = 100
"""Of an argument, as an error repeats it."""
Engine = Annotated[
    Literal["static", "rendered"] | None,
    Field(
        description="rendered: also draw the page in a browser, which takes longer and evaluates all checks; static: "
        "without. Else as the server is set. To verify a finding, use the engine that found it."
    ),
]
Search = Annotated[str | None, Field(description="Only reports whose URL contains this text.", max_length=200)]
Lifespan = Callable[[MCPServer], AbstractAsyncContextManager[None]]


class ToolServer(MCPServer):
    """The SDK's server under our name; an argument that cannot be used is named with its value and what is allowed."""

    def __init__(self, instructions: str, *, lifespan: Lifespan | None = None) -> None:
        """Show ``instructions`` to agents; ``lifespan`` begins and ends with the server."""
        super().__init__(
            "pagegrade",
            title="Pagegrade",
            version=VERSION,
            website_url=PROJECT_URL,
            instructions=instructions,
            log_level="WARNING",
            lifespan=lifespan,
        )

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """As the SDK's.

        Raises:
            ToolError: The tool is unknown or refuses, or an argument cannot be used.
        """
        self._refuse_unknown(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError(" ".join(map(_sentence, error.__cause__.errors(include_url=False)))) from error

    def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse arguments that the tool does not have: the SDK drops them, and the agent would think they counted."""
        tool = self._tool_manager.get_tool(name)
        known = [] if tool is None else list(tool.parameters.get("properties", {}))
        unknown = [] if tool is None else [argument for argument in arguments if argument not in known]
        if unknown:
            raise ToolError(" ".join(_unknown(argument[:40], known) for argument in unknown[:MAX_UNKNOWN]))


def _unknown(argument: str, known: list[str]) -> str:
    alike = difflib.get_close_matches(argument.lower(), known, n=1, cutoff=0.6)
    hint = f"Did you mean {alike[0]}?" if alike else f"It has {', '.join(known) or 'none'}."
    return f"{argument!r}: the tool has no such argument. {hint}"


def _sentence(violation: Any) -> str:
    """Name an argument, its value and what is allowed, in place of pydantic's text for developers."""
    field = ".".join(map(str, violation["loc"]))
    if violation["type"] == "missing":
        return f"{field}: this argument is missing."
    value = f"{violation['input']!r}"
    shown = value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS] + "…"
    return f"{field}: {shown} cannot be used. {violation['msg']}."
