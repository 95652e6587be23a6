"""HTTP/1.1 on one connection: uvicorn's protocol, hardened so that it can be exposed without a proxy.

The parser (llhttp, strict) rejects what request smuggling relies on: two lengths, a length and a transfer coding, bare
line ends, folded headers, control characters. This class closes what uvicorn leaves open:

- A request may take forever to arrive, and a response to be read; both have a deadline here.
- Headers, trailers and the target may be of any size, and trailers are merged into headers that were already checked.
- A malformed request is answered at once, ahead of the pending responses to earlier requests, so that the client
  matches responses to the wrong requests. Here responses keep their order, and the connection ends after the error.
- The body of a request with ``Upgrade`` is left in the stream and read as the next request.
- The number of connections and of pipelined requests is not limited, nor shared between clients.
- Errors are plain text; here they are problem details (RFC 9457) as everywhere else.

Sources: https://www.rfc-editor.org/rfc/rfc9112#section-3.2, https://www.rfc-editor.org/rfc/rfc9112#section-6.1
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import re
import secrets
import urllib.parse
from collections import deque
from collections.abc import Hashable, Iterable
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from pagegrade.web.problems import MEDIA_TYPE, internal_error, problem_body
from pagegrade.web.server import limits
from pagegrade.web.server.limits import Listening, Refusal, RefusedError, refusal_bytes


class Exchange(RequestResponseCycle):
    """One request and its answer."""

    begun = False
    """The application has seen it."""
    reusable = True
    """The connection may be used again, as far as the request goes."""
    task: asyncio.Task[None] | None = None

    async def run_asgi(self, app: Any) -> None:
        """Let the application answer; unlike uvicorn's, a cancelled one is no error, and errors are problems."""
        self.begun = True
        try:
            await app(self.scope, self.receive, self.send)
            self._check_answer()
        except asyncio.CancelledError:
            self.transport.abort()
            raise
        except Exception:
            if self.disconnected:
                return  # an application may well fail when its client has gone
            logging.getLogger("pagegrade.web").exception("The application failed")
            if self.response_started:
                self.transport.abort()  # an answer that is cut off must not look whole
            else:
                await self.send_500_response()
        finally:
            self.on_response = lambda: None

    async def send_500_response(self) -> None:
        """The last resort."""
        body = problem_body(internal_error(), base_url="", path=self.scope["path"], request_id="")
        headers = [
            (b"content-type", MEDIA_TYPE.encode("ascii")),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        await self.send({"type": "http.response.start", "status": 500, "headers": headers})
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    async def receive(self) -> Any:
        """The next piece of the body."""
        if self.waiting_for_100_continue:
            # Only now is it sure that the body will come, so only now can another request come behind it.
            self.keep_alive = self.reusable
        return await super().receive()

    def _check_answer(self) -> None:
        if not (self.response_complete or self.disconnected):
            raise RuntimeError("the application left without an answer")


PROGRESS_BYTES: Final = 16 * 1024
"""A client that reads less than this within ``send_s`` is disconnected."""
_REQUEST_LINE: Final = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64} /[^\s]{0,2000} HTTP/1\.[01]\r\n")
HOP_BY_HOP: Final = {b"upgrade", b"http2-settings", b"connection"}


