"""Create an account oneself, where the operator allows it: ask for a link, then choose a password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.errors import InvalidInput, NotFound, RateLimited
from pagegrade.render.english import N_
from pagegrade.service import sign_up as service
from pagegrade.service.accounts.operations import EMAIL, EMAIL_TAKEN, NAME
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MIN_ACCOUNT_CHARACTERS
from pagegrade.service.container import Services
from pagegrade.service.sign_in import check_new_password
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.account.sign_in import count_link, new_person
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import session_cookie

PATH: Final = "/sign-up"
HOME: Final = "/reports"
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    EMAIL: ("email", N_("Enter an e-mail address like name@example.com.")),
    EMAIL_TAKEN: ("email", N_("An account has this e-mail address already. Sign in to it.")),
}
"""Error reason -> (field, message)."""


async def show_sign_up(work: UnitOfWork, view: View) -> Response:
    """Ask for the address to which the link is sent."""
    _need_sign_up(view)
    await work.identify()
    return _form(view)


async def send_link(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Send the link; the page does not say whether an account has the address."""
    _need_sign_up(view)
    await work.identify()
    address = (await read_form(request)).get("email", "").strip()
    gettext = view.texts.gettext
    if not view.options.may_sign_up(address):
        wrong = gettext("Enter an address of a domain that may sign up here, like name@example.com.")
        return _form(view, address=address, errors={"email": wrong}, status=422)
    client = limited_as(request.client_address)
    try:
        mailed = await service.send_sign_up(services, address, client=client, texts=view.texts, now_ms=view.now_ms)
    except RateLimited as error:
        wait_s = error.retry_after_s or 1
        much = view.texts.ngettext(
            "Too many links were sent. Try again in %(num)s minute.",
            "Too many links were sent. Try again in %(num)s minutes.",
            -(-wait_s // 60),
        )
        headers = (("Retry-After", str(wait_s)),)
        return _form(view, address=address, errors={"email": much}, status=429, headers=headers)
    if mailed != "sent":
        wrong = gettext("The message could not be sent to this address. Check it, or try again later.")
        return _form(view, address=address, errors={"email": wrong}, status=422)
    return view.page("sign_up_sent.html.jinja", address=address)


async def show_choice(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Ask for a name and a password."""
    await count_link(request, services)
    await work.identify()
    if not view.options.has_sign_up or not service.is_fresh(request.path_params["token"], view.now_ms):
        return _gone(view)
    return _choice(view)


async def create(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Create the account and sign in."""
    await count_link(request, services)
    await work.identify()
    sent, token = await read_form(request), request.path_params["token"]
    if not view.options.has_sign_up or not service.is_fresh(token, view.now_ms):
        return _gone(view)
    email, password = sent.get("email", "").strip(), sent.get("password", "")
    # Nothing is hashed, which takes time on purpose, for who has no link.
    is_proved = view.options.may_sign_up(email) and await work.read_public(service.proves, token, email, view.now_ms)
    if not is_proved:
        wrong = view.texts.gettext("This link was sent to another address. Enter the one that got it.")
        return _choice(view, sent, {"email": wrong})
    try:
        check_new_password(password)
    except InvalidInput:
        length = view.texts.gettext(
            "Enter a password of %(least)s to %(most)s characters.", least=MIN_ACCOUNT_CHARACTERS, most=MAX_CHARACTERS
        )
        return _choice(view, sent, {"password": length})
    try:
        made = await work.write_public(
            service.finish_sign_up,
            new_person(request, view, sent, password_hash=await services.passwords.hash(password)),
            now_ms=view.now_ms,
        )
    except InvalidInput as error:
        name, sentence = WRONG[error.reason or NAME]
        return _choice(view, sent, {name: view.texts.gettext(sentence)})
    return go(HOME, session_cookie(made, view.options.base_url))


def _need_sign_up(view: View) -> None:
    if not view.options.has_sign_up:
        raise NotFound


def _form(
    view: View,
    *,
    address: str = "",
    errors: Mapping[str, str] | None = None,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    domains = view.options.sign_up_domains
    return view.page(
        "sign_up.html.jinja",
        status=status,
        headers=headers,
        address=address,
        errors=errors or {},
        domains=() if "*" in domains else domains,
    )


def _choice(view: View, sent: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None) -> Response:
    return view.page(
        "sign_up_choice.html.jinja",
        status=422 if errors else 200,
        typed=sent or {},
        errors=errors or {},
        least=MIN_ACCOUNT_CHARACTERS,
        most=MAX_CHARACTERS,
    )


def _gone(view: View) -> Response:
    return view.page("not_found.html.jinja", status=404)


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_sign_up, access="anyone"),
    PageOperation(
        method="POST",
        path=PATH,
        name="send_sign_up_link",
        summary="Send a link that creates an account",
        handler=send_link,
        access="anyone",
    ),
    PageOperation(path=f"{PATH}/{{token}}", name="show_sign_up_link", handler=show_choice, access="anyone"),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{token}}",
        name="use_sign_up_link",
        summary="Create an account with a link",
        handler=create,
        access="anyone",
    ),
)
