"""``pagegrade mcp``."""

from __future__ import annotations

from collections.abc import Sequence

from pagegrade.cli.exit_codes import run_async
from pagegrade.model.errors import InvalidInput
from pagegrade.wiring import Rendered, typed_options


def serve_tools(*, allow_networks: Sequence[str], render: Rendered | None) -> None:
    """Answer an agent on standard input and output until it closes them.

    Args:
        render: Options of the rendered engine; ``None``: static analysis alone.

    Raises:
        InvalidInput: The extra is not installed, a network cannot be read, or there is no browser.
    """
    try:
        from pagegrade.mcp.local_server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise InvalidInput(
            "The tools for agents are not installed. Install them with: pip install 'pagegrade[mcp]'"
        ) from error
    options = typed_options(allow_networks=allow_networks, render=render)
    run_async(make_server(options).run_stdio_async())