class Connection(HttpToolsProtocol):
    """Connection of one client."""

    cycle: Exchange

    def __init__(self, listening: Listening) -> None:
        super().__init__(listening.config, listening.state, {}, listening.loop)
        self.listening = listening
        self.limits = listening.limits
        self.phase = "idle"
        """``idle`` between requests, ``head`` or ``body`` while one arrives."""
        self.answering: Exchange | None = None
        self.refusal: Refusal | None = None
        """Set once; everything received after it is ignored."""
        self.ended = False
        """True after the last byte of the connection was written."""
        self.holder: Hashable = None
        self.extra = False
        """True beyond the limit of connections: only what is always answered is."""
        self.messages = 0
        self.wire_bytes = 0
        self.head_bytes = 0
        self.header_count = 0
        self.upgrading = False
        self.deadline: asyncio.TimerHandle | None = None
        self.write_check: asyncio.TimerHandle | None = None
        self.unsent_bytes = 0

    # Called by the transport.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register a new connection."""
        super().connection_made(transport)
        listening = self.listening
        self.holder = listening.holder_of(self.client)
        listening.held[self.holder] += 1
        listening.waiting[self] = None
        if listening.active > self.limits.connections and not self._make_room():
            self.extra = True
            self._leave()
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister a closed connection and notify the handler that is answering it."""
        listening = self.listening
        listening.waiting.pop(self, None)
        listening.leaving.pop(self, None)
        listening.held[self.holder] -= 1
        if not listening.held[self.holder]:
            del listening.held[self.holder]
        self._unset_keepalive_if_required()
        self._stop_deadline()
        if self.write_check is not None:
            self.write_check.cancel()
            self.write_check = None
        if self.answering is not None:
            self.answering.disconnected = not self.answering.response_complete
            self.answering.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)
        if listening.stopping and not self.connections:
            listening.empty.set()

    def eof_received(self) -> None:
        """Treat the end of the client's stream as a disconnect; what is already written is still sent."""
        self._watch_writing()

    def data_received(self, data: bytes) -> None:
        """Parse received bytes."""
        if self.refusal is not None:
            return
        messages, phase = self.messages, self.phase
        try:
            self._feed(data)
        except (httptools.HttpParserError, RefusedError) as error:
            cause = error if isinstance(error, RefusedError) else error.__context__
            if isinstance(cause, RefusedError):
                self._refuse(cause.refusal)
            else:
                # The parser stops within the method; only the whole line separates an unknown method from garbage.
                alone = phase == "idle" and self.messages <= messages + 1
                bad_method = isinstance(error, httptools.HttpParserInvalidMethodError)
                unknown = bad_method and alone and _REQUEST_LINE.match(data)
                self._refuse(limits.BAD_METHOD if unknown else limits.BAD_REQUEST)
            return
        if self.phase == "idle":
            if self.messages != messages or phase != "idle":  # empty lines are no request and extend no deadline
                self._stop_deadline()
            return
        # Count bytes that certainly belong to this request; the parser reports a header only once it is complete.
        if self.messages == messages or (phase == "idle" and self.messages == messages + 1):
            self.wire_bytes += len(data)
        if self.phase == "head" and self.wire_bytes > self.limits.head_bytes:
            self._refuse(limits.LONG_HEAD)
        elif self.wire_bytes > self.limits.head_bytes + self.limits.body_bytes:
            self._refuse(limits.LONG_BODY)
        elif self.deadline is None:
            self._set_deadline()

    def pause_writing(self) -> None:
        """Stop writing, because the client does not read fast enough."""
        super().pause_writing()
        self._watch_writing()
        if not self.ended:
            self.listening.waiting[self] = None

    def resume_writing(self) -> None:
        """Go on writing: the client has read."""
        super().resume_writing()
        if self.works and not self._receives(self.answering):
            self.listening.waiting.pop(self, None)

    def shutdown(self) -> None:
        """Stop the server: finish the response under way, then close the connection."""
        if self.answering is None and self.phase == "idle":
            self.hang_up()
        elif self.cycle is not None:
            self.cycle.keep_alive = self.cycle.reusable = False

    @property
    def works(self) -> bool:
        """Return whether a request is being answered."""
        return self.answering is not None

    def give_way(self) -> None:
        """Close this connection to make room for another client."""
        self.listening.waiting.pop(self, None)
        if self.answering is None:
            self.hang_up(at_once=True)
        elif self._receives(self.answering) and not self.answering.response_started:
            self._refuse(limits.FULL)
        else:
            self.transport.abort()

    # Called by the parser.

    def on_message_begin(self) -> None:
        """Start a request at its first byte."""
        super().on_message_begin()
        self.messages += 1
        self.phase = "head"
        self.wire_bytes = self.head_bytes = self.header_count = 0
        self._unset_keepalive_if_required()
        self._stop_deadline()

    def on_url(self, url: bytes) -> None:
        """Collect a piece of the request target."""
        super().on_url(url)
        self.head_bytes += len(url)
        if len(self.url) > self.limits.url_bytes:
            raise RefusedError(limits.LONG_URL)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Collect a header, or count a trailer; trailers are discarded."""
        self.head_bytes += len(name) + len(value) + 4
        self.header_count += 1
        if self.head_bytes > self.limits.head_bytes:
            raise RefusedError(limits.LONG_HEAD)
        if self.header_count > self.limits.headers:
            raise RefusedError(limits.MANY_HEADERS)
        if self.phase == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request once its head is complete."""
        parser = self.parser
        version, method = parser.get_http_version(), parser.get_method()
        if parser.should_upgrade():
            if method == b"CONNECT":
                raise RefusedError(limits.NO_PROXY)
            self.upgrading = True
            return
        check_headers(self.headers, version)
        path, query = read_target(self.url)
        self.scope["method"] = method.decode("ascii")
        self.scope["http_version"] = version
        self.scope["path"] = urllib.parse.unquote(path) if "%" in path else path
        self.scope["raw_path"] = path.encode("ascii")
        self.scope["query_string"] = query
        if len(self.pipeline) >= self.limits.pipelined:
            raise RefusedError(limits.LATER)
        if self.extra and path not in self.listening.always:
            if self.listening.active >= self.limits.connections and not self._make_room():
                raise RefusedError(limits.FULL)
            self.extra = False
            self.listening.leaving.pop(self, None)
        expects = self.expect_100_continue and version == "1.1"
        reusable = version == "1.1" and parser.should_keep_alive() and not self.listening.stopping and not self.extra
        exchange = Exchange(
            scope=self.scope,
            transport=self,  # type: ignore[arg-type]  # what an answer needs of one
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=expects,
            keep_alive=reusable and not expects,
            on_response=self.on_response_complete,
        )
        exchange.reusable = reusable
        self.cycle = exchange
        self.phase = "body"
        self.wire_bytes = self.head_bytes = self.header_count = 0
        if self.answering is None:
            self._start_asgi_task(exchange, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((exchange, self.app))

    def on_message_complete(self) -> None:
        """Finish the request after its last byte."""
        if not self.upgrading:
            super().on_message_complete()
            self.phase = "idle"
            if self.works:
                self._start_work()

    # Called by responses.

    def on_response_complete(self) -> None:
        """Start the next request after a response was written."""
        self.server_state.total_requests += 1
        self.answering = None
        self.flow.resume_reading()
        if self.ended or self.transport.is_closing():
            self._watch_writing()
        elif self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self.refusal is not None:
            self._send_refusal(self.refusal)
        else:
            self.listening.waiting[self] = None
            self._unset_keepalive_if_required()
            if self.deadline is not None:
                self._stop_deadline()
                self._set_deadline()
            elif self.phase == "idle":
                self.timeout_keep_alive_task = self.loop.call_later(self.limits.keep_alive_s, self.hang_up)

    def write(self, data: bytes) -> None:
        """Send a piece of a response."""
        self.transport.write(data)

    def is_closing(self) -> bool:
        """Return whether nothing more can be sent."""
        return self.transport.is_closing()

    def abort(self) -> None:
        """Abort the connection, so that a truncated response does not look complete."""
        self.transport.abort()

    def close(self) -> None:
        """Close the connection after its last response."""
        if self.phase == "idle":
            self.transport.close()
        else:
            self._end()

    # Internal.

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self.answering = cycle
        if not self._receives(cycle):
            self._start_work()
        # A context of its own: values bound to the log lines of one request must not reach the next on the connection.
        cycle.task = self.loop.create_task(cycle.run_asgi(app), context=contextvars.Context())
        self.tasks.add(cycle.task)
        cycle.task.add_done_callback(self.tasks.discard)

    def _feed(self, data: bytes) -> None:
        """Parse received bytes; ignore a request to change the protocol, as RFC 9110 7.8 allows.

        The parser stops at such a request and treats its body as the other protocol's, so the request is parsed again
        without its Upgrade header. ``curl --http2`` sends one with every request to an ``http://`` address.
        """
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as stop:
                if not self.upgrading:
                    raise RefusedError(limits.BAD_REQUEST) from None
                self.upgrading = False
                version = self.parser.get_http_version().encode("ascii")
                head = [self.parser.get_method(), b" ", self.url, b" HTTP/", version, b"\r\n"]
                for name, value in self.headers:
                    if name not in HOP_BY_HOP:
                        head += [name, b": ", value, b"\r\n"]
                if not self.parser.should_keep_alive():
                    head.append(b"connection: close\r\n")
                data = b"".join([*head, b"\r\n", data[stop.args[0] :]])
                self.parser = httptools.HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            else:
                return

    def _start_work(self) -> None:
        """Wait no longer for the client, but work for it."""
        self.listening.waiting.pop(self, None)
        self.listening.relieve()

    def _receives(self, exchange: Exchange | None) -> bool:
        """Return whether the body of this request is still arriving."""
        return self.phase == "body" and exchange is self.cycle

    def _make_room(self) -> bool:
        """Have another connection closed for this one; return whether there was one to close."""
        victim = self.listening.yielding_to(self)
        if not isinstance(victim, Connection):
            return False
        victim.give_way()
        return True

    def _leave(self) -> None:
        """Count this connection among those that are about to end, and cut one of them if they are too many."""
        listening = self.listening
        listening.waiting.pop(self, None)
        listening.leaving[self] = None
        if len(listening.leaving) > self.limits.extra:
            first = listening.leaving_first()
            if isinstance(first, Connection):
                listening.leaving.pop(first)
                first.transport.abort()

    def _set_deadline(self) -> None:
        seconds = self.limits.linger_s if self.extra else self.limits.receive_s
        self.deadline = self.loop.call_later(seconds, self._too_slow)

    def _stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _too_slow(self) -> None:
        """Reject a request that has not arrived in time."""
        self.deadline = None
        behind = self.answering is not None and (self.phase == "head" or self.answering is not self.cycle)
        if self.flow.read_paused or behind:
            # The server itself is slow: with the previous request, or with reading what has arrived.
            self._set_deadline()
        elif self.phase == "idle":
            self.hang_up()
        else:
            self._refuse(limits.FULL if self.extra else limits.TOO_SLOW)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer the arriving request with ``refusal`` after the earlier responses, and stop reading."""
        self.refusal = refusal
        self._stop_deadline()
        if self.phase == "body":
            exchange = self.cycle
            if exchange.response_started:
                if exchange.response_complete:
                    self._end()
                else:
                    self.transport.abort()
                return
            exchange.disconnected = True
            exchange.message_event.set()
            if exchange is self.answering:
                self.answering = None
                if not exchange.begun and exchange.task is not None:
                    exchange.task.cancel()  # its head and the error arrived together
            else:
                self.pipeline = deque(item for item in self.pipeline if item[0] is not exchange)
        if self.answering is None and not self.pipeline:
            self._send_refusal(refusal)

    def _send_refusal(self, refusal: Refusal) -> None:
        if refusal is limits.LATER or self.transport.is_closing():
            self._end()
            return
        listening = self.listening
        request_id = secrets.token_hex(8)
        answer = refusal_bytes(
            refusal,
            target=self.url if self.messages else b"",
            base_url=listening.base_url,
            request_id=request_id,
            headers=self.server_state.default_headers,
        )
        if listening.on_refusal is not None:
            listening.on_refusal(refusal, self.client[0] if self.client else "", request_id)
        self.transport.write(answer)
        self._end()

    def _end(self) -> None:
        """Close the writing side, and keep reading for a moment.

        Closing while the client still sends makes the system send a reset, which can overtake the response
        (RFC 9112 9.6).
        """
        if self.ended or self.transport.is_closing():
            return
        self.ended = True
        self.refusal = self.refusal or limits.LATER
        self._leave()
        self._stop_deadline()
        self._unset_keepalive_if_required()
        with contextlib.suppress(OSError):  # the client may have disconnected
            self.transport.write_eof()
        self.timeout_keep_alive_task = self.loop.call_later(self.limits.linger_s, self.hang_up)

    def hang_up(self, *, at_once: bool = False) -> None:
        """Close once everything written has been sent, or immediately if ``at_once`` is set."""
        self.listening.waiting.pop(self, None)
        if at_once and self.transport.get_write_buffer_size():
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.close()
            self._watch_writing()

    def _watch_writing(self) -> None:
        """Disconnect the client if it does not read what was written in time."""
        self.unsent_bytes = self.transport.get_write_buffer_size()
        if self.write_check is None and self.unsent_bytes:
            self.write_check = self.loop.call_later(self.limits.send_s, self._check_writing)

    def _check_writing(self) -> None:
        self.write_check = None
        unsent_bytes = self.transport.get_write_buffer_size()
        if unsent_bytes > self.unsent_bytes - PROGRESS_BYTES and (
            self.flow.write_paused or self.transport.is_closing()
        ):
            self.transport.abort()
        else:
            self._watch_writing()


HOST: Final = re.compile(rb"[A-Za-z0-9._~%!$&'*+,;=:()\[\]-]*")
"""Characters of ``uri-host [":" port]`` (RFC 9110 7.2, RFC 3986 3.2.2): no user, path, query or blank."""


def check_headers(headers: Iterable[tuple[bytes, bytes]], version: str) -> None:
    """Check that there is exactly one host and that the end of the body is unambiguous.

    Args:
        headers: Headers with lower-case names.

    Raises:
        RefusedError: The headers are not valid.
    """
    if version not in {"1.0", "1.1"}:
        raise RefusedError(limits.BAD_VERSION)
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value.strip(b" \t")) is None:
                raise RefusedError(limits.BAD_HOST)
        elif name == b"transfer-encoding" and (version == "1.0" or value.strip().lower() != b"chunked"):
            raise RefusedError(limits.BAD_CODING)
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        raise RefusedError(limits.BAD_HOST)


def read_target(target: bytes) -> tuple[str, bytes]:
    """Return the path (still encoded) and query of a request target; the host of an absolute URL is ignored.

    Raises:
        RefusedError: The target contains a user or another scheme.
        httptools.HttpParserError: The target is malformed.
    """
    parts: Any = httptools.parse_url(target)  # its types promise parts that may be missing
    if parts.userinfo is not None or parts.schema not in {None, b"http", b"https"}:
        raise RefusedError(limits.BAD_TARGET)
    return (parts.path or b"/").decode("ascii"), parts.query or b""
