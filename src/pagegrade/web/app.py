"""The ASGI application: find the operation of a request, turn every error into a problem, and compress answers.

Starlette matches paths as they were sent; methods are ours to answer for. gzip makes a report eight times smaller.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol
from urllib.parse import unquote_to_bytes

import msgspec
from starlette.routing import Match, Route, Router
from starlette.types import Receive, Scope, Send

from pagegrade.model.errors import InvalidInput, NotFound, PagegradeError, Unavailable
from pagegrade.observability.events import METHODS as NAMED_METHODS
from pagegrade.observability.events import QUIET, SERVER_ERROR
from pagegrade.observability.logs import name_lines
from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.service.accounts.admission import REQUESTS, Requested, RoleNeeded, SignInNeeded
from pagegrade.service.accounts.sessions import keep_session
from pagegrade.service.container import Services
from pagegrade.web.exchange import Bound, Exchange, bind
from pagegrade.web.http.body import CLOSE, ClientGone
from pagegrade.web.http.request_headers import accepts_json, preferred_by_program
from pagegrade.web.http.response import (
    API,
    FRESH,
    UNKEPT,
    Response,
    encode_headers,
    origin_headers,
    preflight_headers,
    rate_headers,
    standing_headers,
)
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.public import foreign_form, problem_page, role_needed, sign_in_needed
from pagegrade.web.problems import MEDIA_TYPE, Problem, Rejected, internal_error, problem_body, problem_of
from pagegrade.web.request import Request
from pagegrade.web.responses import warned
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.session_cookie import is_browser, is_own_form, session_cookie

OTHER_METHOD: Final = "_OTHER"
MAX_PARENT: Final = 256
"""Maximum length of a ``traceparent`` header; version 00 has 55 characters."""
UNNAMED: Final = "HTTP"


def begin_span(exchange: Exchange) -> Span:
    """Start the span of a request, as the child of the client's span if it sent one.

    Probes of monitoring systems get none.
    """
    tracing = exchange.services.tracing
    if not tracing.on or exchange.request.path in QUIET:
        return NO_SPAN
    parent = exchange.request.header(b"traceparent")
    return tracing.start(
        _name(exchange.request.method),
        kind="server",
        parent=parent if parent is not None and len(parent) <= MAX_PARENT else None,
        attributes={
            "http.request.method": exchange.request.method if exchange.request.method in NAMED_METHODS else OTHER_METHOD
        },
    )


def end_span(exchange: Exchange, status: int) -> None:
    """Record the result of a request and end its span.

    Args:
        status: HTTP status as in the log.
    """
    span = exchange.span
    if not span.on:
        return
    attributes: dict[str, str | int] = {"http.response.status_code": status}
    if exchange.request.operation is not None:
        span.rename(f"{_name(exchange.request.method)} {exchange.request.operation.path}")
        attributes |= {
            "http.route": exchange.request.operation.path,
            "pagegrade.operation": exchange.request.operation.name,
        }
    if exchange.problem:
        attributes["pagegrade.problem"] = exchange.problem
    span.note(attributes)
    if status >= SERVER_ERROR:
        span.fail(exchange.problem or str(status))
    span.end()


def _name(method: str) -> str:
    return method if method in NAMED_METHODS else UNNAMED


logger = logging.getLogger("pagegrade.web")

MAX_TARGET_BYTES: Final = 16_384
"""Maximum length of path and query."""
MAX_HEADER_BYTES: Final = 65_536
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
"""Methods of RFC 9110 and RFC 5789."""
REGISTERED_METHODS: Final = frozenset(METHODS) | frozenset(
    "ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF "
    "MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH QUERY REBIND REPORT SEARCH UNBIND UNCHECKOUT UNLINK UNLOCK "
    "UPDATE UPDATEREDIRECTREF VERSION-CONTROL".split()
)
"""IANA's registry of HTTP methods: no path here supports these (405); any other method is unknown (501)."""
CLIENT_GONE: Final = 499
"""Status in the log where the client disconnected before a response was sent."""


