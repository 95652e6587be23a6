from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.observability.otel import OpenTelemetryTracing
from pagegrade.observability.tracing import NO_TRACING
from pagegrade.service.container import Services
from pagegrade.web.app import (
    MAX_CHARACTERS,
    MAX_PARENT,
    MAX_TARGET_BYTES,
    SMALLEST,
    Routes,
    compress,
    make_app,
    negotiate_gzip,
)
from pagegrade.web.exchange import Exchange
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.routes import ALL_OPERATIONS
from tests.otlp import Collector, collecting, forget_variables
from tests.store_builders import make_database
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

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


async def forgetful(_request: Request) -> Response:
    """Response without asking who calls."""
    return Response(status_code=200, content=b"{}")


ODD = (
    Operation(method="GET", path="/api/v1/broken", name="broken", summary="", handler=broken),
    Operation(
        method="GET", path="/api/v1/forgetful", name="forgetful", summary="", handler=forgetful, scope="reports:read"
    ),
)


def without_names(answer: httpx.Response) -> dict[str, Any]:
    """A problem without what differs between any two requests."""
    problem = answer.json()
    del problem["request_id"], problem["instance"]
    assert isinstance(problem, dict)
    return problem


@pytest.mark.parametrize(
    "path",
    ["/api/v1/nothing", "/api/v1/reports//", "/api/v2/reports", "/api/", "/api/v1/reports/1//", "//api/v1/reports"],
)
def test_an_unknown_path_is_a_problem_and_no_redirect(tmp_path: Path, path: str) -> None:
    """JSON whatever is accepted, for every method, with or without a key."""

    async def script(instance: Instance) -> list[httpx.Response]:
        return [
            await instance.client.request(method, f"{BASE_URL}{path}", headers={"Accept": "text/html"})
            for method in ("GET", "POST", "OPTIONS", "TRACE")
        ]

    for answer in with_instance(tmp_path, script):
        assert answer.status_code == 404
        if path.startswith("/api/"):
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize(
    "name",
    [
        "0",
        "-1",
        "1.0",
        "+1",
        "01",
        "abc",
        "9223372036854775808",
        "9" * 10_000,
        "%00",
        "%2e%2e",
        "..%2f..",
        "%D9%A3",
        "1%20",
        "'%20OR%201=1--",
        "999999",
    ],
    ids=lambda name: name[:20],
)
def test_an_id_that_names_nothing_is_always_the_same_404(tmp_path: Path, name: str) -> None:
    """Byte for byte that of a report of another account, but for the path and the name of the request."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        bob = instance.add_bob()
        report = await instance.create()
        plain = {"Accept-Encoding": "identity"}  # a long path makes a long answer, which would be packed
        foreign = await instance.call("GET", f"{REPORTS}/{report['id']}", key=bob, headers=plain)
        return foreign, await instance.call("GET", f"{REPORTS}/{name}", key=bob, headers=plain)

    foreign, unknown = with_instance(tmp_path, script)

    assert foreign.status_code == unknown.status_code == 404
    assert without_names(foreign) == without_names(unknown)
    assert sorted(foreign.headers) == sorted(unknown.headers)


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        (REPORTS, "GET, HEAD, OPTIONS, POST"),
        (f"{REPORTS}/1", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"),
        (f"{REPORTS}/1/runs", "GET, HEAD, OPTIONS"),
        ("/api/v1/account", "GET, HEAD, OPTIONS"),
        ("/api/v1/projects/example.com", "DELETE, GET, HEAD, OPTIONS, PUT"),
    ],
)
def test_other_methods_get_the_allowed_list(tmp_path: Path, path: str, allow: str) -> None:
    """All that the path knows stands in Allow, for 405 and for OPTIONS."""

    async def script(instance: Instance) -> list[httpx.Response]:
        return [await instance.call(method, path, key=None) for method in ("TRACE", "CONNECT", "OPTIONS")]

    *wrong, options = with_instance(tmp_path, script)

    assert [answer.status_code for answer in wrong] == [405, 405]
    assert {answer.headers["allow"] for answer in (*wrong, options)} == {allow}
    assert (options.status_code, options.content) == (204, b"")


@pytest.mark.parametrize("path", [REPORTS, "/api/v1/nothing", "/", "/nothing", "/healthz"])
@pytest.mark.parametrize("method", ["BREW", "FROBNICATE"])
def test_a_method_that_is_none_is_not_implemented(tmp_path: Path, method: str, path: str) -> None:
    """For every path and client: that is another mistake than a method that does not fit."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.client.request(method, f"{BASE_URL}{path}")

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 501
    assert not path.startswith("/api/") or answer.json()["code"] == "not_implemented"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize(
    "path", [REPORTS, f"{REPORTS}/1", f"{REPORTS}/1/runs", "/api/v1/projects/x", "/api/v1/account"]
)
def test_a_slash_at_the_end_means_the_same_path(tmp_path: Path, path: str, method: str) -> None:
    """No redirect, which would lose the body; pages keep their addresses."""

    async def script(instance: Instance) -> list[tuple[int, str | None]]:
        await instance.create()
        asked = [await instance.call(method, f"{path}{end}", data={} if method == "PUT" else None) for end in ("", "/")]
        return [(answer.status_code, answer.headers.get("allow")) for answer in asked]

    without, with_slash = with_instance(tmp_path, script)

    assert with_slash == without or (method == "DELETE" and (without[0], with_slash[0]) == (200, 404))


