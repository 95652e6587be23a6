"""Pictures of the page of a report."""

from __future__ import annotations

from typing import Final

from pagegrade.service.container import Services
from pagegrade.service.reports.pictures import show_picture
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.picture_responses import MEDIA_TYPE, known_picture, picture_response
from pagegrade.web.request import Request


async def show_report_picture(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a picture of the page, as the browser drew it for the shown run."""
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
        method="GET",
        path="/api/v1/reports/{id}/pictures/{picture}",
        name="show_picture",
        summary="Show a picture of a page",
        description="A picture that a browser made of the page in the run that the report shows, in WebP. The names "
        "are those of `rendered.pictures`. A report without a browser has none.",
        handler=show_report_picture,
        scope="reports:read",
        for_projects=True,
        file_type=MEDIA_TYPE,
        headers=("If-None-Match",),
        answer_headers={200: ("ETag",)},
        problems=("not_found",),
    ),
)
