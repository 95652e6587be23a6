"""Events of this process: each is counted and logged.

The web and the workers report here without knowing who reads it. Values of labels come from closed sets, because every
new value costs memory for ever: never a host, a path, a key or untrusted text.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.observability.logs import Lines

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
NONE: Final = "none"
MAX_WORDS: Final = 64
"""Reasons are words of ours; should one ever be made of something else, no more than so many are kept."""
REQUEST_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 50)
RUN_BUCKETS_S: Final = (0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
BATCH_BUCKETS: Final = (1, 2, 4, 8, 16, 32, 64)
WRITE_BUCKETS_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5)
RENDER_BUCKETS_S: Final = (5, 10, 15, 20, 30, 45, 60, 90, 120)
RENDER_BUCKETS_BYTES: Final = (200e6, 300e6, 400e6, 600e6, 800e6, 1_000e6, 1_200e6)
RENDERING_CODES: Final = frozenset(
    "no_browser browser_missing browser_sandbox browser_crash timeout too_large navigation budget internal".split()
)
"""Codes of pages that no browser drew."""
TOO_MANY_REQUESTS: Final = 429
SERVER_ERROR: Final = 500
QUIET: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines: lines about them are for those who look for mistakes."""


class Observation:
    """Everything that was counted, in a registry of its own."""

    def __init__(self, lines: Lines | None = None) -> None:
        """Begin to count.

        Args:
            lines: Where events are written as well; ``None``: nowhere.
        """
        self.lines = lines
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        count, spread = partial(Counter, registry=self.registry), partial(Histogram, registry=self.registry)
        self._requests = count("pagegrade_requests", "Answered requests.", ("operation", "method", "status"))
        self._request_s = spread(
            "pagegrade_request_duration_seconds",
            "From the first byte of a request to the last of its answer.",
            ("operation",),
            buckets=REQUEST_BUCKETS_S,
        )
        self._refused = count("pagegrade_requests_refused", "Requests no operation ever saw.", ("reason",))
        self._limited = count("pagegrade_rate_limited", "Requests answered with 429.", ("operation",))
        self._runs = count("pagegrade_runs", "Runs that came to an end.", ("state", "code"))
        self._run_s = spread(
            "pagegrade_run_duration_seconds",
            "From the start of a run to its stored outcome.",
            ("state",),
            buckets=RUN_BUCKETS_S,
        )
        self._attempts = count("pagegrade_run_attempts", "Attempts by which runs came to an end.", ("attempt",))
        self._monitors = count("pagegrade_monitor_runs", "Due times of monitors that were settled.", ("outcome",))
        self._deliveries = count(
            "pagegrade_deliveries",
            "Attempts at deliveries to webhooks, chat channels and e-mail addresses.",
            ("kind", "outcome"),
        )
        self._fetches = count("pagegrade_fetches_refused", "Pages that may not be contacted.", ("reason",))
        self._batch = spread("pagegrade_database_write_batch", "Changes that shared a commit.", buckets=BATCH_BUCKETS)
        self._write_s = spread(
            "pagegrade_database_write_duration_seconds",
            "From the start of a transaction to its commit.",
            buckets=WRITE_BUCKETS_S,
        )
        self._rendered = count(
            "pagegrade_pages_rendered",
            "Pages that a browser was started for: drawn, or why not (memory: it took too much and was ended).",
            ("outcome",),
        )
        self._render_s = spread(
            "pagegrade_page_render_duration_seconds",
            "From the start of a browser to its end, of pages that it drew.",
            buckets=RENDER_BUCKETS_S,
        )
        self._render_cpu_s = count(
            "pagegrade_page_render_cpu_seconds", "Processor time of browsers that drew their page."
        )
        self._render_memory = spread(
            "pagegrade_page_render_memory_bytes",
            "Most memory of a browser that drew its page.",
            buckets=RENDER_BUCKETS_BYTES,
        )
        self._words: set[str] = set()
        self._counted: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def request_done(
        self,
        *,
        operation: str,
        method: str,
        status: int,
        seconds: float,
        request_id: str,
        path: str,
        client: str = "",
        account: int | None = None,
        key: int | None = None,
        prefix: str | None = None,
    ) -> None:
        """A request was answered.

        Args:
            operation: Its name; empty where nothing is found at the path.
            path: Without the query, and without anything in it that opens doors.
        """
        name = operation or NONE
        known = method if method in METHODS else OTHER
        counts = (name, known, status // 100)
        counted = self._counted.get(counts)
        if counted is None:
            # Looking the two up by their labels costs more than counting.
            counted = self._requests.labels(name, known, f"{status // 100}xx"), self._request_s.labels(name)
            self._counted[counts] = counted
        counted[0].inc()
        counted[1].observe(seconds)
        if status == TOO_MANY_REQUESTS:
            self._limited.labels(name).inc()
        lines = self.lines
        if lines is None:
            return
        write = lines.debug if path in QUIET else lines.info if status < SERVER_ERROR else lines.warning
        write(
            "request",
            request_id=request_id,
            operation=name,
            method=method,
            path=path,
            status=status,
            duration_ms=round(seconds * 1000, 2),
            client=client,
            account=account,
            key=key,
            prefix=prefix,
        )

    def request_refused(self, *, reason: str, status: int, client: str, request_id: str) -> None:
        """Something came that is no request, or was too much of one.

        Args:
            reason: A word of ours.
        """
        self._refused.labels(self._bounded(reason)).inc()
        if self.lines is not None:
            self.lines.info("request_refused", request_id=request_id, reason=reason, status=status, client=client)

    def run_finished(
        self,
        *,
        run: int,
        report: int,
        host: str,
        state: str,
        code: str | None,
        reason: str | None,
        attempt: int,
        seconds: float,
    ) -> None:
        """A run came to an end, and its outcome is stored.

        Args:
            host: Of its target; nothing else of the address is written, because it may hold secrets.
            state: ``completed``, ``failed``, or ``discarded`` when another worker had taken it over.
            code: One of ``FAILURE_CODES``; ``None`` when it did not fail.
            reason: More exact than ``code``.
            attempt: Of how many.
        """
        label = NONE if code is None else code if code in FAILURE_CODES else OTHER
        self._runs.labels(state, label).inc()
        self._run_s.labels(state).observe(seconds)
        self._attempts.labels(str(attempt)).inc()
        if code == "address_not_allowed":
            self._fetches.labels(self._bounded(reason or NONE)).inc()
        if self.lines is not None:
            self.lines.info(
                "run_finished",
                run=run,
                report=report,
                host=host,
                state=state,
                code=code,
                reason=reason,
                attempt=attempt,
                duration_ms=round(seconds * 1000, 1),
            )

    def monitor_due(self, *, outcome: str, monitor: int, report: int | None, audit: int | None) -> None:
        """A due time of a monitor was settled.

        Args:
            outcome: ``queued``, ``skipped``, ``put_off``, ``taken`` (by another process) or ``full`` (the queue).
            report: Id of its report; ``None``: it has an audit.
            audit: Id of its audit; ``None``: it has a report.
        """
        self._monitors.labels(outcome).inc()
        if self.lines is not None:
            self.lines.debug("monitor_due", outcome=outcome, monitor=monitor, report=report, audit=audit)

    def deliveries_attempted(
        self, *, webhook: int, kind: str, outcome: str, error: str | None, count: int, seconds: float
    ) -> None:
        """An attempt at deliveries was recorded.

        Args:
            kind: One of ``model.webhooks.KINDS``.
            outcome: ``delivered``, ``retry`` (it will be tried again) or ``failed`` (it will not).
            error: Code; ``None``: it was accepted.
            count: Deliveries of the attempt; several where events became one message.
        """
        self._deliveries.labels(kind, outcome).inc(count)
        if self.lines is not None:
            self.lines.info(
                "webhook_attempted",
                webhook=webhook,
                kind=kind,
                state=outcome,
                reason=error,
                count=count,
                duration_ms=round(seconds * 1000, 1),
            )

    def page_rendered(
        self, *, failure: str | None, reason: str = "", seconds: float = 0, cpu_s: float = 0, memory_bytes: int = 0
    ) -> None:
        """A browser has drawn a page, or failed to.

        Args:
            failure: One of ``RENDERING_CODES``; ``None`` when it was drawn, and only then the rest is counted.
            reason: More exact than ``code``; ``memory`` where the browser was ended because of its memory.
            seconds: Wall clock.
        """
        if failure is None:
            self._rendered.labels("drawn").inc()
            self._render_s.observe(seconds)
            self._render_cpu_s.inc(cpu_s)
            self._render_memory.observe(memory_bytes)
            return
        known = "memory" if reason == "memory" else failure if failure in RENDERING_CODES else OTHER
        self._rendered.labels(known).inc()

    def group_written(self, count: int, seconds: float) -> None:
        """Changes were committed together; from the writer's thread."""
        self._batch.observe(count)
        self._write_s.observe(seconds)

    def _bounded(self, word: str) -> str:
        if word not in self._words:
            if len(self._words) >= MAX_WORDS:
                return OTHER
            self._words.add(word)
        return word
