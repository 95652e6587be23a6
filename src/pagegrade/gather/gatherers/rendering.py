"""The page as a browser draws it, after everything else was asked for."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from pagegrade.gather.browser.options import RenderingFailed
from pagegrade.gather.context import Context
from pagegrade.gather.http import HTTPClient
from pagegrade.model.artifacts import NOT_RENDERED, NotGathered
from pagegrade.model.rendering import Rendering
from pagegrade.parse.urls.identity import page_url


async def gather_rendering(context: Context) -> Rendering | NotGathered:
    """Draw the page; its own failure never costs more than this artifact."""
    options = context.options.render
    if options is None:
        return NOT_RENDERED
    # Most analyses draw nothing, and need not load what starts a browser.
    from pagegrade.gather.browser.render import render

    await asyncio.gather(
        *(asyncio.shield(promise) for name, promise in context.promises.items() if name != "rendering")
    )
    loop = asyncio.get_running_loop()
    left_s = context.render_deadline - loop.time()
    if left_s <= 1:
        return NotGathered(code="budget", detail="The time for the whole analysis was over before it was done.")
    async with HTTPClient(
        guard=context.client.guard,
        resolver=context.resolver,
        deadline=context.render_deadline,
        access=context.client.access,
    ) as client:
        try:
            return await render(
                page_url(context.navigation), replace(options, time_s=min(options.time_s, left_s)), client=client
            )
        except RenderingFailed as error:
            return error.not_gathered()
