"""A web site on the loopback for tests of the command line."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PAGE = (
    b"<!doctype html><html lang=en><head><meta charset=utf-8><title>A page for the tests</title></head>"
    b"<body><main><h1>A page for the tests</h1><p>Some words.</p><img src=/logo.png>"
    b"<a href=mailto:a@example.com>Write to us</a></main></body></html>"
)

DOOR = {"Authorization": "Basic cmVhZGVyOm4wdC1TaG93bi0x", "X-Door": "n0t-Shown-2", "Cookie": "a=b; c=d"}
"""Headers that ``/door`` asks for."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = threading.Event()
        self.released = threading.Event()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        if self.path == "/slow":
            self._wait()
        found = self.path in {"/", "/door", "/other", "/slow", "/slow-body"}
        body = PAGE if found else b"<!doctype html><title>Not found</title><p>Nothing here."
        sent = {name: self.headers.get(name) for name in DOOR}
        status = 401 if self.path == "/door" and sent != DOOR else 200 if found else 404
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.path == "/slow-body":
                self.wfile.write(body[:20])
                self._wait()
                body = body[20:]
            self.wfile.write(body)

    def _wait(self) -> None:
        self.server.asked.set()
        self.server.released.wait(60)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the overridden method
        """Say nothing."""


class Site:
    """The running site.

    ``/`` and ``/other`` answer, ``/door`` to those who know ``DOOR``, ``/slow`` when the test is over, ``/slow-body``
    with the first bytes at once and the others when the test is over; everything else is 404.
    """

    def __init__(self, server: _Server) -> None:
        """Take a server that listens."""
        self._server = server
        scheme = "https" if isinstance(server.socket, ssl.SSLSocket) else "http"
        self.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/"

    def wait_until_asked(self) -> None:
        """Wait until a client waits for ``/slow`` or ``/slow-body`` (for the first time), at most half a minute."""
        if not self._server.asked.wait(30):
            raise AssertionError("no client asked for a slow page")
        self._server.asked.clear()

    def release(self) -> None:
        """Answer what waits, and all that will."""
        self._server.released.set()


@contextlib.contextmanager
def running_site(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    """The site, listening on a port of its own until the block ends; with ``tls`` over https."""
    server = _Server()
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield Site(server)
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
