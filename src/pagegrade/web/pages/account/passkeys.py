"""Add and remove passkeys on the page of the account, and sign in with one.

A page has the question for the device, its script asks, and the form carries the answer. Browsers let only scripts ask,
so two pages need one.
"""

from __future__ import annotations

import asyncio
from typing import Final

from pydantic import BaseModel

from pagegrade.model.account import Role
from pagegrade.model.errors import InvalidInput, NotFound, RateLimited
from pagegrade.render.english import N_
from pagegrade.service.accounts import passkeys
from pagegrade.service.accounts.passkeys import (
    CHALLENGE_MS,
    MAX_NAME,
    Party,
    add_own_passkey,
    begin_adding,
    begin_sign_in,
    make_secret,
    party_of,
    read_assertion,
    read_registration,
    remove_own_passkey,
    rename_own_passkey,
    sign_in_with_passkey,
)
from pagegrade.service.accounts.sessions import is_token, make_token
from pagegrade.service.container import Services
from pagegrade.service.sign_in import WrongPassword, check_password, find_password_hash, needs_current_password
from pagegrade.service.unit_of_work import UnitOfWork, of_person
from pagegrade.web.http.request_headers import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.account_page import Typed, browser_name, password_refused, session_of, show_account
from pagegrade.web.pages.account.sign_in import count_link, own_place, uncount_links
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import SESSION, read_cookies, session_cookie, set_cookie

PATH: Final = "/passkey"
OWN: Final = "/account/passkeys"
ATTEMPT: Final = "passkey"
"""Name of the cookie of a browser that was asked for a passkey."""
PROBLEMS: Final[dict[str, tuple[int, str]]] = {
    passkeys.AGAIN: (400, N_("This took too long, or was begun in another tab or browser. Try again.")),
    passkeys.WRONG: (400, N_("Your browser’s answer does not prove that the passkey is yours. Try again.")),
    passkeys.UNKNOWN: (
        403,
        N_("This passkey does not sign in to an account here. It was removed, or the account is disabled."),
    ),
    passkeys.COPIED: (
        403,
        N_("This passkey may have been copied. Sign in another way, remove it from your account, and add a new one."),
    ),
    passkeys.TAKEN: (409, N_("This passkey is in use already.")),
    passkeys.NAME: (422, N_("Enter a name of 1 to 60 characters.")),
    passkeys.FULL: (409, N_("An account has at most 20 passkeys. Remove one first.")),
    passkeys.LAST: (409, N_("Without this passkey you could not sign in any more. Set a password or add another one.")),
}
"""Reason that something was refused -> status, and what to do."""


class NextQuery(BaseModel):
    """Target after signing in."""

    next: str = ""