def test_a_page_of_another_origin_gets_to_read_that_there_is_nothing(tmp_path: Path) -> None:
    """Its browser asks first; refused there, the page would only learn that something went wrong."""
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "PUT"}

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        first = await instance.call("OPTIONS", "/api/v1/nothing", key=None, headers=asked)
        return first, await instance.call("PUT", "/api/v1/nothing", headers={"Origin": "https://app.example"})

    preflight, answer = with_instance(tmp_path, script)
    allowed = {name.strip().lower() for name in preflight.headers["access-control-allow-headers"].split(",")}

    assert preflight.status_code == 204
    assert "PUT" in preflight.headers["access-control-allow-methods"]
    assert {"authorization", "x-requested-with", "traceparent", "tracestate", "baggage"} <= allowed
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (404, "*")


def test_head_is_get_without_a_body(tmp_path: Path) -> None:
    """With the headers that GET would have, its length among them."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        return await instance.call("GET", REPORTS), await instance.call("HEAD", REPORTS)

    get, head = with_instance(tmp_path, script)
    differ = {"x-request-id", "ratelimit", "x-ratelimit-remaining"}

    assert head.status_code == get.status_code == 200
    assert head.content == b""
    assert {n: v for n, v in head.headers.items() if n not in differ} == {
        n: v for n, v in get.headers.items() if n not in differ
    }


@pytest.mark.parametrize("path", [REPORTS, "/api/v1/checks"])
def test_who_rules_json_out_gets_nothing_else(tmp_path: Path, path: str) -> None:
    """406 before anything is asked of the database, and the problem is JSON all the same."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", path, key=None, headers={"Accept": "text/html"})

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_an_internal_error_is_logged_and_not_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The name of the request leads from the one to the other."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/api/v1/broken", headers={"X-Request-Id": "my-name.1"})

    answer = with_instance(tmp_path, script, operations=ODD)

    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["request_id"] == answer.headers["x-request-id"] == "my-name.1"
    assert "a secret of ours" in caplog.text


def test_an_operation_without_authentication_is_not_answered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A handler that forgets about keys is a visible mistake, and not a vulnerability."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/api/v1/forgetful")

    assert with_instance(tmp_path, script, operations=ODD).status_code == 500


