"""Hostile rows J15 and K18: what the counters say, and to whom; answers for supervisors and load balancers."""

from __future__ import annotations

import io
import logging
import re
import time
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pagegrade.model.identity import VERSION
from pagegrade.observability.events import Observation
from pagegrade.observability.logs import configure_logs
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.pubsub.notifications import Notices
from pagegrade.web.app import make_app
from pagegrade.web.ops import SECRET_PLACES, RefusalObserver, observe
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.server.limits import TOO_SLOW
from tests.observability.test_logs import lines_of, stream
from tests.report_builders import make_report
from tests.store_builders import Backend
from tests.web.calling import REPORTS, Instance, with_instance


async def ask_ready(instance: Instance) -> httpx.Response:
    """Without a key, as a load balancer does."""
    return await instance.call("GET", "/readyz", key=None)


def test_living_process_says_so(tmp_path: Path) -> None:
    """Without looking at anything that could fail."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.database.close()
        return await instance.call("GET", "/healthz", key=None)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_process_without_workers_can_be_ready(tmp_path: Path, backend: Backend) -> None:
    """It only answers requests."""
    answer = with_instance(tmp_path, ask_ready, workers=0)
    disk = "none" if backend == "postgresql" else "ok"

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ready",
        "checks": {"database": "ok", "schema": "ok", "disk": disk, "workers": "none", "accepting": "ok"},
    }


def test_runs_have_to_make_progress(tmp_path: Path) -> None:
    """A process that cannot end a run had better be looked at, although its workers look for work."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.worked_at_s = time.monotonic()
        instance.services.stalled_runs = 1
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=2)

    assert answer.status_code == 503
    assert answer.json()["checks"]["workers"] == "stalled"


@pytest.mark.parametrize(
    ("ago_s", "word", "status"), [(None, "starting", 503), (1.0, "ok", 200), (3600.0, "stalled", 503)]
)
def test_workers_have_to_work(tmp_path: Path, ago_s: float | None, word: str, status: int) -> None:
    """A process whose workers hang had better be looked at."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.worked_at_s = None if ago_s is None else time.monotonic() - ago_s
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=2)

    assert (answer.status_code, answer.json()["checks"]["workers"]) == (status, word)


def test_process_that_is_being_stopped_is_not_ready(tmp_path: Path) -> None:
    """Requests had better go elsewhere."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.draining = True
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=0)

    assert (answer.status_code, answer.json()["checks"]["accepting"]) == (503, "draining")


def test_process_without_its_database_is_not_ready(tmp_path: Path) -> None:
    """And says so quickly, in a word."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.database.close()
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=0)

    assert answer.status_code == 503
    assert answer.json()["status"] == "not_ready"


def test_probes_say_nothing_about_the_inside(tmp_path: Path) -> None:
    """K18: no versions, no paths."""

    async def script(instance: Instance) -> str:
        answers = [await instance.call("GET", path, key=None) for path in ("/healthz", "/readyz")]
        return "".join(f"{answer.headers}{answer.text}" for answer in answers)

    said = with_instance(tmp_path, script)

    assert VERSION not in said
    assert str(tmp_path) not in said
    assert "python" not in said.lower()


__all__ = ["stream"]
TOKEN = "a-token-for-the-metrics"
NEAR = AnalyzeOptions(allow_networks=(ip_network("10.0.0.0/16"),))
LOOPBACK = (ip_network("127.0.0.0/8"),)
OF_PROXIES = ("Via", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Client-IP", "CF-Connecting-IP")


def numbers_in(text: str) -> dict[str, float]:
    """Sample with its labels -> value, as Prometheus reads the page."""
    families = text_string_to_metric_families(text)
    return {
        f"{sample.name}{dict(sorted(sample.labels.items())) or ''}": sample.value
        for family in families
        for sample in family.samples
    }


async def observed(instance: Instance, method: str, path: str, **more: Any) -> httpx.Response:
    """A request to the application as the server runs it."""
    app = make_app(instance.services, observe=observe)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://h") as client:
        return await client.request(method, path, **more)


def test_page_says_what_was_counted_and_how_long_the_queue_is(tmp_path: Path) -> None:
    """It is one text that Prometheus can read."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create("https://example.com/secret?token=x")
        await observed(instance, "GET", "/api/v1/checks")
        return await observed(instance, "GET", "/metrics")

    answer = with_instance(tmp_path, script)
    numbers = numbers_in(answer.text)

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert numbers["pagegrade_queue_waiting"] == 1
    assert numbers["pagegrade_queue_running"] == 0
    assert numbers["pagegrade_queue_waiting_by_reason{'reason': 'worker'}"] == 1
    assert numbers["pagegrade_queue_waiting_by_reason{'reason': 'target'}"] == 0
    assert numbers["pagegrade_database_bytes{'file': 'main'}"] > 0
    assert numbers["pagegrade_requests_total{'method': 'GET', 'operation': 'list_checks', 'status': '2xx'}"] == 1
    assert numbers["pagegrade_database_write_batch_count"] >= 1
    assert "example.com" not in answer.text


