"""Access profiles of a signed-in account: the list, a new one, its change and its end; no page shows a secret."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from pydantic import BaseModel

from pagegrade.model.access import MAX_PROFILES, StoredAccess
from pagegrade.model.account import Role
from pagegrade.model.errors import PreconditionFailed, QuotaExceeded, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.render.english import N_
from pagegrade.service.access import operations as service
from pagegrade.service.access.operations import Locked
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.forms import SaidQuery, read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.problems import problem_of
from pagegrade.web.request import Request

PATH: Final = "/access-profiles"
SAID: Final = {
    "created": N_("The access profile was created. Analyses of its origins use it from now on."),
    "saved": N_("The access profile was saved. Analyses use it from now on."),
    "private": N_(
        "The access profile was saved. Reports and audits of its origins that were public are private now, because "
        "what comes next shows what is not public."
    ),
    "deleted": N_("The access profile was deleted. Its reports are analyzed without it from now on."),
}
WRONG: Final = {
    ("name", "required"): N_("Enter a name, such as Staging. Reports show it."),
    ("name", "invalid"): N_("Enter a name of at most 100 characters on one line."),
    ("origins", "required"): N_("Enter at least one origin, such as https://staging.example."),
    ("origins", "invalid"): N_(
        "A line is no origin. Enter 1 to 20, one a line, each with scheme and host and without a path, such as "
        "https://staging.example."
    ),
    ("user", "required"): N_(
        "There is nothing to send yet. Enter a user and password, a header, a cookie, or a certificate to trust."
    ),
    ("user", "invalid"): N_("The user cannot be sent. A colon and line breaks are not possible in it."),
    ("password", "invalid"): N_("The password cannot be sent. It is too long, or has a line break in it."),
    ("headers", "invalid"): N_(
        "One of the lines is not a valid header. Write each as Name: value, at most 20, and each name once. Cookies, "
        "the user agent and a user with a password have fields of their own."
    ),
    ("cookies", "invalid"): N_(
        "A line is no cookie that can be sent. Write each as name=value, at most 50, as the browser sends them."
    ),
    ("query", "invalid"): N_("A line is no parameter that can be added. Write each as name=value, at most 20."),
    ("certificates", "invalid"): N_(
        "This cannot be read as certificates. Paste 1 to 20 in PEM, each from -----BEGIN CERTIFICATE----- on, and no "
        "key."
    ),
    ("user_agent", "invalid"): N_("The user agent cannot be sent. Enter it on one line, in ASCII characters."),
}
"""(field, code) -> message."""
CHANGED: Final = N_(
    "The access profile was changed in another tab or by a program after you opened this page. The form shows it as it "
    "is now. Nothing was saved yet."
)
LOCKED: Final = N_(
    "The secrets cannot be encrypted or decrypted here. The administrator can set PAGEGRADE_SECRET_KEY, or add the "
    "former key to it; a profile whose key is lost can be deleted and created again."
)
_LINES: Final = ("origins", "headers", "cookies", "query")
"""Fields with one item a line."""
_TEXTS: Final = ("name", "user", "user_agent")


async def show_profiles(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form for a new profile."""
    return await _list(request, work, view)


