"""Monitors and webhooks of an installation that is being killed: one run for each due time, each event delivered.

Due times are set in the database, since the API allows one every ten minutes: only while the report has no unfinished
run, as the due time would rightly be skipped then. A due time is written down in the database before it is set.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.server import OWNER, Server
from tests.waiting import pause, wait_until

WEBHOOKS: Final = 4
MONITORS: Final = 8
PATHS: Final = ("/", "/", "/no-such-page", "/challenge")
DUE_EVERY_S: Final = 0.5
"""Pause between two looks for monitors that may become due again."""
REFUSED: Final = 3
"""First attempts that each receiver answers with 500."""
ENDS: Final = ("report.completed", "report.failed")
BEHIND_MS: Final = 60_000
"""So long ago is a due time that was set: clocks of the processes and of this one may differ."""
Query = Callable[..., Sequence[Sequence[Any]]]
"""(statement with ``?`` for each value, values) -> rows; raises while the database is away."""


@dataclass(slots=True)
class Receipts:
    """Requests that arrived at the receivers; an attempt is counted before it is answered."""

    arrived: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(path of the receiver, ``webhook-id``) -> how often it was received and accepted."""
    about: dict[str, set[tuple[Any, ...]]] = field(default_factory=lambda: defaultdict(set))
    """``webhook-id`` -> what its bodies were about; more than one is a violation."""
    refused: Counter[str] = field(default_factory=Counter)
    most_refused: int = REFUSED
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, path: str, event_id: str, body: bytes) -> int:
        """Write a request down; the status of the answer."""
        payload = json.loads(body)
        data = payload["data"]
        report, run = data.get("report") or {}, data.get("run") or {}
        with self.lock:
            self.about[event_id].add((payload["type"], report.get("id"), run.get("number"), data.get("monitor_id")))
            if self.refused[path] < self.most_refused and not self.arrived[(path, event_id)]:
                self.refused[path] += 1
                return 500
            self.arrived[(path, event_id)] += 1
        return 204


