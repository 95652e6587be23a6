"""Page of the team of the open account: members, invitations, and the accounts that can be opened."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from pagegrade.model.account import Role
from pagegrade.model.errors import InvalidInput, RateLimited, Unavailable
from pagegrade.render.account import quota_rows, role_choices, role_names, role_of
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.service import invitation_mail
from pagegrade.service.accounts import team as service
from pagegrade.service.accounts.admission import Access
from pagegrade.service.accounts.operations import NAME
from pagegrade.service.accounts.quotas import find_quotas
from pagegrade.service.administration import PARTS_OF_A_REQUEST, begin_erasure, finish_erasure
from pagegrade.service.container import Services
from pagegrade.service.sign_in import WrongPassword, check_password, find_password_hash
from pagegrade.service.unit_of_work import UnitOfWork, of_account, of_person
from pagegrade.web.http.request_headers import limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.account.account_page import Typed, password_refused
from pagegrade.web.pages.forms import SaidQuery, read_form
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.request import Request

PATH: Final = "/team"
_INVITATIONS: Final = f"{PATH}/invitations"
_WITHDRAW: Final = f"{_INVITATIONS}/{{id}}/withdraw"
_MEMBER: Final = f"{PATH}/members/{{id}}"
_NEW: Final = "/admin/workspaces"
SAID: Final = {
    "changed": N_("The member has another role."),
    "removed": N_("The member was removed."),
    "withdrawn": N_("The invitation no longer works."),
    "opened": N_("This workspace is open now."),
    "created": N_("The workspace was created, and is open now. Invite its members below."),
    "renamed": N_("The workspace has another name."),
    "left": N_("You left the workspace. Your own is open now."),
    "joined": N_("You are a member of this workspace now."),
}
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    service.TOO_MANY: ("", N_("There are too many members and invitations. Remove some first.")),
    service.LAST_OWNER: ("", N_("A workspace needs an owner. Make another member an owner first.")),
    service.ROLE: ("", N_("Choose one of the roles.")),
    service.OWN: ("", N_("This is the workspace of one person, who can neither leave nor rename it here.")),
}
"""Error reason -> (field, message)."""
WRONG_ADDRESS: Final = {
    invitation_mail.ADDRESS: N_("Enter an e-mail address like name@example.com."),
    invitation_mail.DOMAIN: N_("No e-mail is sent to this domain. Create the link, and send it yourself."),
}
"""Error reason -> message at the address of an invitation."""
NOT_MAILED: Final = {
    "refused": N_("The mail server accepts nothing for %(address)s. Check the address, or send the link yourself."),
    "unavailable": N_("The message to %(address)s could not be sent. Send the link yourself."),
}


async def show_team(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the page."""
    return await _show(request, work, view, Typed())


