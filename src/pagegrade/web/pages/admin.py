"""Pages of administrators: the installation, its health checks, and its accounts.

Accounts are listed, invited, disabled, enabled and erased.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Mapping
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from pagegrade.model.account import QUOTA_NAMES, UNLIMITED, Account, read_quotas
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.render.account import quota_rows
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service import administration as service
from pagegrade.service.accounts.operations import (
    DISABLED,
    EMAIL,
    EMAIL_TAKEN,
    LAST_ADMIN,
    NAME,
    OWN_ACCOUNT,
    SHARED,
)
from pagegrade.service.accounts.quotas import PLAN, find_quotas
from pagegrade.service.accounts.team import LAST_OWNER
from pagegrade.service.administration import OWN_ERASURE, PARTS_OF_A_REQUEST, finish_erasure
from pagegrade.service.container import Services
from pagegrade.service.doctor.machine import Diagnosis, format_size
from pagegrade.service.health import OK
from pagegrade.service.sign_in import link_url
from pagegrade.service.system_status import find_overview, look_at_system
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.request import Request

_LEVELS: Final = ("problem", "warning", "ok")
"""Levels, the worst first."""
_PARTS: Final = {"database": N_("Database"), "schema": N_("Tables"), "disk": N_("Disk")}
_TROUBLES: Final = {
    "changed": N_("changed by a later version of Pagegrade"),
    "full": N_("full"),
    "slow": N_("slow"),
    "unavailable": N_("not available"),
    "none": N_("not on this machine"),
    "unknown": N_("unknown"),
}
_SECOND_MS: Final = 1_000
_MINUTE_S: Final = 60


async def show_admin(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the overview."""
    accounts, admins, queue = await work.read(find_overview, view.now_ms)
    words = await services.health.words()
    texts = view.texts
    return view.page(
        "admin.html.jinja",
        accounts=accounts,
        admins=admins,
        queue=queue,
        troubles=[
            (texts.gettext(_PARTS[name]), texts.gettext(_TROUBLES[word])) for name, word in words.items() if word != OK
        ],
    )


