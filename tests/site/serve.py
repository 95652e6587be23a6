"""Serves the test site from a thread of the calling process: plain HTTP/1.1, TLS with HTTP/2, and two odd relatives."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import os
import socket
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trustme
import uvicorn
from hypercorn.asyncio import serve
from hypercorn.config import Config

from pagegrade.web.server.serve import loop_factory
from tests.site.app import App, make_app

START_TIMEOUT_S: Final = 120.0
STOP_TIMEOUT_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The addresses of the site; origins have no final slash."""

    http: str
    """HTTP/1.1."""
    https: str
    """TLS with HTTP/2 (and 1.1), for ``localhost`` and the address."""
    soft_404: str
    """A site that answers 200 to paths that do not exist."""
    spa: str
    """A site that answers its application shell to every path."""
    ca_file: Path
    """The authority that signed the certificate."""
    asked: Counter[str]
    """The number of requests for each path of the first origin, with its query."""
    edited: dict[str, str]
    """HTML that takes the place of that of a path of the first origin, from the moment it is put here."""


@contextlib.contextmanager
def serve_site(address: str = "127.0.0.1", port: int = 0) -> Iterator[Site]:
    """Serve until the block ends.

    Args:
        address: Where to listen.
        port: First of four ports in a row (HTTP, HTTPS, soft 404, application); 0 takes free ones.

    Raises:
        OSError: a port is taken.
        TimeoutError: the servers did not start.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as sockets:
        files = _certificate(Path(folder), address)
        bound = [sockets.enter_context(_bind(address, port and port + number)) for number in range(4)]
        ports = [each.getsockname()[1] for each in bound]
        asked: Counter[str] = Counter()
        edited: dict[str, str] = {}
        with _running(bound, files, make_app("good", asked=asked, edited=edited)):
            shown = f"[{address}]" if ":" in address else address
            yield Site(
                http=f"http://{shown}:{ports[0]}",
                https=f"https://localhost:{ports[1]}",
                soft_404=f"http://{shown}:{ports[2]}",
                spa=f"http://{shown}:{ports[3]}",
                ca_file=files / "ca.pem",
                asked=asked,
                edited=edited,
            )


def _certificate(folder: Path, address: str) -> Path:
    authority = trustme.CA()
    now = dt.datetime.now(dt.UTC)  # noqa: TID251 -- certificates are valid now or not
    day = dt.timedelta(days=1)
    issued = authority.issue_cert("localhost", address, not_before=now - day, not_after=now + 90 * day)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    return folder


def _bind(address: str, port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((address, port))
        bound.listen(128)
    except OSError:
        bound.close()
        raise
    return bound


def _secure(bound: socket.socket, certificate: Path) -> Config:
    """Settings of the server that speaks TLS and HTTP/2."""
    config = Config()
    # The server takes over a duplicate of the descriptor, so that each side closes its own.
    config.bind = [f"fd://{os.dup(bound.fileno())}"]
    config.accesslog = config.errorlog = None
    config.include_server_header = False
    config.include_date_header = True
    config.graceful_timeout = 0.2
    config.certfile = config.keyfile = str(certificate / "server.pem")
    config.alpn_protocols = ["h2", "http/1.1"]
    return config


def _plain(app: App) -> uvicorn.Server:
    """The server of a plain origin: a quick one, because benches share their cores with it."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            loop="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )


@contextlib.contextmanager
def _running(bound: list[socket.socket], certificate: Path, first: App) -> Iterator[None]:
    loop = (loop_factory() or asyncio.new_event_loop)()
    stopping = asyncio.Event()
    started = threading.Event()
    plain = {0: _plain(first), 2: _plain(make_app("soft_404")), 3: _plain(make_app("spa"))}

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            for number, server in plain.items():
                group.create_task(server.serve(sockets=[bound[number]]))
            app, config = make_app("good"), _secure(bound[1], certificate)
            group.create_task(serve(app, config, shutdown_trigger=stopping.wait, mode="asgi"))  # type: ignore[arg-type]
            started.set()
            await stopping.wait()
            for server in plain.values():
                server.should_exit = True

    def main() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(run())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=main, daemon=True)
    thread.start()
    if not started.wait(START_TIMEOUT_S):
        message = "the test site did not start"
        raise TimeoutError(message)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(STOP_TIMEOUT_S)
