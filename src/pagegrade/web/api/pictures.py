"""Pictures of the page of a report."""

from __future__ import annotations

from typing import Final

from pagegrade.parse.files.image import SHOWN_TYPES
from pagegrade.service.container import Services
from pagegrade.service.reports.views import show_picture
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.responses import known_picture, picture_response


async def show_report_picture(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a picture of the run that the report shows."""
    shown = await work.read(
        show_picture,
        request.id,
        services.options,
        request.received_at_ms,
        name=request.path_params["picture"],
        is_known=known_picture(request),
    )
    return picture_response(shown)


OPERATIONS: Final = (
    Operation(
        path="/api/v1/reports/{id}/pictures/{picture}",
        name="show_picture",
        summary="Show a picture of a page",
        description="A picture of the run that the report shows: one that a browser made of the page, in WebP, or one "
        "that the page names for previews, as its site sent it. The names are those of `rendered.pictures`, and of "
        "`image` and `icon` in `page.preview`.",
        handler=show_report_picture,
        scope="reports:read",
        for_projects=True,
        file_types=tuple(sorted(SHOWN_TYPES.values())),
    ),
)
