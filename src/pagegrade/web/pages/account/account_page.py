"""The account page of the signed-in user: details, usage, password and sessions."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pagegrade.model.account import Account, Caller, Role, Session
from pagegrade.model.errors import InvalidInput, NotFound, RateLimited, Unavailable
from pagegrade.model.stored import Privacy
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.render.i18n import LOCALES, Texts
from pagegrade.service.accounts.identities import find_connected, may_disconnect
from pagegrade.service.accounts.operations import (
    EMAIL,
    EMAIL_TAKEN,
    LAST_ADMIN,
    LOCALE,
    NAME,
    PRIVACY,
    TIMEZONE,
    change_account,
    known_timezones,
)
from pagegrade.service.accounts.passkeys import find_own_passkeys, party_of
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MIN_ACCOUNT_CHARACTERS
from pagegrade.service.accounts.quotas import find_quotas
from pagegrade.service.accounts.sessions import end_own_session
from pagegrade.service.accounts.team import LAST_OWNER
from pagegrade.service.administration import PARTS_OF_A_REQUEST, begin_erasure, finish_erasure
from pagegrade.service.container import Services
from pagegrade.service.sign_in import (
    WrongPassword,
    change_password,
    check_password,
    find_password_hash,
    find_usage_and_sessions,
    needs_current_password,
    sign_out_everywhere,
)
from pagegrade.service.unit_of_work import UnitOfWork, of_person
from pagegrade.web.http.request_headers import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import SaidQuery, read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.request import Request
from pagegrade.web.session_cookie import ended_cookie, session_cookie

SAID: Final = {
    "saved": N_("Your details are saved."),
    "set-password": N_("You are signed in. Set a password below, so that you can sign in without a link."),
    "password": N_("Your password is set. All other browsers are signed out."),
    "others": N_("All other browsers are signed out, and sign-in links you did not use no longer work."),
    "one": N_("The browser is signed out."),
    "connected": N_("Your account is connected. You can sign in without a password."),
    "passkey": N_("Your passkey is added. You can sign in with it."),
    "passkey-renamed": N_("The passkey has its new name."),
    "no-passkey": N_("The passkey is removed. Delete it on your device as well."),
    "disconnected": N_("Your account is not connected any more."),
}
PASSKEYS_STAY: Final = N_(
    "Your password is set. All other browsers are signed out. Your passkeys stay: remove those that you do not know."
)
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    EMAIL: ("email", N_("Enter an e-mail address like name@example.com.")),
    EMAIL_TAKEN: ("email", N_("Another account has this e-mail address. Use a different one.")),
    LOCALE: ("locale", N_("Choose one of the languages.")),
    TIMEZONE: ("timezone", N_("Choose one of the time zones.")),
    PRIVACY: ("privacy", N_("Choose who may see new reports.")),
}
"""Error reason -> (field, message)."""
WHY_KEPT: Final = {
    LAST_ADMIN: N_("This is the only administrator of the installation. Make another account an administrator first."),
    LAST_OWNER: N_(
        "This is the only owner of a workspace. Make another member an owner first, or delete the workspace."
    ),
}
"""Error reason -> why an account is not deleted."""
_REGIONS: Final = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
"""Regions of the time zones to choose from; the database also has aliases, such as Eire, and zones without a place."""
_PRIVACIES: Final[dict[str, int | None]] = {
    "": None,
    str(int(Privacy.PUBLIC)): Privacy.PUBLIC,
    str(int(Privacy.PRIVATE)): Privacy.PRIVATE,
}
_NO_PRIVACY: Final = -1
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
"""Part of a User-Agent header -> browser; the first match counts, because browsers also name their predecessors."""
_SYSTEMS: Final = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


class Typed(msgspec.Struct, frozen=True):
    """A submitted form that was not valid."""

    details: Mapping[str, str] = msgspec.field(default_factory=dict)
    errors: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Field -> message, in the order of the page."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


async def show_account_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the account page."""
    return await show_account(request, work, view, Typed())


