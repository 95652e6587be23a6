"""A URL -> what a browser saw of it, within limits of time, memory and traffic."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from pagegrade.gather.browser.cdp import Params
from pagegrade.gather.browser.options import DEVICES, SHAPES, RenderingFailed, RenderOptions, VisitOptions
from pagegrade.gather.browser.process import run_browser
from pagegrade.gather.browser.proxy import Proxy
from pagegrade.gather.browser.visit import Visit
from pagegrade.gather.http import HTTPClient
from pagegrade.model.rendering import Rendering

_MOST_REFUSED_HOSTS: Final = 20
_END_S: Final = 3.0
"""Kept back for what a visit that has used up its time still waits for."""


async def render(url: str, options: RenderOptions, *, client: HTTPClient) -> Rendering:
    """Draw a page in a browser of its own.

    Args:
        url: Canonical http(s) URL of the document.
        client: Its resolver and guard decide about every connection of the browser, its access about every request.

    Raises:
        RenderingFailed: The page was not drawn; its code says why.
    """
    started = asyncio.get_running_loop().time()
    proxy = Proxy(permit=client.permit, guard=client.guard, shape=SHAPES[options.network], limits=options.limits)
    try:
        async with (
            asyncio.timeout(options.time_s),
            run_browser(
                options.program,
                max_memory_bytes=options.max_memory_bytes,
                authorities=client.guard.policy.authorities,
            ) as browser,
            proxy.serve(browser.listener),
        ):
            browser.connection.on("Page.frameNavigated", _note_page(client), lasting=True)
            visit_options = VisitOptions(
                device=DEVICES[options.device],
                network=options.network,
                access=client.access,
                user_agent=client.guard.policy.user_agent,
                loads=options.loads,
                cpu_slowdown=options.cpu_slowdown,
                trace=options.trace,
                time_s=options.time_s - (asyncio.get_running_loop().time() - started) - _END_S,
            )
            try:
                rendering = await Visit(browser.connection, visit_options).run(url)
            except RenderingFailed as error:
                if browser.ended_by == "memory":
                    raise RenderingFailed(
                        "too_large", "Drawing the page takes more memory than a browser is given.", reason="memory"
                    ) from error
                raise
            cpu_s = browser.cpu_s()
            peak = browser.peak_memory_bytes
    except TimeoutError as error:
        raise RenderingFailed(
            "timeout", f"Drawing the page took more than {options.time_s:g} seconds.", reason="time_limit"
        ) from error
    traffic = proxy.traffic
    return replace(
        rendering,
        refused_hosts=tuple(traffic.refused.most_common(_MOST_REFUSED_HOSTS)),
        peak_memory_bytes=peak,
        cpu_s=round(cpu_s, 2),
        elapsed_s=round(asyncio.get_running_loop().time() - started, 2),
        notes=(*rendering.notes, *((f"network_limit_{traffic.limit}",) if traffic.limit else ())),
    )


def _note_page(client: HTTPClient) -> Callable[[Params, str], None]:
    """Pass on where the page, not one of its frames, is found: a public one must not lead inside."""

    def note(event: Params, _session: str) -> None:
        frame = event.get("frame")
        url = frame.get("url") if isinstance(frame, dict) and not frame.get("parentId") else None
        if isinstance(url, str) and url.startswith(("http:", "https:")):
            client.note_page(url)

    return note
