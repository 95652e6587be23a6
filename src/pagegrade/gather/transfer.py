"""One libcurl handle and the exchange it is making; every callback is written here."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import certifi
import pycurl

from pagegrade.gather.decode import ACCEPT_ENCODING, BodyDecoder, HeaderReader, KnownLines, read_codings
from pagegrade.gather.exchange import Limits, Purpose, Request
from pagegrade.gather.guard import Guard, Permit, Refusal
from pagegrade.gather.held_bytes import Hold
from pagegrade.model.identity import USER_AGENT
from pagegrade.parse.http.access import Sent
from pagegrade.parse.http.cors import PROBE_ORIGIN

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""RFC 9110 15.4 less 300, 304, 305 and 306, which lead nowhere by themselves."""
_DIRECT: Final[tuple[tuple[int, Any], ...]] = (
    (pycurl.PROXY, ""),
    (pycurl.NOPROXY, "*"),
    (pycurl.HTTPPROXYTUNNEL, 0),
    (pycurl.CONNECT_TO, []),
)
"""Neither the environment nor an exchange before leads it elsewhere."""
_SUPPRESS_CONNECT_HEADERS: Final = 265
"""``CURLOPT_SUPPRESS_CONNECT_HEADERS``: the headers of a proxy are none of the site."""
_ABORT: Final = -1
"""Return value of a callback that ends the transfer; libcurl then reports error 23."""
_PAUSE: Final[int] = pycurl.WRITEFUNC_PAUSE
_WATCH_S: Final = 1.0
"""Interval, in seconds, at which a response without body bytes is checked."""
_MAX_SILENT_BYTES: Final = 1_000_000
"""Bytes in such a second that are no body: a chunk extension without end, which libcurl skips for ever."""
_MAX_REDIRECT_BODY: Final = 65_536
"""Read so that the connection can be used again; a longer one is not worth it."""

ACCEPTS: Final = {
    "document": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "stylesheet": "text/css,*/*;q=0.1",
    "image": "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
    "script": "*/*",
    "font": "*/*",
    "text": "text/plain,application/xml;q=0.9,*/*;q=0.5",
    "markdown": "text/markdown,text/html;q=0.9,*/*;q=0.1",
    "any": "*/*",
}
"""Purpose -> Accept, as browsers send it, and for Markdown as agents do.

Source: https://fetch.spec.whatwg.org/#fetching
"""


def libcurl_version() -> str:
    """Version of the library that does the transfers, such as ``8.17.0``."""
    return str(pycurl.version_info()[1])


def request_headers(request: Request, sent: Sent | None = None, *, user_agent: str = USER_AGENT) -> list[str]:
    """The header lines sent, Host aside: fixed but for a cookie and what an access sends, so no page can add others."""
    return list(_lines_of(request, sent, user_agent))


def _lines_of(request: Request, sent: Sent | None, user_agent: str) -> tuple[str, ...]:
    if request.post is None:
        lines = _header_lines(user_agent, request.purpose, request.referer, request.from_elsewhere)
        lines = (*lines, f"Cookie: {request.cookie}") if request.cookie else lines
        if request.validator:
            condition = "If-None-Match" if request.validator.endswith('"') else "If-Modified-Since"
            lines = (*lines, f"{condition}: {request.validator}")
        if sent is None:
            return lines
        pairs = ((name, value) for name, _, value in (line.partition(": ") for line in lines))
        return tuple(f"{name}: {value}" for name, value in sent.header_lines(pairs))
    given = (("Content-Type", request.post.content_type), *request.post.headers)
    # Without "Expect", for which libcurl would wait a second where the receiver does not know it.
    fixed = (f"User-Agent: {user_agent}", "Accept: */*", "Accept-Encoding: identity", "Expect:")
    return (*fixed, *(f"{name}: {value}" for name, value in given))


