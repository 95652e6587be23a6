"""``/mcp``: the tools for agents over HTTP, with the keys, limits and log lines of the API."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, Final

from pagegrade.model.errors import NotFound, Unavailable
from pagegrade.parse import url as urls
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import read_body
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.problems import Rejected
from pagegrade.web.request import Request

if TYPE_CHECKING:
    from types import ModuleType

PATH: Final = "/mcp"
TAG: Final = "Agents"
MISSING: Final = "This installation has no tools for agents; its operator can add them: pip install 'pagegrade[mcp]'"


async def answer_agent(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Answer one request of the Model Context Protocol; there are no sessions.

    Raises:
        Rejected: The request comes from a page of another origin.
        NotFound: The extra is not installed.
        Unavailable: The call took too long.
    """
    await work.admit()
    origin = request.header(b"origin")
    if origin is not None and origin != urls.origin(services.options.base_url):
        raise Rejected("bad_request", "Pages of other sites cannot use the tools.", status=403)
    try:
        # The first request of a process loads them, for a second; the event loop goes on meanwhile.
        tools = _load_tools() if _load_tools.cache_info().currsize else await asyncio.to_thread(_load_tools)
        from httpx2 import ASGITransport

        from pagegrade.client import AsyncClient
    except ModuleNotFoundError as error:
        raise NotFound(MISSING) from error
    body = await read_body(request.receive, request.header(b"content-length"))
    known = (b"content-type", b"mcp-protocol-version", b"mcp-method", b"mcp-name")
    headers = {name.decode(): value for name in known if (value := request.header(name)) is not None}
    transport = ASGITransport(app=request.scope["app"], client=(request.client_address, 0))
    key = (request.header(b"authorization") or "").partition(" ")[2].strip()
    async with AsyncClient(services.options.base_url, key, retries=0, transport=transport) as api:
        try:
            status, (content_type, *others), content = await tools.answer(body, headers, api)
        except TimeoutError as error:
            raise Unavailable("The tool took too long; call it again.") from error
    return Response(status_code=status, content=content, headers=others, media_type=content_type[1])


@cache
def _load_tools() -> ModuleType:
    """Import the tools with the libraries they stand on, and describe all of them.

    Raises:
        ModuleNotFoundError: The extra is not installed.
    """
    from pagegrade.mcp import service_tools

    service_tools.make_app()
    return service_tools


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=PATH,
        recorded=False,
        summary="Tools for agents",
        description="The Model Context Protocol over HTTP, without sessions.",
        handler=answer_agent,
        scope="reports:read",
        for_projects=True,
        tag=TAG,
    ),
)
