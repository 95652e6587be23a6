"""Projects: the sites that an account's reports are about, and how they did."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from pagegrade.model.account import Caller
from pagegrade.render.english import N_
from pagegrade.render.escape import unicode_host
from pagegrade.service.reports import projects as service
from pagegrade.service.reports.projects import ProjectFigures
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.fields import read_fields
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import go, page
from pagegrade.web.parameters import ProjectListQuery
from pagegrade.web.report_requests import delete_project_in_parts, typed_project

PATH: Final = "/projects"
PER_PAGE: Final = 25
SAID: Final = {"deleted": N_("The project and its reports were deleted.")}


async def list_project_rows(call: Call) -> Answer:
    """Answer with the projects by name."""
    sent = read_query(call)
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(ProjectListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    found, total = await call.read(
        lambda tx, caller: service.find_projects(tx, caller, page=query.page, per_page=query.per_page)
    )
    said = SAID.get(sent.get("said", ""))
    size = "" if query.per_page == PER_PAGE else f"&per_page={query.per_page}"
    return page(
        call,
        "projects.html.jinja",
        projects=[(project, unicode_host(f"https://{project.name}/"), _segment(project.name)) for project in found],
        total=total,
        page=query.page,
        last_page=max(1, -(-total // query.per_page)),
        address=lambda number: f"{PATH}?page={number}{size}",
        said=None if said is None else call.texts.gettext(said),
        timezone=call.admitted.account.timezone,
    )


async def ask_to_delete_project(call: Call) -> Answer:
    """Answer with the question whether it is meant."""

    def work(tx: Transaction, caller: Caller) -> ProjectFigures:
        return service.find_project(tx, caller, typed_project(call))

    project = await call.read(work)
    return page(call, "project_delete.html.jinja", project=project, segment=_segment(project.name))


async def delete_project_for_good(call: Call) -> Answer:
    """Delete every report of the project, a part at a time, and go to the other projects."""
    await delete_project_in_parts(call, typed_project(call))
    return go(f"{PATH}?said=deleted")


def _segment(name: str) -> str:
    """The name as a segment of a path: its port has a colon, and an IPv6 address has brackets."""
    return quote(name, safe="")


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_project_rows",
        summary="The list of projects",
        handler=list_project_rows,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{project}}/delete",
        name="ask_to_delete_project",
        summary="Whether to delete a project",
        handler=ask_to_delete_project,
        access="account",
        problems=("not_found",),
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{project}}/delete",
        name="delete_project_for_good",
        summary="Delete a project",
        handler=delete_project_for_good,
        access="account",
        problems=("not_found",),
        tag=PAGES,
    ),
)