@pytest.mark.backend("postgresql", "a file has no server")
def test_page_says_how_the_server_is(tmp_path: Path) -> None:
    """Its size and connections, and whether others are heard."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        instance.services.changes.sender = Notices(instance.services.database.url, "a")
        instance.services.peers = 3
        return await observed(instance, "GET", "/metrics")

    numbers = numbers_in(with_instance(tmp_path, script).text)

    assert numbers["pagegrade_queue_waiting_by_kind{'kind': 'interactive'}"] == 1
    assert numbers["pagegrade_queue_waiting_by_kind{'kind': 'bulk'}"] == 0
    assert numbers["pagegrade_database_bytes{'file': 'main'}"] > 1_000_000
    assert numbers["pagegrade_database_connections{'whose': 'ours'}"] > 0
    assert numbers["pagegrade_database_connections{'whose': 'all'}"] < numbers["pagegrade_database_connections_max"]
    assert 0 <= numbers["pagegrade_database_notices_ratio"] < 1
    assert (numbers["pagegrade_notices_heard"], numbers["pagegrade_processes"]) == (0, 3)


def test_page_says_what_waits_for_webhooks(tmp_path: Path) -> None:
    """The number of deliveries, and since when the oldest waits."""

    async def script(instance: Instance) -> list[dict[str, float]]:
        seen = [numbers_in((await observed(instance, "GET", "/metrics")).text)]
        await instance.call("POST", "/api/v1/webhooks", json={"url": "https://hooks.example.com/"})
        await instance.create()
        await instance.finish(make_report())
        seen.append(numbers_in((await observed(instance, "GET", "/metrics")).text))
        return seen

    before, after = with_instance(tmp_path, script)

    assert (before["pagegrade_deliveries_waiting"], before["pagegrade_deliveries_oldest_seconds"]) == (0, 0)
    assert after["pagegrade_deliveries_waiting"] == 1
    assert after["pagegrade_deliveries_oldest_seconds"] >= 0


def test_page_says_what_crawls_are_at(tmp_path: Path) -> None:
    """By what they wait for, and since when one that could go on has not moved."""

    async def script(instance: Instance) -> dict[str, float]:
        await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/"})
        return numbers_in((await observed(instance, "GET", "/metrics")).text)

    seen = with_instance(tmp_path, script)

    assert seen["pagegrade_crawls{'state': 'worker'}"] == 1
    assert seen["pagegrade_crawls{'state': 'running'}"] == 0
    assert seen["pagegrade_crawls_still_seconds"] >= 0


def test_unreadable_database_leaves_its_gauges_out(tmp_path: Path) -> None:
    """0 would be a lie; and the rest is worth most just then."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.database.close()
        broken = tmp_path / "broken.db"
        broken.write_bytes(b"broken" * 4096)
        instance.services.database = SQLiteDatabase(f"sqlite:///{broken}")
        return await observed(instance, "GET", "/metrics")

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 200
    assert "pagegrade_queue_waiting" not in answer.text
    assert "process_open_fds" in answer.text


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer \xe9", 401),
        (f"Bearer {TOKEN}", 200),
    ],
)
def test_token_guards_the_page(tmp_path: Path, header: str | None, status: int) -> None:
    """K18: where the operator has set one."""

    async def script(instance: Instance) -> httpx.Response:
        headers = {} if header is None else {"Authorization": header.encode("latin-1")}
        return await observed(instance, "GET", "/metrics", headers=headers)

    answer = with_instance(tmp_path, script, metrics_token=TOKEN)

    assert answer.status_code == status
    assert ("pagegrade_queue_waiting" in answer.text) == (status == 200)


def test_page_names_no_version(tmp_path: Path) -> None:
    """K18: no client learns which vulnerabilities to try."""

    async def script(instance: Instance) -> str:
        return (await observed(instance, "GET", "/metrics")).text

    assert "python_info" not in with_instance(tmp_path, script)


