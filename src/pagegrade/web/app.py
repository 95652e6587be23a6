"""The ASGI application: finds the operation, lets it answer, tells every problem in one form."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from pagegrade.model.errors import NotFound, PagegradeError, Unavailable
from pagegrade.observability.logs import name_lines
from pagegrade.service.accounts.sessions import keep_session
from pagegrade.service.container import Services
from pagegrade.web.compression import AT_ONCE, compressed
from pagegrade.web.context import REQUESTS, Call
from pagegrade.web.http.accept import preferred_by_program
from pagegrade.web.http.body import CLOSE, ClientGone, Receive
from pagegrade.web.http.headers import (
    API,
    FRESH,
    UNKEPT,
    encode_headers,
    origin_headers,
    preflight_headers,
    rate_headers,
    standing_headers,
)
from pagegrade.web.http.json_negotiation import accepts_json
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.catalog.problems import foreign_form, problem_page, sign_in_needed
from pagegrade.web.problems import MEDIA_TYPE, Problem, Rejected, internal_error, problem_body, problem_of
from pagegrade.web.responses import warned
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.routing import Routes
from pagegrade.web.session_cookie import SignInNeeded, is_own_form, session_cookie
from pagegrade.web.spans import begin_span, end_span

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
logger = logging.getLogger("pagegrade.web")

MAX_TARGET_BYTES: Final = 16_384
"""Of path and query."""
MAX_HEADER_BYTES: Final = 65_536
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
"""Of RFC 9110 and RFC 5789."""
REGISTERED_METHODS: Final = frozenset(METHODS) | frozenset(
    "ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF "
    "MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH QUERY REBIND REPORT SEARCH UNBIND UNCHECKOUT UNLINK UNLOCK "
    "UPDATE UPDATEREDIRECTREF VERSION-CONTROL".split()
)
"""IANA's registry of HTTP methods: these fit no path here (405), every other one is unknown (501)."""
CLIENT_GONE: Final = 499
"""What the log says where no status was sent, because nobody was there to read it."""
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BODILESS: Final = frozenset({204, 304})
_PROCESS: Final = secrets.token_hex(4)
"""Tells the requests of this process from those of others; a request's name is no secret."""
_requests: Final = itertools.count(1)


class Observer(Protocol):
    """Is told about every request once it is answered."""

    def __call__(
        self, operation: str, method: str, status: int, seconds: float, request_id: str, /, *, call: Call
    ) -> None:
        """Take note.

        Args:
            operation: Its name; empty where nothing is found at the path.
            method: As sent.
            status: Of the answer; ``CLIENT_GONE`` when there was none.
            seconds: From the first byte read to the last one handed over.
            request_id: As told to the client.
            call: The request, with the caller if there is one.
        """


def _no_observer(*_about: object, **_more: object) -> None:
    """Nobody wants to know."""


def make_app(
    services: Services,
    *,
    operations: Sequence[Operation] = ALL_OPERATIONS,
    observe: Observer = _no_observer,
) -> App:
    """The application of a process, to be handed to a server."""
    return App(services, operations=operations, observe=observe)