@pytest.mark.parametrize("sent", ["", "a b", "a" * 65, "é", "a\nb", "<x>"])
def test_a_strange_name_of_a_request_is_replaced(tmp_path: Path, sent: str) -> None:
    """Text that ends up in logs is short and plain."""

    async def script(instance: Instance) -> httpx.Response:
        headers = [(b"x-request-id", sent.encode())]
        return await instance.client.get("/api/v1/nothing", headers=headers)

    made = with_instance(tmp_path, script).headers["x-request-id"]

    assert made != sent
    assert len(made) == 16


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (f"{REPORTS}?search={'a' * MAX_TARGET_BYTES}", {}, 414),
        (REPORTS, {"X-Long": "a" * 70_000}, 431),
    ],
)
def test_what_is_too_long_is_reported_as_such(tmp_path: Path, path: str, headers: dict[str, str], status: int) -> None:
    """Address and headers, where the server let them through."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", path, headers=headers)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (status, "too_large")


def test_every_answer_of_the_interface_has_its_headers(tmp_path: Path) -> None:
    """Successes, problems and empty answers alike."""
    needed = {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "vary": "Authorization, Accept, Accept-Encoding, Origin, Prefer",
        "access-control-allow-origin": "*",
    }

    async def script(instance: Instance) -> list[httpx.Response]:
        report = await instance.create()
        path = f"{REPORTS}/{report['id']}"
        shown = await instance.call("GET", path)
        return [
            shown,
            await instance.call("GET", path, headers={"If-None-Match": shown.headers["etag"]}),
            await instance.call("GET", REPORTS),
            await instance.call("GET", REPORTS, key=None),
            await instance.call("POST", REPORTS, content=b"{", headers={"Content-Type": "application/json"}),
            await instance.call("OPTIONS", REPORTS),
            await instance.call("GET", "/api/v1/account"),
            await instance.call("GET", "/api/v1/checks"),
            await instance.call("DELETE", path),
        ]

    answers = with_instance(tmp_path, script)

    assert [answer.status_code for answer in answers] == [200, 304, 200, 401, 400, 204, 200, 200, 200]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in needed} == needed
        assert "cache-control" in answer.headers
        assert "server" not in answer.headers
        assert "set-cookie" not in answer.headers
        assert "etag" in answer.headers["access-control-expose-headers"].lower()

    assert [answer.headers["cache-control"] for answer in answers[:4]] == [
        *["private, no-cache"] * 3,
        "private, no-store",
    ]


def test_a_preflight_is_answered(tmp_path: Path) -> None:
    """Without a key, because browsers send none with it."""
    headers = {"Origin": "https://app.example", "Access-Control-Request-Method": "PUT"}

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("OPTIONS", f"{REPORTS}/1", key=None, headers=headers)

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 204
    assert "PUT" in answer.headers["access-control-allow-methods"]
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert "Idempotency-Key" in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-allow-origin"] == "*"


def test_observers_hear_of_every_request(tmp_path: Path) -> None:
    """The request, its status, its duration, and its caller."""
    heard: list[tuple[str, str, int, str, bool]] = []

    def observe(
        operation: str, method: str, status: int, seconds: float, request_id: str, /, *, exchange: Exchange
    ) -> None:
        heard.append((operation, method, status, request_id, exchange.admission.caller is not None and seconds > 0))

    async def script(instance: Instance) -> None:
        app = make_app(instance.services, observe=observe)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE_URL) as client:
            headers = {"Authorization": f"Bearer {instance.key}", "X-Request-Id": "one"}
            await client.get(REPORTS, headers=headers)
            await client.head("/nowhere", headers={"X-Request-Id": "two"})

    with_instance(tmp_path, script)

    assert heard == [("list_reports", "GET", 200, "one", True), ("", "HEAD", 404, "two", False)]


def scripted(
    tmp_path: Path, scope: dict[str, Any], *events: MutableMapping[str, Any]
) -> list[MutableMapping[str, Any]]:
    """The messages of the application for these events of the server."""
    sent: list[MutableMapping[str, Any]] = []
    waiting = list(events)

    async def receive() -> MutableMapping[str, Any]:
        return waiting.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    services = Services(database=make_database(tmp_path))
    try:
        asyncio.run(make_app(services)(scope, receive, send))
    finally:
        services.database.close()
        services.passwords.close()
    return sent


def test_lifespan_events_are_acknowledged(tmp_path: Path) -> None:
    """Servers that send them wait for it."""
    sent = scripted(tmp_path, {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})

    assert sent == [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}]


def test_websockets_are_closed(tmp_path: Path) -> None:
    """There are none here."""
    assert scripted(tmp_path, {"type": "websocket", "path": "/"}) == [
        {"type": "websocket.close", "code": 1000, "reason": ""}
    ]


def test_http_2_hears_nothing_of_connections(tmp_path: Path) -> None:
    """The header is forbidden there (RFC 9113 8.2.2)."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[MutableMapping[str, Any]]]:
        instance.services.draining = True
        sent: list[MutableMapping[str, Any]] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request"}

        scope = {"type": "http", "method": "GET", "path": "/api/v1/x", "headers": [], "http_version": "2"}
        await instance.app(scope, receive, send)
        return await instance.call("GET", "/api/v1/x"), sent

    first, second = with_instance(tmp_path, script)

    assert first.headers["connection"] == "close"
    assert b"connection" not in dict(second[0]["headers"])
    assert json.loads(second[1]["body"])["status"] == 404


