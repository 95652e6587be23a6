from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from pagegrade.model.access import NO_ACCESS
from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import Unavailable
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.stored import ClaimedRun, PackedReport
from pagegrade.observability.otel import OpenTelemetryTracing
from pagegrade.sandbox.pool import Children
from pagegrade.service.access.operations import AccessFields, Vault, create_profile
from pagegrade.service.container import Services
from pagegrade.service.monitors.due_runs import queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import move_due
from pagegrade.store.queue.runs import finish_run
from pagegrade.store.repositories.decisions import add_ignore, delete_ignore, list_rules_of_report
from pagegrade.store.repositories.host_slots import HIDDEN
from pagegrade.store.repositories.reports import delete_report
from pagegrade.store.repositories.run_history import load_detail
from pagegrade.store.schema.tables import metadata
from pagegrade.worker import execute
from pagegrade.worker.execute import perform_run
from tests.gather.scripted import Names
from tests.gather.sites import Asked, Reply, html, typed
from tests.gather.sites import Site as LittleSite
from tests.otlp import collecting, forget_variables
from tests.queue_builders import LOTS, Queue, add_queued
from tests.site.assets import png
from tests.site.serve import Site, serve_site
from tests.store_builders import NOW_MS, add_owner, make_database

PUBLIC = "192.0.2.7"
"""Reserved for documentation: it has the politeness of a public address, and the guard lets no connection to it."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running_site:
        yield running_site


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of a process that may reach loopback."""
    analyze = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1, budget_s=20.0)
    made = Services(database=make_database(tmp_path), options=ServiceOptions(analyze=analyze))
    yield made
    made.database.close()


@pytest.fixture
def queue(services: Services) -> Queue:
    """Alice's queue."""
    return Queue(services.database, add_owner(services.database, "Alice")[0].id)


def perform(services: Services, run: ClaimedRun, names: Names | None = None) -> None:
    """One run with children of its own."""

    async def main() -> None:
        async with Children(1) as children:
            await perform_run(services, run, children=children, resolver=names or Names())

    asyncio.run(main())


def error_of(queue: Queue, report_id: int) -> dict[str, Any]:
    """The reason of the last failed run of a report."""
    found: dict[str, Any] = json.loads(queue.report(report_id).error or b"{}")
    return found


def test_a_page_is_analysed_and_stored(services: Services, queue: Queue, site: Site) -> None:
    """From a claimed run to a report with results; waiting clients are notified."""
    run = queue.add(site.http + "/", target="")
    (claimed,) = queue.claim()

    async def main() -> None:
        async with Children(1) as children:
            with services.changes.watch(run.report_id) as changed:
                await perform_run(services, claimed, children=children)
                await asyncio.wait_for(changed.wait(), 5)

    asyncio.run(main())
    report = queue.report(run.report_id)

    assert (report.state, report.result, report.run_number) == ("completed", "good", 1)


def door(asked: Asked) -> Reply:
    """A page for those who are let in, which repeats what it was sent."""
    if asked.headers.get("x-door") != "n0t-Shown-2":
        return Reply(status=401, headers=(("WWW-Authenticate", "Basic"),))
    return html(f"<!doctype html><html lang=en><title>{asked.headers}</title><h1>{asked.target} {asked.headers}</h1>")


