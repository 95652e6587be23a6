"""Projects: the hosts of an account's reports."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.schema import Count, about
from pagegrade.parse.url import project_of
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.reports import projects as service
from pagegrade.service.reports.projects import ProjectSize
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import ProjectListQuery
from pagegrade.web.report_requests import delete_project_in_parts, typed_project
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, listed_answer
from pagegrade.web.schemas.envelope import Answer, Deleted, ListAnswer
from pagegrade.web.schemas.shape import Document


class Project(Document, frozen=True, kw_only=True):
    """A host with its reports."""

    object: Annotated[Literal["project"], about("The kind of object.", "project")]
    project: Annotated[str, about("The host, without `www.`.", "example.com")]
    reports: Annotated[Count, about("Reports on it.", 14)]


class ProjectAnswer(Answer, frozen=True, kw_only=True):
    """One project."""

    data: Annotated[Project, about("The project.")]


class ProjectList(ListAnswer, frozen=True, kw_only=True):
    """Projects."""

    data: Annotated[list[Project], about("The projects of this page.")]


class DeletedProject(Deleted, frozen=True, kw_only=True):
    """Confirmation that the reports of a project were deleted."""

    project: Annotated[str, about("The host.", "example.com")]
    object: Annotated[Literal["project"], about("The kind of object.", "project")] = "project"
    reports: Annotated[Count, about("Number of deleted reports.", 14)]


def project_object(project: ProjectSize) -> bytes:
    """The JSON object of a project."""
    return msgspec.json.encode(
        Project(
            object="project",
            project=project.name,
            reports=project.reports,
        )
    )


PATH: Final = "/api/v1/projects"


async def list_projects(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's projects."""
    query = request.query(ProjectListQuery)
    found = await work.read(service.list_projects, page=query.page, per_page=query.per_page)
    return listed_answer(request, services, found, query, encode=project_object)


async def show_project(request: Request, work: UnitOfWork) -> Response:
    """Return a project."""
    project = await work.read(service.show_project, typed_project(request))
    return fresh_answer(request, enveloped(project_object(project)))


async def delete_project(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete every report of a project, a part at a time, and answer how many there were."""
    typed = typed_project(request)
    count = await delete_project_in_parts(work, services, typed)
    return deleted_answer(DeletedProject(project=project_of(typed), reports=count))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_projects",
        summary="List projects",
        description="The hosts of the account's reports by name, with how many reports each has.",
        handler=list_projects,
        scope="reports:read",
        for_projects=True,
        query=ProjectListQuery,
        answers={200: ProjectList},
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
        for_projects=True,
        answers={200: ProjectAnswer},
        tag="Projects",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{project}}",
        name="delete_project",
        summary=N_("Delete a site with its reports"),
        description="Deletes every report on the host with its monitors, and the ignore rules and webhooks that are "
        "limited to the host. Reports that are created meanwhile may stay.",
        handler=delete_project,
        scope="reports:write",
        for_projects=True,
        answers={200: DeletedProject},
        tag="Projects",
    ),
)