async def invite(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Create an invitation, and send it if an address is given; the response contains its link, too."""
    await work.admit()
    sent, texts = await read_form(request), view.texts
    role, recipient = role_of(sent.get("role", "")), sent.get("email", "")
    if role is None:
        return await _show(request, work, view, Typed(sent, {"role": texts.gettext(WRONG[service.ROLE][1])}, 422))
    try:
        if recipient.strip():
            recipient = invitation_mail.check_recipient(view.options, recipient)
            await invitation_mail.count_mail(services, view.admitted, recipient)
    except InvalidInput as error:
        wrong = {"email": texts.gettext(WRONG_ADDRESS[error.reason or invitation_mail.ADDRESS])}
        return await _show(request, work, view, Typed(sent, wrong, 422))
    except RateLimited as error:
        return await _show(request, work, view, _too_many_mails(view, sent, error))
    try:
        made = await work.write(
            service.invite, role=role, label=sent.get("label", "").strip() or recipient, now_ms=view.now_ms
        )
    except InvalidInput as error:
        return await _refused(request, work, view, error, sent, label="label")
    mailed = ""
    if recipient.strip():
        reader = await work.read(invitation_mail.find_recipient, recipient)
        mailed = await invitation_mail.mail_invitation(
            services, made, caller=view.admitted, reader=reader, recipient=recipient, now_ms=view.now_ms
        )
    return view.page(
        "team_invitation.html.jinja",
        policy=HELPED,
        invitation=made.invitation,
        link=f"{view.options.base_url}/join/{made.token}",
        recipient=recipient,
        mailed=mailed,
        not_mailed=texts.gettext(NOT_MAILED[mailed], address=visible(recipient)) if mailed in NOT_MAILED else "",
        roles=role_names(texts),
    )


def _too_many_mails(view: View, sent: Mapping[str, str], error: RateLimited) -> Typed:
    wait_s = error.retry_after_s or 1
    much = view.texts.ngettext(
        "Too many invitations were sent. Try again in %(num)s minute, or create the link without an address.",
        "Too many invitations were sent. Try again in %(num)s minutes, or create the link without an address.",
        -(-wait_s // 60),
    )
    return Typed(sent, {"email": much}, 429, (("Retry-After", str(wait_s)),))


async def withdraw(request: Request, work: UnitOfWork) -> Response:
    """Withdraw an invitation."""
    await work.write(service.withdraw, request.id)
    return go(f"{PATH}?said=withdrawn")


async def change_role(request: Request, work: UnitOfWork, view: View) -> Response:
    """Give a member another role."""
    role = role_of((await read_form(request)).get("role", ""))
    try:
        await work.write(service.change_role, request.id, role)
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    return go(f"{PATH}?said=changed")


async def remove_member(request: Request, work: UnitOfWork, view: View) -> Response:
    """Remove a member."""
    try:
        await work.write(service.remove_member, request.id)
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    return go(f"{PATH}?said=removed")


async def leave(request: Request, work: UnitOfWork, view: View) -> Response:
    """Leave the open account."""
    try:
        await work.write(service.leave)
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    return go(f"{PATH}?said=left")


async def open_account(request: Request, work: UnitOfWork) -> Response:
    """Open another account in this browser."""
    chosen = (await read_form(request)).get("workspace", "")
    await work.write(service.open_account, int(chosen) if chosen.isascii() and chosen.isdigit() else 0)
    return go(f"{PATH}?said=opened")


async def create_account(request: Request, work: UnitOfWork, view: View) -> Response:
    """Create an account that only has members."""
    sent = await read_form(request)
    try:
        await work.write(service.create_shared, name=sent.get("new_name", ""), now_ms=view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error, sent, label="new_name")
    return go(f"{PATH}?said=created")


async def rename(request: Request, work: UnitOfWork, view: View) -> Response:
    """Rename the open account."""
    sent = await read_form(request)
    try:
        await work.write(service.rename, name=sent.get("name", ""))
    except InvalidInput as error:
        return await _refused(request, work, view, error, sent, label="name")
    return go(f"{PATH}?said=renamed")


async def erase(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Delete the open account with all of its data, after a password check; a person's own has its own page."""
    typed = (await read_form(request)).get("confirm_password", "")
    account, person = view.admitted.account, view.admitted.person
    if account.is_personal:
        own = {
            "": view.texts.gettext("Only the person whose workspace it is can delete it, on the page of the account.")
        }
        return await _show(request, work, view, Typed(errors=own, status=422))
    stored = await work.read(of_person(find_password_hash))
    try:
        await check_password(services, person, stored, typed, client=limited_as(request.client_address))
    except (WrongPassword, RateLimited) as error:
        return await _show(request, work, view, password_refused(view.texts, "confirm_password", error))
    await work.write(of_account(begin_erasure), view.now_ms, by=person)
    with contextlib.suppress(Unavailable):
        await finish_erasure(services, account.id, parts=PARTS_OF_A_REQUEST)
    return go(PATH)


async def _refused(
    request: Request,
    work: UnitOfWork,
    view: View,
    error: InvalidInput,
    sent: Mapping[str, str] | None = None,
    *,
    label: str = "",
) -> Response:
    name, sentence = WRONG[error.reason or NAME]
    typed = Typed(sent or {}, {label if name else "": view.texts.gettext(sentence)}, 422)
    return await _show(request, work, view, typed)


async def _show(request: Request, work: UnitOfWork, view: View, typed: Typed) -> Response:
    found = await work.read(service.find_team, view.now_ms)
    quotas, _ = await work.read(find_quotas, view.options, view.now_ms)
    texts, caller = view.texts, view.admitted
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    own = [] if caller.own is None else [(caller.own, Role.OWNER)]
    others = [(each.account, each.role) for each in caller.memberships if each.account.id != caller.account.id]
    return view.page(
        "team.html.jinja",
        status=typed.status,
        headers=typed.headers,
        team=found,
        quotas=quota_rows(texts, quotas),
        typed=typed.details,
        errors=typed.errors,
        said=texts.gettext(said) if said else "",
        roles=role_names(texts),
        choices=role_choices(texts),
        others=[*own, *others],
        mail_domains=() if view.options.mail is None else view.options.mail.domains,
    )


def _page(
    method: str,
    path: str,
    name: str,
    summary: str,
    handler: Callable[..., Awaitable[Response]],
    *,
    access: Access = "account",
    role: Role | None = None,
    recorded: bool = True,
) -> Operation:
    return PageOperation(
        method=method,
        path=path,
        name=name,
        summary=summary,
        handler=handler,
        access=access,
        role=role,
        recorded=recorded,
        query=SaidQuery if method == "GET" else None,
    )


OPERATIONS: Final = (
    _page("GET", PATH, "show_team", "Who works in the open account", show_team, role=Role.VIEWER),
    _page("POST", _INVITATIONS, "invite_to_team", N_("Make an invitation"), invite, role=Role.OWNER),
    _page("POST", _WITHDRAW, "withdraw_invitation", N_("Withdraw an invitation"), withdraw, role=Role.OWNER),
    _page("POST", f"{_MEMBER}/role", "change_role", N_("Give a member another role"), change_role, role=Role.OWNER),
    _page("POST", f"{_MEMBER}/remove", "remove_from_team", N_("Remove a member"), remove_member, role=Role.OWNER),
    _page("POST", f"{PATH}/leave", "leave_team", N_("Leave the workspace"), leave, role=Role.VIEWER),
    _page(
        "POST", f"{PATH}/open", "open_workspace", "Open another account", open_account, role=Role.VIEWER, recorded=False
    ),
    _page("POST", f"{PATH}/name", "rename_workspace", N_("Rename the workspace"), rename, role=Role.ADMIN),
    _page("POST", f"{PATH}/delete", "erase_workspace", N_("Delete the workspace"), erase, role=Role.OWNER),
    _page("POST", _NEW, "create_workspace", N_("Create a workspace"), create_account, access="admin"),
)