def test_a_run_uses_the_access_profile_of_its_origin_and_stores_nothing_of_it(services: Services, queue: Queue) -> None:
    """Unless the report says otherwise; every table is searched for what was sent."""
    fields = AccessFields(
        name="Staging",
        user="reader",
        password="n0t-Shown-1",
        headers=["X-Door: n0t-Shown-2"],
        cookies=["session=n0t-Shown-3"],
        query=["key=n0t-Shown-4"],
    )
    services.vault = Vault(keys=("k" * 32,))
    caller = Caller(account=Account(id=queue.account_id, name="", email="", created_at_ms=NOW_MS))

    async def main() -> None:
        async with LittleSite({}, missing=door) as site, Children(1) as children:
            wanted = replace(fields, origins=[site.origin])
            services.database.write_here(lambda tx: create_profile(tx, caller, wanted, services.vault, NOW_MS))
            queue.add(f"{site.origin}/", target="")
            queue.add(f"{site.origin}/", target="", access=NO_ACCESS)
            # They have one URL, and are not the same run for all that.
            first, second = queue.claim(2)
            for each in (first, second):
                await perform_run(services, each, children=children)
            assert "n0t-Shown-4" in str(site.asked)

    asyncio.run(main())
    with_profile, without = queue.report(1), queue.report(2)
    stored = services.database.read_here(
        lambda tx: b"".join(
            value if isinstance(value, bytes) else str(value).encode()
            for table in metadata.sorted_tables
            for row in tx.execute(table.select())
            for value in row
        )
    )
    detail = services.database.read_here(lambda tx: load_detail(tx, 1, 1) or b"")

    assert with_profile.state == "completed"
    assert json.loads(with_profile.summary or b"{}")["run"]["access"]["name"] == "Staging"
    assert without.state == "failed"
    assert error_of(queue, 2)["reason"] == "status_401"
    for secret in ("n0t-Shown", "cmVhZGVyOm4wdC1TaG93bi0x"):
        assert secret.encode() not in stored + detail


@pytest.mark.parametrize("trusts", [True, False])
def test_a_run_trusts_the_certificates_of_its_profile(services: Services, queue: Queue, *, trusts: bool) -> None:
    """Without them nothing is sent, so the page stays closed."""
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    services.vault = Vault(keys=("k" * 32,))
    caller = Caller(account=Account(id=queue.account_id, name="", email="", created_at_ms=NOW_MS))

    async def main() -> None:
        async with LittleSite({}, missing=door, tls=tls) as site, Children(1) as children:
            fields = AccessFields(
                name="Staging",
                origins=[site.origin],
                headers=["X-Door: n0t-Shown-2"],
                certificates=authority.cert_pem.bytes().decode() if trusts else None,
            )
            services.database.write_here(lambda tx: create_profile(tx, caller, fields, services.vault, NOW_MS))
            queue.add(f"{site.origin}/", target="")
            (run,) = queue.claim(1)
            await perform_run(services, run, children=children)

    asyncio.run(main())
    report = queue.report(1)

    assert report.state == ("completed" if trusts else "failed")
    if trusts:
        assert json.loads(report.summary or b"{}")["run"]["access"]["sent"] == ["headers", "certificates"]


def test_a_monitor_that_comes_due_uses_the_access_profile(services: Services, queue: Queue) -> None:
    """The one of the origin, although it was made after the monitor."""
    services.vault = Vault(keys=("k" * 32,))
    caller = Caller(account=Account(id=queue.account_id, name="", email="", created_at_ms=NOW_MS))

    async def main() -> None:
        async with LittleSite({}, missing=door) as site, Children(1) as children:
            report_id = queue.add(f"{site.origin}/", target="").report_id
            (first,) = queue.claim(1)
            await perform_run(services, first, children=children)
            change = MonitorChange(schedule="hourly")
            monitor = queue.write(
                lambda tx: create_monitor(tx, caller, change, services.options, NOW_MS, report_id=report_id)
            )
            fields = AccessFields(name="Staging", origins=[site.origin], headers=["X-Door: n0t-Shown-2"])
            queue.write(lambda tx: create_profile(tx, caller, fields, services.vault, NOW_MS))
            due_ms = monitor.due_at_ms
            queue.write(lambda tx: queue_due(tx, monitor, services.options, due_ms), now_ms=due_ms)
            (second,) = queue.claim(1, now_ms=due_ms)
            await perform_run(services, second, children=children)

    asyncio.run(main())
    report = queue.report(1)

    assert (report.state, report.run_number) == ("completed", 2)
    assert json.loads(report.summary or b"{}")["run"]["access"]["name"] == "Staging"


