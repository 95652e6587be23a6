"""Sign in at the identity provider of the installation, and connect an account with it."""

from __future__ import annotations

import logging
import re
from typing import Final
from urllib.parse import quote, unquote

from pydantic import BaseModel

from pagegrade.model.account import SINGLE_SIGN_ON_BACK, Identity, Provider, Role
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.render.english import N_
from pagegrade.service.accounts import identities
from pagegrade.service.accounts.passkeys import party_of
from pagegrade.service.accounts.sessions import is_token, make_token
from pagegrade.service.container import Services
from pagegrade.service.single_sign_on import Answer, Attempt, SignOnFailed, authorization_url, identify, sign_out_url
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import UNKEPT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.sign_in import HOME, count_link, own_place, uncount_links
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import MEDIA_TYPE, UNLISTED, VARY, View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import SESSION, read_cookies, session_cookie, set_cookie

PATH: Final = "/single-sign-on"
ATTEMPT: Final = "sign-on"
"""Name of the cookie of a sign-in that was begun."""
ATTEMPT_S: Final = 600
"""So long a person may take at the provider."""
MAX_KEPT: Final = 2_048
"""Characters of the place to come back to, percent-encoded, in a cookie."""
_INVITATION: Final = re.compile(r"/join/([0-9A-Za-z_-]{43})")
logger = logging.getLogger(__name__)

PROBLEMS: Final[dict[str, tuple[int, str]]] = {
    "again": (
        400,
        N_("This sign-in was begun in another browser, took too long, or is finished already. Begin again."),
    ),
    "declined": (403, N_("You were not let in there. Begin again, perhaps as somebody else.")),
    "unreachable": (503, N_("The service that signs you in does not answer. Try again in a few minutes.")),
    "setup": (
        502,
        N_("The service that signs you in did not prove who you are. Tell who runs this server; its log says why."),
    ),
    identities.UNKNOWN: (
        403,
        N_("You have no account here yet. Ask who runs this server, or the owner of a workspace, for an invitation."),
    ),
    identities.MAIL_TAKEN: (
        403,
        N_(
            "An account here has your e-mail address, and it is not confirmed that it is yours. Sign in to it with a "
            "password or a link, then connect it on the page of your account."
        ),
    ),
    identities.NO_MAIL: (
        403,
        N_("The service that signs you in does not tell your e-mail address. Tell who runs this server."),
    ),
    identities.DISABLED: (403, N_("Your account is disabled. Ask who runs this server.")),
    identities.TAKEN: (403, N_("Another account is connected with this identity. Disconnect it there first.")),
}
"""Reason that nobody was signed in -> status, and what to do."""


class BeginQuery(BaseModel):
    """Target after signing in."""

    next: str = ""


class BackQuery(BaseModel):
    """Answer of the provider."""

    state: str = ""
    code: str = ""
    error: str = ""
    iss: str | None = None


async def begin(request: Request, view: View, services: Services) -> Response:
    """Send the browser to the provider."""
    provider = need_provider(view)
    await count_link(request, services)
    attempt = Attempt(make_token())
    try:
        place = await authorization_url(
            provider,
            services.options.analyze,
            attempt,
            back=_back(view),
            language=view.texts.tag,
        )
    except SignOnFailed as error:
        return _failed(view, error)
    kept = quote(own_place(request.query(BeginQuery).next), safe="/")
    value = f"{attempt.token}.{kept if len(kept) <= MAX_KEPT else HOME}"
    return _leave(place, set_cookie(ATTEMPT, value, view.options.base_url, seconds=ATTEMPT_S))


