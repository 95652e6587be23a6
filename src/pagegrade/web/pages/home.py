"""The start page: what this is, and where to go."""

from __future__ import annotations

from typing import Final

from pagegrade.web.context import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.html import go, page


async def show_home(call: Call) -> Answer:
    """Answer with the start page; who has signed in is shown their reports."""
    if await call.services.database.read(call.visitor) is not None:
        return go("/reports")
    return page(call, "home.html.jinja")


OPERATIONS: Final = (
    Operation(method="GET", path="/", name="show_home", summary="The start page", handler=show_home, tag=PAGES),
)