def test_a_run_whose_secrets_cannot_be_read_fails_by_name(services: Services, queue: Queue) -> None:
    """The key is another one: nothing is fetched, and the message says what helps."""
    caller = Caller(account=Account(id=queue.account_id, name="", email="", created_at_ms=NOW_MS))
    fields = AccessFields(name="Staging", origins=["http://127.0.0.1:9"], user="reader")
    vault = Vault(keys=("o" * 32,))
    services.database.write_here(lambda tx: create_profile(tx, caller, fields, vault, NOW_MS))
    services.vault = Vault(keys=("k" * 32,))
    run = queue.add("http://127.0.0.1:9/", target="")
    (claimed,) = queue.claim()
    perform(services, claimed)

    assert error_of(queue, run.report_id)["reason"] == "access_locked"
    assert "PAGEGRADE_SECRET_KEY" in error_of(queue, run.report_id)["message"]


def test_all_waits_for_the_same_page_are_notified(services: Services, queue: Queue, site: Site) -> None:
    """A follower's report changes in the same moment as its leader's."""
    queue.add(site.http + "/", target="")
    follower = queue.add(site.http + "/", target="")
    (claimed,) = queue.claim()

    async def main() -> None:
        async with Children(1) as children:
            with services.changes.watch(follower.report_id) as changed:
                await perform_run(services, claimed, children=children)
                await asyncio.wait_for(changed.wait(), 5)

    asyncio.run(main())

    assert queue.report(follower.report_id).state == "completed"


def test_ignore_rules_of_the_account_and_of_the_report_apply(services: Services, queue: Queue, site: Site) -> None:
    """From the next run on, and not to reports of others; a deleted rule applies no more."""
    run = queue.add(site.http + "/about", target="")

    def results() -> dict[str, Any]:
        (claimed,) = queue.claim()
        perform(services, claimed)
        number = queue.report(run.report_id).run_number or 0
        detail = services.database.read_here(lambda tx: load_detail(tx, run.report_id, number))
        found: dict[str, Any] = json.loads(detail or b"{}")["results"]
        return found

    plain = results()
    first, second, third = [name for name, one in plain.items() if one["passed"] is False][:3]
    bob = add_owner(services.database, "Bob")[0].id
    places = ((queue.account_id, first, run.report_id), (queue.account_id, second, None), (bob, third, None))
    rules = [
        services.database.write_here(
            lambda tx, place=place: add_ignore(  # type: ignore[misc]
                tx, place[0], IgnoreRule(check=place[1], reason="Known."), report_id=place[2], now_ms=NOW_MS
            )
        )
        for place in places
    ]
    queue.again(run.report_id)
    ruled = results()
    services.database.write_here(lambda tx: delete_ignore(tx, queue.account_id, rules[0].rule.id or 0))
    queue.again(run.report_id)
    after = results()

    assert [ruled[name]["outcome"] for name in (first, second)] == ["ignored", "ignored"]
    assert ruled[second]["ignored"]["rules"] == [rules[1].rule.id]
    assert ruled[third]["outcome"] == plain[third]["outcome"]
    assert after[first]["outcome"] == plain[first]["outcome"]


def test_a_full_address_is_waited_for(services: Services, queue: Queue) -> None:
    """A third site on an address with two guests goes back into the queue, not started and not failed."""
    for number in range(3):
        queue.add(f"https://site-{number}.example/")
    first, second, third = queue.claim(3)
    names = Names({f"site-{number}.example": (PUBLIC,) for number in range(3)})
    services.database.write_here(lambda tx: _occupy(tx, (first, second)))

    perform(services, third, names)

    assert queue.report(third.report_id).state == "queued"
    assert queue.rows("SELECT attempt, target FROM runs WHERE id = :id", id=third.id) == [(0, PUBLIC)]


def _occupy(tx: Transaction, runs: tuple[ClaimedRun, ...]) -> None:
    for run in runs:
        values = {"run": run.id, "target": PUBLIC, "at_ms": 1_767_225_600_000}
        tx.execute(text("INSERT INTO visits (run_id, target, started_at_ms) VALUES (:run, :target, :at_ms)"), values)


