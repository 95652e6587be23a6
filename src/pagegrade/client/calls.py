"""Requests, retries, answers and pages of both clients, as generators that know no connection.

A generator yields what is to be done, a ``Request`` to send or a ``Pause`` to make, and gets the ``Answer`` of a
request back. ``Client`` and ``AsyncClient`` drive the same generators, each in its way.
"""

from __future__ import annotations

import json
import logging
import random
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlencode

import msgspec

from pagegrade.client.operations import OPERATIONS, Operation
from pagegrade.client.types import AnswerWarning, Problem, ProblemViolation, Unset

logger: Final = logging.getLogger("pagegrade.client")

P = ParamSpec("P")
T = TypeVar("T")
_MOST_DIGITS: Final = 9
FIRST_PAUSE_S: Final = 0.5
"""Before the first retry where the service does not say when; it doubles with each further one."""
LONGEST_POLL_S: Final = 50
"""The longest wait that the service grants to a request."""
MAX_BODY_BYTES: Final = 64 * 1024 * 1024
"""Of an answer; a larger one is not read."""
RETRIED: Final = frozenset({409, 429, 503})
"""Statuses that are retried: the request was not executed, and the service says when to send it again."""
HEADERS: Final = {"if_match": "If-Match", "idempotency_key": "Idempotency-Key", "wait_s": "Prefer"}
"""Arguments of methods that are sent as headers."""


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


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request to send."""

    method: str
    target: str
    """Path and query."""
    headers: Mapping[str, str]
    content: bytes = b""


class Pause(msgspec.Struct, frozen=True):
    """Time to let pass before the next request."""

    seconds: float


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it came; ``status`` 0: the connection failed."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    content: bytes
    reason: str = ""
    """The reason for a missing answer, where the status is 0."""

    @property
    def succeeded(self) -> bool:
        """The request was executed."""
        return self.status // 100 == 2  # noqa: PLR2004 - the class of successes

    def json(self) -> dict[str, Any]:
        """The body, read as a JSON object.

        Raises:
            UnexpectedAnswer: It is none.
        """
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise UnexpectedAnswer(f"The answer with status {self.status} is no JSON object; is this the service?")
        return found


Steps = Generator[Request | Pause, Answer | None, T]
"""Steps of a call, and its result."""
Values = Mapping[str, object]


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the retries of a client."""

    retries: int
    """The most often that a request is sent again."""
    longest_wait_s: float
    """Seconds of all pauses of a call together; a call that would need longer raises the error at once."""
    on_warning: Callable[[AnswerWarning], None]
    """Called with each warning of an answer."""


def log_warning(warning: AnswerWarning) -> None:
    """Write a warning of the service to the log."""
    logger.warning("%s: %s", warning["code"], warning["message"])


def exchange(
    policy: Policy,
    operation: Operation,
    *,
    path: Values | None = None,
    query: Values | None = None,
    body: Values | None = None,
    header: Values | None = None,
) -> Steps[Answer]:
    """Send the request of an operation until it is answered, and return a success.

    Raises:
        APIError: The service refused it.
        ConnectionFailed: It did not reach the service, or its answer was lost.
        UnexpectedAnswer: The answer is none of Pagegrade.
    """
    request = make_request(operation, path=path or {}, query=query or {}, body=body or {}, header=header or {})
    left_s, attempt = policy.longest_wait_s, 0
    while True:
        answer = yield request
        if answer is None:
            raise RuntimeError("a request was not answered")
        if answer.succeeded:
            return answer
        pause_s = _pause_s(answer, attempt)
        again = answer.status in RETRIED or (answer.status == 0 and _is_repeatable(operation))
        if not again or attempt == policy.retries or pause_s > left_s:
            raise _error(answer)
        left_s, attempt = left_s - pause_s, attempt + 1
        yield Pause(pause_s)


def _is_repeatable(operation: Operation) -> bool:
    """Return whether sending it twice does what sending it once does."""
    return operation.idempotent or operation.method in {"GET", "DELETE"}


def _pause_s(answer: Answer, attempt: int) -> float:
    asked = _seconds(answer.headers.get("retry-after"))
    # Clients that were refused together must not come back together.
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - no secret
    return asked if asked is not None else FIRST_PAUSE_S * 2**attempt * jitter


def _seconds(value: str | None) -> float | None:
    """Seconds of Retry-After; ``None``: there are none, or it names a date."""
    if value is None or not (value.isascii() and value.isdigit()):
        return None
    return float(value[:_MOST_DIGITS])


def _error(answer: Answer) -> Exception:
    if answer.status == 0:
        return ConnectionFailed(answer.reason)
    if not answer.headers.get("content-type", "").startswith("application/problem+json"):
        return UnexpectedAnswer(f"The answer with status {answer.status} is no problem of Pagegrade; of a proxy?")
    problem: Any = answer.json()
    if not all(isinstance(problem.get(name), str) for name in ("code", "detail", "request_id")):
        return UnexpectedAnswer(f"The answer with status {answer.status} is no problem of Pagegrade.")
    return error_of(answer.status, problem, _seconds(answer.headers.get("retry-after")))