@lru_cache(maxsize=64)
def _header_lines(
    user_agent: str,
    purpose: Purpose,
    referer: str | None,
    from_elsewhere: bool,  # noqa: FBT001 - a key
) -> tuple[str, ...]:
    lines = [
        f"User-Agent: {user_agent}",
        f"Accept: {ACCEPTS[purpose]}",
        f"Accept-Encoding: {ACCEPT_ENCODING}",
        "Accept-Language: en,*;q=0.5",
    ]
    if referer is not None:
        lines.append(f"Referer: {referer}")
    if from_elsewhere:
        lines.append(f"Origin: {PROBE_ORIGIN}")
    return tuple(lines)


def certificate_authorities() -> str:
    """The file with the roots that are trusted: ``SSL_CERT_FILE`` where it is set, else Mozilla's list."""
    return os.environ.get("SSL_CERT_FILE") or certifi.where()


@lru_cache(maxsize=2)
def _authorities(file: str, own: str) -> bytes:
    return Path(file).read_bytes() + b"\n" + own.encode("ascii")


@lru_cache(maxsize=2)
def trusted_roots(own: str) -> ssl.SSLContext:
    """Return what verifies the certificate of a proxy: the roots of everyone, and the operator's own in PEM."""
    context = ssl.create_default_context(cafile=certificate_authorities())
    if own:
        context.load_verify_locations(cadata=own)
    return context


def route(permit: Permit) -> tuple[tuple[int, Any], ...]:
    """Return the options of libcurl that lead an exchange to what was checked, through the proxy where there is one.

    Every exchange through a proxy is a tunnel (CONNECT), so that what answers is always the site.
    """
    hop = permit.via
    if hop is None:
        return _DIRECT
    proxy, address = hop.proxy, permit.asked_address
    has_user = bool(proxy.user or proxy.password)
    by_address = address is not None and proxy.scheme == "socks5h"
    asked = f"[{address}]" if address is not None and address.version == 6 else str(address or "")
    return (
        (pycurl.PROXY, proxy.url.replace("socks5h:", "socks5:") if by_address else proxy.url),
        (pycurl.NOPROXY, ""),
        (pycurl.HTTPPROXYTUNNEL, int(proxy.scheme != "socks5h")),
        (pycurl.CONNECT_TO, [f"{permit.host}:{permit.port}:{asked}:{permit.port}"] if asked else []),
        *(((pycurl.PROXYUSERNAME, proxy.user), (pycurl.PROXYPASSWORD, proxy.password)) if has_user else ()),
    )


def _trust(own: str) -> tuple[tuple[int, Any], ...]:
    """Return the options that name the trusted authorities, for sites and for a proxy that is spoken to over TLS."""
    file = certificate_authorities()
    if not own:
        return (pycurl.CAINFO, file), (pycurl.PROXY_CAINFO, file)
    both = _authorities(file, own)
    return (pycurl.CAINFO_BLOB, both), (pycurl.PROXY_CAINFO_BLOB, both)


def _received_bytes(opened: socket.socket) -> int:
    """``tcpi_bytes_received`` of Linux' ``struct tcp_info``: 64 bits at offset 128."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return 0
    try:
        info = opened.getsockopt(socket.IPPROTO_TCP, option, 136)
    except OSError:
        return 0
    return int.from_bytes(info[128:136], sys.byteorder)


def _nothing() -> None:
    """There is nothing to resume."""


class Expired(Exception):
    """Our own clock ended the exchange."""


class Watch:
    """The clocks of a client's exchanges: one timer does for all of them, and hardly any exchange lives to see it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._at: dict[Transfer, float] = {}
        """Exchange -> loop time at which to look at it."""
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0

    def add(self, transfer: Transfer, at: float) -> None:
        """Look at an exchange at this time, and then as often as it says."""
        self._at[transfer] = at
        if self._timer is None or at < self._rings_at:
            self._set(at)

    def remove(self, transfer: Transfer) -> None:
        """Stop checking this one; the timer may fire once more without effect."""
        self._at.pop(transfer, None)

    def close(self) -> None:
        """Stop checking time limits."""
        self._at.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = at
        self._timer = self.loop.call_at(at, self._look)

    def _look(self) -> None:
        self._timer = None
        now = self.loop.time()
        for transfer, at in tuple(self._at.items()):
            if now >= at:
                again_at = transfer.look(now)
                if again_at is None:
                    self._at.pop(transfer, None)
                else:
                    self._at[transfer] = again_at
        if self._at:
            self._set(min(self._at.values()))


