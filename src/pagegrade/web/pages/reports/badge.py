"""The badge of a public report, to be shown in a README or on a site."""

from __future__ import annotations

import hashlib
from typing import Final

from markupsafe import escape

from pagegrade.model.stored import StoredReport
from pagegrade.render.badge import UNKNOWN, render_badge
from pagegrade.service.reports.serializers import share_url
from pagegrade.service.reports.shares import find_public
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.conditional import is_unchanged
from pagegrade.web.http.headers import UNKEPT
from pagegrade.web.operations import PAGES, Answer, Operation

FOLDER: Final = "/badge/"
SUFFIX: Final = ".svg"
VIEWS_PER_MINUTE: Final = 600
"""Badges that a client address may fetch: services that pass images on ask for many readers."""
MEDIA_TYPE: Final = "image/svg+xml"
KEPT_S: Final = 300
"""A badge may be so old, also one whose report is not public any more."""
KEPT: Final = ("Cache-Control", f"public, max-age={KEPT_S}")
EMBEDDABLE: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
"""Everybody may show it on a page of theirs; that is what it is for."""
ALT: Final = "Pagegrade"
_UNKNOWN: Final = render_badge(UNKNOWN).encode()


def badge_path(slug: str) -> str:
    """Where the badge of a report is, on this server."""
    return f"{FOLDER}{slug}{SUFFIX}"


def badge_snippets(base_url: str, slug: str) -> tuple[str, str]:
    """(Markdown, HTML) that shows the badge as a link to its report.

    Args:
        base_url: Public origin of this installation.
        slug: Of the report.
    """
    picture, page = f"{base_url}{badge_path(slug)}", share_url(base_url, slug)
    html = f'<a href="{escape(page)}"><img src="{escape(picture)}" alt="{ALT}"></a>'
    return f"[![{ALT}]({picture})]({page})", html


async def show_badge(call: Call) -> Answer:
    """Answer with the badge; whatever has none, for whatever reason, gets one and the same grey picture.

    It says so with a picture because it stands where pictures stand.
    """
    standing = await call.services.limits.take_now("badges", limited_as(call.client), VIEWS_PER_MINUTE)
    if not standing.allowed:
        headers = (EMBEDDABLE, UNKEPT, ("Retry-After", str(standing.reset_s)))
        return Answer(status=429, body=_UNKNOWN, media_type=MEDIA_TYPE, headers=headers)
    name = call.params["file"]

    def work(tx: Transaction) -> StoredReport | None:
        slug = name.removesuffix(SUFFIX)
        return find_public(tx, slug, options=call.services.options, now_ms=call.now_ms)

    report = await call.services.database.read(work) if name.endswith(SUFFIX) else None
    if report is None:
        return Answer(status=404, body=_UNKNOWN, media_type=MEDIA_TYPE, headers=(EMBEDDABLE, KEPT))
    body = render_badge(report.state, result=report.result, score=report.score).encode()
    headers = (EMBEDDABLE, KEPT, ("ETag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'))
    if is_unchanged(call.header(b"if-none-match"), None, etag=headers[-1][1], modified_ms=None):
        return Answer(status=304, headers=headers)
    return Answer(status=200, body=body, media_type=MEDIA_TYPE, headers=headers)


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