def make_request(operation: Operation, *, path: Values, query: Values, body: Values, header: Values) -> Request:
    """The request of an operation; values that are ``None`` or ``UNSET`` are left out.

    In a body that is sent as JSON with a change, ``None`` is sent: there it clears what was set.
    """
    target = operation.path
    for name, value in path.items():
        target = target.replace(f"{{{name}}}", _segment(value))
    asked = _pairs(query)
    headers = {"Accept": "*/*" if "format" in query else "application/json, image/*"}
    for name, value in header.items():
        if value is not None:
            headers[name] = f"wait={value}" if name == "Prefer" else str(value)
    if operation.idempotent:
        headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
    content = b""
    if operation.body == "application/json":
        keeps_null = operation.method in {"PATCH", "PUT"}
        sent = {
            name: value
            for name, value in body.items()
            if not isinstance(value, Unset) and (keeps_null or value is not None)
        }
        content = json.dumps(sent).encode()
    elif operation.body:
        content = urlencode(_pairs(body)).encode()
    if operation.body:
        headers["Content-Type"] = operation.body
    return Request(
        method=operation.method,
        target=f"{target}?{urlencode(asked)}" if asked else target,
        headers=headers,
        content=content,
    )


def placed(operation: Operation, arguments: Values) -> dict[str, dict[str, object]]:
    """Arguments of a method by the part of the request that has them: ``path``, ``query``, ``body`` or ``header``."""
    parts: dict[str, dict[str, object]] = {"path": {}, "query": {}, "body": {}, "header": {}}
    for argument, value in arguments.items():
        name = argument.rstrip("_")  # ``from_``: some names of the API are keywords of Python
        if argument in HEADERS:
            parts["header"][HEADERS[argument]] = value
        elif f"{{{name}}}" in operation.path:
            parts["path"][name] = value
        elif name != "self":
            parts["body" if operation.body else "query"][name] = value
    return parts


def _segment(value: object) -> str:
    """A value as a segment of a path.

    Raises:
        ValueError: It would name another path.
    """
    text = str(value)
    if text in {"", ".", ".."}:
        raise ValueError(f"{text!r} cannot be part of a path")
    return quote(text, safe="")


def _pairs(values: Values) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in values.items() if value is not None and not isinstance(value, Unset)]


def read_answer(policy: Policy, answer: Answer) -> dict[str, Any]:
    """The JSON of a success; its warnings are passed on."""
    found = answer.json()
    for warning in found.get("warnings", ()):
        policy.on_warning(warning)
    return found


def member(answer: Mapping[str, Any], name: str) -> Any:
    """A member that an answer must have.

    Raises:
        UnexpectedAnswer: It has none.
    """
    try:
        return answer[name]
    except KeyError:
        raise UnexpectedAnswer(f"The answer has no member {name!r}; is this the service?") from None


def next_query(page: Mapping[str, Any]) -> Values | None:
    """The query of the page after this one; ``None``: this is the last.

    Only the query of the link is used: it leads to the same list at the same service, whatever host the link names.
    """
    following = member(page, "links").get("next")
    return None if following is None else dict(parse_qsl(following.partition("?")[2], keep_blank_values=True))


def wait(
    policy: Policy, operation: str, object_id: int, *, is_over: Callable[[Any], bool], limit_s: float
) -> Steps[Any]:
    """Ask for an object until its analyses are over.

    Raises:
        StillRunning: The time is over before.
    """
    end = time.monotonic() + limit_s
    while True:
        left = end - time.monotonic()
        poll_s = max(0, min(LONGEST_POLL_S, int(left)))
        header = {"Prefer": poll_s} if operation == "show_report" else None
        answer = yield from exchange(policy, OPERATIONS[operation], path={"id": object_id}, header=header)
        found = member(read_answer(policy, answer), "data")
        if is_over(found):
            return found
        left = end - time.monotonic()
        if left <= 0:
            raise StillRunning(f"{operation.removeprefix('show_')} {object_id} is not finished after {limit_s:g} s")
        yield Pause(min(left, _seconds(answer.headers.get("retry-after")) or 2.0))


class SyncCaller(ABC):
    """The part of ``Client`` that the methods of operations use, which pass their arguments on as they are named."""

    @abstractmethod
    def _answer(self, operation: str, arguments: Values) -> dict[str, Any]:
        """Call an operation and return its whole answer."""

    @abstractmethod
    def _file(self, operation: str, arguments: Values) -> bytes:
        """Call an operation and return its file."""

    @abstractmethod
    def _items(self, operation: str, arguments: Values, *, by_cursor: bool) -> Iterator[Any]:
        """Yield the items of all pages of a list."""

    def _data(self, operation: str, arguments: Values) -> Any:
        """Call an operation and return the member ``data`` of its answer."""
        return member(self._answer(operation, arguments), "data")


class AsyncCaller(ABC):
    """The part of ``AsyncClient`` that the methods of operations use."""

    @abstractmethod
    async def _answer(self, operation: str, arguments: Values) -> dict[str, Any]:
        """Call an operation and return its whole answer."""

    @abstractmethod
    async def _file(self, operation: str, arguments: Values) -> bytes:
        """Call an operation and return its file."""

    @abstractmethod
    def _items(self, operation: str, arguments: Values, *, by_cursor: bool) -> AsyncIterator[Any]:
        """Yield the items of all pages of a list."""

    async def _data(self, operation: str, arguments: Values) -> Any:
        """Call an operation and return the member ``data`` of its answer."""
        return member(await self._answer(operation, arguments), "data")


def awaited(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[AsyncCaller, P], Coroutine[Any, Any, T]]:
    """A method of ``Client`` as one of ``AsyncClient``: its body returns the coroutine of an ``AsyncCaller``."""
    return cast("Any", method)  # type: ignore[no-any-return]


def iterated(
    method: Callable[Concatenate[Any, P], Iterator[T]],
) -> Callable[Concatenate[AsyncCaller, P], AsyncIterator[T]]:
    """A list of ``Client`` as one of ``AsyncClient``, to be iterated with ``async for``."""
    return cast("Any", method)  # type: ignore[no-any-return]