async def show_system(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the quick health checks."""
    return await _show_system(work, view, services, all_of_it=False)


async def check_database(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the health checks with a full check of the database for corruption."""
    return await _show_system(work, view, services, all_of_it=True)


def duration(seconds: float, texts: Texts) -> str:
    """Format a duration in one unit."""
    whole = int(seconds)
    if whole < _MINUTE_S:
        return texts.ngettext("%(num)s second", "%(num)s seconds", whole)
    return texts.ngettext("%(num)s minute", "%(num)s minutes", whole // _MINUTE_S)


async def _show_system(work: UnitOfWork, view: View, services: Services, *, all_of_it: bool) -> Response:
    await work.admit()
    state = await asyncio.to_thread(partial(look_at_system, services, view.now_ms, all_of_it=all_of_it))
    texts = view.texts
    return view.page(
        "admin_system.html.jinja",
        state=state,
        diagnoses=[_shown(one, texts) for one in sorted(state.diagnoses, key=lambda one: _LEVELS.index(one.level))],
        oldest=duration(state.queue.oldest_ms / _SECOND_MS, texts),
        idle=None if state.idle_s is None else duration(state.idle_s, texts),
        size=lambda count: texts.phrase(format_size(count)),
        all_of_it=all_of_it,
    )


def _shown(one: Diagnosis, texts: Texts) -> Mapping[str, Any]:
    """Return a health check in the reader's language."""
    topic, observation, advice = map(texts.phrase, (one.topic, one.observation, one.remedy))
    return {"level": one.level, "topic": topic, "lines": observation.split("\n"), "advice": advice}


PER_PAGE: Final = 50
_PAGE: Final = re.compile(r"[1-9][0-9]{0,5}")
SEE_OTHER: Final = 303
SAID: Final = {
    "disabled": N_("The account is disabled. Its keys no longer work, and all of its sessions have ended."),
    "enabled": N_("The account works again."),
    "admin": N_("The owner of this account administers the installation now."),
    "quotas": N_("The quotas of this account apply from now on."),
    "no-admin": N_("The owner of this account administers the installation no longer."),
}
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters.")),
    EMAIL: ("email", N_("Enter an e-mail address like name@example.com.")),
    EMAIL_TAKEN: ("email", N_("Another account has this e-mail address. Use a different one.")),
    LAST_ADMIN: (
        "",
        N_("This is the only administrator of the installation. Make another account an administrator first."),
    ),
    OWN_ACCOUNT: ("", N_("You cannot disable your own account.")),
    OWN_ERASURE: ("", N_("Delete your own account on the page of your account.")),
    DISABLED: ("", N_("The account is disabled. Enable it first.")),
    SHARED: ("", N_("This workspace has no sign-in of its own: its members sign in to their own accounts.")),
    PLAN: ("plan", N_("The installation has no such plan. Choose one of the list.")),
    LAST_OWNER: ("", N_("This is the only owner of another workspace. It needs another owner first.")),
}
"""Error reason -> (field, message)."""
WRONG_QUOTA: Final = N_("Enter a whole number from 0 to 1,000,000,000, the word none for no limit, or nothing.")


class SaidQuery(BaseModel):
    """Message about the last action, and the page of the list to show."""

    said: str = ""
    page: str = "1"


async def show_accounts(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list."""
    return await _list(request, work, view)


async def invite(request: Request, work: UnitOfWork, view: View) -> Response:
    """Create an account and a link for its owner; only this response contains the link."""
    sent = await read_form(request)
    try:
        account, token, until_ms = await work.write(
            service.invite_member, name=sent.get("name", ""), email=sent.get("email", ""), now_ms=view.now_ms
        )
    except InvalidInput as error:
        name, sentence = WRONG[error.reason or NAME]
        return await _list(request, work, view, sent, {name: view.texts.gettext(sentence)})
    return _show_link(view, account, token, until_ms, is_new=True)


async def show_member(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the page of one account."""
    return await _member(request, work, view)


async def give_link(request: Request, work: UnitOfWork, view: View) -> Response:
    """Create a sign-in link for the owner of an account, who may have forgotten the password."""
    try:
        account, token, until_ms = await work.write(service.give_link, request.id, view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    return _show_link(view, account, token, until_ms, is_new=False)


async def ask_to_disable(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask for confirmation to disable an account."""
    return await _ask(request, work, view, "admin_disable.html.jinja")


async def disable_account_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Disable an account."""
    return await _change(request, work, view, work.write(service.disable_member, request.id, view.now_ms), "disabled")


async def enable_account_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Enable a disabled account."""
    return await _change(request, work, view, work.write(service.enable_member, request.id), "enabled")


async def ask_to_erase(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask for confirmation to erase an account."""
    return await _ask(request, work, view, "admin_erase.html.jinja")


async def erase_account_page(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Erase an account with all of its data."""
    account_id = request.id
    try:
        await work.write(service.begin_member_erasure, account_id, view.now_ms)
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    with contextlib.suppress(Unavailable):
        await finish_erasure(services, account_id, parts=PARTS_OF_A_REQUEST)
    return go("/admin/accounts")


async def ask_about_admin(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask for confirmation to grant or revoke administrator rights."""
    return await _ask(request, work, view, "admin_rights.html.jinja")


async def change_admin(request: Request, work: UnitOfWork, view: View) -> Response:
    """Grant or revoke administrator rights, as the form says."""
    is_admin = (await read_form(request)).get("is_admin") == "1"
    change = work.write(service.set_member_admin, request.id, is_admin=is_admin)
    done = await _change(request, work, view, change, "admin" if is_admin else "no-admin")
    # After revoking their own rights, users can no longer see this page.
    gave_up = not is_admin and request.id == view.admitted.account.id and done.status_code == SEE_OTHER
    return go("/reports") if gave_up else done


async def change_quotas(request: Request, work: UnitOfWork, view: View) -> Response:
    """Store the plan and the quotas of an account."""
    sent = await read_form(request)
    try:
        quotas = read_quotas({name: sent.get(name, "") for name in QUOTA_NAMES})
    except ValueError:
        wrong: dict[str, str] = {
            name: view.texts.gettext(WRONG_QUOTA) for name in QUOTA_NAMES if not _is_quota(sent.get(name, ""))
        }
        return await _member(request, work, view, wrong, sent)
    plans = view.options.plans
    change = work.write(
        service.set_member_quotas, request.id, plan=sent.get("plan") or None, quotas=quotas, plans=plans
    )
    return await _change(request, work, view, change, "quotas")


def _is_quota(typed: str) -> bool:
    try:
        read_quotas({QUOTA_NAMES[0]: typed})
    except ValueError:
        return False
    return True


async def _list(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    asked = request.query(SaidQuery).page if request.method in ("GET", "HEAD") else "1"
    number = int(asked) if _PAGE.fullmatch(asked) else 1
    count, members = await work.read(service.find_members, page=number, per_page=PER_PAGE)
    return view.page(
        "admin_accounts.html.jinja",
        status=422 if errors else 200,
        members=members,
        count=count,
        page_number=number,
        last_page=max(1, -(-count // PER_PAGE)),
        typed=sent or {},
        errors=errors or {},
        me=view.admitted.person,
    )


async def _member(
    request: Request,
    work: UnitOfWork,
    view: View,
    errors: Mapping[str, str] | None = None,
    sent: Mapping[str, str] | None = None,
) -> Response:
    member = await work.read(service.find_member, request.id)
    quotas, _ = await work.read(find_quotas, view.options, view.now_ms, account_id=request.id)
    own = member.account.quotas
    stored = {name: "none" if most == UNLIMITED else str(most) for name, most in own.items()}
    plan = member.account.plan or ""
    plans = [("", view.texts.gettext("Default")), *((name, name) for name, _ in view.options.plans)]
    # A plan that the installation no longer has.
    plans += [] if plan in dict(plans) else [(plan, plan)]
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    return view.page(
        "admin_account.html.jinja",
        status=422 if errors else 200,
        member=member,
        quotas=quota_rows(view.texts, quotas),
        typed={"plan": plan, **stored} if sent is None else sent,
        plans=plans,
        errors=errors or {},
        said=view.texts.gettext(said) if said else "",
        me=view.admitted.person,
    )


async def _ask(request: Request, work: UnitOfWork, view: View, template: str) -> Response:
    account = await work.read(service.find_account, request.id)
    return view.page(template, account=account, me=view.admitted.person)


async def _change(request: Request, work: UnitOfWork, view: View, change: Awaitable[None], said: str) -> Response:
    try:
        await change
    except InvalidInput as error:
        return await _refused(request, work, view, error)
    return go(f"/admin/accounts/{request.id}?said={said}")


async def _refused(request: Request, work: UnitOfWork, view: View, error: InvalidInput) -> Response:
    field, sentence = WRONG[error.reason or NAME]
    return await _member(request, work, view, {field: view.texts.gettext(sentence)})


def _show_link(view: View, account: Account, token: str, until_ms: int, *, is_new: bool) -> Response:
    return view.page(
        "admin_link.html.jinja",
        policy=HELPED,
        account=account,
        link=link_url(view.options.base_url, token),
        until_ms=until_ms,
        is_new=is_new,
        me=view.admitted.person,
    )


OPERATIONS: Final = (
    PageOperation(path="/admin", handler=show_admin, access="admin"),
    PageOperation(path="/admin/system", handler=show_system, access="admin"),
    PageOperation(
        method="POST",
        path="/admin/system",
        summary=N_("Check the database for corruption"),
        handler=check_database,
        access="admin",
    ),
    PageOperation(path="/admin/accounts", handler=show_accounts, access="admin", query=SaidQuery),
    PageOperation(
        method="POST",
        path="/admin/accounts",
        name="invite_account",
        summary=N_("Make an account and a link for its owner"),
        handler=invite,
        access="admin",
    ),
    PageOperation(path="/admin/accounts/{id}", handler=show_member, access="admin", query=SaidQuery),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/link",
        summary=N_("Make a sign-in link for the owner of an account"),
        handler=give_link,
        access="admin",
    ),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/quotas",
        summary=N_("Change the plan and the quotas of an account"),
        handler=change_quotas,
        access="admin",
    ),
    PageOperation(path="/admin/accounts/{id}/disable", handler=ask_to_disable, access="admin"),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/disable",
        name="disable_account",
        summary=N_("Disable an account"),
        handler=disable_account_page,
        access="admin",
    ),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/enable",
        name="enable_account",
        summary=N_("Let an account work again"),
        handler=enable_account_page,
        access="admin",
    ),
    PageOperation(path="/admin/accounts/{id}/delete", handler=ask_to_erase, access="admin"),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/delete",
        name="erase_account",
        summary=N_("Delete an account with its reports, keys and sessions"),
        handler=erase_account_page,
        access="admin",
    ),
    PageOperation(path="/admin/accounts/{id}/admin", handler=ask_about_admin, access="admin"),
    PageOperation(
        method="POST",
        path="/admin/accounts/{id}/admin",
        summary=N_("Let the owner of an account administer the installation, or no longer"),
        handler=change_admin,
        access="admin",
    ),
)
