"""Server of tools for agents: what the two servers have in common."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from pagegrade.model.identity import PROJECT_URL, VERSION

MAX_VALUE_CHARACTERS: Final = 100
"""Of an argument, as an error repeats it."""
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
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError(" ".join(map(_sentence, error.__cause__.errors(include_url=False)))) from error


def _sentence(violation: Any) -> str:
    """Name an argument, its value and what is allowed, in place of pydantic's text for developers."""
    field = ".".join(map(str, violation["loc"]))
    if violation["type"] == "missing":
        return f"{field}: this argument is missing."
    value = f"{violation['input']!r}"
    shown = value if len(value) <= MAX_VALUE_CHARACTERS else value[:MAX_VALUE_CHARACTERS] + "…"
    return f"{field}: {shown} cannot be used. {violation['msg']}."