async def create_profile(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Store a new profile."""
    sent = await read_form(request)
    try:
        saved = await work.write(service.create_profile, wanted=_wanted(sent), vault=services.vault, now_ms=view.now_ms)
    except ValidationFailed as error:
        return await _list(request, work, view, sent, _problems(view, error))
    except QuotaExceeded:
        many = view.texts.gettext(
            "You have %(most)s access profiles. Delete one before you create another.", most=MAX_PROFILES
        )
        return await _list(request, work, view, sent, {"": many})
    except Locked as error:
        locked = {"": view.texts.gettext(LOCKED)}
        return await _list(request, work, view, sent, locked, status=problem_of(error).status)
    return go(f"{PATH}?said={'private' if saved.made_private else 'created'}")


async def show_profile(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a profile as a form: names are shown, and what they stand for is not."""
    return await _form(request, work, view)


async def save_profile(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Save the changes of the form; a secret that was not typed again stays as it is."""
    sent = await read_form(request)
    stored = await work.read(service.show_profile, request.id)
    seen = sent.get("seen", "")
    try:
        saved = await work.write(
            service.update_profile,
            request.id,
            _wanted(sent, stored),
            vault=services.vault,
            now_ms=view.now_ms,
            changed_tag=lambda profile: None if seen == str(profile.revision) else str(profile.revision),
        )
    except ValidationFailed as error:
        return await _form(request, work, view, sent, _problems(view, error))
    except PreconditionFailed as error:
        changed = {"": view.texts.gettext(CHANGED)}
        return await _form(request, work, view, errors=changed, status=problem_of(error).status)
    except Locked as error:
        locked = {"": view.texts.gettext(LOCKED)}
        return await _form(request, work, view, sent, locked, status=problem_of(error).status)
    return go(f"{PATH}/{request.id}?said={'private' if saved.made_private else 'saved'}")


async def ask_to_delete(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask whether to delete a profile, with what uses it."""
    stored, uses = await work.read(service.show_with_uses, request.id)
    return view.page("access_profile_delete.html.jinja", profile=stored, uses=uses)


async def delete_profile(request: Request, work: UnitOfWork) -> Response:
    """Delete a profile."""
    await work.write(service.delete_profile, request.id)
    return go(f"{PATH}?said=deleted")


def _wanted(sent: Mapping[str, str], before: StoredAccess | None = None) -> service.AccessFields:
    """The fields as the use cases take them.

    Args:
        sent: As typed.
        before: The profile that they change; a field for a password is never filled in, so an empty one leaves the
            password as it is, unless its user was removed. ``None``: a new profile.
    """
    password: str | None = sent.get("password", "")
    if before is not None and not password and (sent.get("user", "") or not before.user):
        password = None
    lines = {name: sent.get(name, "").splitlines() for name in _LINES}
    return service.AccessFields(
        name=sent.get("name", ""),
        origins=lines["origins"],
        user=sent.get("user", ""),
        password=password,
        headers=lines["headers"],
        cookies=lines["cookies"],
        query=lines["query"],
        user_agent=sent.get("user_agent", ""),
        certificates=_sent_certificates(sent, before),
    )


def _sent_certificates(sent: Mapping[str, str], before: StoredAccess | None) -> str | None:
    """Return the certificates as pasted; ``None`` leaves those of the profile, which the form only names."""
    pasted = sent.get("certificates", "")
    keeps = before is not None and not pasted.strip() and sent.get("forget_certificates") != "yes"
    return None if keeps else pasted


def _problems(view: View, error: ValidationFailed) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in error.violations:
        words = WRONG.get((one.field, one.code))
        found.setdefault(one.field, one.message if words is None else view.texts.gettext(words))
    return found


def _said(request: Request, view: View) -> str:
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    return view.texts.gettext(said) if said else ""


async def _list(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    *,
    status: int = 422,
) -> Response:
    found = await work.read(service.list_profiles, ListPart(per_page=MAX_PROFILES))
    return view.page(
        "access_profiles.html.jinja",
        status=status if errors else 200,
        profiles=found.items,
        typed=sent or {},
        errors=errors or {},
        said=_said(request, view),
    )


async def _form(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    *,
    status: int = 422,
) -> Response:
    stored, uses = await work.read(service.show_with_uses, request.id)
    shown = {name: "\n".join(getattr(stored, name)) for name in _LINES}
    shown |= {name: getattr(stored, name) for name in _TEXTS}
    return view.page(
        "access_profile.html.jinja",
        status=status if errors else 200,
        profile=stored,
        uses=uses,
        typed=sent or shown,
        errors=errors or {},
        said=_said(request, view),
    )


def _page(
    method: str,
    path: str,
    name: str,
    summary: str,
    handler: Callable[..., Awaitable[Response]],
    *,
    query: type[BaseModel] | None = None,
) -> Operation:
    return PageOperation(
        method=method, path=path, name=name, summary=summary, handler=handler, role=Role.ADMIN, query=query
    )


_ONE: Final = f"{PATH}/{{id}}"
OPERATIONS: Final = (
    _page("GET", PATH, "show_access_page", "The access profiles, and a form", show_profiles, query=SaidQuery),
    _page("POST", PATH, "create_access_page", N_("Make an access profile"), create_profile),
    _page("GET", _ONE, "show_one_access_page", "An access profile", show_profile, query=SaidQuery),
    _page("POST", _ONE, "save_access_page", N_("Change an access profile"), save_profile),
    _page("GET", f"{_ONE}/delete", "ask_to_delete_access", "Whether to delete an access profile", ask_to_delete),
    _page("POST", f"{_ONE}/delete", "delete_access_page", N_("Delete an access profile"), delete_profile),
)
