"""Accept an invitation: as the person who is signed in, or as a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.render.account import ROLE_MEANINGS, role_names
from pagegrade.render.english import N_
from pagegrade.service.accounts import team as service
from pagegrade.service.accounts.operations import EMAIL, EMAIL_TAKEN, NAME
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MIN_ACCOUNT_CHARACTERS
from pagegrade.service.container import Services
from pagegrade.service.sign_in import check_new_password
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.sign_in import count_link, new_person
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import session_cookie

WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    EMAIL: ("email", N_("Enter an e-mail address like name@example.com.")),
    EMAIL_TAKEN: ("email", N_("An account has this e-mail address already. Sign in to it, then open this link again.")),
    service.TOO_MANY: ("", N_("You are a member of too many workspaces. Leave one first.")),
}
"""Error reason -> (field, message)."""


async def show_invitation(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Ask whether to accept an invitation, and a new person for what they sign in with."""
    await count_link(request, services)
    await work.identify()
    return await _show(request, work, view)


async def accept_invitation(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Accept an invitation."""
    await count_link(request, services)
    token = request.path_params["token"]
    sent = await read_form(request)
    caller = await work.identify()
    if caller is None or caller.session is None:
        return await _join_as_new(request, work, view, services, sent)
    try:
        joined = await work.write_public(
            service.join, token, person=caller.person, session=caller.session, now_ms=view.now_ms
        )
    except InvalidInput as error:
        return await _show(request, work, view, sent, _wrong(view, error))
    return _gone(view) if joined is None else go("/team?said=joined")


async def _join_as_new(
    request: Request, work: UnitOfWork, view: View, services: Services, sent: Mapping[str, str]
) -> Response:
    if not view.options.password_sign_in:
        raise NotFound
    token, password = request.path_params["token"], sent.get("password", "")
    # Nothing is hashed, which takes time on purpose, for who was not invited.
    if await work.read_public(service.find_invited, token, view.now_ms) is None:
        return _gone(view)
    try:
        check_new_password(password)
    except InvalidInput:
        length = view.texts.gettext(
            "Enter a password of %(least)s to %(most)s characters.", least=MIN_ACCOUNT_CHARACTERS, most=MAX_CHARACTERS
        )
        return await _show(request, work, view, sent, {"password": length})
    try:
        made = await work.write_public(
            service.join_as_new,
            token,
            new_person(request, view, sent, password_hash=await services.passwords.hash(password)),
            now_ms=view.now_ms,
        )
    except InvalidInput as error:
        return await _show(request, work, view, sent, _wrong(view, error))
    return _gone(view) if made is None else go("/team?said=joined", session_cookie(made, view.options.base_url))


async def _show(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    invited = await work.read_public(service.find_invited, request.path_params["token"], view.now_ms)
    if invited is None:
        return _gone(view)
    role = invited.invitation.role
    return view.page(
        "join.html.jinja",
        status=422 if errors else 200,
        invited=invited,
        role=role_names(view.texts)[role],
        meaning=view.texts.gettext(ROLE_MEANINGS[role]),
        typed=sent or {},
        errors=errors or {},
        provider=view.options.provider,
        password_sign_in=view.options.password_sign_in,
        least=MIN_ACCOUNT_CHARACTERS,
        most=MAX_CHARACTERS,
    )


def _wrong(view: View, error: InvalidInput) -> Mapping[str, str]:
    name, sentence = WRONG[error.reason or NAME]
    return {name: view.texts.gettext(sentence)}


def _gone(view: View) -> Response:
    return view.page("join_gone.html.jinja", status=404)


OPERATIONS: Final = (
    PageOperation(path="/join/{token}", handler=show_invitation, access="anyone"),
    PageOperation(
        method="POST",
        path="/join/{token}",
        summary=N_("Accept an invitation"),
        handler=accept_invitation,
        access="anyone",
    ),
)