HTML = "text/html; charset=utf-8"


def an_answer(size: int = SMALLEST, media_type: str = HTML) -> Response:
    """Of so many bytes."""
    return Response(status_code=200, content=b"x" * size, media_type=media_type)


def compressed(response: Response, accept: str | None, site: str | None) -> Response:
    """The response, compressed if that was negotiated."""
    if negotiate_gzip(response, accept, site):
        compress(response)
    return response


@pytest.mark.parametrize("accept", ["gzip", "br, gzip;q=0.5", "GZIP", "*", "deflate,x-gzip", "gzip; q=0.001"])
def test_a_page_is_packed_for_who_can_unpack_it(accept: str) -> None:
    """However the header says it."""
    packed = compressed(an_answer(), accept, None)

    assert gzip.decompress(packed.body) == b"x" * SMALLEST
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert packed.headers["content-length"] == str(len(packed.body))


@pytest.mark.parametrize("accept", [None, "", "identity", "br", "gzip;q=0", "gzip; q=0.000", "zip"])
def test_others_get_it_as_it_is(accept: str | None) -> None:
    """And caches learn that there are two forms."""
    plain = compressed(an_answer(), accept, None)

    assert plain.body == b"x" * SMALLEST
    assert plain.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "answer", [an_answer(SMALLEST - 1), an_answer(5000, "application/pdf"), an_answer(5000, "image/svg+xml")]
)
def test_what_gains_nothing_is_left_alone(answer: Response) -> None:
    """Small answers, and those that are packed inside."""
    before = (bytes(answer.body), list(answer.raw_headers))

    assert (compressed(answer, "gzip", None).body, answer.raw_headers) == before


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_learn_nothing_from_the_length(site: str) -> None:
    """Text that they put into an address must not shrink with text they do not know."""
    assert compressed(an_answer(), "gzip", site).body == b"x" * SMALLEST
    assert compressed(an_answer(), "gzip", "same-origin").body != b"x" * SMALLEST


def test_every_page_and_the_api_go_through_it(tmp_path: Path) -> None:
    """The length is that of what is sent."""

    async def script(instance: Instance) -> list[httpx.Response]:
        encoding = {"Accept-Encoding": "gzip", "Accept": "text/html"}
        pages = [await instance.call("GET", path, key=None, headers=encoding) for path in ("/", "/nothing")]
        sent = {"Accept-Encoding": "gzip", "Sec-Fetch-Site": "cross-site"}  # with a key, no other site can ask
        api = [await instance.call("GET", path, headers=sent) for path in ("/api/v1/checks", "/api/v1/openapi.json")]
        return [*pages, *api]

    pages = with_instance(tmp_path, script)

    encoded = [(page.headers["content-encoding"], "Accept-Encoding" in page.headers["vary"]) for page in pages]
    shorter = [int(page.headers["content-length"]) < len(page.content) for page in pages]

    assert encoded == [("gzip", True)] * 4
    assert shorter == [True] * 4


