"""One libcurl handle and the exchange it is making; every callback is written here."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import Any, Final

import certifi
import pycurl

from pagegrade.gather.decode import ACCEPT_ENCODING, BodyDecoder, read_codings
from pagegrade.gather.exchange import Limits, Request
from pagegrade.gather.guard import Guard, Permit
from pagegrade.gather.headers import HeaderReader
from pagegrade.model.identity import USER_AGENT

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""RFC 9110 15.4 less 300, 304, 305 and 306, which lead nowhere by themselves."""
_ABORT: Final = -1
"""What a callback returns to end the transfer; libcurl then reports error 23."""
_WATCH_S: Final = 1.0
"""How often an answer without a body byte is looked at."""
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
    "any": "*/*",
}
"""Purpose -> Accept, as browsers send it.

Source: https://fetch.spec.whatwg.org/#fetching
"""


def libcurl_version() -> str:
    """Version of the library that does the transfers, such as ``8.17.0``."""
    return str(pycurl.version_info()[1])


def request_headers(request: Request) -> list[str]:
    """The header lines sent, Host aside: fixed, so that nobody can make us carry anything else."""
    lines = [
        f"User-Agent: {USER_AGENT}",
        f"Accept: {ACCEPTS[request.purpose]}",
        f"Accept-Encoding: {ACCEPT_ENCODING}",
        "Accept-Language: en,*;q=0.5",
    ]
    if request.referer is not None:
        lines.append(f"Referer: {request.referer}")
    return lines


def certificate_authorities() -> str:
    """The file with the roots that are trusted: ``SSL_CERT_FILE`` where it is set, else Mozilla's list."""
    return os.environ.get("SSL_CERT_FILE") or certifi.where()


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


class Transfer:
    """What callbacks collect during one exchange."""

    def __init__(self, request: Request, permit: Permit, guard: Guard, limits: Limits) -> None:
        self.request = request
        self.permit = permit
        self.guard = guard
        self.reader = HeaderReader(limits)
        self.decoder: BodyDecoder | None = None
        self.wire_bytes = 0
        self.failure: str | None = None
        """Why a callback ended the exchange with an error, as one sentence."""
        self.refused = False
        """A socket was about to be opened to something that had not been judged."""
        self.stopped: str | None = None
        """Why a callback ended the exchange without an error: ``limit``, ``coding`` or ``redirect``."""
        self.crash: Exception | None = None
        """A mistake of ours inside a callback, which libcurl would swallow."""
        self.timeout: asyncio.Timeout | None = None
        self.total_deadline = 0.0
        self.answered: asyncio.Event | None = None
        """Set when the server has answered once, which others wait for."""
        self._sockets: list[socket.socket] = []
        self._watch: asyncio.TimerHandle | None = None

    @property
    def is_redirect(self) -> bool:
        """Whether the answer leads elsewhere."""
        return self.reader.status in REDIRECTS and any(self.reader.locations)

    def take_header(self, line: bytes) -> int | None:
        """HEADERFUNCTION."""
        was_complete = self.reader.complete
        self.failure = self.reader.feed(line)
        if self.failure is not None:
            return _ABORT
        if self.reader.complete and not was_complete:
            self._begin_body()
        return None

    def _begin_body(self) -> None:
        if self.timeout is not None:
            self.timeout.reschedule(self.total_deadline)
        if self.answered is not None:
            self.answered.set()
        if self.reader.version != "HTTP/2":
            self._watch_later()
        keep = 0 if self.is_redirect else self.request.keep_bytes
        values = [value for name, value in self.reader.headers if name.lower() == "content-encoding"]
        self.decoder = BodyDecoder(read_codings(values), max_bytes=self.request.max_decoded_bytes, keep_bytes=keep)

    def _watch_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._watch = loop.call_later(_WATCH_S, self._look, self.wire_bytes, self._received())

    def _received(self) -> int:
        """Bytes that came over the connections opened for this exchange; 0 where the system does not tell."""
        return sum(_received_bytes(opened) for opened in self._sockets)

    def _look(self, body_before: int, wire_before: int) -> None:
        silent = self.wire_bytes == body_before
        if silent and self._received() - wire_before > _MAX_SILENT_BYTES and self.timeout is not None:
            self.failure = "The server sends without end what is no part of its answer."
            self.timeout.reschedule(asyncio.get_running_loop().time())
            return
        self._watch_later()

    def close(self) -> None:
        """Let go of what was held for watching."""
        if self._watch is not None:
            self._watch.cancel()
        for opened in self._sockets:
            opened.close()

    def take_body(self, data: bytes) -> int | None:
        """WRITEFUNCTION."""
        if self.decoder is None:
            self.failure = "The answer has a body without a head."
            return _ABORT
        room = self.request.max_wire_bytes - self.wire_bytes
        allowance = self.request.allowance
        if allowance is not None:
            room = min(room, allowance.left_bytes)
        over = len(data) > room
        piece = data[:room] if over else data
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
        if not self.guard.judge_socket(family, str(place[0]), int(place[1]), self.permit):
            self.refused = True
            return pycurl.SOCKET_BAD
        opened = socket.socket(family, kind, protocol)
        opened.settimeout(0)
        # pycurl duplicates the descriptor when this returns; ours serves to watch what arrives.
        self._sockets.append(opened)
        return opened