def test_a_name_is_looked_up_once(services: Services, queue: Queue) -> None:
    """The addresses that politeness counted are those that the analysis contacts: one query for both."""
    queue.add("https://site-0.example/")
    (claimed,) = queue.claim()
    names = Names({"site-0.example": (PUBLIC,)})

    perform(services, claimed, names)

    assert names.asked == ["site-0.example"]
    assert error_of(queue, claimed.report_id)["code"] == "address_not_allowed"
    assert queue.rows("SELECT DISTINCT target FROM visits ORDER BY target") == [(PUBLIC,), ("site-0.example",)]


def test_a_name_that_does_not_exist_is_a_failed_run(services: Services, queue: Queue) -> None:
    """The reason is stored, and no host was visited but the domain."""
    queue.add("https://unknown.example/")
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert error_of(queue, claimed.report_id)["code"] == "dns"
    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]


def test_a_name_of_the_operators_own_is_not_spared(services: Services, queue: Queue, site: Site) -> None:
    """It leads into an allowed network, so no politeness applies to it, from now on."""
    port = site.http.rpartition(":")[2]
    queue.add(f"http://intranet.example:{port}/")
    (claimed,) = queue.claim()

    perform(services, claimed, Names({"intranet.example": ("127.0.0.1",)}))

    assert queue.report(claimed.report_id).state == "completed"
    assert queue.rows("SELECT COUNT(*) FROM visits") == [(0,)]


def test_what_may_no_longer_be_contacted_is_not_looked_up(services: Services, queue: Queue) -> None:
    """A run that was queued under other settings fails without a query."""
    queue.add("https://site-0.example:4444/")
    (claimed,) = queue.claim()
    services.options = replace(services.options, analyze=AnalyzeOptions())
    names = Names()

    perform(services, claimed, names)

    assert names.asked == []
    assert error_of(queue, claimed.report_id)["code"] == "address_not_allowed"


def test_a_mistake_of_ours_is_a_failed_run(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever breaks, the run ends, and the text of the exception stays inside."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret of the instance")

    monkeypatch.setattr(execute, "gather_target", broken)
    queue.add("http://127.0.0.1/", target="")
    (claimed,) = queue.claim()

    perform(services, claimed)

    error = error_of(queue, claimed.report_id)

    assert (error["code"], error["retryable"]) == ("internal", True)
    assert "secret" not in json.dumps(error)
    assert "run_failed" in caplog.text


