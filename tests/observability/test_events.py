"""The metrics that are counted, and their bounds."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client import generate_latest

from pagegrade.observability.events import MAX_WORDS, Observation
from pagegrade.observability.logs import configure_logs
from tests.observability.test_logs import lines_of, stream

__all__ = ["stream"]


def value(observation: Observation, name: str, **labels: str) -> float | None:
    """One number of the registry."""
    return observation.registry.get_sample_value(name, labels)


def report_request(observation: Observation, **more: Any) -> None:
    """An answered request of Alice."""
    about: dict[str, Any] = {
        "operation": "show_report",
        "method": "GET",
        "status": 200,
        "seconds": 0.02,
        "request_id": "abc",
        "path": "/api/v1/reports/7",
        "client": "192.0.2.7",
        "account": 1,
        "key": 3,
        "prefix": "pgk_8Hs2",
    }
    observation.request_done(**(about | more))


def report_run(observation: Observation, **more: Any) -> None:
    """A finished run."""
    about: dict[str, Any] = {
        "run": 9,
        "report": 7,
        "host": "example.com",
        "state": "completed",
        "code": None,
        "reason": None,
        "attempt": 1,
        "seconds": 1.5,
    }
    observation.run_finished(**(about | more))


def test_requests_are_counted_by_operation_method_and_kind_of_status() -> None:
    """And how long they took."""
    observation = Observation()
    report_request(observation)
    report_request(observation, status=404)
    report_request(observation, status=404)
    report_request(observation, status=429)

    assert value(observation, "pagegrade_requests_total", operation="show_report", method="GET", status="2xx") == 1
    assert value(observation, "pagegrade_requests_total", operation="show_report", method="GET", status="4xx") == 3
    assert value(observation, "pagegrade_request_duration_seconds_count", operation="show_report") == 4
    assert value(observation, "pagegrade_rate_limited_total", operation="show_report") == 1


def test_runs_are_counted_by_how_they_ended() -> None:
    """With attempts, durations and refused addresses."""
    observation = Observation()
    report_run(observation)
    report_run(observation, state="failed", code="address_not_allowed", reason="private", attempt=2)

    assert value(observation, "pagegrade_runs_total", state="completed", code="none") == 1
    assert value(observation, "pagegrade_runs_total", state="failed", code="address_not_allowed") == 1
    assert value(observation, "pagegrade_run_attempts_total", attempt="2") == 1
    assert value(observation, "pagegrade_fetches_refused_total", reason="private") == 1
    assert value(observation, "pagegrade_run_duration_seconds_sum", state="completed") == 1.5


def test_writes_and_refusals_are_counted() -> None:
    """The number of changes that share a commit, and of connections that never became a request."""
    observation = Observation()
    observation.group_written(5, 0.01)
    observation.request_refused(reason="slow", status=408, client="192.0.2.7", request_id="abc")

    assert value(observation, "pagegrade_database_write_batch_sum") == 5
    assert value(observation, "pagegrade_database_write_duration_seconds_count") == 1
    assert value(observation, "pagegrade_requests_refused_total", reason="slow") == 1


def test_clients_cannot_add_labels() -> None:
    """J15: a million hosts, methods, paths and words cost no memory."""
    observation = Observation()
    report_run(observation)
    report_run(observation, state="failed", code="nonsense")
    report_request(observation, method="FETCH", operation="")
    observation.request_refused(reason="slow", status=408, client="", request_id="")
    before = len(generate_latest(observation.registry).splitlines())
    for number in range(1_000):
        report_run(observation, host=f"host-{number}.example", run=number)
        report_run(observation, state="failed", code=f"code-{number}")
        report_request(observation, method=f"M{number}", operation="", path=f"/{number}", client=f"192.0.2.{number}")
        observation.request_refused(reason=f"word-{number}", status=400, client=str(number), request_id="")
    text = generate_latest(observation.registry)

    assert len(text.splitlines()) <= before + 2 * MAX_WORDS
    assert b"host-1" not in text
    assert b"192.0.2" not in text


def test_every_observation_counts_for_itself() -> None:
    """Two services in one process, as tests have them, do not meet in a registry of the whole process."""
    first, second = Observation(), Observation()
    report_request(first)

    assert value(second, "pagegrade_request_duration_seconds_count", operation="show_report") is None


def test_request_is_one_line(stream: Any) -> None:
    """Client, operation, duration and status; nothing else."""
    report_request(Observation(configure_logs("json", stream=stream)))

    (line,) = lines_of(stream)

    assert line.pop("ts")
    assert line == {
        "level": "info",
        "event": "request",
        "request_id": "abc",
        "operation": "show_report",
        "method": "GET",
        "path": "/api/v1/reports/7",
        "status": 200,
        "duration_ms": 20.0,
        "client": "192.0.2.7",
        "account": 1,
        "key": 3,
        "prefix": "pgk_8Hs2",
    }


def test_run_is_one_line(stream: Any) -> None:
    """The host only: the rest of an address may hold secrets."""
    report_run(Observation(configure_logs("json", stream=stream)), state="failed", code="dns", reason="nxdomain")

    (line,) = lines_of(stream)

    assert line.pop("ts")
    assert line == {
        "level": "info",
        "event": "run_finished",
        "run": 9,
        "report": 7,
        "host": "example.com",
        "state": "failed",
        "code": "dns",
        "reason": "nxdomain",
        "attempt": 1,
        "duration_ms": 1500.0,
    }


@pytest.mark.parametrize(
    ("path", "status", "levels"),
    [("/readyz", 503, []), ("/healthz", 200, []), ("/", 404, ["info"]), ("/", 500, ["warning"])],
)
def test_lines_are_as_loud_as_they_matter(stream: Any, path: str, status: int, levels: list[str]) -> None:
    """Probes are silent, our own failures stand out."""
    observation = Observation(configure_logs("json", stream=stream))
    report_request(observation, path=path, status=status)

    assert [line["level"] for line in lines_of(stream)] == levels


def test_refused_request_is_one_line(stream: Any) -> None:
    """The refusal that the client got, by the same name."""
    observation = Observation(configure_logs("json", stream=stream))
    observation.request_refused(reason="syntax", status=400, client="192.0.2.7", request_id="abc")

    (line,) = lines_of(stream)

    assert (line["event"], line["reason"], line["request_id"]) == ("request_refused", "syntax", "abc")


def test_pages_in_a_browser_are_counted_with_what_they_cost() -> None:
    """Those that failed by their code; what was ended because of its memory has a word of its own."""
    observation = Observation()
    observation.page_rendered(failure=None, seconds=22.5, cpu_s=3.25, memory_bytes=310_000_000)
    observation.page_rendered(failure="timeout", reason="time_limit")
    observation.page_rendered(failure="too_large", reason="memory")
    observation.page_rendered(failure="something of the page")
    outcomes = {
        name: value(observation, "pagegrade_pages_rendered_total", outcome=name)
        for name in ("drawn", "timeout", "memory", "other", "too_large")
    }

    assert outcomes == {"drawn": 1, "timeout": 1, "memory": 1, "other": 1, "too_large": None}
    assert value(observation, "pagegrade_page_render_duration_seconds_sum") == 22.5
    assert value(observation, "pagegrade_page_render_cpu_seconds_total") == 3.25
    assert value(observation, "pagegrade_page_render_memory_bytes_bucket", le="4e+08") == 1