async def save_details(request: Request, work: UnitOfWork, view: View) -> Response:
    """Save name, e-mail address, language, time zone and privacy."""
    sent = await read_form(request)
    try:
        await work.write_own(
            of_person(change_account),
            name=sent.get("name", ""),
            email=sent.get("email", ""),
            locale=_known_locale(sent.get("locale", ""), view.admitted.person),
            timezone=sent.get("timezone", ""),
            default_privacy=_PRIVACIES.get(sent.get("privacy", ""), _NO_PRIVACY),
        )
    except InvalidInput as error:
        name, sentence = WRONG[error.reason or NAME]
        return await show_account(request, work, view, Typed(sent, {name: view.texts.gettext(sentence)}, 422))
    return go("/account?said=saved")


async def save_password_page(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Set a new password."""
    sent = await read_form(request)
    caller, gettext = view.admitted, view.texts.gettext
    session = session_of(caller)
    try:
        token = await change_password(
            services,
            caller.person,
            session,
            current=sent.get("current", ""),
            new=sent.get("new", ""),
            client=limited_as(request.client_address),
            now_ms=view.now_ms,
        )
    except (WrongPassword, RateLimited) as error:
        return await show_account(request, work, view, password_refused(view.texts, "current", error))
    except InvalidInput:
        length = gettext(
            "Enter a password of %(least)s to %(most)s characters.", least=MIN_ACCOUNT_CHARACTERS, most=MAX_CHARACTERS
        )
        return await show_account(request, work, view, Typed(errors={"new": length}, status=422))
    return go("/account?said=password", session_cookie(token, view.options.base_url))


async def erase_own_account(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Erase the account with all of its data, after a password check."""
    typed = (await read_form(request)).get("confirm_password", "")
    account, gettext = view.admitted.person, view.texts.gettext
    stored = await work.read(of_person(find_password_hash))
    if stored is None:
        first = gettext("Set a password first: it is asked for to confirm this.")
        return await show_account(request, work, view, Typed(errors={"new": first}, status=422))
    try:
        await check_password(services, account, stored, typed, client=limited_as(request.client_address))
        await work.write_own(of_person(begin_erasure), view.now_ms, by=account)
    except (WrongPassword, RateLimited) as error:
        return await show_account(request, work, view, password_refused(view.texts, "confirm_password", error))
    except InvalidInput as error:
        kept = gettext(WHY_KEPT[error.reason or LAST_ADMIN])
        return await show_account(request, work, view, Typed(errors={"confirm_password": kept}, status=422))
    with contextlib.suppress(Unavailable):
        await finish_erasure(services, account.id, parts=PARTS_OF_A_REQUEST)
    return go("/sign-in", ended_cookie(services.options.base_url))


async def end_other_sessions(work: UnitOfWork, view: View) -> Response:
    """End all sessions but the current one."""
    await work.write_own(of_person(sign_out_everywhere), but=session_of(view.admitted).id)
    return go("/account?said=others")


async def end_one_session(request: Request, work: UnitOfWork, view: View) -> Response:
    """End one session, which may be the current one."""
    session_id = request.id
    if not await work.write_own(of_person(end_own_session), session_id):
        raise NotFound
    if session_id == session_of(view.admitted).id:
        return go("/sign-in", ended_cookie(view.options.base_url))
    return go("/account?said=one")


def browser_name(agent: str, texts: Texts) -> str:
    """Describe a browser in a few words.

    Args:
        agent: Its User-Agent header, which can contain anything.
    """
    browser = next((name for part, name in _BROWSERS if f"{part}/" in agent), None)
    system = next((name for part, name in _SYSTEMS if part in agent), None)
    if browser is None:
        return visible(agent, 60) or texts.gettext("A browser without a name")
    if system is None:
        return browser
    return texts.gettext("%(browser)s on %(system)s", browser=browser, system=system)


async def show_account(request: Request, work: UnitOfWork, view: View, typed: Typed) -> Response:
    """Return the account page, with a form that was refused or none."""
    usage, sessions = await work.read(find_usage_and_sessions, view.now_ms)
    caller, texts, provider = view.admitted, view.texts, view.options.provider
    connected = None if provider is None else await work.read(find_connected, provider)
    quotas, _ = await work.read(find_quotas, view.options, view.now_ms, account_id=caller.person.id)
    account, session = caller.person, session_of(caller)
    passkeys = await work.read(find_own_passkeys)
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    if said == SAID["password"] and passkeys and view.options.password_sign_in:
        said = PASSKEYS_STAY
    details: Mapping[str, Any] = typed.details or {
        "name": account.name,
        "email": account.email,
        "locale": account.locale,
        "timezone": account.timezone,
        "privacy": "" if account.default_privacy is None else account.default_privacy,
    }
    takes_passkeys = party_of(view.options.base_url) is not None
    return view.page(
        "account.html.jinja",
        status=typed.status,
        headers=typed.headers,
        account=account,
        usage=usage,
        options=view.options,
        details=details,
        errors=typed.errors,
        said=texts.gettext(said) if said else "",
        said_kind="decent" if said == SAID["set-password"] else "good",
        locales=_locale_choices(account, texts),
        zones=_zone_choices(account.timezone),
        privacies=_privacy_choices(view),
        needs_current=needs_current_password(account, session, view.now_ms),
        quotas={quota.name: quota for quota in quotas},
        sessions=[(each, browser_name(each.agent, texts), each.id == session.id) for each in sessions],
        provider=provider,
        connected=connected,
        passkeys=passkeys,
        has_passkeys=takes_passkeys,
        may_disconnect=view.options.password_sign_in and await work.read(may_disconnect, takes_passkeys=takes_passkeys),
        least=MIN_ACCOUNT_CHARACTERS,
        most=MAX_CHARACTERS,
    )


def password_refused(texts: Texts, name: str, error: WrongPassword | RateLimited) -> Typed:
    """Return the form with an error after a wrong password in the field, or after too many attempts."""
    if isinstance(error, WrongPassword):
        wrong = texts.gettext("This is not your current password. Check it and try again.")
        return Typed(errors={name: wrong}, status=403)
    wait_s = error.retry_after_s or 1
    much = texts.ngettext(
        "There were too many wrong passwords. Try again in %(num)s minute.",
        "There were too many wrong passwords. Try again in %(num)s minutes.",
        -(-wait_s // 60),
    )
    return Typed(errors={name: much}, status=429, headers=(("Retry-After", str(wait_s)),))


def session_of(caller: Caller) -> Session:
    """Return the session of who is signed in."""
    if caller.session is None:
        raise RuntimeError("a page was opened with a key")
    return caller.session


def _known_locale(sent: str, account: Account) -> str:
    """Return a supported language or that of the account; empty for any other, which is rejected."""
    return sent if sent in LOCALES or sent == account.locale else ""


def _locale_choices(account: Account, texts: Texts) -> list[tuple[str, str]]:
    choices = [(tag, texts.language_name(tag)) for tag in LOCALES]
    if account.locale not in LOCALES:
        # Set with the API or on the command line; pages use the closest language available.
        choices.append((account.locale, account.locale))
    return choices


def _zone_choices(chosen: str) -> list[tuple[str, list[str]]]:
    """Return the time zones by region: UTC, those of places, and the current one, even if unknown."""
    regions: dict[str, list[str]] = {}
    for name in sorted(known_timezones()):
        region = name.partition("/")[0] if "/" in name else ""
        if region in _REGIONS or name in ("UTC", chosen):
            regions.setdefault(region, []).append(name)
    return sorted(regions.items())


def _privacy_choices(view: View) -> list[tuple[str, str]]:
    gettext = view.texts.gettext
    is_public = view.options.default_privacy == Privacy.PUBLIC
    return [
        (
            "",
            gettext("Anyone with the link (this server’s default)")
            if is_public
            else gettext("Only people of the workspace (this server’s default)"),
        ),
        (str(int(Privacy.PUBLIC)), gettext("Anyone with the link")),
        (str(int(Privacy.PRIVATE)), gettext("Only people of the workspace")),
    ]


OPERATIONS: Final = (
    PageOperation(path="/account", handler=show_account_page, query=SaidQuery),
    PageOperation(
        method="POST",
        path="/account",
        summary="Change name, e-mail address, language, time zone and privacy",
        handler=save_details,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path="/account/password",
        name="save_account_password",
        summary="Set or change the password",
        handler=save_password_page,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path="/account/delete",
        summary="Delete the account with its reports, keys and sessions",
        handler=erase_own_account,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path="/account/sessions/end",
        summary="Sign out everywhere else",
        handler=end_other_sessions,
        role=Role.VIEWER,
        recorded=False,
    ),
    PageOperation(
        method="POST",
        path="/account/sessions/{id}/end",
        name="end_session",
        summary="Sign one browser out",
        handler=end_one_session,
        role=Role.VIEWER,
        recorded=False,
    ),
)
