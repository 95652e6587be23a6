"""All problems of the API: stable code -> HTTP status and title. No other module maps errors to HTTP statuses.

Source: https://www.rfc-editor.org/rfc/rfc9457
"""

from __future__ import annotations

from typing import Final, Literal, cast
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from pagegrade.model.errors import (
    IdempotencyInProgress,
    InsufficientScope,
    InvalidInput,
    PagegradeError,
    PreconditionFailed,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    ValidationFailed,
    Violation,
)
from pagegrade.render.english import N_
from pagegrade.web.schemas import problem as schemas
from pagegrade.web.schemas.shape import extended

PROBLEMS: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, N_("Bad request")),
    "unauthenticated": (401, N_("Unauthenticated")),
    "insufficient_scope": (403, N_("Insufficient scope")),
    "not_found": (404, N_("Not found")),
    "method_not_allowed": (405, N_("Method not allowed")),
    "not_acceptable": (406, N_("Not acceptable")),
    "idempotency_in_progress": (409, N_("Request in progress")),
    "report_deleted": (410, N_("Report deleted")),
    "precondition_failed": (412, N_("Precondition failed")),
    "too_large": (413, N_("Too large")),
    "unsupported_media_type": (415, N_("Unsupported media type")),
    "validation_failed": (422, N_("Validation failed")),
    "url_not_allowed": (422, N_("URL not allowed")),
    "idempotency_key_reused": (422, N_("Idempotency key reused")),
    "rate_limited": (429, N_("Too many requests")),
    "quota_exceeded": (429, N_("Quota exceeded")),
    "crawl_limit": (429, N_("Too many crawls")),
    "internal_error": (500, N_("Internal error")),
    "not_implemented": (501, N_("Not implemented")),
    "pdf_not_installed": (501, N_("PDF not installed")),
    "audit_not_installed": (501, N_("Parquet not installed")),
    "unavailable": (503, N_("Unavailable")),
}
"""Code -> (status, title)."""
API_CODES: Final = {
    "internal": "internal_error",
    "invalid_input": "validation_failed",
    "invalid_url": "validation_failed",
    "invalid_artifacts": "validation_failed",
    "refused": "bad_request",
}
"""Code of ``model.errors`` -> code in the API, where the two differ."""
MEDIA_TYPE: Final = "application/problem+json"
REALM: Final = 'Bearer realm="api"'
RETRY_AFTER_S: Final = 2
"""Default wait time."""
_TEMPORARY: Final = (IdempotencyInProgress, RateLimited, Unavailable)
_PATH_CHARACTERS: Final = "/%:@!$&'(),;=-._~*+"
"""Characters that need no escaping in a path (RFC 3986 3.3)."""


class Rejected(Exception):
    """A request that is rejected for a reason known only to HTTP."""

    def __init__(
        self, code: str, message: str, *, status: int | None = None, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        """One of ``PROBLEMS``."""
        self.message = message
        self.status = status or PROBLEMS[code][0]
        """HTTP status; one code may have several: a body, a URL and a header can each be too large."""
        self.headers = headers


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A problem, ready to be sent."""

    code: str
    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()
    violations: tuple[Violation, ...] | None = None
    """``None`` if no field caused it."""


def bad_request(message: str) -> Rejected:
    """Return the error for a request that cannot be parsed."""
    return Rejected("bad_request", message)


def problem_of(error: PagegradeError | Rejected) -> Problem:
    """Convert an error to the problem that the client receives."""
    if isinstance(error, Rejected):
        return Problem(code=error.code, status=error.status, message=error.message, headers=error.headers)
    code = API_CODES.get(error.code, error.code)
    if code not in PROBLEMS or code == "internal_error":
        return internal_error()
    return Problem(
        code=code,
        status=PROBLEMS[code][0],
        message=error.message,
        headers=_headers(error),
        violations=_violations(error, code),
    )


def internal_error() -> Problem:
    """Return the problem for an unexpected error, without details."""
    return Problem(
        code="internal_error",
        status=PROBLEMS["internal_error"][0],
        message="Something went wrong inside Pagegrade. Try again; if it stays, report the request_id.",
    )


def problem_body(problem: Problem, *, base_url: str, path: str, request_id: str) -> bytes:
    """Encode a problem as JSON.

    Args:
        problem: The problem.
        base_url: Public origin; ``type`` is a page under it.
        path: Path as the client sent it, without the query.
        request_id: Identifies the request in the logs.
    """
    document = schemas.Problem(
        type=f"{base_url}/problems/{problem.code.replace('_', '-')}",
        title=PROBLEMS[problem.code][1],
        status=problem.status,
        detail=problem.message,
        instance=quote(path, safe=_PATH_CHARACTERS),
        code=problem.code,
        message=problem.message,
        request_id=request_id,
    )
    if problem.violations is None:
        return msgspec.json.encode(document)
    errors: dict[str, list[str]] = {}
    for violation in problem.violations:
        errors.setdefault(violation.field, []).append(violation.message)
    violations = [_violation(violation) for violation in problem.violations]
    return msgspec.json.encode(extended(document, schemas.ValidationProblem, errors=errors, violations=violations))


def _headers(error: PagegradeError) -> tuple[tuple[str, str], ...]:
    if isinstance(error, Unauthenticated):
        return (("WWW-Authenticate", f'{REALM}, error="invalid_token"' if error.presented else REALM),)
    if isinstance(error, InsufficientScope):
        scope = f', scope="{error.scope}"' if error.scope else ""
        return (("WWW-Authenticate", f'{REALM}, error="insufficient_scope"{scope}'),)
    if isinstance(error, PreconditionFailed):
        return (("ETag", error.etag),)
    if isinstance(error, Refused) and (error.retry_after_s is not None or isinstance(error, _TEMPORARY)):
        return (("Retry-After", str(max(1, error.retry_after_s or RETRY_AFTER_S))),)
    return ()


def _violations(error: PagegradeError, code: str) -> tuple[Violation, ...] | None:
    if isinstance(error, ValidationFailed):
        return error.violations
    if isinstance(error, InvalidInput):
        # Only one field is validated by more than its shape.
        field = "url" if error.code in {"invalid_url", "url_not_allowed"} else "request"
        return (Violation(field=field, place="body", code=error.reason or error.code, message=error.message),)
    return () if code == "validation_failed" else None


def _violation(violation: Violation) -> schemas.ProblemViolation:
    return schemas.ProblemViolation(
        field=violation.field,
        in_=cast("Literal['query', 'body']", violation.place),
        code=violation.code,
        allowed=list(violation.allowed) if violation.allowed else UNSET,
        limit=UNSET if violation.limit is None else violation.limit,
    )