async def finish(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Sign in who comes back, or ask who is signed in already whether to connect the account."""
    provider = need_provider(view)
    await count_link(request, services)
    query = request.query(BackQuery)
    attempt, place = _attempt_of(request, view, query.state)
    caller = await work.identify()
    if attempt is None:
        return _failed(view, SignOnFailed("again", "the browser has not begun it"))
    answer = Answer(code=query.code, error=query.error, iss=query.iss)
    try:
        identity = await identify(
            provider, services.options.analyze, attempt, answer, back=_back(view), now_ms=view.now_ms
        )
    except SignOnFailed as error:
        return _failed(view, error)
    if caller is not None and not await work.read_public(identities.knows, identity):
        offered = await work.write_public(identities.offer, identity, caller.person, view.now_ms)
        return _ask(view, identity, offered)
    invitation = _INVITATION.fullmatch(place)
    visitor = identities.Visitor(
        locale=view.texts.tag,
        agent=request.header(b"user-agent") or "",
        tokens=read_cookies(request.header, SESSION, view.options.base_url),
        invitation="" if invitation is None else invitation[1],
    )
    try:
        token = await work.write_public(identities.sign_in_as, identity, provider, visitor, now_ms=view.now_ms)
    except InvalidInput as error:
        # An address that nobody could type is as good as none.
        return _problem(view, error.reason if error.reason in PROBLEMS else identities.NO_MAIL)
    await uncount_links(request, services, 2)
    return go(place, session_cookie(token, view.options.base_url), _no_attempt(view))


async def connect(request: Request, work: UnitOfWork, view: View) -> Response:
    """Connect the account of who is signed in with an identity that they have just shown."""
    provider = need_provider(view)
    offered = (await read_form(request)).get("offer", "")
    try:
        await work.write_own(identities.accept, offered, provider, now_ms=view.now_ms)
    except InvalidInput as error:
        return _problem(view, error.reason or identities.TAKEN)
    except NotFound:
        return _problem(view, "again")
    return go("/account?said=connected")


async def disconnect(work: UnitOfWork, view: View) -> Response:
    """Let nobody of the provider sign in to the account of who is signed in, who has another way to sign in."""
    provider = need_provider(view)
    if not view.options.password_sign_in:
        raise NotFound
    takes_passkeys = party_of(view.options.base_url) is not None
    await work.write_own(identities.disconnect, provider, takes_passkeys=takes_passkeys)
    return go("/account?said=disconnected")


async def leave(request: Request, view: View, services: Services) -> Response:
    """Send the browser to the provider to sign out there as well."""
    provider = need_provider(view)
    await count_link(request, services)
    try:
        back = f"{view.options.base_url}/sign-in"
        place = await sign_out_url(provider, services.options.analyze, back=back)
    except SignOnFailed as error:
        return _failed(view, error)
    return go("/sign-in") if place is None else _leave(place)


def need_provider(view: View) -> Provider:
    """Return the provider of the installation.

    Raises:
        NotFound: There is none.
    """
    if view.options.provider is None:
        raise NotFound
    return view.options.provider


def _attempt_of(request: Request, view: View, state: str) -> tuple[Attempt | None, str]:
    """Return the attempt of the browser that a state answers, and the place to come back to."""
    for value in read_cookies(request.header, ATTEMPT, view.options.base_url):
        token, _, kept = value.partition(".")
        attempt = Attempt(token)
        if is_token(token) and attempt.is_answered_by(state):
            return attempt, own_place(unquote(kept))
    return None, HOME


def _back(view: View) -> str:
    return f"{view.options.base_url}{SINGLE_SIGN_ON_BACK}"


def _leave(place: str, *headers: tuple[str, str]) -> Response:
    """Redirect to an address of the provider."""
    return Response(
        status_code=303, headers=(("Location", place), UNLISTED, UNKEPT, VARY, *headers), media_type=MEDIA_TYPE
    )


def _ask(view: View, identity: Identity, offered: str) -> Response:
    return view.page(
        "single_sign_on_connect.html.jinja",
        headers=(_no_attempt(view),),
        provider=view.options.provider,
        shown=identity.email or identity.subject,
        offer=offered,
    )


def _failed(view: View, error: SignOnFailed) -> Response:
    logger.warning("single_sign_on_failed", extra={"reason": error.detail})
    return _problem(view, error.reason)


def _problem(view: View, reason: str | None) -> Response:
    status, sentence = PROBLEMS[reason or identities.NO_MAIL]
    return view.page(
        "single_sign_on_failed.html.jinja",
        status=status,
        headers=(_no_attempt(view),),
        provider=view.options.provider,
        sentence=view.texts.gettext(sentence),
        can_repeat=reason in {"again", "declined", "unreachable"},
    )


def _no_attempt(view: View) -> tuple[str, str]:
    return set_cookie(ATTEMPT, "", view.options.base_url, seconds=0)


OPERATIONS: Final = (
    PageOperation(path=PATH, name="begin_single_sign_on", handler=begin, query=BeginQuery, access="anyone"),
    PageOperation(
        path=SINGLE_SIGN_ON_BACK,
        name="finish_single_sign_on",
        summary=N_("Follow the groups of single sign-on"),
        handler=finish,
        query=BackQuery,
        access="anyone",
    ),
    PageOperation(
        method="POST",
        path=f"{PATH}/connect",
        name="connect_identity",
        summary="Connect the account with an identity",
        handler=connect,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path=f"{PATH}/disconnect",
        name="disconnect_identity",
        summary="Disconnect the account from its identity",
        handler=disconnect,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(path=f"{PATH}/leave", name="leave_single_sign_on", handler=leave, access="anyone"),
)
