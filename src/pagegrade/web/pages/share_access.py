"""Access to everything behind a share link: the page, its runs, comparisons and exports.

A missing, expired or private report gets the same page, byte for byte, for every client.
"""

from __future__ import annotations

from typing import Final, TypeVar

from pagegrade.service.accounts.passwords import MAX_CHARACTERS
from pagegrade.service.container import Services
from pagegrade.service.reports.shares import SharedView, ViewReport, view_shared
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import read_cookies

T = TypeVar("T")
VIEWS_PER_MINUTE: Final = 120
"""Pages behind share links that a client address may open: rendering one takes some milliseconds."""


def cookie_of(slug: str) -> str:
    """Return the name of the cookie that stores access to a password-protected report, without its prefix."""
    return f"unlock-{slug[:8]}"


async def visit(
    request: Request, work: UnitOfWork, view: View, services: Services, use_case: ViewReport[T]
) -> SharedView[T] | Response:
    """Return what the use case reads behind the share link of the path, or the page to show instead.

    Args:
        request: The request, whose path has a ``slug``.
        work: Of the request.
        view: Of the request.
        services: Of the process.
        use_case: Reads the requested part of the report; raises ``NotFound`` if the report does not have it.
    """
    standing = await services.limits.take_now("share pages", limited_as(request.client_address), VIEWS_PER_MINUTE)
    if not standing.allowed:
        return too_many(view, standing.reset_s)
    slug = request.path_params["slug"]
    tokens = read_cookies(request.header, cookie_of(slug), view.options.base_url)
    found = await work.read_shared(view_shared, slug, view.options, view.now_ms, tokens=tokens, view=use_case)
    return not_found(view) if found is None else found


def gate(view: View, *, wrong: bool = False) -> Response:
    """Return the password form; it reveals nothing about the report, not even whether it is finished.

    Args:
        view: Of the request.
        wrong: True if the previous password was wrong.
    """
    return view.page("share_gate.html.jinja", status=403 if wrong else 200, max_characters=MAX_CHARACTERS, wrong=wrong)


def to_gate(request: Request) -> Response:
    """Redirect from a part of a report to its password form."""
    return go(f"/r/{request.path_params['slug']}")


def not_found(view: View) -> Response:
    """Return the page for everything the client may not see."""
    return view.page("not_found.html.jinja", status=404)


def too_many(view: View, wait_s: int) -> Response:
    """Return the page that asks the client to wait."""
    return view.page(
        "share_wait.html.jinja",
        status=429,
        minutes=-(-wait_s // 60),
        headers=(("Retry-After", str(wait_s)),),
    )
