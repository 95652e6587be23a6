"""The event loop is back soon, whatever one client sends and however large an answer is."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from pydantic import BaseModel

from pagegrade.report.sanitize import bound_results
from pagegrade.web.pages.reports.report_context import FORMATS
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.server.limits import ServerLimits
from pagegrade.web.server.serve import loop_factory
from tests.contract.hostile_requests import (
    Hostile,
    form_fields_read,
    headers_read,
    hostile_bodies,
    hostile_calls,
    hostile_fields,
    hostile_forms,
    hostile_framing,
    hostile_headers,
    hostile_queries,
)
from tests.contract.test_request_costs import AGENTS, BOUNDED, COMPARED, PRESENT
from tests.report_builders import make_hostile_report
from tests.web.calling import REPORTS, Instance, make_instance
from tests.web.wires import serving

MAX_LAG_S: Final = 0.1
MAX_BUSY_S: Final = 0.01
"""Processor time of the loop's thread at a stretch; the goal is half of it, the rest is for slow machines."""
ATTEMPTS: Final = 4
PATIENCE_S: Final = 900.0
"""For thousands of requests on a machine that is busy with other things."""


def delayed_by_others_s() -> float:
    """Seconds that the threads of this process have waited for a processor (proc(5): the second field of schedstat)."""
    delays = 0
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            delays += int((task / "schedstat").read_bytes().split()[1])
    return delays / 1e9


@dataclass(slots=True)
class Lag:
    """Time for which the event loop was kept from its other work, sampled every millisecond."""

    worst_s: float = 0.0
    worst_cpu_s: float = 0.0
    _last: tuple[float, float] = field(default=(0.0, 0.0))
    _timer: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin to look; in the thread of the loop."""
        self._last = (time.perf_counter(), time.thread_time())  # lint: allow timed-test - the least of many lags
        self._timer = asyncio.get_running_loop().call_later(0.001, self._tick)

    def _tick(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()  # lint: allow timed-test - the least of many lags
        self.worst_s = max(self.worst_s, now - self._last[0])
        self.worst_cpu_s = max(self.worst_cpu_s, cpu - self._last[1])
        self.start()

    def take(self) -> tuple[float, float]:
        """The worst since the last time: (seconds on the clock, seconds of processor time)."""
        taken = (self.worst_s, self.worst_cpu_s)
        self.worst_s = self.worst_cpu_s = 0.0
        return taken

    def while_sending(self, port: int, wire: bytes) -> Iterator[tuple[float, float]]:
        """Worst lag and processor time while the server reads some bytes, again and again, in seconds.

        The time in which this process could have run and the processors were busy with others is no lag; it is
        measured from the second time on.

        Raises:
            AssertionError: The answer is an error of the server.
        """
        self.take()
        status = send(port, wire)
        if status >= 500:
            raise AssertionError(f"{status} for {wire[:2_000]!r}")
        yield self.take()
        for _ in range(ATTEMPTS - 1):
            self.take()
            delayed_s = delayed_by_others_s()
            send(port, wire)
            worst_s, worst_cpu_s = self.take()
            yield worst_s - (delayed_by_others_s() - delayed_s), worst_cpu_s

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()


def send(port: int, wire: bytes) -> int:
    """The status of the answer to some bytes; 0: the server hung up without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client, contextlib.suppress(ConnectionError):
        client.sendall(wire)
        answer = client.recv(64)
        while client.recv(65_536):
            pass
        return int(answer.split()[1]) if answer else 0
    return 0


FIELD_BYTES: Final = 65_000
CALL: Final = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
ENDING: Final = (
    "/delete",
    "/revoke",
    "/end",
    "/remove",
    "/sign-out",
    "/password",
    "/run",
    "/test",
    "/rotate",
    "/retry",
)
"""Ends of forms that read no text, or a password, whose length is bounded."""
FORMS: Final = tuple(
    operation.path
    for operation in ALL_OPERATIONS
    if operation.method == "POST"
    and not operation.path.startswith(("/api/", "/mcp", "/admin", "/r/", "/a/", "/sign-in"))
    and "{token}" not in operation.path
    and not operation.path.endswith(ENDING)
)
"""Forms of pages of accounts."""


