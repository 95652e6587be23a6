"""Pictures of the page of a report, for its owner and for those who may see its share page."""

from __future__ import annotations

from functools import partial
from typing import Final

from pagegrade.service.container import Services
from pagegrade.service.reports.pictures import find_picture, show_picture
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import UNLISTED, View
from pagegrade.web.pages.share_access import REPORTS, to_gate, visit
from pagegrade.web.request import Request
from pagegrade.web.responses import known_picture, picture_response

_HEADERS: Final = (UNLISTED, ("Vary", "Cookie"))


async def show_own_picture(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a picture of a report of the caller."""
    name = request.path_params["picture"]
    known = known_picture(request)
    shown = await work.read(show_picture, request.id, view.options, view.now_ms, name=name, is_known=known)
    return picture_response(shown, headers=_HEADERS)


async def show_shared_picture(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return a picture of the report behind a share link: it is no way past the password."""
    use_case = partial(find_picture, name=request.path_params["picture"], is_known=known_picture(request))
    found = await visit(request, work, view, services, use_case, kind=REPORTS)
    if isinstance(found, Response):
        return found
    if found.seen is None:
        return to_gate(request, REPORTS)
    return picture_response(found.seen, headers=_HEADERS)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/reports/{id}/pictures/{picture}",
        name="show_own_picture",
        summary="A picture of a page",
        handler=show_own_picture,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/r/{slug}/pictures/{picture}",
        name="show_shared_picture",
        summary="A picture of the page of a shared report",
        handler=show_shared_picture,
        tag=PAGES,
    ),
)
