"""The start page: what this is, and where to go; and the page for those whose sites are asked."""

from __future__ import annotations

from typing import Final

from pagegrade.model.identity import PRODUCT
from pagegrade.service.options import ROBOT_PATH
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import View, go


async def show_home(work: UnitOfWork, view: View) -> Response:
    """Return the start page; who has signed in is shown their reports."""
    if await work.identify() is not None:
        return go("/reports")
    return view.page("home.html.jinja")


async def show_robot(view: View) -> Response:
    """Return who sends the requests of this installation, and how a site stops them; the user agent names the page."""
    token, agent = PRODUCT.rstrip("/"), view.options.analyze.user_agent
    return view.page("robot.html.jinja", token=token, agent=agent, contact=view.options.contact)


OPERATIONS: Final = (
    Operation(method="GET", path="/", name="show_home", summary="The start page", handler=show_home, tag=PAGES),
    Operation(method="GET", path=ROBOT_PATH, name="show_robot", summary="The robot", handler=show_robot, tag=PAGES),
)
