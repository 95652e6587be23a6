"""Problems: answers to requests that failed (RFC 9457)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pagegrade.model.schema import URL, about
from pagegrade.web.schemas.shape import Document


class ProblemViolation(Document, frozen=True, kw_only=True):
    """Violation of one field, for programs."""

    field: Annotated[str, about("Name of the field.", "privacy")]
    in_: Annotated[Literal["query", "body"], about("Place of the field in the request.", "body")] = msgspec.field(
        name="in"
    )
    code: Annotated[str, about("Stable code of the violation.", "not_in")]
    allowed: Annotated[list[str | int], about("The values there are.", [0, 1, 2])] | UnsetType = UNSET
    limit: Annotated[int, about("The bound that was crossed.", 2048)] | UnsetType = UNSET


class Problem(Document, frozen=True, kw_only=True):
    """Reason why the request failed. Match on `code`; the sentences may change."""

    type: Annotated[
        URL, about("A page that explains this kind of problem.", "https://reports.example.org/problems/not-found")
    ]
    title: Annotated[str, about("Name of the kind of problem.", "Not found")]
    status: Annotated[int, about("HTTP status of the answer.", 404, minimum=400, maximum=599)]
    detail: Annotated[str, about("Description of the problem and its solution.", "There is nothing here.")]
    instance: Annotated[str, about("Path of the request.", "/api/v1/reports/7")]
    code: Annotated[str, about("Stable name of the kind of problem.", "not_found")]
    message: Annotated[str, about("The same as `detail`.", "There is nothing here.")]
    request_id: Annotated[
        str, about("Identifies the request in the logs; include it in bug reports.", "5f0d9c1be2a74c33")
    ]


class ValidationProblem(Problem, frozen=True, kw_only=True):
    """Problem of a request with fields that are not valid."""

    errors: Annotated[dict[str, list[str]], about("Messages by field.", {"privacy": ["Must be one of 0, 1, 2."]})]
    violations: Annotated[list[ProblemViolation], about("The same as codes, for programs.")]
