"""Who may see what behind a share link: the same for the page, its runs, its comparisons and its exports.

What is not there, has expired, or is kept private is one and the same page, byte for byte, whoever asks.
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
"""Pages behind share links that a client address may open: drawing one takes some milliseconds."""


def cookie_of(slug: str) -> str:
    """Name of the cookie that remembers the password of a report, before ``web.session_cookie.cookie_name``."""
    return f"unlock-{slug[:8]}"


async def visit(
    request: Request, work: UnitOfWork, view: View, services: Services, use_case: ViewReport[T]
) -> SharedView[T] | Response:
    """What is behind the share link of the path for whoever calls, or the page that stands in its place.

    Args:
        request: The request, whose path has a ``slug``.
        work: Of the request.
        view: Of the request.
        services: Of the process.
        use_case: Use case that reads what is wanted of the report; ``NotFound`` where it does not have that.
    """
    standing = await services.limits.take_now("share pages", limited_as(request.client_address), VIEWS_PER_MINUTE)
    if not standing.allowed:
        return too_many(view, standing.reset_s)
    slug = request.path_params["slug"]
    tokens = read_cookies(request.header, cookie_of(slug), view.options.base_url)
    found = await work.read_shared(view_shared, slug, view.options, view.now_ms, tokens=tokens, view=use_case)
    return not_found(view) if found is None else found


def gate(view: View, *, wrong: bool = False) -> Response:
    """The form that asks for the password; it says nothing of the report, not even whether it is finished.

    Args:
        view: Of the request.
        wrong: The password that was typed before is not it.
    """
    return view.page("share_gate.html.jinja", status=403 if wrong else 200, max_characters=MAX_CHARACTERS, wrong=wrong)


def to_gate(request: Request) -> Response:
    """From something of a report to the form that asks for its password."""
    return go(f"/r/{request.path_params['slug']}")


def not_found(view: View) -> Response:
    """There is nothing here for whoever asks."""
    return view.page("not_found.html.jinja", status=404)


def too_many(view: View, wait_s: int) -> Response:
    """The client is to wait."""
    return view.page(
        "share_wait.html.jinja",
        status=429,
        minutes=-(-wait_s // 60),
        headers=(("Retry-After", str(wait_s)),),
    )
