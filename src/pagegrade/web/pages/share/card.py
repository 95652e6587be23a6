"""The score card of a public report: the picture of links to its share page."""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import Final

from pagegrade.model.stored import Privacy
from pagegrade.render.pdf import is_installed
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.reports.views import Viewed, shown_report, view_found
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.conditional import is_unchanged
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import VARY, View
from pagegrade.web.pages.reports.badge import EMBEDDABLE, KEPT
from pagegrade.web.pages.share_access import REPORTS, not_found, too_many, visit
from pagegrade.web.report_files import encoded_report
from pagegrade.web.request import Request

MEDIA_TYPE: Final = "image/png"
CARDS_PER_MINUTE: Final = 20
"""Cards that a client address may request: each needs a process, and their number is small."""


def card_path(slug: str) -> str:
    """Return the path of the card of a report."""
    return f"/r/{slug}/card.png"


def has_card(viewed: Viewed, score: int | None) -> bool:
    """Return whether a report has a card: everyone may see it, it has a score, and pictures can be made here."""
    return viewed.report.privacy == Privacy.PUBLIC and score is not None and is_installed()


async def show_card(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the card; the page that nothing is there for any report that has none."""
    found = await visit(request, work, view, services, partial(view_found, masked=True), kind=REPORTS)
    if isinstance(found, Response):
        return found
    viewed = found.seen
    shown = None if viewed is None else await asyncio.to_thread(shown_report, viewed)
    if viewed is None or shown is None or not has_card(viewed, shown.score):
        return not_found(view)
    brand = view.brand(viewed.brand)
    named = repr(
        (viewed.report.slug, viewed.report.revision, shown.score, view.texts.tag, brand.name, brand.color)
    ).encode()
    headers = (EMBEDDABLE, KEPT, VARY, ("ETag", f'"{hashlib.sha256(named).hexdigest()[:32]}"'))
    if is_unchanged(request.header(b"if-none-match"), None, etag=headers[-1][1], modified_ms=None):
        return Response(status_code=304, headers=headers)
    standing = await services.limits.take_now(Bucket(("cards", limited_as(request.client_address)), CARDS_PER_MINUTE))
    if not standing.allowed:
        return too_many(view, standing.reset_s)
    encoded = await asyncio.to_thread(encoded_report, shown)
    body = await services.documents.card(encoded, tag=view.texts.tag, brand=brand)
    return Response(status_code=200, content=body, media_type=MEDIA_TYPE, headers=headers)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=card_path("{slug}"),
        name="show_card",
        summary="The score card of a public report",
        handler=show_card,
        tag=PAGES,
    ),
)