class App:
    """ASGI 3.0. What needs starting and stopping is started and stopped by whoever made it."""

    def __init__(self, services: Services, *, operations: Sequence[Operation], observe: Observer) -> None:
        self.services = services
        self._operations = operations
        self._answering: dict[tuple[Any, ...], bytes] = {}
        self._routes = Routes(operations)
        self._has_pages = any(operation.tag == PAGES for operation in operations)
        self._observe = observe
        self._standing = {api: standing_headers(services.options, api=api) for api in (True, False)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection event of the server."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _lifespan(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
        path = raw_path.partition(b"?")[0].decode("latin-1")
        call = Call(self.services, scope, receive, path=path, request_id="")
        call.operations, call.answering = self._operations, self._answering
        call.request_id = _request_id(call.header(b"x-request-id"))
        call.span = begin_span(call)
        name_lines(request_id=call.request_id, **call.span.names)
        status = CLIENT_GONE
        try:
            answer = await self._answer(call, scope)
            if answer is not None:
                status = answer.status
                await self._send(call, answer, send)
        finally:
            operation = call.operation.name if call.operation is not None else ""
            self._observe(operation, call.method, status, time.perf_counter() - started, call.request_id, call=call)
            end_span(call, status)

    async def _answer(self, call: Call, scope: Scope) -> Answer | None:
        """The answer, whatever happens; ``None``: nobody is there to take it."""
        try:
            return await self._done(call, scope)
        except ClientGone:
            return None
        except SignInNeeded:
            return sign_in_needed(call)
        except (PagegradeError, Rejected) as error:
            problem = problem_of(error)
            if problem.code == "internal_error":
                logger.exception("request_failed", extra={"request_id": call.request_id})
        except Exception:
            # Whatever it was, the client learns nothing but that it happened, and the log everything.
            logger.exception("request_failed", extra={"request_id": call.request_id})
            problem = internal_error()
        return await self._told(call, problem)

    async def _done(self, call: Call, scope: Scope) -> Answer:
        if len(call.path) + len(scope.get("query_string", b"")) > MAX_TARGET_BYTES:
            raise Rejected("too_large", f"The address may have at most {MAX_TARGET_BYTES} bytes.", status=414)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            raise Rejected("too_large", f"The headers may have at most {MAX_HEADER_BYTES} bytes.", status=431)
        operation = self._operation(call)
        if isinstance(operation, Answer):
            return operation
        call.operation = operation
        if call.path.startswith(API) and not _is_acceptable(call.header(b"accept"), operation):
            raise Rejected("not_acceptable", "Answers are JSON; accept application/json.")
        closed = operation.scope is not None or operation.access != "anyone"
        if operation.method != "GET":
            if operation.tag == PAGES and not is_own_form(call.header, self.services.options.base_url):
                return foreign_form(call)
            if closed:
                # Before a byte of the body is read. A GET is admitted within its one look at the database.
                await call.admit()
        answer = await operation.handler(call)
        if closed and call.caller is None:
            raise RuntimeError(f"{operation.name} answers without asking who calls")
        if call.signed_in is not None and call.signed_in.due:
            answer = await _keep_session(call, answer)
        if answer.status == 304:  # noqa: PLR2004 - RFC 9110 15.4.5
            await call.give_back(REQUESTS)
        return warned(answer, call.unknown_parameters()) if call.path.startswith(API) else answer

    def _operation(self, call: Call) -> Operation | Answer:
        """What the request names; for OPTIONS the answer at once.

        Raises:
            NotFound: There is nothing at the path.
            Rejected: The method is none, or none of the path.
        """
        if call.method not in REGISTERED_METHODS:
            raise Rejected("not_implemented", f"The methods known here are {', '.join(METHODS)}.")
        found = self._routes.find(call.path)
        if found is None:
            preflight = self._preflight(call, ", ".join(METHODS)) if call.method == "OPTIONS" else ()
            if preflight:
                return Answer(status=204, headers=preflight)  # so that a page of another origin gets to read the 404
            raise NotFound
        place, call.params = found
        operation = place.operations.get(call.method)
        if operation is None:
            allow = ("Allow", place.allow)
            if call.method == "OPTIONS":
                return Answer(status=204, headers=(allow, *self._preflight(call, place.allow)))
            raise Rejected("method_not_allowed", f"This address knows {place.allow}.", headers=(allow,))
        return operation

    def _preflight(self, call: Call, allow: str) -> tuple[tuple[str, str], ...]:
        if not call.path.startswith(API) or call.header(b"access-control-request-method") is None:
            return ()
        return preflight_headers(allow)

    async def _told(self, call: Call, problem: Problem) -> Answer:
        call.problem = problem.code
        if self._has_pages and not call.path.startswith(API) and problem.code == "not_found":
            # With the menu of whoever has signed in: what is not there and what is not theirs look the same.
            with contextlib.suppress(Unavailable):
                await self.services.database.read(call.visitor)
        as_page = problem_page(call, problem) if self._has_pages and not call.path.startswith(API) else None
        if as_page is not None:
            return as_page
        body = problem_body(
            problem, base_url=self.services.options.base_url, path=call.path, request_id=call.request_id
        )
        return Answer(status=problem.status, body=body, headers=problem.headers, media_type=MEDIA_TYPE)

    async def _send(self, call: Call, answer: Answer, send: Send) -> None:
        is_api = call.path.startswith(API)
        if is_api or call.operation is None or call.operation.tag == PAGES:
            # Whoever calls the API shows a key that no other site can make a browser send.
            fetch_site = None if is_api else call.header(b"sec-fetch-site")
            accepted = call.header(b"accept-encoding")
            if len(answer.body) > AT_ONCE:
                answer = await asyncio.to_thread(compressed, answer, accepted, fetch_site, varies=is_api)
            else:
                answer = compressed(answer, accepted, fetch_site, varies=is_api)
        headers = encode_headers(answer.headers)
        given = {name for name, _ in headers}
        headers += [header for header in self._standing[is_api] if header[0] not in given]
        headers.append((b"x-request-id", call.request_id.encode("ascii")))
        if answer.status not in _BODILESS:
            headers.append((b"content-type", answer.media_type.encode("latin-1")))
            headers.append((b"content-length", str(len(answer.body)).encode("ascii")))
        if b"cache-control" not in given:
            kept = answer.status in (200, 304) and call.method in ("GET", "HEAD")
            headers += encode_headers((FRESH if kept else UNKEPT,))
        if is_api:
            headers += origin_headers(self.services.options, call.header(b"origin"))
        if call.standings:
            headers += rate_headers(list(call.standings.items()))
        if call.lenient_used and b"preference-applied" not in given:
            headers.append((b"preference-applied", b"handling=lenient"))
        if self.services.draining and b"connection" not in given:
            headers += encode_headers((CLOSE,))
        if not call.is_http_1:
            headers = [header for header in headers if header[0] != b"connection"]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        silent = call.method == "HEAD" or answer.status in _BODILESS
        await send({"type": "http.response.body", "body": b"" if silent else answer.body})


async def _keep_session(call: Call, answer: Answer) -> Answer:
    """Note that the session goes on; the answer with its new token where it got one.

    An answer that ends or starts a session says itself how it goes on.
    """
    signed_in = call.signed_in
    if signed_in is None or any(name == "Set-Cookie" for name, _ in answer.headers):
        return answer
    try:
        token = await call.services.database.write(
            lambda tx: keep_session(tx, signed_in.session, call.secret, call.now_ms)
        )
    except Unavailable:
        return answer  # the page was made all the same; the next one tries again
    if token is None:
        return answer
    return replace(answer, headers=(*answer.headers, session_cookie(token, call.services.options.base_url)))


def _is_acceptable(accept: str | None, operation: Operation) -> bool:
    """Whether the client takes JSON, or another format that the operation has."""
    return accepts_json(accept) or bool(operation.formats and preferred_by_program(accept, operation.formats))


def _request_id(sent: str | None) -> str:
    """The client's own name for the request where it is short and plain, else one of ours."""
    return sent if sent is not None and _REQUEST_ID.fullmatch(sent) else f"{_PROCESS}{next(_requests):08x}"


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
