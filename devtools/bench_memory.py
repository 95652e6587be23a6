"""Memory that hostile pages cost the service: resident memory of all its processes, children included.

``pagegrade serve`` with its defaults analyses pages that are small on the wire and large in memory. For each page: what
the processes hold together while they are idle, the peak during the analysis, and what is left when it is over. Then
four such pages at once. The last line is JSON: megabytes above idle.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tests.fault.unpacking import FOUR_MB, ONE_MB, PAGES, Find, find_page, ordinary
from tests.lab.resident import ResidentPeak, resident_mb
from tests.server import Server, running_server

SETTLE_S: Final = 30.0
"""Seconds until memory must have been released."""
WAIT_S: Final = 150.0
FOUR: Final = ("style-sheets", "images", "sitemaps", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Of all processes of a service."""

    idle: float
    """MB before."""
    growth: float
    """MB above idle at the peak."""
    kept: float
    """MB above idle when it was over."""
    states: tuple[str, ...]
    """Return the states of the reports."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, find: Find) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.find = find
        self.origin = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: the client hangs up where it has read enough."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Answer with a body."""
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        """Answer without one."""
        self._answer(has_body=False)

    def _answer(self, *, has_body: bool) -> None:
        found = self.server.find(self.path.partition("?")[0], self.server.origin)
        packed = b"" if found is None else found.packed
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Type", "text/plain" if found is None else found.media_type)
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        if has_body:
            self.wfile.write(packed)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Nothing: the pages name hundreds of files."""


@contextlib.contextmanager
def site(find: Find) -> Iterator[str]:
    """Serve it on loopback; gives the URL of its front page."""
    server = _Server(find)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"{server.origin}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def hostile_site(name: str) -> contextlib.AbstractContextManager[str]:
    """The page of that name."""
    return site(find_page(name))


def measure_pages(server: Server, urls: list[str], *, settles_mb: float = 20.0) -> Memory:
    """Analyze all the pages at once; wait until memory is back within ``settles_mb`` of idle, but not for ever."""
    pid = server.process.pid
    with ResidentPeak(pid) as seen:
        calls = [server.call("POST", "/api/v1/reports", form={"url": url}, headers=_AT_ONCE) for url in urls]
        states = tuple(_end_of(server, call.data["id"]) for call in calls)
    until = time.monotonic() + SETTLE_S
    kept = resident_mb(pid) - seen.before_mb
    while kept > settles_mb and time.monotonic() < until:
        time.sleep(0.25)
        kept = min(kept, resident_mb(pid) - seen.before_mb)
    return Memory(idle=seen.before_mb, growth=seen.growth_mb, kept=kept, states=states)


_AT_ONCE: Final = {"Prefer": "respond-async"}


def _end_of(server: Server, report: int) -> str:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        data = server.call("GET", f"/api/v1/reports/{report}").data
        if data["state"] in ("completed", "failed"):
            error = data.get("error") or {}
            return " ".join(filter(None, (data["state"], error.get("code"), error.get("reason"))))
        time.sleep(0.1)
    return "still running"


def warm_up(server: Server) -> None:
    """Ordinary pages, so that what every analysis needs is there, and every child has started."""
    with site(ordinary) as url:
        measure_pages(server, [f"{url}?{number}" for number in range(8)], settles_mb=1_000)


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to assess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="PAGE", help=f"some of {', '.join(PAGES)}")
    options = parser.parse_args(arguments)
    names = options.names or list(PAGES)
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="pagegrade-bench-") as folder, running_server(Path(folder) / "d") as server:
        for title, pages in (*((name, (name,)) for name in names), ("four at once", FOUR)):
            warm_up(server)  # a child may have ended with the page before
            with contextlib.ExitStack() as stack:
                urls = [stack.enter_context(hostile_site(name)) for name in pages]
                found = measure_pages(server, urls)
            goal = FOUR_MB if len(pages) > 1 else ONE_MB
            print(
                f"{title:<16} idle {found.idle:4.0f} MB, +{found.growth:4.0f} at the peak "
                f"({'within' if found.growth < goal else 'ABOVE'} {goal}), {found.kept:+4.0f} after; "
                f"{', '.join(found.states)}",
                flush=True,
            )
            figures[f"{title} growth_mb"] = round(found.growth)
            figures[f"{title} kept_mb"] = round(found.kept)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