def test_an_outcome_that_the_tables_refuse_is_a_failed_run(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that cannot be stored costs its own run an end in failure, nothing else."""

    def picky(tx: Transaction, run: ClaimedRun, packed: PackedReport, now_ms: int) -> tuple[int, ...]:
        if packed.state == "completed" or b"not_storable" not in (packed.error or b""):
            raise IntegrityError("INSERT", {}, Exception("CHECK constraint failed"))
        return finish_run(tx, run, packed, now_ms)

    monkeypatch.setattr(execute, "finish_run", picky)
    queue.add("https://unknown.example/")
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert error_of(queue, claimed.report_id)["reason"] == "not_storable"


def test_an_outcome_waits_for_a_database_that_is_full(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is kept until it can be written."""
    refusals = [Unavailable(), Unavailable()]

    def full_for_a_while(tx: Transaction, run: ClaimedRun, packed: PackedReport, now_ms: int) -> tuple[int, ...]:
        if refusals:
            raise refusals.pop()
        return finish_run(tx, run, packed, now_ms)

    monkeypatch.setattr(execute, "finish_run", full_for_a_while)
    monkeypatch.setattr(execute, "STORE_PAUSE_S", 0.001)
    queue.add("https://unknown.example/")
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert error_of(queue, claimed.report_id)["code"] == "dns"


def test_a_page_is_not_asked_again_because_the_database_is_away_behind_it(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, site: Site
) -> None:
    """The rules of the report are read when the site has answered: they wait, and the attempt goes on."""
    refusals = [Unavailable(), Unavailable()]

    def away_for_a_while(tx: Transaction, account_id: int, report_id: int) -> tuple[IgnoreRule, ...]:
        if refusals:
            raise refusals.pop()
        return list_rules_of_report(tx, account_id, report_id)

    monkeypatch.setattr(execute, "list_rules_of_report", away_for_a_while)
    monkeypatch.setattr(execute, "STORE_PAUSE_S", 0.001)
    queue.add(f"{site.http}/good")
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert refusals == []
    assert queue.report(claimed.report_id).state == "completed"


def test_a_database_that_stays_away_is_said(services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the end the run is left to the reaper, still running."""

    def never(*_: object) -> tuple[int, ...]:
        raise Unavailable

    monkeypatch.setattr(execute, "finish_run", never)
    monkeypatch.setattr(execute, "STORE_PAUSE_S", 0.0)
    monkeypatch.setattr(execute, "STORE_TRIES", 3)
    queue.add("https://unknown.example/")
    (claimed,) = queue.claim()

    with pytest.raises(Unavailable):
        perform(services, claimed)

    assert queue.report(claimed.report_id).state == "running"


def test_an_outcome_of_a_deleted_report_is_dropped(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report goes while its page is being looked at, and nothing of it comes back."""

    async def delete_meanwhile(*_: object, **__: object) -> None:
        services.database.write_here(lambda tx: delete_report(tx, queue.account_id, claimed.report_id))
        raise RuntimeError

    monkeypatch.setattr(execute, "gather_target", delete_meanwhile)
    queue.add("http://127.0.0.1/", target="")
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert queue.rows("SELECT COUNT(*) FROM reports UNION ALL SELECT COUNT(*) FROM runs") == [(0,), (0,)]


@pytest.mark.backend("postgresql", reason="runs stand in line")
def test_a_discarded_outcome_makes_way_for_the_next(services: Services, queue: Queue) -> None:
    """Although the visits of the run name no targets any more."""
    runs = [queue.add(f"https://site-0.example/{number}") for number in range(3)]
    limits = {"target_runs": 1, "target_runs_per_minute": LOTS}
    (claimed,) = queue.claim(target_runs=1)
    services.database.write_here(lambda tx: delete_report(tx, queue.account_id, claimed.report_id))
    too_early = queue.write(lambda tx: move_due(tx, NOW_MS, **limits))

    perform(services, claimed, Names({"site-0.example": (PUBLIC,)}))
    offered = queue.write(lambda tx: move_due(tx, NOW_MS, **limits))

    assert (too_early, offered) == (0, 1)
    assert queue.rows("SELECT id FROM runs WHERE offered = 1") == [(runs[1].id,)]


def test_a_deleted_report_leaves_no_names_of_targets(services: Services, queue: Queue) -> None:
    """Nor where the run had not noticed: once it is over, its visits only count."""
    queue.add("https://site-0.example/")
    (claimed,) = queue.claim()
    services.database.write_here(lambda tx: delete_report(tx, queue.account_id, claimed.report_id))

    perform(services, claimed, Names({"site-0.example": (PUBLIC,)}))
    targets = [target for (target,) in queue.rows("SELECT target FROM visits")]

    assert len(targets) == 3
    assert all(target.startswith(HIDDEN) for target in targets)


def test_a_url_that_cannot_be_read_any_more_fails(services: Services, queue: Queue) -> None:
    """Rules may change between the queue and the run."""
    services.database.write_here(lambda tx: add_queued(tx, queue.account_id, "ftp://example.com/", target=""))
    (claimed,) = queue.claim()

    perform(services, claimed)

    assert error_of(queue, claimed.report_id)["reason"] == "scheme_not_allowed"


def test_a_trace_says_how_runs_ended(
    services: Services, queue: Queue, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put off, cancelled, discarded, failed, completed; each with the parts it came to."""

    async def end_meanwhile(*_: object, **__: object) -> None:
        task = asyncio.current_task()
        if task is not None:
            task.cancel()
        await asyncio.Event().wait()

    async def delete_meanwhile(*_: object, **__: object) -> None:
        services.database.write_here(lambda tx: delete_report(tx, queue.account_id, discarded.report_id))
        raise RuntimeError("secret of the instance")

    forget_variables(monkeypatch)
    for url in ("https://site-0.example/", "https://site-1.example/", "https://site-2.example/"):
        queue.add(url)
    first, second, put_off = queue.claim(3)
    services.database.write_here(lambda tx: _occupy(tx, (first, second)))
    for path in ("a", "b"):
        queue.add(f"http://127.0.0.1/{path}", target="")
    cancelled, discarded = queue.claim(2)
    queue.add("https://unknown.example/", target="")
    queue.add(f"{site.http}/", target="")
    failed, completed = queue.claim(2)
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
        services.tracing = OpenTelemetryTracing(instance="one")
        perform(services, put_off, Names({"site-2.example": (PUBLIC,)}))
        with monkeypatch.context() as patched:
            patched.setattr(execute, "gather_target", end_meanwhile)
            with pytest.raises(asyncio.CancelledError):
                perform(services, cancelled)
            patched.setattr(execute, "gather_target", delete_meanwhile)
            perform(services, discarded)
        perform(services, failed)
        perform(services, completed)
        services.tracing.close()
    runs = {span.attributes["pagegrade.run"]: span for span in collector.named("run")}
    recorded = [runs[run.id] for run in (put_off, cancelled, discarded, failed, completed)]
    parts = [{span.name for span in collector.spans if span.parent_id == run.span_id} for run in recorded]

    assert [(run.attributes.get("pagegrade.state"), run.failure) for run in recorded] == [
        ("put_off", None),
        (None, "cancelled"),
        ("discarded", "internal"),
        ("failed", "dns"),
        ("completed", None),
    ]
    assert parts == [set(), {"gather"}, {"gather", "store"}, {"gather", "store"}, {"gather", "evaluate", "store"}]
    assert b"secret" not in b"".join(collector.raw)


CARD = png(1200, 630)
DEFAULT = "<!doctype html><title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>Thank you for using nginx."
TEXT = "<!doctype html><html lang=en><title>Chairs</title><h1>Chairs</h1><p>" + "Oak chairs for gardens. " * 80


@pytest.mark.parametrize(
    ("page", "stored"), [(TEXT, {"icon", "social"}), (DEFAULT, set())], ids=["graded", "not graded"]
)
def test_images_for_previews_are_stored_with_a_graded_report(
    services: Services, queue: Queue, page: str, stored: set[str]
) -> None:
    """One of each; a page that is another than the one that was asked for has none, and the report says the same."""
    routes = {"/card": typed(CARD, "image/png"), "/favicon.ico": typed(png(32, 32), "image/png")}

    async def main() -> int:
        async with LittleSite(routes) as little, Children(1) as children:
            image = f'<meta property="og:image" content="{little.origin}/card">'
            little.routes = {**routes, "/": html(page.replace("<title>", f"{image}<title>"))}
            run = queue.add(f"{little.origin}/", target="")
            (claimed,) = queue.claim()
            await perform_run(services, claimed, children=children)
            return run.report_id

    report = queue.report(asyncio.run(main()))
    names = services.database.read_here(lambda tx: tx.execute(text("SELECT name, body FROM run_pictures")).all())
    detail = services.database.read_here(lambda tx: load_detail(tx, report.id, report.run_number or 0))
    preview = json.loads(detail or b"{}")["page"]["preview"]

    assert report.state == "completed"
    assert (report.rating is not None) == bool(stored)
    assert {name for name, _ in names} == stored
    assert {preview[name]["name"] for name in ("image", "icon") if preview[name] is not None} == stored
    assert not stored or {name: bytes(body) for name, body in names}["social"] == CARD
