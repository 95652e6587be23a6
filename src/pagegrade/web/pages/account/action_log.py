"""The log of the open account: what people and keys changed in it, as a page and as a file for spreadsheets."""

from __future__ import annotations

from typing import Final

import msgspec
from pydantic import BaseModel, Field

from pagegrade.clock import utc_now
from pagegrade.model.account import Action, Role
from pagegrade.render.csv import MEDIA_TYPE, table
from pagegrade.render.english import N_
from pagegrade.render.escape import content_disposition, list_name
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts.team import list_log
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import INERT, Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY, View
from pagegrade.web.request import Request

PATH: Final = "/team/log"
PER_PAGE: Final = 50
COLUMNS: Final = ("at", "by", "who", "operation", "action", "target", "reason", "target_kind")
NOBODY: Final = {True: N_("A deleted key"), False: N_("A person whose account was deleted")}
"""True for a key -> name of who did it, where there is none any more."""
_PAGES: Final = ("reports", "audits", "webhooks")
"""Kinds of objects whose id leads to a page."""
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


async def show_log(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the page."""
    before = request.query(LogQuery).before
    found = await work.read(list_log, before_id=before, limit=PER_PAGE + 1)
    return view.page(
        "team_log.html.jinja",
        rows=[_row(request, each) for each in found[:PER_PAGE]],
        older=found[PER_PAGE - 1].id if len(found) > PER_PAGE else None,
        is_first=before is None,
        nobody=NOBODY,
    )


async def export_log(request: Request, work: UnitOfWork) -> Response:
    """Return the file, in English, as other programs read it."""
    found = await work.read(list_log)
    rows = (
        (
            timestamp(each.at_ms),
            "key" if each.is_key else "person",
            each.actor,
            each.operation,
            (row := _row(request, each)).what,
            each.target,
            each.reason,
            row.kind if each.target is not None else "",
        )
        for each in found
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
    return Row(action, operation.summary, KINDS.get(named, ""), page)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="show_log",
        summary="What was changed in the workspace, and by whom",
        handler=show_log,
        access="account",
        role=Role.ADMIN,
        query=LogQuery,
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}.csv",
        name="export_log",
        summary="The log of the workspace for spreadsheets",
        handler=export_log,
        access="account",
        role=Role.ADMIN,
        tag=PAGES,
    ),
)
