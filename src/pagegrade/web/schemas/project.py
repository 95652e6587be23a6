"""Projects: the hosts of reports."""

from __future__ import annotations

from typing import Literal

import msgspec

from pagegrade.service.reports.projects import ProjectSize
from pagegrade.web.schemas.envelope import Answer, Deleted, ListAnswer
from pagegrade.web.schemas.shape import Count, Document, about


class Project(Document):
    """A host with its reports."""

    object: Literal["project"] = about("The kind of object.", "project")
    project: str = about("The host, without `www.`.", "example.com")
    reports: Count = about("Reports on it.", 14)


class ProjectAnswer(Answer):
    """One project."""

    data: Project = about("The project.")


class ProjectList(ListAnswer):
    """Projects."""

    data: list[Project] = about("The projects of this page.")


class DeletedProject(Deleted):
    """Confirmation that the reports of a project were deleted."""

    project: str = about("The host.", "example.com")
    object: Literal["project"] = about("The kind of object.", "project")
    reports: Count = about("Number of deleted reports.", 14)


def project_object(project: ProjectSize) -> bytes:
    """The JSON object of a project."""
    return msgspec.json.encode({"object": "project", "project": project.name, "reports": project.reports})