def fields_of(body: type[BaseModel]) -> tuple[list[str], list[str]]:
    """Fields of a body that hold one text or number, and those that hold several."""
    several = [name for name, field in body.model_fields.items() if "tuple" in str(field.annotation)]
    return [name for name in body.model_fields if name not in several], several


def rows(instance: Instance, report_id: int, slug: str, page: dict[str, str]) -> Iterator[Hostile]:
    """The whole matrix."""
    key = {"Authorization": f"Bearer {instance.key}"}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    own = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
    yield from hostile_headers(
        [
            ("GET", f"{REPORTS}/{report_id}", key, None),
            ("PUT", f"{REPORTS}/{report_id}", {**key, **form}, b"privacy=0"),
            ("POST", REPORTS, {**key, **form}, b"url=ftp://a.example"),
            ("GET", "/reports", page, None),
            ("GET", f"/r/{slug}", {}, None),
            ("POST", "/sign-in", {**own, **form}, b"email=a&password=b"),
        ],
        whole=COMPARED | PRESENT | BOUNDED | AGENTS,
    )
    yield from hostile_headers(
        [("POST", "/mcp", {**key, "Content-Type": "application/json"}, CALL)],
        whole=headers_read() - AGENTS - {"content-type", "origin"},
    )
    yield from hostile_bodies("/mcp", key, 65_000, "jsonrpc")
    yield from hostile_calls("/mcp", key, 65_000)
    for operation in ALL_OPERATIONS:
        if operation.body is not None:
            path = operation.path.format(id=report_id, criterion="1.1.1", project="example.com")
            yield from hostile_fields([(operation.method, path, key)], FIELD_BYTES, *fields_of(operation.body))
    yield from hostile_forms([(path.format(id=report_id), page) for path in FORMS], 65_000, form_fields_read())
    yield from hostile_bodies(REPORTS, key, 65_000, "url", "password")
    yield from hostile_bodies(f"{REPORTS}/{report_id}", key, 65_000, "password", method="PUT")
    yield from hostile_bodies("/sign-in", own, 65_000, "email", "next")
    yield from hostile_bodies("/reports/bulk", {**page, "Accept": "text/html"}, 1_000_000, "urls", "sitemap")
    yield from hostile_bodies("/reports/selected", {**page, "Accept": "text/html"}, 65_000, "back")
    yield from hostile_queries(
        [(REPORTS, key), ("/reports", page), ("/sign-in", {}), (f"/r/{slug}", {}), ("/checks", {})],
        ["search", "project", "next", "from", "page"],
    )
    yield from hostile_framing(REPORTS, key)


async def lags(tmp_path: Path) -> list[str]:
    """Rows of the matrix that kept the event loop for too long."""
    networks = (ip_network("127.0.0.0/8"),)
    many = 1_000_000
    async with make_instance(
        tmp_path,
        trusted_proxies=networks,
        requests_per_minute=many,
        analyses_per_minute=many,
        wrong_keys_per_minute=many,
    ) as instance:
        report = await instance.create()
        await instance.finish()
        page = await instance.sign_in()
        lag, found = Lag(), []

        def attack(port: int) -> None:
            slug = str(report["share_url"]).rpartition("/")[2]
            for row in rows(instance, report["id"], slug, page):
                seen = list(itertools.takewhile(lambda one: one[0] >= MAX_LAG_S, lag.while_sending(port, row.wire)))
                if len(seen) == ATTEMPTS:
                    found.append(f"{row.name}: {seen[-1][0] * 1000:.0f} ms, {seen[-1][1] * 1000:.0f} ms by itself")

        async with serving(instance.app, limits=ServerLimits(linger_s=0.05), patience_s=PATIENCE_S) as site:
            lag.start()
            try:
                await asyncio.to_thread(attack, site.port)
            finally:
                lag.stop()
        return found


