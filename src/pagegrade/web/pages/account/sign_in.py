"""Sign in with a password or a one-time link, and sign out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from pagegrade.model.errors import NotFound, RateLimited, Unavailable
from pagegrade.service.accounts.passkeys import party_of
from pagegrade.service.accounts.passwords import MAX_TYPED
from pagegrade.service.accounts.sessions import NewPerson, end_tokens
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.sign_in import MAX_EMAIL, WrongPassword, find_linked, sign_in_with_link, sign_in_with_password
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import SESSION, ended_cookie, read_cookies, session_cookie

HOME: Final = "/reports"
"""Default page after signing in."""
LINKS_PER_MINUTE: Final = 30
"""Sign-in links that a client address may open: limits login attempts, and the load they cause."""
MAX_PLACE: Final = 2_048
_PLACE: Final = re.compile(r"/(?!/)[!-\[\]-~]*")
"""Path on this server: visible ASCII without a backslash, which browsers treat as a slash."""


class SignInQuery(BaseModel):
    """Target after signing in, and a message."""

    next: str = ""
    said: str = ""
    """``out`` after signing out."""


def new_person(request: Request, view: View, sent: Mapping[str, str], *, password_hash: str) -> NewPerson:
    """Return what a new person sent with a form that creates their account."""
    return NewPerson(
        name=sent.get("name", ""),
        email=sent.get("email", "").strip(),
        locale=view.texts.tag,
        password_hash=password_hash,
        agent=request.header(b"user-agent") or "",
        tokens=read_cookies(request.header, SESSION, view.options.base_url),
    )


async def show_sign_in(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form; redirect users who are signed in already."""
    asked = request.query(SignInQuery)
    place = own_place(asked.next)
    if await work.identify() is not None:
        return go(place)
    is_out = asked.said == "out"
    return _form(view, place=place, said=view.texts.gettext("You are signed out.") if is_out else "", is_out=is_out)


async def sign_in(request: Request, view: View, services: Services) -> Response:
    """Check e-mail address and password, and start a session."""
    if not view.options.password_sign_in:
        raise NotFound
    sent = await read_form(request)
    email, password, place = sent.get("email", "").strip(), sent.get("password", ""), own_place(sent.get("next", ""))
    gettext, options = view.texts.gettext, view.options
    errors = {}
    if not email:
        errors["email"] = gettext("Enter your e-mail address.")
    if not password:
        errors["password"] = gettext("Enter your password.")
    if len(email) > MAX_EMAIL or len(password) > MAX_TYPED:
        errors["email"] = gettext("That is too long for an e-mail address and a password.")
    if errors:
        return _form(view, place=place, email=email[:MAX_EMAIL], errors=errors, status=422)
    try:
        token = await sign_in_with_password(
            services,
            email,
            password,
            client=limited_as(request.client_address),
            agent=request.header(b"user-agent") or "",
            tokens=read_cookies(request.header, SESSION, options.base_url),
            now_ms=view.now_ms,
        )
    except WrongPassword:
        wrong = gettext("No account has this e-mail address and this password. Check both and try again.")
        return _form(view, place=place, email=email, errors={"email": wrong}, status=403)
    except RateLimited as error:
        wait_s = error.retry_after_s or 1
        much = view.texts.ngettext(
            "There were too many attempts to sign in. Try again in %(num)s minute, or use a sign-in link.",
            "There were too many attempts to sign in. Try again in %(num)s minutes, or use a sign-in link.",
            -(-wait_s // 60),
        )
        headers = (("Retry-After", str(wait_s)),)
        return _form(view, place=place, email=email, errors={"": much}, status=429, headers=headers)
    return go(place, session_cookie(token, options.base_url))


async def sign_out(request: Request, work: UnitOfWork, view: View) -> Response:
    """End the session of this browser, if any."""
    base_url = view.options.base_url
    tokens = read_cookies(request.header, SESSION, base_url)
    if tokens:
        await work.write_public(end_tokens, tokens)
    return go("/sign-in?said=out", ended_cookie(base_url))


async def show_sign_in_link(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Ask for confirmation to sign in: programs that preview links in messages must not use them up."""
    await count_link(request, services)
    account = await work.read_public(find_linked, request.path_params["token"], view.now_ms)
    if account is None:
        return view.page("link_used.html.jinja", status=404)
    await uncount_links(request, services)
    return view.page("sign_in_link.html.jinja", name=account.name, email=account.email)


async def use_sign_in_link(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Sign in with the link, which works only once."""
    await count_link(request, services)
    base_url = view.options.base_url
    tokens = read_cookies(request.header, SESSION, base_url)
    agent = request.header(b"user-agent") or ""
    signed_in = await work.write_public(
        sign_in_with_link, request.path_params["token"], agent=agent, tokens=tokens, now_ms=view.now_ms
    )
    if signed_in is None:
        return view.page("link_used.html.jinja", status=404)
    await uncount_links(request, services)
    account, token = signed_in
    is_new = view.options.password_sign_in and not account.has_password
    place = "/account?said=set-password" if is_new else HOME
    return go(place, session_cookie(token, base_url))


def own_place(wanted: str) -> str:
    """Return the target after signing in: a path on this server, else the list of reports.

    Args:
        wanted: Target from the query or the form, of any length and content.
    """
    return wanted if len(wanted) <= MAX_PLACE and _PLACE.fullmatch(wanted) else HOME


async def count_link(request: Request, services: Services) -> None:
    """Count that a client opens a link that stands for a person, or a page to sign in by other means.

    Raises:
        RateLimited: It opened too many within a minute.
    """
    bucket = Bucket(("sign-in links", limited_as(request.client_address)), LINKS_PER_MINUTE)
    standing = await services.limits.take_now(bucket)
    if not standing.allowed:
        raise RateLimited(
            f"At most {standing.limit} attempts to sign in a minute; wait and try again.",
            retry_after_s=standing.reset_s,
        )


async def uncount_links(request: Request, services: Services, count: int = 1) -> None:
    """Take so many back, because they led to who it is: an office behind one address signs in at the same hour."""
    bucket = Bucket(("sign-in links", limited_as(request.client_address)), LINKS_PER_MINUTE)
    with contextlib.suppress(Unavailable):
        for _ in range(count):
            await services.limits.give_back_now(bucket)


def _form(
    view: View,
    *,
    place: str,
    email: str = "",
    said: str = "",
    is_out: bool = False,
    errors: dict[str, str] | None = None,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    return view.page(
        "sign_in.html.jinja",
        status=status,
        headers=headers,
        place=place,
        email=email,
        said=said,
        is_out=is_out,
        errors=errors or {},
        provider=view.options.provider,
        password_sign_in=view.options.password_sign_in,
        has_passkeys=party_of(view.options.base_url) is not None,
        has_sign_up=view.options.has_sign_up,
    )


OPERATIONS: Final = (
    PageOperation(path="/sign-in", handler=show_sign_in, query=SignInQuery, access="anyone"),
    PageOperation(
        method="POST",
        path="/sign-in",
        summary="Sign in with a password",
        handler=sign_in,
        access="anyone",
    ),
    PageOperation(method="POST", path="/sign-out", summary="Sign out", handler=sign_out, access="anyone"),
    PageOperation(path="/sign-in/{token}", handler=show_sign_in_link, access="anyone"),
    PageOperation(
        method="POST",
        path="/sign-in/{token}",
        summary="Sign in with a link",
        handler=use_sign_in_link,
        access="anyone",
    ),
)