def test_the_length_of_the_header_is_bounded() -> None:
    """At the limit, and one past it."""
    blanks = " " * (MAX_CHARACTERS - len("gzip"))

    assert compressed(an_answer(), blanks + "gzip", None).body != an_answer().body
    assert compressed(an_answer(), blanks + " gzip", None).body == an_answer().body


async def nothing(_request: Request) -> Response:
    """Do nothing."""
    return Response(status_code=200)


def an_operation(method: str, path: str) -> Operation:
    """One that does nothing."""
    return Operation(method=method, path=path, name=f"{method}{path}", summary="", handler=nothing)


ROUTES = Routes(
    [
        an_operation("GET", "/a"),
        an_operation("POST", "/a"),
        an_operation("GET", "/a/{id}"),
        an_operation("DELETE", "/a/{id}"),
        an_operation("GET", "/a/{id}/b/{number}"),
        an_operation("GET", "/a/fixed"),
    ]
)


def found(path: str) -> tuple[str, dict[str, str]] | None:
    """(a path as declared, what stands for its names)."""
    place = ROUTES.find(path)
    return None if place is None else (place[0].operations["GET"].path, dict(place[1]))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a", ("/a", {})),
        ("/%61", ("/a", {})),
        ("/a/7", ("/a/{id}", {"id": "7"})),
        ("/a/fixed", ("/a/fixed", {})),
        ("/a/x%2Fy", ("/a/{id}", {"id": "x/y"})),
        ("/a/%00", ("/a/{id}", {"id": "\x00"})),
        ("/a/%C3%A9", ("/a/{id}", {"id": "é"})),
        ("/a/%252e", ("/a/{id}", {"id": "%2e"})),
        ("/a/1/b/2", ("/a/{id}/b/{number}", {"id": "1", "number": "2"})),
        ("/a/x%0A", ("/a/{id}", {"id": "x\n"})),
        ("/a%0A", None),
        ("/a/1/b/2%0A", ("/a/{id}/b/{number}", {"id": "1", "number": "2\n"})),
        ("/a/..", ("/a/{id}", {"id": ".."})),
        ("/", None),
        ("", None),
        ("*", None),
        ("/A", None),
        ("/a/", None),
        ("//a", None),
        ("/a//b/2", None),
        ("/a/1/c/2", None),
        ("/a%2F7", None),
        ("/a/%ff", None),
        ("/a/1/b/2/", None),
    ],
)
def test_a_path_names_one_place_or_none(path: str, expected: tuple[str, dict[str, str]] | None) -> None:
    """Decoded once, segment by segment: an encoded slash stays inside of its segment."""
    assert found(path) == expected


@pytest.mark.parametrize(
    ("path", "allow"),
    [("/a", "GET, HEAD, OPTIONS, POST"), ("/a/7", "DELETE, GET, HEAD, OPTIONS"), ("/a/fixed", "GET, HEAD, OPTIONS")],
)
def test_a_place_knows_all_of_its_methods(path: str, allow: str) -> None:
    """HEAD comes with GET, OPTIONS with everything."""
    place = ROUTES.find(path)

    assert place is not None
    assert place[0].allow == allow


def test_a_method_stands_once_at_a_path() -> None:
    """Or one of the two would never be reached."""
    with pytest.raises(ValueError, match="/a"):
        Routes([an_operation("GET", "/a"), an_operation("GET", "/a")])


def test_a_handler_asks_only_for_what_there_is() -> None:
    """Found when the application is made, and not by the first request."""

    async def greedy(_request: Request, _moon: int) -> Response:
        return Response()

    with pytest.raises(TypeError, match="greedy: nothing provides"):
        Routes([Operation(method="GET", path="/a", name="a", summary="", handler=greedy)])
