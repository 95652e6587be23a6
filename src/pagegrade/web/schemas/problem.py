"""Problems: answers to requests that failed (RFC 9457), and warnings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pagegrade.web.schemas.shape import URL, Document, about, sometimes


class ProblemViolation(Document):
    """Violation of one field, for programs."""

    field: str = about("Name of the field.", "privacy")
    in_: Literal["query", "body"] = Field(
        alias="in", description="Place of the field in the request.", examples=["body"]
    )
    code: str = about("Stable code of the violation.", "not_in")
    allowed: list[str | int] = sometimes("The values there are.", [0, 1, 2])
    limit: int = sometimes("The bound that was crossed.", 2048)


class Problem(Document):
    """Reason why the request failed. Match on `code`; the sentences may change."""

    type: URL = about("A page that explains this kind of problem.", "https://reports.example.org/problems/not-found")
    title: str = about("Name of the kind of problem.", "Not found")
    status: int = about("HTTP status of the answer.", 404, ge=400, le=599)
    detail: str = about("Description of the problem and its solution.", "There is nothing here.")
    instance: str = about("Path of the request.", "/api/v1/reports/7")
    code: str = about("Stable name of the kind of problem.", "not_found")
    message: str = about("The same as `detail`.", "There is nothing here.")
    request_id: str = about("Identifies the request in the logs; include it in bug reports.", "5f0d9c1be2a74c33")


class ValidationProblem(Problem):
    """Problem of a request with fields that are not valid."""

    errors: dict[str, list[str]] = about("Messages by field.", {"privacy": ["Must be one of 0, 1, 2."]})
    violations: list[ProblemViolation] = about("The same as codes, for programs.")


class AnswerWarning(Document):
    """Warning about a request that succeeded."""

    field: str = about("The field that the warning is about.", "password")
    code: str = about("Stable code of the warning.", "password_ignored")
    message: str = about("The warning in one sentence.", "The password was not stored: it is used with privacy 2 only.")
