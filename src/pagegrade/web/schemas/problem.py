"""What is answered when a request is not done (RFC 9457)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pagegrade.web.schemas.shape import URL, Document, about, sometimes


class ProblemViolation(Document):
    """What is wrong with one field, for programs."""

    field: str = about("Name of the field.", "privacy")
    in_: Literal["query", "body"] = Field(alias="in", description="Where it was sent.", examples=["body"])
    code: str = about("A stable word.", "not_in")
    allowed: list[str | int] = sometimes("The values there are.", [0, 1, 2])
    limit: int = sometimes("The bound that was crossed.", 2048)


class Problem(Document):
    """Why the request was not done. Match on `code`; the sentences may change."""

    type: URL = about("A page that explains this kind of problem.", "https://reports.example.org/problems/not-found")
    title: str = about("Name of the kind of problem.", "Not found")
    status: int = about("HTTP status of the answer.", 404, ge=400, le=599)
    detail: str = about("What happened and what to do.", "There is nothing here.")
    instance: str = about("Path that was asked for.", "/api/v1/reports/7")
    code: str = about("Stable name of the kind of problem.", "not_found")
    message: str = about("The same as `detail`.", "There is nothing here.")
    request_id: str = about("Names this request in the logs; tell it when you ask for help.", "5f0d9c1be2a74c33")


class ValidationProblem(Problem):
    """Fields of the request need attention."""

    errors: dict[str, list[str]] = about("Field → sentences.", {"privacy": ["Must be one of 0, 1, 2."]})
    violations: list[ProblemViolation] = about("The same for programs.")


class AnswerWarning(Document):
    """Something the caller should know though the request was done."""

    field: str = about("The field it is about.", "password")
    code: str = about("A stable word.", "password_ignored")
    message: str = about("What happened, for people.", "The password was not stored: it is used with privacy 2 only.")