class Observer(Protocol):
    """Called for every request after its response was sent."""

    def __call__(
        self, operation: str, method: str, status: int, seconds: float, request_id: str, /, *, exchange: Exchange
    ) -> None:
        """Record a request.

        Args:
            operation: Name of the operation; empty if the path is unknown.
            method: As sent.
            status: HTTP status; ``CLIENT_GONE`` if no response was sent.
            seconds: Time from the first byte read to the last byte passed to the server.
            request_id: Request id, as in the response.
            exchange: The request, with its sender if authenticated.
        """


def _no_observer(*_about: object, **_more: object) -> None:
    """Ignore the request."""


def make_app(
    services: Services,
    *,
    operations: Sequence[Operation] = ALL_OPERATIONS,
    observe: Observer = _no_observer,
) -> App:
    """Create the application of a process for a server."""
    return App(services, operations=operations, observe=observe)


class App:
    """ASGI 3.0 application. The caller starts and stops the services it uses."""

    def __init__(self, services: Services, *, operations: Sequence[Operation], observe: Observer) -> None:
        """Create the application.

        Raises:
            InvalidInput: The service cannot be at the path of its public URL.
        """
        _check_root(services.options.root, operations)
        self.services = services
        self._operations = operations
        self._in_flight: dict[tuple[Any, ...], bytes] = {}
        self._routes = Routes(operations)
        self._other = Router()
        self._has_pages = any(operation.tag == PAGES for operation in operations)
        self._observe = observe
        self._standing = {api: standing_headers(services.options, api=api) for api in (True, False)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI scope."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self._other(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        scope["app"] = self  # as Starlette names it
        options = self.services.options
        request = Request(
            scope,
            receive,
            trusted_proxies=options.trusted_proxies,
            own_key=options.analyze.own_key,
            root=options.root,
        )
        request.operations, request.in_flight = self._operations, self._in_flight
        exchange = Exchange(request, self.services)
        exchange.span = begin_span(exchange)
        name_lines(request_id=request.request_id, **exchange.span.names)
        status = CLIENT_GONE
        try:
            response = await self._respond(exchange)
            if response is not None:
                status = response.status_code
                await self._finish(exchange, response)
                await response(scope, receive, send)
        finally:
            operation = request.operation.name if request.operation is not None else ""
            seconds = time.perf_counter() - started
            self._observe(operation, request.method, status, seconds, request.request_id, exchange=exchange)
            end_span(exchange, status)

    async def _respond(self, exchange: Exchange) -> Response | None:
        """Return the response, or the problem for any error; ``None`` if the client disconnected."""
        request_id = exchange.request.request_id
        try:
            return await self._execute(exchange)
        except ClientGone:
            return None
        except SignInNeeded:
            return sign_in_needed(exchange.request, exchange.view)
        except RoleNeeded:
            return role_needed(exchange.view, exchange.admission.role)
        except (PagegradeError, Rejected) as error:
            problem = problem_of(error)
            if problem.code == "internal_error":
                logger.exception("request_failed", extra={"request_id": request_id})
        except Exception:
            # The client learns only that an error occurred; the log has the details.
            logger.exception("request_failed", extra={"request_id": request_id})
            problem = internal_error()
        return await self._report(exchange, problem)

    async def _execute(self, exchange: Exchange) -> Response:
        request, admission = exchange.request, exchange.admission
        if len(request.path) + len(request.scope.get("query_string", b"")) > MAX_TARGET_BYTES:
            raise Rejected("too_large", f"The URL may have at most {MAX_TARGET_BYTES} bytes.", status=414)
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MAX_HEADER_BYTES:
            raise Rejected("too_large", f"The headers may have at most {MAX_HEADER_BYTES} bytes.", status=431)
        found = self._find(request)
        if isinstance(found, Response):
            return found
        operation, handler = found
        request.operation = operation
        admission.scope, admission.access = operation.scope, operation.access
        admission.role = operation.least_role
        admission.for_projects = operation.for_projects
        admission.action = _action(operation, request)
        admission.counted_as = operation.counted_as
        admission.traceparent = exchange.span.traceparent if exchange.span.on else None
        if request.path.startswith(API) and not _is_acceptable(request.header(b"accept"), operation):
            raise Rejected("not_acceptable", "Answers are JSON; accept application/json.")
        closed = operation.scope is not None or operation.access != "anyone"
        if operation.method != "GET":
            is_program = operation.takes_programs and not is_browser(request.header)
            if (
                operation.tag == PAGES
                and not is_program
                and not is_own_form(request.header, self.services.options.base_url)
            ):
                return foreign_form(exchange.view)
            if closed:
                # Before a byte of the body is read. A GET is admitted in the transaction of its first use case.
                await exchange.work.admit()
        try:
            response = await handler(exchange)
        except (InvalidInput, NotFound, Rejected):
            if closed and admission.caller is None:
                # Clients without access get no details about parameters.
                await exchange.work.admit()
            raise
        if closed and admission.caller is None:
            raise RuntimeError(f"{operation.name} answers without admitting the caller")
        if admission.signed_in is not None and admission.signed_in.due:
            await _keep_session(exchange, response)
        if response.status_code == 304:  # noqa: PLR2004 - RFC 9110 15.4.5
            await exchange.limits.give_back(REQUESTS)
        return await _with_warnings(request, response) if request.path.startswith(API) else response

    def _find(self, request: Request) -> tuple[Operation, Bound] | Response:
        """Return the operation that a request addresses; for OPTIONS the response.

        Raises:
            NotFound: The path is unknown.
            Rejected: The method is unknown, or not supported by the path.
        """
        if request.method not in REGISTERED_METHODS:
            raise Rejected("not_implemented", f"The methods known here are {', '.join(METHODS)}.")
        found = self._routes.find(request.path)
        if found is None:
            preflight = self._preflight(request, ", ".join(METHODS)) if request.method == "OPTIONS" else ()
            if preflight:
                return Response(status_code=204, headers=preflight)  # so that a page of another origin can read the 404
            raise NotFound
        resource, request.scope["path_params"] = found
        operation = resource.operations.get(request.method)
        if operation is None:
            allow = ("Allow", resource.allow)
            if request.method == "OPTIONS":
                return Response(status_code=204, headers=(allow, *self._preflight(request, resource.allow)))
            raise Rejected("method_not_allowed", f"This URL supports {resource.allow}.", headers=(allow,))
        return operation, resource.handlers[request.method]

    def _preflight(self, request: Request, allow: str) -> tuple[tuple[str, str], ...]:
        if not request.path.startswith(API) or request.header(b"access-control-request-method") is None:
            return ()
        return preflight_headers(allow)

    async def _report(self, exchange: Exchange, problem: Problem) -> Response:
        exchange.problem = problem.code
        path = exchange.request.path
        if self._has_pages and not path.startswith(API):
            if problem.code == "not_found":
                # With the menu of the signed-in user: a missing object and one of another account get the same page.
                with contextlib.suppress(Unavailable):
                    await exchange.work.identify()
            as_page = problem_page(exchange.request, exchange.view, problem)
            if as_page is not None:
                return as_page
        options, request_id = self.services.options, exchange.request.request_id
        body = problem_body(problem, base_url=options.base_url, path=f"{options.root}{path}", request_id=request_id)
        return Response(content=body, status_code=problem.status, headers=problem.headers, media_type=MEDIA_TYPE)

    async def _finish(self, exchange: Exchange, response: Response) -> None:
        """Compress a response and add the headers that every response gets."""
        request = exchange.request
        is_api = request.path.startswith(API)
        if is_api or request.operation is None or request.operation.tag == PAGES:
            # Clients of the API send a key, which no other site can make a browser send.
            fetch_site = None if is_api else request.header(b"sec-fetch-site")
            accepted = request.header(b"accept-encoding")
            if negotiate_gzip(response, accepted, fetch_site, varies=is_api):
                if len(response.body) > AT_ONCE:
                    await asyncio.to_thread(compress, response)
                else:
                    compress(response)
        headers = response.raw_headers
        root = self.services.options.root
        if root:
            headers[:] = [_below(root, header) for header in headers]
        given = {name for name, _ in headers}
        headers += [header for header in self._standing[is_api] if header[0] not in given]
        headers.append((b"x-request-id", request.request_id.encode("ascii")))
        if b"cache-control" not in given:
            kept = response.status_code in (200, 304) and request.method in ("GET", "HEAD")
            headers += encode_headers((FRESH if kept else UNKEPT,))
        if is_api:
            headers += origin_headers(self.services.options, request.header(b"origin"))
        if exchange.admission.standings:
            headers += rate_headers(list(exchange.admission.standings.items()))
        if request.lenient_used and b"preference-applied" not in given:
            headers.append((b"preference-applied", b"handling=lenient"))
        if self.services.draining and b"connection" not in given:
            headers += encode_headers((CLOSE,))
        if not request.is_http_1:
            headers[:] = [header for header in headers if header[0] != b"connection"]


def _check_root(root: str, operations: Sequence[Operation]) -> None:
    """Check that a path that starts with the root can only mean one thing, whether or not a proxy takes it away.

    Raises:
        InvalidInput: A path of the service begins like it.
    """
    first = root.split("/")[1] if root else ""
    if first and any(operation.path.split("/")[1] == first for operation in operations):
        raise InvalidInput(
            f"PAGEGRADE_BASE_URL: the service has pages of its own at /{first}, so it cannot be below {root}. "
            "Give it another path, such as /pagegrade."
        )


async def _with_warnings(request: Request, response: Response) -> Response:
    """Add the warnings about unknown parameters; a long body is changed in a thread."""
    warnings = request.unknown_parameters()
    if warnings and len(response.body) > AT_ONCE:
        return await asyncio.to_thread(warned, response, warnings)
    return warned(response, warnings)


def _action(operation: Operation, request: Request) -> Requested | None:
    if not operation.is_action:
        return None
    target = None
    if "id" in request.path_params:
        with contextlib.suppress(NotFound):
            target = request.id
    return Requested(operation.name, target, request.received_at_ms)


async def _keep_session(exchange: Exchange, response: Response) -> None:
    """Record that the session is used, and send its new token if it was renewed.

    A response that starts or ends a session sets the cookie itself.
    """
    signed_in = exchange.admission.signed_in
    if signed_in is None or "set-cookie" in response.headers:
        return
    now_ms = exchange.request.received_at_ms
    try:
        token = await exchange.work.write_public(keep_session, signed_in.session, exchange.admission.secret, now_ms)
    except Unavailable:
        return  # the page itself is complete; the next request tries again
    if token is not None:
        response.headers.append(*session_cookie(token, exchange.services.options.base_url))


def _below(root: str, header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Return a header with the path of the service before a path that it redirects to."""
    is_path = header[0] == b"location" and header[1].startswith(b"/")
    return (b"location", root.encode("ascii") + header[1]) if is_path else header


def _is_acceptable(accept: str | None, operation: Operation) -> bool:
    """Return true if the client accepts JSON or another format of the operation."""
    return accepts_json(accept) or bool(operation.formats and preferred_by_program(accept, operation.formats))


SMALLEST: Final = 1_000
"""Bytes below which nothing is gained: the response fits into one packet as it is."""
MAX_CHARACTERS: Final = 1_024
"""Of an Accept-Encoding header that is read; with a longer one nothing is compressed."""
LEVEL: Final = 5
"""Of 9: half the time of the highest, and within some percent of it."""
AT_ONCE: Final = 32_768
"""Bytes that are compressed in less than a millisecond; more are compressed outside of the event loop."""
PACKABLE: Final = frozenset(
    {
        "text/html",
        "text/csv",
        "text/markdown",
        "application/json",
        "application/problem+json",
        "application/ld+json",
        "application/sarif+json",
    }
)
"""Media types worth it. PDF is packed inside."""


def negotiate_gzip(
    response: Response, accept_encoding: str | None, fetch_site: str | None, *, varies: bool = False
) -> bool:
    """Return true if the response is worth compressing and the client accepts gzip (RFC 9110 8.4.1.3, 12.5.3).

    A response that may be compressed says so in ``Vary``.

    Responses that another site makes a browser request are never compressed: their length would reveal whether text
    of the URL also stands beside it in the page (BREACH).

    Args:
        accept_encoding: The header; ``None`` when it was not sent.
        fetch_site: Sec-Fetch-Site; ``None`` when it was not sent, or when the response does not depend on cookies.
        varies: The response says already that it depends on Accept-Encoding.
    """
    kind = (response.media_type or "").partition(";")[0]
    if kind not in PACKABLE or len(response.body) < SMALLEST:
        return False
    if not varies:
        response.headers.add_vary_header("Accept-Encoding")
    return fetch_site not in {"cross-site", "same-site"} and _accepts_gzip(accept_encoding)


def compress(response: Response) -> None:
    """Compress a response with gzip.

    Its entity tag stays: ranges cannot be requested, and ``If-Match`` needs the tag of the API to be strong.
    """
    response.replace_body(gzip.compress(response.body, LEVEL, mtime=0))
    response.headers["content-encoding"] = "gzip"


def _accepts_gzip(accept_encoding: str | None) -> bool:
    if not accept_encoding or len(accept_encoding) > MAX_CHARACTERS:
        return False
    for element in accept_encoding.lower().split(","):
        coding, _, parameters = element.partition(";")
        if coding.strip() in {"gzip", "x-gzip", "*"}:
            quality = parameters.replace(" ", "").removeprefix("q=")
            return not quality or quality.strip("0.") != ""
    return False


_STAND_INS: Final = {"/": "\udc2f", "\n": "\udc0a"}
"""Of what was sent as ``%2F`` or ``%0A`` and means itself, not the end of a segment: no decoded path contains these."""
_ENCODED: Final = str.maketrans(_STAND_INS)
_DECODED: Final = str.maketrans({other: character for character, other in _STAND_INS.items()})


class Resource(msgspec.Struct, frozen=True):
    """A path with everything that can be done at it."""

    path: str
    operations: Mapping[str, Operation]
    """By method; HEAD is what GET does."""
    handlers: Mapping[str, Bound]
    """By method."""
    allow: str
    """Value of the Allow header."""


class Routes:
    """Finds the resource of a path: paths without parameters before those with, the API before the pages."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        by_path: dict[str, list[Operation]] = {}
        for operation in operations:
            by_path.setdefault(operation.path, []).append(operation)
        self._resources = {path: _resource(path, found) for path, found in by_path.items()}
        self._routes: dict[int, list[Route]] = {}
        """Number of slashes -> paths with parameters, of which none spans segments; the API first."""
        for path in sorted(by_path, key=lambda path: not path.startswith(API)):
            if "{" in path:
                self._routes.setdefault(path.count("/"), []).append(Route(path, _no_endpoint))

    def find(self, path: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Return the resource of a path and the parameters in it, decoded; ``None`` when there is none.

        Args:
            path: As sent, percent-encoded. A slash that is written ``%2F`` is part of its segment.
        """
        if path.startswith(API) and path.endswith("/"):
            # The same path: clients put the slash there by habit, and a redirect would lose the body of their request.
            path = path[:-1]
        if "%" in path:
            segments = [_decode(segment) for segment in path.split("/")]
            path = "/".join(segment for segment in segments if segment is not None)
            if None in segments:
                return None
        if (fixed := self._resources.get(path)) is not None and "{" not in path:
            return fixed, {}
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path}
        for route in self._routes.get(path.count("/"), ()):
            match, found = route.matches(scope)
            if match is Match.FULL:
                params = {name: value.translate(_DECODED) for name, value in found["path_params"].items()}
                return self._resources[route.path], params
        return None


def _no_endpoint(_request: object) -> None:
    raise NotImplementedError("a resource answers for its route")


def _resource(path: str, operations: list[Operation]) -> Resource:
    by_method = {operation.method: operation for operation in operations}
    if len(by_method) != len(operations):
        raise ValueError(f"{path}: two operations have the same method")
    if "GET" in by_method:
        by_method["HEAD"] = by_method["GET"]
    handlers = {method: bind(operation.handler) for method, operation in by_method.items()}
    return Resource(path, by_method, handlers, ", ".join(sorted([*by_method, "OPTIONS"])))


def _decode(segment: str) -> str | None:
    """Return the segment decoded; ``None`` when it is not UTF-8, which names nothing."""
    try:
        text = unquote_to_bytes(segment).decode("utf-8") if "%" in segment else segment
    except UnicodeDecodeError:
        return None
    return text.translate(_ENCODED)
