"""Promises to clients of an installation of many machines, and whether they were kept: the eight properties.

The ledger lies outside of the system: what was answered is on disk before its client goes on. Afterwards it is held
against the API, the database, and the site that was visited.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

from pagegrade.model.stored import MAX_ATTEMPTS
from tests.fault.batch_ledger import BatchLedger, check_all_or_none
from tests.postgres import execute
from tests.server import Server
from tests.waiting import pause

ENDED: Final = frozenset({"completed", "failed"})
WATCH: Final = (
    "CREATE TABLE test_outcomes (run_id bigint NOT NULL, attempt int NOT NULL, state text NOT NULL)",
    "CREATE FUNCTION note_outcome() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "INSERT INTO test_outcomes VALUES (NEW.id, NEW.attempt, NEW.state); RETURN NEW; END $$",
    "CREATE TRIGGER note_outcome AFTER UPDATE OF state ON runs FOR EACH ROW "
    "WHEN (NEW.state IN ('completed', 'failed')) EXECUTE FUNCTION note_outcome()",
)
"""Writes down every outcome that is ever committed, whatever becomes of the row."""
VISITS: Final = 5
"""Requests for the page itself in one attempt: as browsers ask, without compression, as its validators allow, as a page
of another site would, and as Markdown."""


@dataclass(slots=True)
class SharedLedger:
    """The promises to each client."""

    file: Path
    accepted: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Id -> (URL, key of the account) of every report that was answered with 201."""
    unanswered: list[str] = field(default_factory=list)
    """URLs of requests whose answer never came, or was no."""
    refused: Counter[str] = field(default_factory=Counter)
    """The number of reports of each problem."""
    seen: dict[int, str] = field(default_factory=dict)
    """Ended reports as clients saw them, as a hash."""
    violations: list[str] = field(default_factory=list)
    batches: BatchLedger = field(default_factory=BatchLedger)
    asked_together: list[tuple[str, ...]] = field(default_factory=list)
    """URLs of each batch, accepted or not."""
    monitored: dict[int, str] = field(default_factory=dict)
    """Id -> URL of reports that monitors run again and again."""
    stops: int = 0
    """The number of workers that were stopped. A run that one gives back counts as never started, though it may have
    reached the site."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def post(
        self, server: Server, url: str, *, secret: str, key: str | None = None, timeout_s: float = 20.0
    ) -> int | None:
        """Ask for a report and write down what was promised; its id, ``None`` when that was nothing."""
        headers = {"Prefer": "respond-async"} | ({} if key is None else {"Idempotency-Key": key})
        try:
            reply = server.call(
                "POST", "/api/v1/reports", key=secret, form={"url": url}, headers=headers, timeout_s=timeout_s
            )
        except (OSError, HTTPException):
            self._note_refusal(url, "no answer")
            return None
        if reply.status != 201:
            self._note_refusal(url, str(reply.json.get("code")) if reply.body else str(reply.status))
            return None
        number: int = reply.data["id"]
        self._note_promises({number: url}, secret, key)
        return number

    def post_batch(self, server: Server, urls: tuple[str, ...], *, secret: str, key: str) -> int | None:
        """Ask for a batch and write down what was promised; its id, ``None`` when that was nothing."""
        with self._lock:
            self.asked_together.append(urls)
        promise = self.batches.post(server, urls, secret=secret, key=key)
        if promise is None:
            for url in urls:
                self._note_refusal(url, "no batch")
            return None
        self._note_promises(promise.reports, secret, key)
        return promise.number

    def _note_promises(self, promised: dict[int, str], secret: str, key: str | None) -> None:
        lines = [
            json.dumps({"id": number, "url": url, "key": key, "at": time.time_ns()}) for number, url in promised.items()
        ]
        with self._lock:
            with self.file.open("a", encoding="ascii") as promises:
                promises.write("".join(f"{line}\n" for line in lines))
                promises.flush()
                os.fsync(promises.fileno())
            self.accepted.update({number: (url, secret) for number, url in promised.items()})

    def _note_refusal(self, url: str, code: str) -> None:
        with self._lock:
            self.unanswered.append(url)
            self.refused[code] += 1

    def look(self, server: Server, number: int, *, foreign: str | None = None) -> str | None:
        """Read a report as its owner does, perhaps with a foreign key, too; its state, ``None`` without an answer."""
        url, secret = self.accepted[number]
        try:
            reply = server.call("GET", f"/api/v1/reports/{number}", key=secret, timeout_s=20)
            shown = None if foreign is None else _foreign(server, number, foreign)
        except (OSError, HTTPException):
            return None
        if shown is not None:
            self.violations.append(f"report {number} was shown to a foreign key: {shown}")
        if reply.status == 503:
            return None
        if reply.status != 200:
            self.violations.append(f"report {number} answers {reply.status}")
            return None
        report = reply.data
        state = str(report["state"])
        if report["url"] != url:
            self.violations.append(f"report {number} is of {report['url']} and not of {url}")
        if state in ENDED:
            fingerprint = _fingerprint(report)
            with self._lock:
                if self.seen.setdefault(number, fingerprint) != fingerprint:
                    self.violations.append(f"report {number} has changed after its end")
        elif number in self.seen:
            self.violations.append(f"report {number} had ended and is {state}")
        return state

    def settle(self, server: Server, *, within_s: float = 120.0) -> dict[int, str]:
        """Wait until every report has ended; their states.

        A look at thousands of reports takes minutes by itself, so the limit runs anew with each report that ends.

        Raises:
            AssertionError: For ``within_s`` seconds none of those that are left ended.
        """
        until = time.monotonic() + within_s
        open_still = set(self.accepted)
        ended: dict[int, str] = {}
        while open_still and time.monotonic() < until:
            for number in sorted(open_still):
                state = self.look(server, number)
                if state in ENDED:
                    ended[number] = str(state)
                    open_still.remove(number)
                    until = time.monotonic() + within_s
            if open_still:
                pause(0.1, "more of the work")
        assert not open_still, f"no end of {sorted(open_still)}, and of no other for {within_s} s"
        return ended

    def check(self, server: Server, url: str, asked: Counter[str], origin: str) -> None:
        """Hold every promise against the API, the database and the site.

        Args:
            server: Any of the installation.
            url: The database, for an administrator.
            asked: How often the site was asked for what.
            origin: The site.

        Raises:
            AssertionError: Something was lost, doubled, half written, shown to others or left behind.
        """
        self.settle(server)
        self.batches.check(server)
        _check_rows(url, self)
        attempts: dict[str, int] = {}
        for address, attempt in execute(url, "SELECT url, SUM(attempt) FROM runs GROUP BY url"):
            attempts[address] = int(attempt)
        for address, attempt in attempts.items():
            path = address.removeprefix(origin)
            assert asked[path] <= VISITS * (attempt + self.stops), (address, asked[path], attempt, self.stops)
        assert self.violations == []

    def attempts(self, url: str) -> dict[str, int]:
        """URL -> how often its run was started."""
        return {str(address): int(attempt) for address, attempt in execute(url, "SELECT url, attempt FROM runs")}


def _foreign(server: Server, number: int, key: str) -> str | None:
    """The part of a report that a foreign key gets to see; ``None``: nothing."""
    for path in (f"/api/v1/reports/{number}", f"/api/v1/reports/{number}?format=csv", f"/reports/{number}"):
        reply = server.call("GET", path, key=key, timeout_s=20)
        if reply.status == 200:
            return path
    return None


def _fingerprint(report: dict[str, Any]) -> str:
    kept = {name: report[name] for name in ("state", "score", "result", "url", "error", "run") if name in report}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _check_rows(url: str, ledger: SharedLedger) -> None:
    rows = execute(
        url,
        "SELECT reports.id, reports.url, reports.state, runs.id, runs.number, runs.state, runs.attempt, "
        "run_details.run_id IS NOT NULL, runs.lease_until_ms IS NULL AND runs.worker IS NULL AND runs.offered = 0, "
        "(SELECT COUNT(*) FROM test_outcomes WHERE test_outcomes.run_id = runs.id) "
        "FROM reports LEFT JOIN runs ON runs.report_id = reports.id LEFT JOIN run_details ON run_id = runs.id",
    )
    stored = {row[0]: row[1] for row in rows}
    promised = {number: address for number, (address, _) in ledger.accepted.items()}
    assert {number: stored.get(number) for number in promised} == promised
    check_all_or_none(list(stored.values()), ledger.asked_together)
    # What is there without a promise was asked for by a request whose answer got lost.
    known = {**promised, **ledger.monitored}
    assert {address for number, address in stored.items() if number not in known} <= set(ledger.unanswered)
    for number, address, report_state, _, run_number, state, attempt, has_detail, is_free, outcomes in rows:
        what = (number, address, report_state, state, attempt)
        assert run_number == 1 or number in ledger.monitored, what
        assert state in ENDED, what
        assert report_state == state or number in ledger.monitored, what
        assert attempt <= MAX_ATTEMPTS, what
        assert has_detail, what
        assert is_free, what
        assert outcomes == 1, what
    assert len(rows) == len({(row[0], row[4]) for row in rows})
    assert execute(url, "SELECT COUNT(*) FROM procrastinate_jobs") == [(0,)]
    assert execute(url, "SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]
    counts = execute(url, "SELECT state, SUM(count) FROM report_counts WHERE project = '' GROUP BY state")
    ended = list({row[0]: row[2] for row in rows}.values())
    assert {state: int(count) for state, count in counts if count} == {
        state: ended.count(state) for state in set(ended)
    }
    assert execute(url, "SELECT COALESCE(SUM(analyses_total), 0)::int FROM accounts") == [(len(rows),)]
