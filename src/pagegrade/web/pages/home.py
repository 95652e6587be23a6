"""The start page: what this is, and where to go."""

from __future__ import annotations

from typing import Final

from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import View, go


async def show_home(work: UnitOfWork, view: View) -> Response:
    """Return the start page; who has signed in is shown their reports."""
    if await work.identify() is not None:
        return go("/reports")
    return view.page("home.html.jinja")


OPERATIONS: Final = (
    Operation(method="GET", path="/", name="show_home", summary="The start page", handler=show_home, tag=PAGES),
)
