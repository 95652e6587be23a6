"""Access to everything behind a share link of a report or an audit: the page, and what is below it.

What is missing, expired or private gets the same page, byte for byte, for every client.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Generic, TypeVar

import msgspec

from pagegrade.clock import now_ms
from pagegrade.model.audit import Audit
from pagegrade.model.stored import Privacy, Shareable, StoredReport
from pagegrade.render.english import N_
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MAX_TYPED
from pagegrade.service.audits.sharing import audit_of_link
from pagegrade.service.container import Services
from pagegrade.service.reports.shares import (
    UNLOCKED_S,
    LoadShared,
    SharedView,
    ViewShared,
    find_locked,
    report_of_link,
    sign_unlock,
    unlock_secret,
    view_shared,
)
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.client_ip import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import read_cookies, set_cookie

S = TypeVar("S", bound=Shareable)
T = TypeVar("T")


class ShareKind(msgspec.Struct, Generic[S], frozen=True):
    """Kind of things that share links lead to."""

    name: str
    """Counts attempts at passwords apart from those of the same id of another kind."""
    place: str
    """Path before the slug."""
    load: LoadShared[S]


REPORTS: Final[ShareKind[StoredReport]] = ShareKind("", "/r/", report_of_link)
AUDITS: Final[ShareKind[Audit]] = ShareKind("audit ", "/a/", audit_of_link)
AUDIENCES: Final = {
    Privacy.PUBLIC: N_("This is what everyone with the link sees."),
    Privacy.PRIVATE: N_("Only people of the workspace can see this page."),
    Privacy.PASSWORD: N_("This is what everyone with the link and the password sees."),
}
"""Privacy -> message for the owner on the share page."""
VIEWS_PER_MINUTE: Final = 120
"""Pages behind share links that a client address may open: rendering one takes some milliseconds."""


def cookie_of(slug: str) -> str:
    """Return the name of the cookie that stores access to a password-protected page, without its prefix."""
    return f"unlock-{slug[:8]}"


async def visit(
    request: Request,
    work: UnitOfWork,
    view: View,
    services: Services,
    use_case: ViewShared[S, T],
    *,
    kind: ShareKind[S],
) -> SharedView[S, T] | Response:
    """Return what the use case reads behind the share link of the path, or the page to show instead.

    Args:
        request: The request, whose path has a ``slug``.
        work: Of the request.
        view: Of the request.
        services: Of the process.
        use_case: Reads the requested part of what the link leads to; raises ``NotFound`` if it does not have that.
        kind: What the link leads to.
    """
    standing = await services.limits.take_now("share pages", limited_as(request.client_address), VIEWS_PER_MINUTE)
    if not standing.allowed:
        return too_many(view, standing.reset_s)
    slug = request.path_params["slug"]
    tokens = read_cookies(request.header, cookie_of(slug), view.options.base_url)
    found = await work.read_shared(
        view_shared, slug, view.options, view.now_ms, tokens=tokens, load=kind.load, view=use_case
    )
    return not_found(view) if found is None else found


def gate(view: View, *, wrong: bool = False) -> Response:
    """Return the password form; it reveals nothing about what it protects, not even whether it is finished.

    Args:
        view: Of the request.
        wrong: True if the previous password was wrong.
    """
    return view.page("share_gate.html.jinja", status=403 if wrong else 200, max_characters=MAX_CHARACTERS, wrong=wrong)


async def unlock(request: Request, work: UnitOfWork, view: View, services: Services, kind: ShareKind[S]) -> Response:
    """Check the password from the form, and grant access; arguments as for ``visit``."""
    slug = request.path_params["slug"]
    find = partial(find_locked, slug=slug, options=view.options, now_ms=view.now_ms, load=kind.load)
    item: S | None = await work.read_shared(find)
    if item is None:
        return not_found(view)
    page = f"{kind.place}{item.slug}"
    if item.privacy != Privacy.PASSWORD:
        return go(page)
    typed = (await read_form(request)).get("password", "")
    if len(typed) > MAX_TYPED:
        return view.page("share_no_password.html.jinja", status=400, max_characters=MAX_CHARACTERS)
    client = limited_as(request.client_address)
    taken = await services.password_attempts.take(f"{kind.name}{item.id}", client)
    if taken.wait_s is not None:
        return too_many(view, taken.wait_s)
    hashed = item.password_hash
    possible = hashed is not None and 0 < len(typed) <= MAX_CHARACTERS
    if hashed is None or not possible or not await services.passwords.verify(hashed, typed):
        return gate(view, wrong=True)
    await services.password_attempts.give_back(taken)
    secret = await work.write_public(unlock_secret)
    token = sign_unlock(secret, item, now_ms())
    return go(page, set_cookie(cookie_of(item.slug), token, view.options.base_url, seconds=UNLOCKED_S))


def to_gate(request: Request, kind: ShareKind[S]) -> Response:
    """Redirect from a part of a report or an audit to its password form."""
    return go(f"{kind.place}{request.path_params['slug']}")


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
