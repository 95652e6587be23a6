"""The log of the open account: what people and keys changed in it, as a page and as a file for spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace
from pydantic import BaseModel, Field

from pagegrade.clock import utc_now
from pagegrade.model.account import Action, Role
from pagegrade.parse.url import host
from pagegrade.render.csv import MEDIA_TYPE, table
from pagegrade.render.english import N_
from pagegrade.render.escape import content_disposition, list_name
from pagegrade.report.masking import mask_url
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.team import find_names, list_log
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import INERT, UNKEPT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.html import UNLISTED, VARY, View
from pagegrade.web.request import Request

PATH: Final = "/team/log"
PER_PAGE: Final = 50
COLUMNS: Final = ("at", "by", "who", "operation", "action", "target", "reason", "target_kind", "target_name")
NOBODY: Final = {True: N_("A deleted key"), False: N_("A person whose account was deleted")}
"""True for a key -> name of who did it, where there is none any more."""
_PAGES: Final = ("reports", "audits", "webhooks")
"""Kinds of objects whose id leads to a page."""
_OF_URLS: Final = ("reports", "monitors", "audits", "batches", "silences")
"""Kinds of objects that are called by a URL, or by a name without a secret."""
KINDS: Final = {
    "reports": N_("Report"),
    "batches": N_("Batch"),
    "ignores": N_("Ignore rule"),
    "monitors": N_("Monitor"),
    "silences": N_("Silence"),
    "webhooks": N_("Webhook"),
    "access-profiles": N_("Access profile"),
    "audits": N_("Audit"),
    "keys": N_("Key"),
    "invitations": N_("Invitation"),
    "members": N_("Member"),
    "join": N_("Member"),
    "single-sign-on": N_("Member"),
    "passkeys": N_("Passkey"),
    "accounts": N_("Account"),
    "workspaces": N_("Workspace"),
}
"""Segment of the path of an operation -> what its target is."""


class LogQuery(BaseModel):
    """Part of the log."""

    before: int | None = Field(default=None, ge=1, le=2**63 - 1)
    """Id of an action; only older ones are shown."""


class Row(msgspec.Struct, frozen=True):
    """An action as a page shows it."""

    action: Action
    what: str
    """Summary of the operation, in English."""
    kind: str
    """Noun for what was changed, in English; empty where it is not known."""
    page: str
    """Path of what was changed; empty where there is none."""
    segment: str = ""
    """Key of ``KINDS``; empty where the kind is not known."""
    name: str = ""
    """Of what was changed; empty where it has none, or is gone."""


async def show_log(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the page."""
    before = request.query(LogQuery).before
    found = await work.read(list_log, before_id=before, limit=PER_PAGE + 1)
    rows = await _named(work, [_row(request, each) for each in found[:PER_PAGE]])
    return view.page(
        "team_log.html.jinja",
        rows=rows,
        older=found[PER_PAGE - 1].id if len(found) > PER_PAGE else None,
        is_first=before is None,
        nobody=NOBODY,
    )


async def export_log(request: Request, work: UnitOfWork) -> Response:
    """Return the file, in English, as other programs read it."""
    found = await _named(work, [_row(request, each) for each in await work.read(list_log)])
    rows = (
        (
            timestamp(row.action.at_ms),
            "key" if row.action.is_key else "person",
            row.action.actor,
            row.action.operation,
            row.what,
            row.action.target,
            row.action.reason,
            row.kind if row.action.target is not None else "",
            row.name,
        )
        for row in found
    )
    name = list_name(utc_now(), "csv", of="log")
    return Response(
        status_code=200,
        content=table(COLUMNS, rows).encode("utf-8", "replace"),
        media_type=MEDIA_TYPE,
        headers=(("Content-Disposition", content_disposition(name)), INERT, UNLISTED, UNKEPT, VARY),
    )


def _row(request: Request, action: Action) -> Row:
    """Name an action; one of an operation that another version had keeps its name."""
    operation = next((each for each in request.operations if each.name == action.operation), None)
    if operation is None:
        return Row(action, action.operation, "", "")
    parts = operation.path.removeprefix("/api/v1").split("/")
    kind = parts[1]
    is_gone = operation.method == "DELETE" or operation.path.endswith("/delete")
    page = f"/{kind}/{action.target}" if kind in _PAGES and action.target is not None and not is_gone else ""
    named = next((part for part in reversed(parts) if part in KINDS), "")
    return Row(action, operation.summary, KINDS.get(named, ""), page, named)


async def _named(work: UnitOfWork, rows: Sequence[Row]) -> list[Row]:
    """Give rows the names of what was changed; secrets in URLs stay masked."""
    ids: dict[str, set[int]] = {}
    for row in rows:
        if row.action.target is not None:
            ids.setdefault(row.segment, set()).add(row.action.target)
    names = await work.read(find_names, ids)
    keys = [(row.segment, row.action.target or 0) for row in rows]
    return [replace(row, name=_shown(key[0], names.get(key, ""))) for row, key in zip(rows, keys, strict=True)]


def _shown(segment: str, name: str) -> str:
    if segment == "webhooks" and "://" in name:
        # Who knows the path of a chat channel can write to it.
        return host(name)
    return mask_url(name) if segment in _OF_URLS else name


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_log, role=Role.ADMIN, query=LogQuery),
    PageOperation(path=f"{PATH}.csv", handler=export_log, role=Role.ADMIN),
)
