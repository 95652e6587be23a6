"""Projects: the hosts of an account's reports."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BaseModel, Field

from pagegrade.model.errors import ValidationFailed
from pagegrade.model.schema import Count, about
from pagegrade.model.stored import MAX_TAG, MAX_TAGS
from pagegrade.parse.url import project_of
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.reports import projects as service
from pagegrade.service.reports.projects import ProjectSize
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.report_requests import (
    ProjectListQuery,
    delete_project_in_parts,
    refuse_when_draining,
    site_query,
    typed_project,
)
from pagegrade.web.request import Request
from pagegrade.web.responses import deleted_answer, enveloped, fresh_answer, listed_answer, written_answer
from pagegrade.web.schemas.envelope import Deleted, answer_with, numbered_list
from pagegrade.web.schemas.shape import Document


class Project(Document, frozen=True, kw_only=True):
    """A host with its reports."""

    object: Annotated[Literal["project"], about("The kind of object.", "project")]
    project: Annotated[str, about("The host, without `www.`.", "example.com")]
    reports: Annotated[Count, about("Reports on it.", 14)]
    tags: Annotated[list[str], about("Its tags, in alphabetical order.", ["client a", "shop"])]


ProjectAnswer: Final = answer_with("ProjectAnswer", Project, "One project.", "The project.")
ProjectList: Final = numbered_list("ProjectList", Project, "Projects.", "The projects of this page.")


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
            tags=list(project.tags),
        )
    )


class TagsBody(BaseModel):
    """Tags of a host."""

    tags: tuple[str, ...] = Field(
        max_length=MAX_TAGS,
        strict=True,  # a text by mistake must not replace every tag of a host
        description=f"They replace those that there were; each of up to {MAX_TAG} characters, in small letters. An "
        "empty list removes all.",
        examples=[["client a", "shop"]],
    )


PATH: Final = "/api/v1/projects"


async def list_projects(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's projects."""
    query = request.query(ProjectListQuery)
    found = await work.read(service.list_projects, page=query.page, per_page=query.per_page, query=site_query(query))
    return listed_answer(request, services, found, query, encode=project_object)


async def show_project(request: Request, work: UnitOfWork) -> Response:
    """Return a project."""
    project = await work.read(service.show_project, typed_project(request))
    return fresh_answer(request, enveloped(project_object(project)))


async def tag_project(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Give a project other tags."""
    refuse_when_draining(services)
    fields, violations = await request.fields(TagsBody, lists=("tags",))
    if violations:
        raise ValidationFailed(violations)
    project = await work.write(service.tag_project, typed_project(request), service.read_tags(fields.tags))
    return written_answer(request, services, project_object(project), minimal=None)


async def delete_project(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete every report of a project, a part at a time, and answer how many there were."""
    typed = typed_project(request)
    count = await delete_project_in_parts(work, services, typed)
    return deleted_answer(DeletedProject(project=project_of(typed), reports=count))


_reading = partial(Operation, scope="reports:read", for_projects=True, tag="Projects")
_writing = partial(Operation, scope="reports:write", for_projects=True, tag="Projects")

OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List projects",
        description="The hosts of the account's reports, with how many reports and which tags each has.",
        handler=list_projects,
        query=ProjectListQuery,
        answers={200: ProjectList},
    ),
    _reading(
        path=f"{PATH}/{{project}}",
        summary="Show a project",
        description="A host with the number of its reports.",
        handler=show_project,
        answers={200: ProjectAnswer},
    ),
    _writing(
        method="PUT",
        path=f"{PATH}/{{project}}",
        summary=N_("Tag a site"),
        description="Replaces the tags of a host, by which lists of hosts can be filtered.",
        handler=tag_project,
        body=TagsBody,
        answers={200: ProjectAnswer},
    ),
    _writing(
        method="DELETE",
        path=f"{PATH}/{{project}}",
        summary=N_("Delete a site with its reports"),
        description="Deletes every report on the host with its monitors, its tags, and the ignore rules and webhooks "
        "that are limited to the host. Reports that are created meanwhile may stay.",
        handler=delete_project,
        answers={200: DeletedProject},
    ),
)
