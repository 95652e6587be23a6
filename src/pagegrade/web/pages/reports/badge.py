"""The badge of a public report, to embed in a README or on a site."""

from __future__ import annotations

import hashlib
from typing import Final

from markupsafe import escape

from pagegrade.render.badge import LABEL, UNKNOWN, render_badge
from pagegrade.service.accounts.operations import brand_of
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.reports.shares import find_public
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.conditional import is_unchanged
from pagegrade.web.http.headers import UNKEPT
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import View
from pagegrade.web.request import Request
from pagegrade.web.schemas.report import share_url

FOLDER: Final = "/badge/"
SUFFIX: Final = ".svg"
VIEWS_PER_MINUTE: Final = 600
"""Badges that a client address may fetch: image proxies send the requests of many readers."""
MEDIA_TYPE: Final = "image/svg+xml"
KEPT_S: Final = 300
"""Maximum age of a cached badge, even of a report that is no longer public."""
KEPT: Final = ("Cache-Control", f"public, max-age={KEPT_S}")
EMBEDDABLE: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
"""Allows pages of all origins to embed the badge."""
ALT: Final = "Pagegrade"
_UNKNOWN: Final = render_badge(UNKNOWN).encode()


def badge_path(slug: str) -> str:
    """Return the path of the badge of a report."""
    return f"{FOLDER}{slug}{SUFFIX}"


def badge_snippets(base_url: str, slug: str) -> tuple[str, str]:
    """Return (Markdown, HTML) that shows the badge as a link to its report.

    Args:
        base_url: Public origin of this installation.
        slug: Slug of the report.
    """
    picture, page = f"{base_url}{badge_path(slug)}", share_url(base_url, slug)
    html = f'<a href="{escape(page)}"><img src="{escape(picture)}" alt="{ALT}"></a>'
    return f"[![{ALT}]({picture})]({page})", html


async def show_badge(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the badge; without a public result, for any reason, the same gray image.

    The answer is an image in any case, because it is embedded as one.
    """
    standing = await services.limits.take_now(Bucket(("badges", limited_as(request.client_address)), VIEWS_PER_MINUTE))
    if not standing.allowed:
        headers = (EMBEDDABLE, UNKEPT, ("Retry-After", str(standing.reset_s)))
        return Response(status_code=429, content=_UNKNOWN, media_type=MEDIA_TYPE, headers=headers)
    name = request.path_params["file"]
    report = None
    if name.endswith(SUFFIX):
        options = view.options
        report = await work.read_public(find_public, name.removesuffix(SUFFIX), options=options, now_ms=view.now_ms)
    if report is None:
        return Response(status_code=404, content=_UNKNOWN, media_type=MEDIA_TYPE, headers=(EMBEDDABLE, KEPT))
    brand = view.brand(await work.read_public(brand_of, report.account_id))
    label = brand.name or LABEL
    body = render_badge(report.state, result=report.result, score=report.score, label=label).encode()
    headers = (EMBEDDABLE, KEPT, ("ETag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'))
    if is_unchanged(request.header(b"if-none-match"), None, etag=headers[-1][1], modified_ms=None):
        return Response(status_code=304, headers=headers)
    return Response(status_code=200, content=body, media_type=MEDIA_TYPE, headers=headers)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=f"{FOLDER}{{file}}",
        name="show_badge",
        summary="The badge of a public report",
        handler=show_badge,
        tag=PAGES,
    ),
)
