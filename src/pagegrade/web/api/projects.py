"""Projects: the hosts of an account's reports."""

from __future__ import annotations

from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.parse.url import project_of
from pagegrade.service.reports import projects as service
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.parameters import ProjectListQuery
from pagegrade.web.report_requests import delete_project_in_parts, typed_project
from pagegrade.web.responses import enveloped, fresh_answer, listed_answer
from pagegrade.web.schemas import DeletedProject, ProjectAnswer, ProjectList

PATH: Final = "/api/v1/projects"


async def list_projects(call: Call) -> Answer:
    """Answer with a page of the caller's projects."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        query = call.query(ProjectListQuery)
        found = service.list_projects(tx, caller, page=query.page, per_page=query.per_page)
        return listed_answer(call, found, query, path=PATH)

    return await call.read(work)


async def show_project(call: Call) -> Answer:
    """Answer with a project."""
    return await call.read(
        lambda tx, caller: fresh_answer(call, enveloped(service.show_project(tx, caller, typed_project(call))))
    )


async def delete_project(call: Call) -> Answer:
    """Delete every report of a project, a part at a time, and answer how many there were."""
    typed = typed_project(call)
    count = await delete_project_in_parts(call, typed)
    members = {"project": project_of(typed), "object": "project", "deleted": True, "reports": count, "status": 200}
    return Answer(status=200, body=msgspec.json.encode(members))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_projects",
        summary="List projects",
        description="The hosts of the account's reports by name, with how many reports each has.",
        handler=list_projects,
        scope="reports:read",
        query=ProjectListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: ProjectList},
        answer_headers={200: ("Link", "ETag", "Preference-Applied")},
        problems=("validation_failed",),
        tag="Projects",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{project}}",
        name="show_project",
        summary="Show a project",
        description="A host with the number of its reports.",
        handler=show_project,
        scope="reports:read",
        headers=("If-None-Match",),
        answers={200: ProjectAnswer},
        answer_headers={200: ("ETag",)},
        problems=("not_found",),
        tag="Projects",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{project}}",
        name="delete_project",
        summary="Delete a project",
        description="Deletes every report on the host. Reports that are created meanwhile may stay.",
        handler=delete_project,
        scope="reports:write",
        answers={200: DeletedProject},
        problems=("not_found",),
        tag="Projects",
    ),
)
