"""``python -m tests.fault.politeness [URL]``, in a namespace of the lab: the load of many reports on one target.

A real server, with no network allowed specially, analyses pages on public addresses that are all on this machine. On a
database that is named, which has to be empty, one process answers and several work. The figures are counted at the
target and printed as JSON.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from pagegrade.clock import now_ms
from pagegrade.service.accounts.access import issue_key
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.accounts import add_account
from pagegrade.store.schema.migrate import migrate
from tests.lab.names import NameServer, records
from tests.lab.namespace import RESOLVER, furnish
from tests.server import Server, start_server
from tests.waiting import pause

ACCOUNTS = 50
EACH = 10
WATCHED_S = 12.0
WORKERS: Final = 3
"""Processes that work, where there may be several."""
SLOTS: Final = 12
"""Analyses at the same time, of all of them."""
BUSY, SHARED = "11.30.0.9", "11.30.0.1"
PAGE = (
    b"<!doctype html><html lang=en><head><title>A page</title></head><body><h1>A page</h1><p>Words.</p></body></html>"
)
THINKING_S = 0.15


class Target(ThreadingHTTPServer):
    """A site that counts how many of its pages are asked for at the same moment, each by a run of its own."""

    daemon_threads = True

    def __init__(self, address: str) -> None:
        super().__init__((address, 80), _Handler)
        self.lock = threading.Lock()
        self.active: Counter[str] = Counter()
        self.most = 0
        self.pages: Counter[str] = Counter()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def figures(self) -> dict[str, int]:
        """Different pages that were asked for, and how many at the same moment at most."""
        with self.lock:
            return {"pages": len(self.pages), "at_once": self.most}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Target

    def do_GET(self) -> None:
        is_page = self.path.startswith("/p/")
        if is_page:
            with self.server.lock:
                page = f"{self.headers.get('Host')}{self.path}"
                self.server.active[page] += 1
                self.server.most = max(self.server.most, len(+self.server.active))
                self.server.pages[page] += 1
            pause(THINKING_S, "the answer of a slow page")
            with self.server.lock:
                self.server.active[page] -= 1
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(PAGE)

    do_HEAD = do_GET  # noqa: N815 - the name that the server looks for

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the overridden method
        """Say nothing."""


def make_accounts(url: str) -> list[str]:
    """Secrets of as many accounts."""
    database = open_database(url)
    migrate(database)

    def work(tx: Transaction) -> list[str]:
        found = []
        for number in range(ACCOUNTS):
            account = add_account(tx, name=f"Account {number}", email=f"{number}@example.org", now_ms=now_ms())
            found.append(issue_key(tx, account.id, name="test", now_ms=now_ms())[1])
        return found

    try:
        return database.write_here(work)
    finally:
        database.close()


@contextlib.contextmanager
def installation(folder: Path, url: str | None) -> Iterator[Server]:
    """The process that answers, which works as well or has others for that."""
    settings: dict[str, Any] = {"ALLOW_NETWORKS": "", **({} if url is None else {"DATABASE_URL": url})}
    key = "the-owner-of-the-politeness-lab"
    server = start_server(folder, *(() if url is None else ("--no-worker",)), key=key, WORKERS=SLOTS, **settings)
    members = [server]
    try:
        for number in range(0 if url is None else WORKERS):
            place = folder.with_name(f"worker-{number}")
            members.append(start_server(place, key="", verb="worker", WORKERS=SLOTS // WORKERS, **settings))
        yield server
    finally:
        for member in members:
            member.stop()


def main() -> int:
    """Make many reports and print the load on the target."""
    url = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "data"
        folder.mkdir()
        furnish(Path(scratch))
        NameServer(RESOLVER).add(
            {
                "busy-lab.com": records(a=[BUSY]),
                "www.busy-lab.com": records(a=[BUSY]),
                "one-lab.com": records(a=[SHARED]),
                "two-lab.com": records(a=[SHARED]),
            }
        )
        busy, shared = Target(BUSY), Target(SHARED)
        keys = make_accounts(url or f"sqlite:///{folder / DATABASE_NAME}")
        with installation(folder, url) as server:

            def ask(number: int) -> None:
                for page in range(EACH):
                    host = "busy-lab.com" if page % 2 else "www.busy-lab.com"
                    server.create(f"http://{host}/p/{number}-{page}", key=keys[number])

            with ThreadPoolExecutor(4) as threads:
                list(threads.map(ask, range(ACCOUNTS)))
            ids = [
                server.create(f"http://{host}-lab.com/p/{n}", key=keys[0])["id"]
                for n in range(5)
                for host in ("one", "two")
            ]
            ended = [server.finished(report_id, key=keys[0])["state"] for report_id in ids]
            pause(WATCHED_S, "the time in which a run too many would start")
            failed = sum(
                server.call("GET", "/api/v1/reports?state=failed", key=key).json["meta"]["total"] for key in keys
            )
            completed = sum(
                server.call("GET", "/api/v1/reports?state=completed", key=key).json["meta"]["total"] for key in keys
            )
            waiting = sum(server.call("GET", "/api/v1/account", key=key).data["usage"]["queued_runs"] for key in keys)
        figures = {"busy": busy.figures(), "shared": shared.figures(), "failed": failed, "completed": completed}
        json.dump({**figures, "waiting": waiting, "shared_states": ended}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