@contextlib.contextmanager
def receiving(*, refused: int = REFUSED) -> Iterator[tuple[str, Receipts]]:
    """(origin, what arrived) of receivers on loopback, each a path, in threads of this process."""
    receipts = Receipts(most_refused=refused)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(receipts.take(self.path, self.headers["webhook-id"], body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", receipts
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(slots=True)
class MonitorLedger:
    """Promises of monitors and webhooks, held against what is there."""

    query: Query
    receipts: Receipts
    reports: dict[int, int] = field(default_factory=dict)
    """Id of a monitor -> id of its report."""
    urls: dict[int, str] = field(default_factory=dict)
    """Id of a report -> its URL."""
    monitors: int = MONITORS
    webhooks: int = WEBHOOKS

    def begin(self, server: Server, site: str, receiver: str, *, secret: object = OWNER) -> None:
        """Make webhooks and monitors before anything is killed."""
        self.query("CREATE TABLE test_due_times (monitor_id bigint NOT NULL, due_at_ms bigint NOT NULL)")
        for number in range(self.webhooks):
            _post(server, "webhooks", {"url": f"{receiver}/hook-{number}"}, secret)
        for number in range(self.monitors):
            url = f"{site}{PATHS[number % len(PATHS)]}?monitor-{number}"
            report = server.create(url, key=secret)["id"]
            # Holds for every page that was seen: breached from the first one on, and never again.
            values = {"report_id": report, "schedule": "monthly", "budgets": ["coverage<=1"]}
            self.reports[_post(server, "monitors", values, secret)["id"]] = report
            self.urls[report] = url

    def make_due(self, over: threading.Event) -> None:
        """Set due times until that is over, each as soon as the run of the last one has ended."""
        while not over.wait(DUE_EVERY_S):
            # The database is away, or gone in the middle: the next look goes on.
            with contextlib.suppress(Exception):
                self.make_all_due()

    def make_all_due(self) -> None:
        """Set a due time for each monitor whose last one was taken and whose report has no unfinished run."""
        for monitor in self.reports:
            self._write_down(monitor)
            self._set_due(monitor)

    def _write_down(self, monitor: int) -> None:
        now_ms = time.time_ns() // 1_000_000
        self.query(
            "INSERT INTO test_due_times SELECT id, ? FROM monitors WHERE id = ? AND due_at_ms > ? AND NOT EXISTS "
            "(SELECT 1 FROM test_due_times AS due WHERE due.monitor_id = monitors.id AND due.due_at_ms > "
            "COALESCE(monitors.last_due_at_ms, 0)) AND report_id IN "
            "(SELECT id FROM reports WHERE state IN ('completed', 'failed'))",
            now_ms - BEHIND_MS,
            monitor,
            now_ms,
        )

    def _set_due(self, monitor: int) -> None:
        """Set the due time that is written down and was not taken, also one of an earlier call that was cut off."""
        self.query(
            "UPDATE monitors SET revision = revision + 1, due_at_ms = "
            "(SELECT MAX(due_at_ms) FROM test_due_times WHERE monitor_id = monitors.id) WHERE id = ? AND due_at_ms > ? "
            "AND (SELECT MAX(due_at_ms) FROM test_due_times WHERE monitor_id = monitors.id) "
            "> COALESCE(last_due_at_ms, 0)",
            monitor,
            time.time_ns() // 1_000_000,
        )

    def settle(self, *, within_s: float) -> None:
        """Wait until every due time was taken, every run has ended and no delivery waits.

        Raises:
            AssertionError: That does not happen in time.
        """
        for monitor in self.reports:
            self._set_due(monitor)
        open_still = (
            "SELECT 'due', id FROM monitors WHERE due_at_ms < ? UNION ALL "
            "SELECT 'run', id FROM runs WHERE state NOT IN ('completed', 'failed') UNION ALL "
            "SELECT 'delivery', id FROM deliveries WHERE state = 'waiting'"
        )

        def is_settled() -> bool:
            left = self.query(open_still, time.time_ns() // 1_000_000)
            if left:
                pause(0.5, "more of the work")
            return not left

        wait_until(is_settled, "the end of all due times, runs and deliveries", within_s=within_s)

    def check(self) -> dict[str, Any]:
        """Hold every promise against the database and the receivers; the figures.

        Raises:
            AssertionError: A run or an event was lost or doubled, or a message was not delivered.
        """
        due: Counter[int] = Counter(row[0] for row in self.query("SELECT monitor_id FROM test_due_times"))
        runs: Counter[int] = Counter(row[0] for row in self.query("SELECT report_id FROM runs"))
        wanted = {report: 1 + due[monitor] for monitor, report in self.reports.items()}
        found = {report: runs[report] for report in wanted}
        assert found == wanted, ("runs", found, wanted)
        events = [
            tuple(row) for row in self.query("SELECT public_id, type, report_id, run_number, monitor_id FROM events")
        ]
        ids = [row[0] for row in events]
        assert len(set(ids)) == len(ids), "an id for two events"
        self._check_ends(events)
        self._check_crossings(events)
        waited_for = self.query(
            "SELECT webhooks.url, events.public_id FROM deliveries JOIN events ON events.id = deliveries.event_id "
            "JOIN webhooks ON webhooks.id = deliveries.webhook_id"
        )
        promised = Counter((f"/{url.rpartition('/')[2]}", event) for url, event in waited_for)
        wanted_by = {(f"/hook-{number}", event) for number in range(self.webhooks) for event in ids}
        assert promised == Counter(wanted_by), ("deliveries", promised - Counter(wanted_by), wanted_by - set(promised))
        arrived = self.receipts.arrived
        assert set(arrived) == wanted_by, ("messages", wanted_by - set(arrived), set(arrived) - wanted_by)
        about = {public: {(kind, report, run, monitor)} for public, kind, report, run, monitor in events}
        different = {key for key in about if self.receipts.about.get(key) != about[key]}
        assert not different, [(about[key], self.receipts.about.get(key)) for key in different]
        return {
            "due_times": sum(due.values()),
            "monitor_runs": sum(runs[report] for report in wanted) - len(wanted),
            "events": len(events),
            "crossings": sum(row[1] not in ENDS for row in events),
            "messages": len(promised),
            "received": sum(arrived.values()),
            "received_twice": sum(count > 1 for count in arrived.values()),
            "refused": sum(self.receipts.refused.values()),
        }

    def _check_ends(self, events: Sequence[tuple[Any, ...]]) -> None:
        """One event for each run of an account with webhooks."""
        ended = self.query(
            "SELECT report_id, number, state FROM runs WHERE account_id IN (SELECT account_id FROM webhooks)"
        )
        wanted = Counter((f"report.{state}", report, number) for report, number, state in ended)
        found = Counter((kind, report, run) for _, kind, report, run, _ in events if kind in ENDS)
        assert found == wanted, (found - wanted, wanted - found)

    def _check_crossings(self, events: Sequence[tuple[Any, ...]]) -> None:
        """One event for each crossing, and one breach of each monitor whose page was seen."""
        names = {"regressed": "report.regressed", "recovered": "report.recovered", "unreachable": "monitor.unreachable"}
        rows = self.query("SELECT kind, report_id, run_number, monitor_id FROM monitor_crossings")
        wanted = Counter((names[kind], report, run, monitor) for kind, report, run, monitor in rows)
        found = Counter(row[1:] for row in events if row[1] not in ENDS)
        assert found == wanted, (found - wanted, wanted - found)
        seen = {row[0] for row in self.query("SELECT report_id FROM runs WHERE state = 'completed'")}
        breaches = Counter(monitor for kind, _, _, monitor in found.elements() if kind == "report.regressed")
        once = Counter(monitor for monitor, report in self.reports.items() if report in seen)
        assert breaches == once, ("breaches", breaches - once, once - breaches)


def _post(server: Server, what: str, values: dict[str, Any], secret: object) -> dict[str, Any]:
    body = json.dumps(values).encode()
    reply = server.call("POST", f"/api/v1/{what}", key=secret, body=body, headers={"Content-Type": "application/json"})
    made: dict[str, Any] = reply.data
    return made