class Transfer:
    """Data that callbacks collect during one exchange."""

    def __init__(
        self,
        request: Request,
        permit: Permit,
        guard: Guard,
        limits: Limits,
        *,
        hold: Hold,
        known: KnownLines | None = None,
        sent: Sent | None = None,
    ) -> None:
        self.request = request
        self.sent = sent
        """Additions to the request because of an access; not part of the request, which stays with its answer."""
        self.permit = permit
        self.guard = guard
        self.hold = hold
        self.reader = HeaderReader(limits, known)
        self.decoder: BodyDecoder | None = None
        self.wire_bytes = 0
        self.failure: str | None = None
        """Reason why a callback ended the exchange with an error, as one sentence."""
        self.refusal: Refusal | None = None
        """The answer came from the installation itself."""
        self.refused = False
        """A socket was about to be opened to something that had not been checked."""
        self.stopped: str | None = None
        """Reason why a callback ended the exchange without an error: ``limit``, ``coding`` or ``redirect``."""
        self.was_paused = False
        """It waited for memory that other runs were using."""
        self.resume: Callable[[], None] = _nothing
        """Goes on with the body after a pause."""
        self.crash: Exception | None = None
        """A mistake of ours inside a callback, which libcurl would swallow."""
        self.answered: asyncio.Event | None = None
        """Set when the server has answered once, which others wait for."""
        self._sockets: list[socket.socket] = []
        self._watch: Watch | None = None
        self._promise: asyncio.Future[pycurl.Curl] | None = None
        self._head_end = self._end = 0.0
        self._looked_at = 0.0
        """Time of the byte count below: the end of the head, then every second."""
        self._body_before = self._wire_before = 0

    @property
    def is_redirect(self) -> bool:
        """Return whether the answer leads elsewhere."""
        return self.reader.status in REDIRECTS and any(self.reader.locations)

    def begin(self, watch: Watch, promise: asyncio.Future[pycurl.Curl], *, head_end: float, end: float) -> None:
        """Give the promise up with ``Expired`` when the exchange takes too long.

        Args:
            head_end: Loop time at which the head must be complete.
            end: The same for everything.
        """
        self._watch, self._promise = watch, promise
        self._head_end, self._end = head_end, end
        watch.add(self, min(head_end, watch.loop.time() + _WATCH_S))

    def fail(self, error: pycurl.error) -> None:
        """End the exchange with an error that libcurl raised outside of its own loop."""
        promise = self._promise
        if promise is not None and not promise.done():
            promise.set_exception(error)
            # As above: retrieved once.
            promise.exception()

    def look(self, now: float) -> float | None:
        """Check the time limits of the exchange.

        Returns:
            Time of the next check; ``None`` when it is over.
        """
        promise = self._promise
        if promise is None or promise.done():
            return None
        in_body = self.decoder is not None
        end = self._end if in_body else self._head_end
        next_at = now + _WATCH_S
        if in_body and self.reader.version != "HTTP/2":
            if now >= self._looked_at + _WATCH_S:
                silent = self.wire_bytes == self._body_before
                if silent and self._received() - self._wire_before > _MAX_SILENT_BYTES:
                    self.failure = "The server sends without end what is no part of its answer."
                    end = now
                self._count(now)
            next_at = self._looked_at + _WATCH_S
        if now >= end:
            promise.set_exception(Expired())
            # Retrieved once, so that no warning is logged if the waiter was cancelled at the same moment.
            promise.exception()
            return None
        return min(end, next_at)

    def _count(self, now: float) -> None:
        self._looked_at, self._body_before, self._wire_before = now, self.wire_bytes, self._received()

    def take_header(self, line: bytes) -> int | None:
        """HEADERFUNCTION."""
        problem = self.reader.feed(line)
        if problem is not None:
            self.failure = problem
            return _ABORT
        if self.decoder is None and self.reader.complete:
            self.refusal = self.guard.note_answer(self.permit.host, self.permit.port, self.reader.request_ids)
            if self.refusal is not None:
                return _ABORT
            if not self.hold.take_head(self.reader.size):
                self.failure = "The answers have more headers together than are read for one page."
                return _ABORT
            self._begin_body()
        return None

    def _begin_body(self) -> None:
        if self.answered is not None:
            self.answered.set()
        if self._watch is not None:
            self._count(self._watch.loop.time())
        codings = read_codings(self.reader.content_encodings)
        keep = self.request.keep_bytes
        survey = self.request.survey
        if self.is_redirect:
            keep, survey = 0, None
        elif survey is not None:
            keep = survey(self.reader.media_type, bool(codings))
        self.decoder = BodyDecoder(
            codings,
            max_bytes=self.request.max_decoded_bytes,
            keep_bytes=keep,
            hold=self.hold,
            survey=survey is not None,
        )

    def _received(self) -> int:
        """Bytes that came over the connections opened for this exchange; 0 where the system does not report them."""
        return sum(_received_bytes(opened) for opened in self._sockets)

    def close(self) -> None:
        """Let go of what was held for watching."""
        if self._watch is not None:
            self._watch.remove(self)
        self._promise = None
        for opened in self._sockets:
            opened.close()

    def take_body(self, data: bytes) -> int | None:
        """WRITEFUNCTION."""
        if self.decoder is None:
            self.failure = "The answer has a body without a head."
            return _ABORT
        if self.decoder.stores and self.hold.must_pause(self.resume):
            self.was_paused = True
            return _PAUSE
        space = self.request.max_wire_bytes - self.wire_bytes
        allowance = self.request.allowance
        if allowance is not None:
            space = max(0, min(space, allowance.left_bytes))
        over = len(data) > space
        piece = data[:space] if over else data
        self.wire_bytes += len(piece)
        if allowance is not None:
            allowance.left_bytes -= len(piece)
        if not self.decoder.feed(piece):
            self.stopped = "limit" if self.decoder.problem in ("limit", "decode_bomb") else "coding"
        elif over:
            self.stopped = "limit"
        elif self.wire_bytes > _MAX_REDIRECT_BODY and self.is_redirect:
            self.stopped = "redirect"
        return None if self.stopped is None else _ABORT

    def open_socket(self, address: tuple[int, int, int, tuple[Any, ...]]) -> Any:
        """OPENSOCKETFUNCTION: the last look before the kernel."""
        family, kind, protocol, place = address
        if not self.guard.check_socket(family, str(place[0]), int(place[1]), self.permit):
            self.refused = True
            return pycurl.SOCKET_BAD
        opened = socket.socket(family, kind, protocol)
        opened.settimeout(0)
        # pycurl duplicates the descriptor when this returns; ours serves to watch what arrives.
        self._sockets.append(opened)
        return opened


