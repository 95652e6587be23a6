"""Server of tools for agents: what the two servers have in common, and the tools about the catalogue of checks."""

from __future__ import annotations

import difflib  # lint: allow slow-parser - at most 10 names of 40 characters against a fixed list
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from difflib import get_close_matches  # lint: allow slow-parser - at most 80 characters
from typing import Annotated, Any, Final, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from msgspec import structs
from pydantic import Field, ValidationError

from pagegrade.checks import Check, SiteCheck, all_checks, all_site_checks
from pagegrade.mcp.results import CheckExplanation, CheckLine, CheckStateEntry
from pagegrade.model.identity import PROJECT_URL, VERSION
from pagegrade.model.report import Category
from pagegrade.service.catalogue import (
    CheckItem,
    check_documentation,
    check_entries,
    check_entry,
    site_check_entries,
)

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


CheckId = Annotated[str, Field(description="Id of a check, such as canonical.", max_length=80)]


def list_checks(
    category: Annotated[
        Category | Literal["site"] | None,
        Field(description="Only this category; site: the checks of whole sites, which are not listed without it."),
    ] = None,
) -> list[CheckLine]:
    """List the checks with the most points that each can cost."""
    listed = site_check_entries() if category == "site" else check_entries()
    return [
        CheckLine(
            check=entry.id,
            title=entry.title,
            category=entry.category,
            severity=entry.importance,
            points=entry.price,
        )
        for entry in listed
        if category in {None, entry.category}
    ]


def explain_check(check: CheckId) -> CheckExplanation:
    """Explain a check: what it tests, why, its states and how to fix each."""
    found = _check(check)
    return _explanation(found, check_entry(found))


def _check(name: str) -> Check | SiteCheck:
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    catalogue: dict[str, Check | SiteCheck] = {**all_checks(), **all_site_checks()}
    if wanted not in catalogue:
        close = get_close_matches(wanted, catalogue, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(close)}?" if close else "list_checks lists them all."
        raise ToolError(f"There is no check {name!r}. {hint}")
    return catalogue[wanted]


def _explanation(check: Check | SiteCheck, entry: CheckItem) -> CheckExplanation:
    return CheckExplanation(
        check=check.id,
        title=check.title,
        category=entry.category,
        severity=entry.importance,
        points=entry.price,
        summary=check.summary,
        documentation=structs.asdict(check_documentation(check)),
        states=[
            CheckStateEntry(state=one.name, message=one.message, fix=one.fix, costs_points=one.highest > 0)
            for one in check.states
        ],
        sources=list(check.sources),
    )
