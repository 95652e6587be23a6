"""Errors of the client; those that the service answered with carry its problem (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from pagegrade.client.types import Problem, ProblemViolation


class ClientError(Exception):
    """A call that has no result."""


class ConnectionFailed(ClientError):
    """The service could not be reached, or the connection broke."""


class UnexpectedAnswer(ClientError):
    """The answer is none of Pagegrade: of a proxy, or too large."""


class StillRunning(ClientError):
    """The time to wait is over, and the analysis is not."""


class APIError(ClientError):
    """The service refused the request and answered with a problem."""

    def __init__(self, status: int, problem: Problem, *, retry_after_s: float | None = None) -> None:
        """Take the problem as it was answered."""
        super().__init__(f"{problem['detail']} ({problem['code']}, HTTP {status})")
        self.status = status
        """HTTP status."""
        self.problem = problem
        """The whole problem."""
        self.retry_after_s = retry_after_s
        """Seconds after which the service wants to be asked again; ``None``: it did not say."""

    @property
    def code(self) -> str:
        """Stable name of the kind of problem."""
        return self.problem["code"]

    @property
    def request_id(self) -> str:
        """Name of the request in the logs of the service."""
        return self.problem["request_id"]


class BadRequest(APIError):
    """The request cannot be read, or its path, method or media type does not fit (400, 405, 406, 413 to 415, 431)."""


class Unauthenticated(APIError):
    """The key is unknown, expired or revoked (401)."""


class InsufficientScope(APIError):
    """The key may not do this (403)."""


class NotFound(APIError):
    """There is no such object, or the key may not see it (404)."""


class Conflict(APIError):
    """A request with the same Idempotency-Key is still under way (409)."""


class Gone(APIError):
    """The object that an Idempotency-Key belongs to was deleted (410)."""


class PreconditionFailed(APIError):
    """The object has changed since the entity tag was read (412)."""


class ValidationFailed(APIError):
    """Fields of the request cannot be used (422)."""

    @property
    def errors(self) -> Mapping[str, list[str]]:
        """Field -> sentences."""
        return cast("Mapping[str, list[str]]", cast("Any", self.problem).get("errors", {}))

    @property
    def violations(self) -> list[ProblemViolation]:
        """The fields with their codes, for programs."""
        return cast("list[ProblemViolation]", cast("Any", self.problem).get("violations", []))


class RateLimited(APIError):
    """Too many requests, or a quota is used up (429)."""


class ServerError(APIError):
    """The service failed (500) or does not support this (501)."""


class Unavailable(ServerError):
    """The service is stopping, its queue is full or its database away (503)."""


_SERVER_ERRORS: Final = 500
_BY_STATUS: Final[Mapping[int, type[APIError]]] = {
    401: Unauthenticated,
    403: InsufficientScope,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: PreconditionFailed,
    422: ValidationFailed,
    429: RateLimited,
    503: Unavailable,
}


def error_of(status: int, problem: Problem, retry_after_s: float | None) -> APIError:
    """The error for a problem, of the class for its status."""
    kind = _BY_STATUS.get(status, ServerError if status >= _SERVER_ERRORS else BadRequest)
    return kind(status, problem, retry_after_s=retry_after_s)
