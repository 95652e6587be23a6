"""Access to everything behind a share link of a report or an audit: the page, and what is below it.

What is missing, expired or private gets the same page, byte for byte, for every client.
"""

from __future__ import annotations

import hashlib
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, Generic, TypeVar

import msgspec

from pagegrade.clock import now_ms
from pagegrade.model.account import Brand
from pagegrade.model.audit import Audit
from pagegrade.model.identity import VERSION
from pagegrade.model.stored import Privacy, Shareable, StoredReport
from pagegrade.render.account import NO_BRAND
from pagegrade.render.english import N_
from pagegrade.render.shared_pictures import HEIGHT_PX, WIDTH_PX
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MAX_TYPED
from pagegrade.service.audits.sharing import audit_of_link
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
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
from pagegrade.web.http.request_headers import is_unchanged, limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import PLAIN, UNLISTED, VARY, View, asset_url, go, with_look
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


SHARED_DOCUMENTS_PER_MINUTE: Final = 10
"""PDFs and tables of shared pages that a client address may request: each needs a process, and there are few."""
ASKED_ABOUT: Final = ("Cache-Control", "no-cache")
"""Caches must revalidate the page every time, so that what is no longer shared disappears at once."""


class Preview(msgspec.Struct, frozen=True):
    """Title, description and picture for link previews of a share page."""

    title: str
    summary: str
    card: str = ""
    """URL; empty without a picture."""
    card_size: tuple[int, int] = (WIDTH_PX, HEIGHT_PX)
    """Width and height in pixels."""


def validated(
    request: Request, view: View, *seen: object, brand: Brand = NO_BRAND
) -> tuple[tuple[tuple[str, str], ...], Response | None]:
    """Headers of a page that everyone with the link may see, and the answer that a client has it already.

    Args:
        seen: Everything that decides what the page shows, beside its language, its design and this version.
    """
    named = repr((*seen, brand, view.texts.tag, VERSION, _design()))
    etag = f'"{hashlib.sha256(named.encode()).hexdigest()[:32]}"'
    # A weak tag: the compressed and the plain page have the same content, but not the same bytes (RFC 9110 8.8.1).
    headers = (ASKED_ABOUT, ("ETag", f"W/{etag}"))
    if not is_unchanged(request.header(b"if-none-match"), None, etag=etag, modified_ms=None):
        return headers, None
    return headers, Response(
        status_code=304, headers=(("Content-Security-Policy", with_look(PLAIN, brand)), UNLISTED, VARY, *headers)
    )


@cache
def _design() -> str:
    """Return a hash that changes whenever pages look or read different: style sheets, templates and texts count."""
    digest = hashlib.sha256(asset_url("site.css").encode())
    for package, folder in (
        ("pagegrade.web", "templates"),
        ("pagegrade.render", "templates"),
        ("pagegrade.render", "locales"),
    ):
        for content in _contents(files(package) / folder):
            digest.update(content)
    return digest.hexdigest()


def _contents(folder: Traversable) -> list[bytes]:
    """Return the contents of every file below the folder, in a stable order."""
    found: list[bytes] = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        found += _contents(entry) if entry.is_dir() else [entry.read_bytes()]
    return found


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
        use_case: Reads the requested part of what the link leads to; raises ``NotFound`` if it does not have that.
        kind: What the link leads to.
    """
    bucket = Bucket(("share pages", limited_as(request.client_address)), VIEWS_PER_MINUTE)
    standing = await services.limits.take_now(bucket)
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


async def wait_for_document(request: Request, services: Services) -> int | None:
    """Count a document of a shared page that needs a process; seconds to wait if the address had enough of them."""
    bucket = Bucket(("shared PDFs", limited_as(request.client_address)), SHARED_DOCUMENTS_PER_MINUTE)
    standing = await services.limits.take_now(bucket)
    return None if standing.allowed else standing.reset_s


def too_many(view: View, wait_s: int) -> Response:
    """Return the page that asks the client to wait."""
    return view.page(
        "share_wait.html.jinja",
        status=429,
        minutes=-(-wait_s // 60),
        headers=(("Retry-After", str(wait_s)),),
    )