def test_access_line_has_the_caller_and_no_secret(tmp_path: Path, stream: Any) -> None:
    """L08: neither the key, nor the query, nor the address of a share page or of a link that stops messages."""

    async def script(instance: Instance) -> str:
        instance.services.observation = Observation(configure_logs("json", stream=stream))
        logging.getLogger("httpx").setLevel(logging.WARNING)  # the client of this test, who says everything it does
        headers = {"Authorization": f"Bearer {instance.key}", "X-Request-Id": "abc"}
        report = await instance.create()
        slug: str = report["share_url"].rpartition("/")[2]
        await observed(instance, "GET", f"{REPORTS}?search=s3cret&key={instance.key}", headers=headers)
        await observed(instance, "GET", f"/r/{slug}")
        await observed(instance, "GET", f"/%72/{slug}")
        await observed(instance, "GET", f"/unsubscribe/{slug}")
        await observed(instance, "GET", f"/nothing/{instance.key}")
        assert instance.key.encode() not in stream.getvalue()
        assert slug.encode() not in stream.getvalue()
        return instance.key

    key = with_instance(tmp_path, script)
    listed, shared, spelled, left, nothing = lines_of(stream)

    assert (listed["operation"], listed["path"], listed["request_id"]) == ("list_reports", REPORTS, "abc")
    assert (listed["account"], listed["prefix"]) == (1, key[: len(listed["prefix"])])
    assert (shared["operation"], shared["path"], shared["account"]) == ("show_share", "/r/...", None)
    assert (spelled["operation"], spelled["path"]) == ("show_share", "/r/...")
    assert (left["operation"], left["path"]) == ("ask_to_unsubscribe", "/unsubscribe/...")
    assert (nothing["operation"], nothing["status"]) == ("none", 404)
    assert b"s3cret" not in stream.getvalue()


def test_no_operation_whose_address_is_a_secret_is_forgotten(tmp_path: Path, stream: Any) -> None:
    """Links that are sent to people, and share pages: what stands in their place is in no line."""
    secret = "8f3a1c07-" + "s" * 43
    paths = sorted({each.path for each in ALL_OPERATIONS if "{token}" in each.path or "{slug}" in each.path})

    async def script(instance: Instance) -> None:
        instance.services.observation = Observation(configure_logs("json", stream=stream))
        logging.getLogger("httpx").setLevel(logging.WARNING)
        for path in paths:
            await observed(instance, "GET", re.sub(r"\{\w+\}", secret, path))

    with_instance(tmp_path, script)

    assert [line["path"] for line in lines_of(stream)] == [f"/{path.split('/')[1]}/..." for path in paths]
    assert secret.encode() not in stream.getvalue()
    assert {f"/{path.split('/')[1]}/" for path in paths} <= set(SECRET_PLACES)


def test_refused_requests_are_counted(stream: io.BytesIO) -> None:
    """By the reason, never by the client."""
    observation = Observation(configure_logs("json", stream=stream))
    RefusalObserver(observation)(TOO_SLOW, "192.0.2.7", "abc")

    assert observation.registry.get_sample_value("pagegrade_requests_refused_total", {"reason": "slow"}) == 1
    assert lines_of(stream)[0]["client"] == "192.0.2.7"


@pytest.mark.parametrize(
    ("peer", "headers", "options", "status"),
    [
        ("127.0.0.1", {}, {}, 200),
        ("127.255.255.254", {}, {}, 200),
        ("::1", {}, {}, 200),
        ("::ffff:127.0.0.1", {}, {}, 200),
        ("10.0.0.1", {}, {}, 401),
        ("192.0.2.1", {}, {}, 401),
        ("2001:db8::1", {}, {}, 401),
        ("", {}, {}, 401),
        ("10.0.0.1", {}, {"analyze": NEAR}, 200),
        ("10.1.0.0", {}, {"analyze": NEAR}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, {}, 401),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, {}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, {"trusted_proxies": LOOPBACK}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "10.0.0.9"}, {"trusted_proxies": LOOPBACK, "analyze": NEAR}, 200),
        ("192.0.2.1", {"X-Forwarded-For": "127.0.0.1"}, {"trusted_proxies": LOOPBACK}, 401),
        *(("127.0.0.1", {name: "x"}, {}, 401) for name in OF_PROXIES),
        ("127.0.0.1", {"X-Real-IP": "192.0.2.1"}, {"trusted_proxies": LOOPBACK}, 401),
        ("10.0.0.1", {"Via": "1.1 front"}, {"analyze": NEAR}, 401),
        ("127.0.0.1", {"Host": "Reports.example.org:443"}, {"base_url": "https://reports.example.org"}, 401),
        ("127.0.0.1", {"Host": "127.0.0.1:8080"}, {"base_url": "https://reports.example.org"}, 200),
        ("127.0.0.1", {"Host": "localhost:8080"}, {"base_url": "http://localhost:8080"}, 200),
    ],
)
def test_without_a_token_only_those_nearby_are_answered(
    tmp_path: Path, peer: str, headers: dict[str, str], options: dict[str, Any], status: int
) -> None:
    """This machine and the operator's own networks; no client behind a proxy that is not known as one."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/metrics", key=None, headers={"Host": "127.0.0.1:8080", **headers})

    answer = with_instance(tmp_path, script, peer=peer, **options)

    assert answer.status_code == status
    assert ("pagegrade_queue_waiting" in answer.text) == (status == 200)
    assert ("PAGEGRADE_METRICS_TOKEN" in answer.text) == (status == 401)
