"""The JSON object of a project."""

from __future__ import annotations

import msgspec

from pagegrade.service.reports.projects import ProjectSize
from pagegrade.web.schemas.project import project_object


def test_a_project_has_a_name_and_a_number_of_reports() -> None:
    """A port that is not the scheme's own belongs to the name."""
    project = ProjectSize(name="example.com:8080", reports=4)

    assert msgspec.json.decode(project_object(project)) == {
        "object": "project", "project": "example.com:8080", "reports": 4
    }  # fmt: skip
