"""JSON documents of the API: what describes them, and ``serializers``, which builds them; tests hold both together."""

from pagegrade.web.schemas.answers import (
    AccountAnswer,
    BatchAnswer,
    BatchList,
    CheckAnswer,
    CheckList,
    ComparisonAnswer,
    DeletedBatch,
    DeletedProject,
    DeletedReport,
    Description,
    ProjectAnswer,
    ProjectList,
    ReportAnswer,
    ReportList,
    RunAnswer,
    RunList,
)
from pagegrade.web.schemas.problem import Problem, ValidationProblem
from pagegrade.web.schemas.shape import example_of

__all__ = [
    "AccountAnswer",
    "BatchAnswer",
    "BatchList",
    "CheckAnswer",
    "CheckList",
    "ComparisonAnswer",
    "DeletedBatch",
    "DeletedProject",
    "DeletedReport",
    "Description",
    "Problem",
    "ProjectAnswer",
    "ProjectList",
    "ReportAnswer",
    "ReportList",
    "RunAnswer",
    "RunList",
    "ValidationProblem",
    "example_of",
]