async def show_passkey_sign_in(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the page that asks the device."""
    party = need_party(view)
    await count_link(request, services)
    return await _ask(work, view, party, own_place(request.query(NextQuery).next))


async def sign_in_by_passkey(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Sign in who has the passkey."""
    party = need_party(view)
    await count_link(request, services)
    sent = await read_form(request)
    place = own_place(sent.get("next", ""))
    kept = next((each for each in read_cookies(request.header, ATTEMPT, view.options.base_url) if is_token(each)), "")
    try:
        answer = await asyncio.to_thread(read_assertion, sent.get("credential", ""))
        token = await work.write_public(
            sign_in_with_passkey,
            party,
            answer,
            bound=kept,
            agent=request.header(b"user-agent") or "",
            tokens=read_cookies(request.header, SESSION, view.options.base_url),
            now_ms=view.now_ms,
        )
    except InvalidInput as error:
        return await _ask(work, view, party, place, reason=error.reason or passkeys.WRONG)
    await uncount_links(request, services, 2)
    return go(
        place,
        session_cookie(token, view.options.base_url),
        set_cookie(ATTEMPT, "", view.options.base_url, seconds=0),
    )


async def ask_for_new_passkey(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the page that asks the device for a new passkey, to who knows the password of the account."""
    party = need_party(view)
    person = view.admitted.person
    typed = (await read_form(request)).get("passkey_password", "")
    if needs_current_password(person, session_of(view.admitted), view.now_ms):
        stored = await work.read(of_person(find_password_hash))
        try:
            await check_password(services, person, stored, typed, client=limited_as(request.client_address))
        except (WrongPassword, RateLimited) as error:
            return await show_account(request, work, view, password_refused(view.texts, "passkey_password", error))
    agent = browser_name(request.header(b"user-agent") or "", view.texts)
    return await _ask_for_new(request, work, view, party, agent[:MAX_NAME])


async def add_passkey(request: Request, work: UnitOfWork, view: View) -> Response:
    """Add the passkey that the device has made."""
    party = need_party(view)
    sent = await read_form(request)
    name = sent.get("passkey_name", "")
    try:
        made = await asyncio.to_thread(read_registration, sent.get("credential", ""))
        await work.write_own(add_own_passkey, party, made, name=name, now_ms=view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error.reason or passkeys.WRONG)
    return go("/account?said=passkey")


async def rename_passkey(request: Request, work: UnitOfWork, view: View) -> Response:
    """Call a passkey of who is signed in otherwise."""
    name = (await read_form(request)).get("name", "")
    try:
        await work.write_own(rename_own_passkey, request.id, name, now_ms=view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error.reason or passkeys.NAME)
    return go("/account?said=passkey-renamed")


async def remove_passkey(request: Request, work: UnitOfWork, view: View) -> Response:
    """Remove a passkey of who is signed in."""
    try:
        await work.write_own(remove_own_passkey, request.id, view.options, now_ms=view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error.reason or passkeys.LAST)
    return go("/account?said=no-passkey")


def need_party(view: View) -> Party:
    """Return who asks for passkeys here.

    Raises:
        NotFound: Browsers have none for the address of this installation, or people sign in elsewhere only.
    """
    party = party_of(view.options.base_url) if view.options.password_sign_in else None
    if party is None:
        raise NotFound
    return party


async def _ask(work: UnitOfWork, view: View, party: Party, place: str, *, reason: str = "") -> Response:
    token = make_token()
    asked = await work.read_public(begin_sign_in, party, token, now_ms=view.now_ms)
    if asked is None:
        await work.write_public(make_secret)
        asked = await work.read_public(begin_sign_in, party, token, now_ms=view.now_ms)
    status, sentence = PROBLEMS[reason] if reason else (200, "")
    return view.page(
        "passkey_sign_in.html.jinja",
        status=status,
        policy=HELPED,
        headers=(set_cookie(ATTEMPT, token, view.options.base_url, seconds=CHALLENGE_MS // 1000),),
        asked=asked,
        place=place,
        problem=view.texts.gettext(sentence) if sentence else "",
    )


async def _ask_for_new(request: Request, work: UnitOfWork, view: View, party: Party, name: str) -> Response:
    try:
        asked = await work.write_own(begin_adding, party, now_ms=view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error.reason or passkeys.FULL)
    return view.page("passkey_add.html.jinja", policy=HELPED, asked=asked, name=name, most=MAX_NAME)


async def _refused(request: Request, work: UnitOfWork, view: View, reason: str) -> Response:
    status, sentence = PROBLEMS[reason]
    return await show_account(
        request, work, view, Typed(errors={"passkeys": view.texts.gettext(sentence)}, status=status)
    )


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_passkey_sign_in, query=NextQuery, access="anyone"),
    PageOperation(
        method="POST",
        path=PATH,
        summary="Sign in with a passkey",
        handler=sign_in_by_passkey,
        access="anyone",
    ),
    PageOperation(
        method="POST",
        path=f"{OWN}/new",
        summary="Ask the device for a new passkey",
        handler=ask_for_new_passkey,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path=OWN,
        summary=N_("Add a passkey"),
        handler=add_passkey,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path=f"{OWN}/{{id}}/name",
        summary=N_("Rename a passkey"),
        handler=rename_passkey,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path=f"{OWN}/{{id}}/delete",
        summary=N_("Remove a passkey"),
        handler=remove_passkey,
        role=Role.VIEWER,
        recorded=False,
    ),
)