class Handle:
    """A libcurl easy handle that is set up once and used for many exchanges."""

    def __init__(self, limits: Limits) -> None:
        self.curl = pycurl.Curl()
        self.transfer: Transfer | None = None
        options: list[tuple[int, Any]] = [
            (pycurl.NOSIGNAL, 1),
            (pycurl.PROXY, ""),
            (pycurl.NOPROXY, "*"),
            (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.REDIR_PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.FOLLOWLOCATION, 0),
            (pycurl.NETRC, pycurl.NETRC_IGNORED),
            (pycurl.HTTP09_ALLOWED, 0),
            (pycurl.HTTP_CONTENT_DECODING, 0),
            (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
            (pycurl.PATH_AS_IS, 1),
            (pycurl.CONNECTTIMEOUT_MS, int(limits.connect_s * 1_000)),
            (pycurl.CAINFO, certificate_authorities()),
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
        request, permit, curl = transfer.request, transfer.permit, self.curl
        curl.setopt(pycurl.URL, request.url)
        if request.method == "HEAD":
            curl.setopt(pycurl.NOBODY, 1)
        else:
            curl.setopt(pycurl.HTTPGET, 1)
        curl.setopt(pycurl.HTTPHEADER, request_headers(request))
        # Waiting for a connection to be shared is right where HTTP/2 was seen. Elsewhere one silent answer would hold
        # up every other request to its host, because libcurl waits for it to learn which HTTP it is.
        curl.setopt(pycurl.PIPEWAIT, int(multiplexed))
        curl.setopt(pycurl.SSL_VERIFYPEER, int(verify))
        curl.setopt(pycurl.SSL_VERIFYHOST, 2 if verify else 0)
        curl.setopt(pycurl.TIMEOUT_MS, max(1, int(timeout_s * 1_000)))
        pinned = ",".join(f"[{each}]" if each.version == 6 else str(each) for each in permit.addresses)
        name = permit.host.removesuffix(".")
        hosts = [permit.host] if name == permit.host else [permit.host, name]
        # Whatever libcurl looks up for this exchange, it finds the judged addresses and asks nobody.
        curl.setopt(
            pycurl.RESOLVE, [] if name.startswith("[") else [f"{each}:{permit.port}:{pinned}" for each in hosts]
        )

    def release(self) -> None:
        """Forget the exchange, so that nothing of it outlives it."""
        if self.transfer is not None:
            self.transfer.close()
        self.transfer = None

    def close(self) -> None:
        """Free the handle."""
        self.release()
        self.curl.close()

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
