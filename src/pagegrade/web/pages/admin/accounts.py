"""The accounts of the installation: who has one, invitations, and their end."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from pydantic import BaseModel

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import InvalidInput, NotFound, Unavailable
from pagegrade.render.english import N_
from pagegrade.service.accounts.operations import (
    DISABLED,
    EMAIL,
    EMAIL_TAKEN,
    LAST_ADMIN,
    NAME,
    OWN_ACCOUNT,
    create_account,
    disable,
    enable,
    set_admin,
)
from pagegrade.service.erasure import OWN_ERASURE, PARTS_OF_A_REQUEST, begin_erasure, finish_erasure, refuse_own
from pagegrade.service.sign_in import INVITATION_HOURS, link_address, make_link
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import Member, count_accounts, list_members, load_account
from pagegrade.web.context import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import HELPED, go, page

PER_PAGE: Final = 50
_PAGE: Final = re.compile(r"[1-9][0-9]{0,5}")
SEE_OTHER: Final = 303
SAID: Final = {
    "disabled": N_("The account is disabled. None of its keys works, and everybody is signed out of it."),
    "enabled": N_("The account works again."),
    "admin": N_("The owner of this account administers the installation now."),
    "no-admin": N_("The owner of this account administers the installation no longer."),
}
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    EMAIL: ("email", N_("Enter an e-mail address like name@example.com.")),
    EMAIL_TAKEN: ("email", N_("Another account has this e-mail address. Use a different one.")),
    LAST_ADMIN: ("", N_("Nobody else administers this installation. Let somebody else do so first.")),
    OWN_ACCOUNT: ("", N_("You cannot disable your own account.")),
    OWN_ERASURE: ("", N_("Delete your own account on the page of your account.")),
    DISABLED: ("", N_("The account is disabled. Enable it first.")),
}
"""Reason -> (field, what to tell)."""


class SaidQuery(BaseModel):
    """What was just done, and which page of the list to show."""

    said: str = ""
    page: str = "1"


async def show_accounts(call: Call) -> Answer:
    """Answer with the list."""
    return await _list(call)


async def invite(call: Call) -> Answer:
    """Make an account and a link for its owner, which is in the answer and nowhere else."""
    sent = await read_form(call)

    def work(tx: Transaction, caller: Caller) -> tuple[Account, str, int]:
        host = _as_now(tx, caller).account
        account = create_account(
            tx,
            name=sent.get("name", ""),
            email=sent.get("email", ""),
            locale=host.locale,
            timezone=host.timezone,
            now_ms=call.now_ms,
        )
        return account, *make_link(tx, account.id, hours=INVITATION_HOURS, now_ms=call.now_ms)

    try:
        account, token, until_ms = await call.write(work)
    except InvalidInput as error:
        name, sentence = WRONG[error.reason or NAME]
        return await _list(call, sent, {name: call.texts.gettext(sentence)})
    return _show_link(call, account, token, until_ms, is_new=True)


async def show_member(call: Call) -> Answer:
    """Answer with the page of one account."""
    return await _member(call)


async def give_link(call: Call) -> Answer:
    """Make a link for the owner of an account, who may have forgotten the password."""
    account_id = call.id

    def work(tx: Transaction, caller: Caller) -> tuple[Account, str, int]:
        _as_now(tx, caller)
        account = _load(tx, account_id)
        if account.disabled_at_ms is not None:
            raise InvalidInput(reason=DISABLED)
        return account, *make_link(tx, account_id, hours=INVITATION_HOURS, now_ms=call.now_ms)

    try:
        account, token, until_ms = await call.write(work)
    except InvalidInput as error:
        return await _refused(call, error)
    return _show_link(call, account, token, until_ms, is_new=False)


async def ask_to_disable(call: Call) -> Answer:
    """Ask whether an account shall work no longer."""
    return await _ask(call, "admin_disable.html.jinja")


async def disable_account_page(call: Call) -> Answer:
    """Disable an account."""
    return await _change(
        call, lambda tx, caller, account_id: disable(tx, account_id, call.now_ms, by=caller.account), "disabled"
    )


async def enable_account_page(call: Call) -> Answer:
    """Let an account work again."""
    return await _change(call, lambda tx, _caller, account_id: enable(tx, account_id), "enabled")


async def ask_to_erase(call: Call) -> Answer:
    """Ask whether an account shall be erased."""
    return await _ask(call, "admin_erase.html.jinja")


async def erase_account_page(call: Call) -> Answer:
    """Erase an account with everything of it."""
    account_id = call.id

    def work(tx: Transaction, caller: Caller) -> None:
        admin = _as_now(tx, caller).account
        refuse_own(_load(tx, account_id), admin)
        begin_erasure(tx, account_id, call.now_ms, by=admin)

    try:
        await call.write(work)
    except InvalidInput as error:
        return await _refused(call, error)
    with contextlib.suppress(Unavailable):
        await finish_erasure(call.services, account_id, parts=PARTS_OF_A_REQUEST)
    return go("/admin/accounts")


async def ask_about_admin(call: Call) -> Answer:
    """Ask whether the owner of an account shall administer the installation, or no longer."""
    return await _ask(call, "admin_rights.html.jinja")


async def change_admin(call: Call) -> Answer:
    """Let the owner of an account administer the installation, or no longer, as the form says."""
    is_admin = (await read_form(call)).get("is_admin") == "1"
    done = await _change(
        call,
        lambda tx, _caller, account_id: set_admin(tx, account_id, is_admin=is_admin),
        "admin" if is_admin else "no-admin",
    )
    # Who has just given the right up does not get to see the page any more.
    gave_up = not is_admin and call.id == call.admitted.account.id and done.status == SEE_OTHER
    return go("/reports") if gave_up else done


async def _list(call: Call, sent: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None) -> Answer:
    asked = call.query(SaidQuery).page if call.method in ("GET", "HEAD") else "1"
    number = int(asked) if _PAGE.fullmatch(asked) else 1

    def work(tx: Transaction, _caller: Caller) -> tuple[int, tuple[Member, ...]]:
        return count_accounts(tx), list_members(tx, limit=PER_PAGE, offset=PER_PAGE * (number - 1))

    count, members = await call.read(work)
    return page(
        call,
        "admin_accounts.html.jinja",
        status=422 if errors else 200,
        members=members,
        count=count,
        page_number=number,
        last_page=max(1, -(-count // PER_PAGE)),
        typed=sent or {},
        errors=errors or {},
        me=call.admitted.account,
    )


async def _member(call: Call, errors: Mapping[str, str] | None = None) -> Answer:
    account_id = call.id
    found = await call.read(lambda tx, _caller: list_members(tx, account_id=account_id))
    if not found:
        raise NotFound
    said = SAID.get(call.query(SaidQuery).said, "") if call.method in ("GET", "HEAD") else ""
    return page(
        call,
        "admin_account.html.jinja",
        status=422 if errors else 200,
        member=found[0],
        errors=errors or {},
        said=call.texts.gettext(said) if said else "",
        me=call.admitted.account,
    )


async def _ask(call: Call, template: str) -> Answer:
    account_id = call.id
    account = await call.read(lambda tx, _caller: _load(tx, account_id))
    return page(call, template, account=account, me=call.admitted.account)


async def _change(call: Call, work: Callable[[Transaction, Caller, int], tuple[Account, bool]], said: str) -> Answer:
    account_id = call.id
    try:
        await call.write(lambda tx, caller: work(tx, _as_now(tx, caller), account_id))
    except InvalidInput as error:
        return await _refused(call, error)
    return go(f"/admin/accounts/{account_id}?said={said}")


async def _refused(call: Call, error: InvalidInput) -> Answer:
    sentence = WRONG[error.reason or NAME][1]
    return await _member(call, {"": call.texts.gettext(sentence)})


def _as_now(tx: Transaction, caller: Caller) -> Caller:
    """Who calls, as the database says now: two administrators may act on each other at the same moment.

    Raises:
        NotFound: The caller is no administrator any more, for whom there is no such page.
    """
    account = _load(tx, caller.account.id)
    if not account.is_admin or account.disabled_at_ms is not None:
        raise NotFound
    return replace(caller, account=account)


def _load(tx: Transaction, account_id: int) -> Account:
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound
    return account


def _show_link(call: Call, account: Account, token: str, until_ms: int, *, is_new: bool) -> Answer:
    return page(
        call,
        "admin_link.html.jinja",
        policy=HELPED,
        account=account,
        link=link_address(call.services.options.base_url, token),
        until_ms=until_ms,
        is_new=is_new,
        me=call.admitted.account,
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/admin/accounts",
        name="show_accounts",
        summary="The accounts, and a form to invite somebody",
        handler=show_accounts,
        access="admin",
        query=SaidQuery,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts",
        name="invite_account",
        summary="Make an account and a link for its owner",
        handler=invite,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/accounts/{id}",
        name="show_member",
        summary="One account",
        handler=show_member,
        access="admin",
        query=SaidQuery,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts/{id}/link",
        name="give_link",
        summary="Make a sign-in link for the owner of an account",
        handler=give_link,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/accounts/{id}/disable",
        name="ask_to_disable",
        summary="Whether to disable an account",
        handler=ask_to_disable,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts/{id}/disable",
        name="disable_account",
        summary="Disable an account",
        handler=disable_account_page,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts/{id}/enable",
        name="enable_account",
        summary="Let an account work again",
        handler=enable_account_page,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/accounts/{id}/delete",
        name="ask_to_erase",
        summary="Whether to delete an account",
        handler=ask_to_erase,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts/{id}/delete",
        name="erase_account",
        summary="Delete an account with its reports, keys and sessions",
        handler=erase_account_page,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/accounts/{id}/admin",
        name="ask_about_admin",
        summary="Whether the owner of an account shall administer the installation",
        handler=ask_about_admin,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/accounts/{id}/admin",
        name="change_admin",
        summary="Let the owner of an account administer the installation, or no longer",
        handler=change_admin,
        access="admin",
        tag=PAGES,
    ),
)
