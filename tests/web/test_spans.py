from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.observability.otel import OpenTelemetryTracing
from pagegrade.observability.tracing import NO_TRACING
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.spans import MAX_PARENT
from tests.otlp import Collector, collecting, forget_variables
from tests.web.calling import REPORTS, Instance, with_instance

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}


async def broken(_request: Request) -> Response:
    """Make a mistake."""
    raise RuntimeError("a secret of ours")


async def stalled(_request: Request) -> Response:
    """Say that it cannot be done now."""
    raise Unavailable("the disk /srv/secret is full", retry_after_s=1)


async def unwell(_request: Request) -> Response:
    """Say the same without an exception."""
    return Response(status_code=503)


OPERATIONS = (
    *ALL_OPERATIONS,
    Operation(method="GET", path="/api/v1/broken", name="broken", summary="", handler=broken),
    Operation(method="GET", path="/api/v1/stalled", name="stalled", summary="", handler=stalled),
    Operation(method="GET", path="/api/v1/unwell", name="unwell", summary="", handler=unwell),
)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that the standard variable names."""
    forget_variables(monkeypatch)
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.endpoint)
        yield made


def traced(tmp_path: Path, script: Callable[[Instance], Awaitable[Any]], **more: Any) -> Any:
    """The result of a script for an instance whose requests are traced; the spans have arrived then."""

    async def main(instance: Instance) -> Any:
        instance.services.tracing = OpenTelemetryTracing(instance="one")
        try:
            return await script(instance)
        finally:
            instance.services.tracing.close()

    return with_instance(tmp_path, main, operations=OPERATIONS, **more)


def test_a_request_is_known_by_its_route(tmp_path: Path, collector: Collector) -> None:
    """The template of the path and the name of the operation, never the path; the client's trace goes on."""

    async def script(instance: Instance) -> None:
        made = await instance.create()
        await instance.call("GET", f"{REPORTS}/{made['id']}?lang=sekret", headers=PARENT)
        await instance.call("HEAD", "/api/v1/checks")

    traced(tmp_path, script)
    span = collector.one("GET /api/v1/reports/{id}")

    assert (span.kind, span.trace_id, span.parent_id, span.failure) == ("server", TRACE, "b7ad6b7169203331", None)
    assert span.attributes == {
        "http.request.method": "GET",
        "http.route": "/api/v1/reports/{id}",
        "http.response.status_code": 200,
        "pagegrade.operation": "show_report",
    }
    assert collector.one("HEAD /api/v1/checks").attributes["http.request.method"] == "HEAD"
    assert b"sekret" not in b"".join(collector.raw)


def test_secrets_are_not_shown(tmp_path: Path, collector: Collector) -> None:
    """Neither addresses of share pages, badges and links that sign in, nor keys, nor cookies, nor words in a path."""

    async def script(instance: Instance) -> list[str]:
        made = await instance.create()
        slug: str = made["share_url"].rpartition("/")[2]
        cookie = (await instance.sign_in())["Cookie"]
        places = ("r", "%72", "badge", "sign-in", "unsubscribe", "nothing")
        for path in (f"/{place}/{slug}{'.svg' * (place == 'badge')}" for place in places):
            await instance.call("GET", f"{path}?password={slug}", key=None, headers={"Cookie": cookie})
        await instance.call("GET", f"/{instance.key}")
        return [slug, instance.key, cookie.partition("=")[2], "example.com"]

    secrets = traced(tmp_path, script)
    sent = b"".join(collector.raw)

    assert [secret for secret in secrets if secret.encode() in sent] == []
    assert len(collector.named("GET /r/{slug}")) == 2
    assert [span.attributes["pagegrade.problem"] for span in collector.named("GET")] == ["not_found"] * 2


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [("broken", 500, "internal_error"), ("stalled", 503, "unavailable"), ("unwell", 503, "503")],
)
def test_failures_of_ours_are_errors(tmp_path: Path, collector: Collector, path: str, status: int, code: str) -> None:
    """By the code that the client got."""

    async def script(instance: Instance) -> int:
        return (await instance.call("GET", f"/api/v1/{path}")).status_code

    answered = traced(tmp_path, script)
    span = collector.one(f"GET /api/v1/{path}")

    assert answered == span.attributes["http.response.status_code"] == status
    assert (span.failure, span.attributes["error.type"]) == (code, code)
    assert b"secret" not in b"".join(collector.raw)