class Handle:
    """A libcurl easy handle that is set up once and used for many exchanges."""

    def __init__(self, limits: Limits, own_authorities: str = "") -> None:
        self.curl = pycurl.Curl()
        self.transfer: Transfer | None = None
        self._given: dict[int, Any] = {pycurl.RESOLVE: []}
        """Options that keep what an exchange before this one set."""
        options: list[tuple[int, Any]] = [
            (pycurl.NOSIGNAL, 1),
            (_SUPPRESS_CONNECT_HEADERS, 1),
            (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.REDIR_PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.FOLLOWLOCATION, 0),
            (pycurl.NETRC, pycurl.NETRC_IGNORED),
            (pycurl.HTTP09_ALLOWED, 0),
            (pycurl.HTTP_CONTENT_DECODING, 0),
            (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
            (pycurl.PATH_AS_IS, 1),
            (pycurl.CONNECTTIMEOUT_MS, int(limits.connect_s * 1_000)),
            *_trust(own_authorities),
            (pycurl.OPT_CERTINFO, 1),
            (pycurl.NOPROGRESS, 1),
            (pycurl.HEADERFUNCTION, self._take_header),
            (pycurl.WRITEFUNCTION, self._take_body),
            (pycurl.OPENSOCKETFUNCTION, self._open_socket),
        ]
        for option, value in options:
            self.curl.setopt(option, value)

    def prepare(self, transfer: Transfer, *, verify: bool, timeout_s: float, multiplexed: bool) -> None:
        """Set what differs between exchanges."""
        self.transfer = transfer
        transfer.resume = partial(self._resume, transfer)
        request, permit, curl = transfer.request, transfer.permit, self.curl
        curl.setopt(pycurl.URL, request.url if transfer.sent is None else transfer.sent.url)
        curl.setopt(pycurl.TIMEOUT_MS, max(1, int(timeout_s * 1_000)))
        if request.post is not None:
            curl.setopt(pycurl.POST, 1)
            curl.setopt(pycurl.POSTFIELDS, request.post.body)
        elif request.method == "HEAD":
            curl.setopt(pycurl.NOBODY, 1)
        else:
            curl.setopt(pycurl.HTTPGET, 1)
        is_put = request.post is not None and request.post.method == "PUT"
        self._give(pycurl.CUSTOMREQUEST, "PUT" if is_put else None)
        self._give(pycurl.HTTPHEADER, _lines_of(request, transfer.sent, transfer.guard.policy.user_agent))
        # Waiting for a connection to be shared is right where HTTP/2 was seen. Elsewhere one silent answer would hold
        # up every other request to its host, because libcurl waits for it to learn which HTTP it is.
        self._give(pycurl.PIPEWAIT, int(multiplexed))
        self._give(pycurl.SSL_VERIFYPEER, int(verify))
        self._give(pycurl.SSL_VERIFYHOST, 2 if verify else 0)
        for option, value in route(permit):
            self._give(option, value)
        # libcurl resolves the host of this exchange to the checked addresses only. Set again each time, because
        # its own cache is out of our control.
        pinned = permit.pinned
        if pinned or self._given.get(pycurl.RESOLVE) != pinned:
            curl.setopt(pycurl.RESOLVE, pinned)
            self._given[pycurl.RESOLVE] = pinned

    def _give(self, option: int, value: Any) -> None:
        """Set an option that most exchanges leave as it is."""
        if self._given.get(option) != value:
            self.curl.setopt(option, value)
            self._given[option] = value

    def release(self) -> None:
        """Forget the exchange, so that nothing of it outlives it."""
        if self.transfer is not None:
            self.transfer.close()
            # It names the transfer itself: left there, the decoder and its window would wait for a collection.
            self.transfer.resume = _nothing
        self.transfer = None

    def close(self) -> None:
        """Free the handle."""
        self.release()
        self.curl.close()

    def _resume(self, transfer: Transfer) -> None:
        # It may have ended meanwhile, and the handle may work for another one.
        if self.transfer is transfer:
            try:
                self.curl.pause(pycurl.PAUSE_CONT)
            except pycurl.error as error:
                # What had arrived goes beyond a limit: it is handed out at once, and refused as ever.
                transfer.fail(error)

    def _take_header(self, line: bytes) -> int | None:
        transfer = self.transfer
        if transfer is None:
            return _ABORT
        try:
            return transfer.take_header(line)
        except Exception as error:  # noqa: BLE001 - libcurl would print it and report "write error"
            transfer.crash = error
            return _ABORT

    def _take_body(self, data: bytes) -> int | None:
        transfer = self.transfer
        if transfer is None:
            return _ABORT
        try:
            return transfer.take_body(data)
        except Exception as error:  # noqa: BLE001 - as above
            transfer.crash = error
            return _ABORT

    def _open_socket(self, _purpose: int, address: tuple[int, int, int, tuple[Any, ...]]) -> Any:
        transfer = self.transfer
        if transfer is None:
            return pycurl.SOCKET_BAD
        try:
            return transfer.open_socket(address)
        except Exception as error:  # noqa: BLE001 - as above
            transfer.crash = error
            return pycurl.SOCKET_BAD
