"""Answers of both servers of tools to arguments that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.gather.sites import Site
from tests.mcp.test_local_server import text_of, with_agent


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("analyze_url", {}, "url: this argument is missing."),
        ("analyze_url", {"url": 5}, "url: 5 cannot be used. Input should be a valid string."),
        (
            "get_report",
            {"report": "r1", "view": "all"},
            "view: 'all' cannot be used. Input should be 'summary', 'prompt' or 'full'.",
        ),
        (
            "analyze_url",
            {"url": "https://a.example/", "Render": 1},
            "'Render': the tool has no such argument. It has url",
        ),
        ("analyze_url", {"urls": "https://a.example/"}, "'urls': the tool has no such argument. Did you mean url?"),
        ("list_checks", {"catgory": "seo"}, "'catgory': the tool has no such argument. Did you mean category?"),
        ("analyze_url", {"url": "https://a.example/", "engine": "rendered"}, "engine: this server has no browser."),
        ("explain_check", {"check": "x" * 120}, f"check: '{'x' * 99}… cannot be used."),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(tool: str, arguments: dict[str, Any], says: str) -> None:
    """With its value, cut where it is long, and what is allowed; without texts for developers."""

    async def use(client: Client, _: Site) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    answer = with_agent(use)

    assert answer.is_error
    assert text_of(answer).removeprefix(f"Error executing tool {tool}: ").startswith(says)
    assert "pydantic" not in text_of(answer)