def test_hostile_requests_delay_no_other_client(tmp_path: Path) -> None:
    """The event loop of a real server is back within a tenth of a second, whatever is sent to it."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        found = runner.run(lags(tmp_path))

    assert found == []


OTHERS: Final = (
    *(f"{REPORTS[:-7]}{name}" for name in ("access-profiles", "account/", "audits", "batches", "ignores")),
    *(f"{REPORTS[:-7]}{name}" for name in ("monitors", "silences", "webhooks")),
    *("/monitors", "/silences", "/keys", "/webhooks", "/access-profiles", "/admin", "/audits", "/a/", "/badge"),
    *("/reports/{id}/ignore", "/reports/{id}/criterion"),  # need a query, and stand among the first
)
"""Beginnings of paths that show no report."""


async def busy_loops(tmp_path: Path) -> dict[str, float]:
    """Processor seconds that the thread of the event loop spends at a stretch on each of the largest answers."""
    many = 1_000_000
    async with make_instance(tmp_path, requests_per_minute=many, analyses_per_minute=many) as instance:
        for number in range(99):
            await instance.create(f"https://host-{number}.example/".ljust(2_000, "a"))
        await instance.finish()
        largest = await instance.create("https://example.com/")
        hostile = make_hostile_report()
        bounded = replace(hostile, results=bound_results(hostile.results))
        await instance.finish(bounded)
        await instance.call("PUT", f"{REPORTS}/{largest['id']}", data={"results": 1})
        await instance.finish(bounded)
        key = {"Authorization": f"Bearer {instance.key}"}
        page = {**await instance.sign_in(), "Accept": "text/html"}
        requests = {
            "list": (f"{REPORTS}?per_page=100", key),
            "list with warnings": (f"{REPORTS}?per_page=100&nonsense=1", key),
            "list with results": (f"{REPORTS}?per_page=100&include=results&nonsense=1", key),
            "members of a list": (f"{REPORTS}?per_page=100&fields=id,url,results", key),
            "report with warnings": (f"{REPORTS}/{largest['id']}?nonsense=1", key),
            "page of a list": ("/reports?per_page=100", page),
            "form about a finding": (f"/reports/{largest['id']}/ignore?check={bounded.results[0].check}", page),
            "form about a criterion": (f"/reports/{largest['id']}/criterion?number=1.1.1", page),
        }
        slug = str(largest["share_url"]).rpartition("/")[2]
        values = {"id": largest["id"], "slug": slug, "number": 1, "n": 1, "project": "example.com"}
        for path in sorted(operation.path for operation in ALL_OPERATIONS if operation.method == "GET"):
            names = set(re.findall(r"{(\w+)}", path))
            if not (names & {"id", "slug", "project"}) or path.startswith(OTHERS):
                continue
            formats = list(FORMATS) if "format" in names else [""]
            for name in formats if names <= {*values, "format"} else []:
                address = path.format(**values, format=name)
                if path.endswith("/compare"):
                    address += "?from=1&to=2"
                requests.setdefault(f"{path} {name}".strip(), (address, key if path.startswith("/api/") else page))
        lag, found = Lag(), dict.fromkeys(requests, 0.0)

        def ask(port: int) -> None:
            for name, (path, headers) in requests.items():
                lines = [f"{header}: {value}" for header, value in {**headers, "Accept-Encoding": "gzip"}.items()]
                wire = "\r\n".join([f"GET {path} HTTP/1.1", "Host: x", "Connection: close", *lines, "", ""]).encode()
                if (status := send(port, wire)) != 200:
                    raise AssertionError(f"{name}: {status}")
                found[name] = min(cpu for _, cpu in lag.while_sending(port, wire))

        async with serving(instance.app, patience_s=PATIENCE_S) as site:
            lag.start()
            try:
                await asyncio.to_thread(ask, site.port)
            finally:
                lag.stop()
        return found


def test_the_largest_answers_are_made_outside_of_the_event_loop(tmp_path: Path) -> None:
    """Lists of a hundred rows with long URLs, and everything that shows the largest report, as JSON, page and file."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        found = runner.run(busy_loops(tmp_path))

    assert {name: f"{cpu * 1000:.1f} ms" for name, cpu in found.items() if cpu >= MAX_BUSY_S} == {}