def test_failures_of_clients_are_not_errors(tmp_path: Path, collector: Collector) -> None:
    """Bob's wrong key and Charlie's missing one are distinguished from a server in trouble."""

    async def script(instance: Instance) -> None:
        await instance.call("GET", REPORTS, key="wrong-key-of-bob-0123456789")
        await instance.call("GET", REPORTS, key=None)

    traced(tmp_path, script)
    spans = collector.named("GET /api/v1/reports")

    assert [span.failure for span in spans] == [None, None]
    assert [span.attributes["pagegrade.problem"] for span in spans] == ["unauthenticated"] * 2


def test_unknown_methods_share_one_label(tmp_path: Path, collector: Collector) -> None:
    """Whatever they invent."""

    async def script(instance: Instance) -> None:
        await instance.call("BREW", "/api/v1/checks")

    traced(tmp_path, script)

    assert collector.one("HTTP").attributes["http.request.method"] == "_OTHER"
    assert b"BREW" not in b"".join(collector.raw)


def test_what_machines_ask_all_the_time_is_not_traced(tmp_path: Path, collector: Collector) -> None:
    """The duration of a probe is of no interest."""

    async def script(instance: Instance) -> None:
        for path in ("/healthz", "/readyz", "/metrics"):
            await instance.call("GET", path, headers=PARENT)
        await instance.call("GET", "/api/v1/checks")

    traced(tmp_path, script)

    assert [span.name for span in collector.spans] == ["GET /api/v1/checks"]


def test_a_run_knows_the_request_that_asked_for_it(tmp_path: Path, collector: Collector) -> None:
    """A new report, a re-run, a person's form; what is asked for without a trace has none."""

    async def script(instance: Instance) -> list[str | None]:
        made = await instance.create()
        await instance.finish()
        await instance.call("PUT", f"{REPORTS}/{made['id']}", data={"results": 1})
        instance.services.tracing, tracing = NO_TRACING, instance.services.tracing
        await instance.create("https://example.com/other")
        instance.services.tracing = tracing
        await instance.page("POST", "/reports", data={"url": "https://example.com/third"})
        rows = await instance.services.database.read(
            lambda tx: tx.exec_driver_sql("SELECT traceparent FROM runs ORDER BY id").all()
        )
        return [row[0] for row in rows]

    first, second, untraced, paged = traced(tmp_path, script)
    created, changed = collector.one("POST /api/v1/reports"), collector.one("PUT /api/v1/reports/{id}")

    assert first.startswith(f"00-{created.trace_id}-{created.span_id}-")
    assert second.startswith(f"00-{changed.trace_id}-{changed.span_id}-")
    assert untraced is None
    assert paged.startswith(f"00-{collector.one('POST /reports').trace_id}-")


def test_a_parent_that_is_too_long_counts_as_none(tmp_path: Path, collector: Collector) -> None:
    """At the limit it is read (later versions may be longer), and one past it a trace of our own begins."""
    parent = f"cc-{TRACE}-b7ad6b7169203331-01-"
    headers = [{"traceparent": parent + "x" * (MAX_PARENT - len(parent) + past)} for past in (0, 1)]

    async def script(instance: Instance) -> None:
        for each in headers:
            await instance.call("GET", REPORTS, headers=each)

    traced(tmp_path, script)

    assert [span.trace_id == TRACE for span in collector.spans] == [True, False]
