"""API keys of the signed-in user: list them, create one whose secret is shown once, and revoke them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import DEFAULT_SCOPES, KEYS, MEMBERS, SCOPES, Key, Role
from pagegrade.model.errors import InvalidInput
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.accounts.access import PROJECT, SCOPE
from pagegrade.service.accounts.operations import NAME
from pagegrade.service.accounts.own_keys import (
    MAX_KEYS,
    TOO_MANY,
    find_own_key,
    issue_own_key,
    list_own_keys,
    revoke_own_key,
)
from pagegrade.service.unit_of_work import UnitOfWork, of_account
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import SaidQuery, read_form
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.request import Request

DAY_MS: Final = 86_400_000
EXPIRIES: Final[dict[str, tuple[int | None, str]]] = {
    "30": (30, N_("30 days")),
    "90": (90, N_("90 days")),
    "365": (365, N_("A year")),
    "never": (None, N_("It does not end")),
}
"""Value as sent -> (days, label)."""
USUAL_EXPIRY: Final = "365"
SCOPE_TEXTS: Final = {
    "reports:read": N_("Read reports"),
    "reports:write": N_("Create, change and delete reports"),
    "account:read": N_("Read the account and what it has used"),
    "ignores": N_("Ignore findings"),
    "monitors": N_("Read and change monitors"),
    "webhooks": N_("Read and change webhooks"),
    "audits:read": N_("Read site audits"),
    "audits:write": N_("Create, change and delete site audits"),
    "access": N_("Read and change access profiles, without their secrets"),
    KEYS: N_("Create and revoke keys"),
    MEMBERS: N_("Invite, change and remove members"),
}
SAID: Final = {"revoked": N_("The key is revoked. It works no longer.")}
WRONG: Final = {
    NAME: ("name", N_("Enter a name of 1 to 200 characters, such as what the key is for.")),
    PROJECT: ("project", N_("Enter a site such as example.com, or leave the field empty.")),
    SCOPE: ("scopes", N_("Select at least one permission of the key.")),
}
"""Error reason -> (field, message)."""


async def show_keys(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form for a new key."""
    return await _show(request, work, view)


async def create_key(request: Request, work: UnitOfWork, view: View) -> Response:
    """Create a key; only this response contains its secret."""
    sent = await read_form(request)
    gettext = view.texts.gettext
    expiry = EXPIRIES.get(sent.get("expires", ""))
    if expiry is None:
        return await _show(request, work, view, sent, {"expires": gettext("Choose how long the key works.")})
    days = expiry[0]
    try:
        key, secret = await work.write(
            of_account(issue_own_key),
            name=sent.get("name", ""),
            scopes=tuple(scope for scope in _scopes_of(view) if _field_of(scope) in sent),
            project=sent.get("project", ""),
            expires_at_ms=None if days is None else view.now_ms + days * DAY_MS,
            now_ms=view.now_ms,
        )
    except InvalidInput as error:
        if error.reason == TOO_MANY:
            many = gettext("You have %(most)s keys that work. Revoke one before you create another.", most=MAX_KEYS)
            return await _show(request, work, view, sent, {"": many})
        name, sentence = WRONG[error.reason or NAME]
        return await _show(request, work, view, sent, {name: gettext(sentence)})
    return view.page("key_made.html.jinja", policy=HELPED, key=key, secret=secret, account=view.admitted.person)


async def ask_to_revoke(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask for confirmation to revoke a key."""
    key_id = request.id
    key = await work.read(of_account(find_own_key), key_id)
    if key.revoked_at_ms is not None:
        return go("/keys")
    return view.page("key_revoke.html.jinja", key=key, account=view.admitted.person)


async def revoke_key_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Revoke a key; revoking it again is not an error."""
    key_id = request.id
    await work.write(of_account(revoke_own_key), key_id, view.now_ms)
    return go("/keys?said=revoked")


async def _show(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> Response:
    keys = await work.read(of_account(list_own_keys))
    texts = view.texts
    said = SAID.get(request.query(SaidQuery).said, "") if request.method in ("GET", "HEAD") else ""
    typed: Mapping[str, str] = sent or {"expires": USUAL_EXPIRY, **{_field_of(scope): "1" for scope in DEFAULT_SCOPES}}
    rows = [(key, _state(key, view.now_ms)) for key in reversed(keys)]
    return view.page(
        "keys.html.jinja",
        status=422 if errors else 200,
        account=view.admitted.person,
        keys=sorted(rows, key=lambda row: row[1] != "works"),
        names={key.id: key.name for key in keys},
        typed=typed,
        errors=errors or {},
        said=texts.gettext(said) if said else "",
        scopes=[(_field_of(scope), texts.gettext(SCOPE_TEXTS[scope]), scope) for scope in _scopes_of(view)],
        every=len(SCOPES),
        scope_texts={scope: texts.gettext(text) for scope, text in SCOPE_TEXTS.items()},
        expiries=_expiry_choices(texts),
    )


def _expiry_choices(texts: Texts) -> list[tuple[str, str]]:
    return [(value, texts.gettext(words)) for value, (_, words) in EXPIRIES.items()]


def _scopes_of(view: View) -> tuple[str, ...]:
    """Scopes that the person can give a key: none beyond what they may do themselves."""
    return SCOPES if view.admitted.role is Role.OWNER else tuple(scope for scope in SCOPES if scope != MEMBERS)


def _field_of(scope: str) -> str:
    """Return the name of a scope's checkbox, usable as an id in style sheets without escaping."""
    return scope.replace(":", "-")


def _state(key: Key, now_ms: int) -> str:
    if key.revoked_at_ms is not None:
        return "revoked"
    return "expired" if key.expires_at_ms is not None and key.expires_at_ms <= now_ms else "works"


OPERATIONS: Final = (
    PageOperation(path="/keys", name="show_own_keys", handler=show_keys, role=Role.ADMIN, query=SaidQuery),
    PageOperation(
        method="POST", path="/keys", name="make_own_key", summary=N_("Make a key"), handler=create_key, role=Role.ADMIN
    ),
    PageOperation(path="/keys/{id}/revoke", handler=ask_to_revoke, role=Role.ADMIN),
    PageOperation(
        method="POST",
        path="/keys/{id}/revoke",
        name="revoke_own_key",
        summary=N_("Revoke a key"),
        handler=revoke_key_page,
        role=Role.ADMIN,
    ),
)
