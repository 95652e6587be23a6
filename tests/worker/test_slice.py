"""Workers do the crawls of audits: to the end, whoever is killed, and without keeping reports waiting."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select, update

from pagegrade.clock import now_ms
from pagegrade.gather.guard import Guard
from pagegrade.gather.resolver import Answer
from pagegrade.model.access import NO_ACCESS
from pagegrade.model.account import Caller
from pagegrade.model.audit import UNKNOWN_DEPTH, Audit, Crawl, URLFilter
from pagegrade.model.audit_result import AuditResult
from pagegrade.model.errors import Unavailable
from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.sandbox.pool import Children
from pagegrade.service.access.operations import AccessFields, Vault, create_profile
from pagegrade.service.audits import consent
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.analysis import analyze_ids
from pagegrade.service.audits.consent import PROOF_PATH, proof_of
from pagegrade.service.audits.crawl import GIVE_UP_AFTER_MS
from pagegrade.service.container import Services
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.access_profiles import delete_profile
from pagegrade.store.repositories.audits import delete_audit, load_audit, load_result
from pagegrade.store.repositories.crawl_urls import urls_page
from pagegrade.store.repositories.crawls import release_crawl
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.store.schema.tables import crawl_segments, crawl_urls, crawls, events, monitors
from pagegrade.worker import slice as slice_module
from pagegrade.worker.housekeeping import queue_due_monitors
from pagegrade.worker.slice import MAX_TRIES, do_crawls
from pagegrade.worker.worker import Worker
from tests.audit_builders import OPTIONS, claim, make_audit
from tests.queue_builders import Queue
from tests.site.serve import serve_site
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import ENDLESS, FAULTS, Link, World, make_world
from tests.store_builders import add_owner, make_database
from tests.waiting import wait_for

ALL = tuple(name for name in FAULTS if name not in ENDLESS)
SOON_S = 120.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of a process that may crawl this machine."""
    made = Services(database=make_database(tmp_path), options=replace(OPTIONS, grace_s=SOON_S, parsers=1))
    yield made
    made.database.close()


def claim_and_die(services: Services) -> Crawl | None:
    """The crawl of a worker that ended in the middle of it, and whose lease has, too."""
    claimed = claim(services.database)
    services.database.write_here(lambda tx: tx.execute(update(crawls).values(lease_until_ms=now_ms() - 60_000)))
    return claimed


@pytest.fixture
def alice(services: Services) -> Caller:
    """An account that has signed in."""
    return Caller(account=add_owner(services.database, "Alice")[0])


@contextlib.asynccontextmanager
async def working(services: Services) -> AsyncIterator[Worker]:
    """A worker for the length of a block."""
    worker = Worker(services, slots=2)
    running = asyncio.get_running_loop().create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await running


async def until_ended(services: Services, audit: Audit) -> Audit:
    """The audit when its crawl has ended."""

    def now() -> Audit:
        found = services.database.read_here(lambda tx: load_audit(tx, audit.account_id, audit.id))
        if found is None:
            raise AssertionError("the audit is gone")
        return found

    await wait_for(lambda: now().crawl.finished_at_ms is not None, "the end of a crawl", within_s=SOON_S)
    return now()


def result_of(services: Services, audit: Audit) -> AuditResult:
    """The result of an evaluated crawl."""
    result = services.database.read_here(lambda tx: load_result(tx, audit.crawl.id))
    if result is None:
        raise AssertionError(f"the crawl was not evaluated: {audit.crawl}")
    return result


def addresses(services: Services, audit: Audit) -> list[str]:
    """Every URL that a crawl knows."""
    query = select(crawl_urls.c.url).where(crawl_urls.c.crawl_id == audit.crawl.id).order_by(crawl_urls.c.url)
    return services.database.read_here(lambda tx: list(tx.execute(query).scalars()))


def clicks(services: Services, audit: Audit) -> dict[str, int | None]:
    """Path -> clicks from the start, as the list of pages shows them."""
    pages = services.database.read_here(lambda tx: urls_page(tx, audit.crawl.id, URLFilter(), first=0, count=1_000))
    return {f"/{one.url.split('/', 3)[3]}": None if one.depth == UNKNOWN_DEPTH else one.depth for one in pages}


def found(result: AuditResult) -> list[tuple[str, str, int, float | None, str]]:
    """The findings, without what names the port of the site."""
    return [(one.check, one.state, one.pages, one.lost, one.fingerprint) for one in result.findings]


def subscribe(services: Services, caller: Caller) -> None:
    """A webhook that wants all events."""
    hook: dict[str, Any] = {"kind": "webhook", "url": "https://hook.example/", "events": EVENT_TYPES, "project": ""}
    services.database.write_here(lambda tx: add_webhook(tx, caller.account.id, **hook, now_ms=now_ms()))


def announced(services: Services) -> list[tuple[str, str | None]]:
    """Type of each event, with the reason for having no grade."""
    rows = services.database.read_here(lambda tx: tx.execute(select(events).order_by(events.c.id)).all())
    return [(row.type, msgspec.json.decode(row.data)["audit"]["withheld"]) for row in rows]


def world() -> World:
    """A site with all kinds of faults."""
    return make_world(3, pages=20, faults=ALL)


def test_an_audit_is_crawled_and_evaluated(services: Services, alice: Caller) -> None:
    """As soon as it is there; an interrupted one comes to the same, after a worker that was killed in a slice.

    So does the next one, for which the site sends its pages no more.
    """

    async def script(origin: str) -> tuple[Audit, Audit, Audit]:
        async with working(services):
            audit = make_audit(services.database, alice, f"{origin}/")
            services.wake_crawls()
            whole = await until_ended(services, audit)
        again = make_audit(services.database, alice, f"{origin}/")
        # A worker that takes the crawl and is never heard of again.
        lost = claim_and_die(services)
        assert lost is not None
        # Stopped at each commit, a worker lets others go on.
        for _ in range(3):
            async with working(services) as worker:
                before = services.database.read_here(lambda tx: load_audit(tx, again.account_id, again.id))
                assert before is not None

                def has_more() -> bool:
                    now = services.database.read_here(lambda tx: load_audit(tx, again.account_id, again.id))
                    return now is not None and now.crawl.fetched > before.crawl.fetched  # noqa: B023 - called at once

                if before.crawl.state in {"queued", "crawling"}:
                    await wait_for(has_more, "more pages", within_s=SOON_S)
                worker.stop(at_once=True)
        async with working(services):
            interrupted = await until_ended(services, again)
            change = service.AuditChange(again=True)
            database, options = services.database, services.options
            await database.write(
                lambda tx: service.change_audit(tx, alice, whole.id, change, options=options, now_ms=now_ms())
            )
            services.wake_crawls()
            return whole, interrupted, await until_ended(services, whole)

    with serving(world()) as site:
        site.has_validators = True
        whole, interrupted, unchanged = asyncio.run(script(site.origin))
    first, second = result_of(services, whole), result_of(services, interrupted)
    third = result_of(services, unchanged)
    near = world().depths(declared=False, sitemap=False)

    assert (whole.crawl.state, whole.crawl.stop_reason, whole.crawl.complete) == ("completed", "done", True)
    assert whole.summary is not None
    assert (whole.summary.score, whole.summary.rating) == (first.score, first.rating)
    assert addresses(services, whole) == addresses(services, interrupted)
    assert (
        clicks(services, whole) == clicks(services, interrupted) == {path: near.get(path) for path in world().depths()}
    )
    assert (first.score, found(first)) == (second.score, found(second))
    assert (first.score, found(first), first.carried) == (third.score, found(third), 0)
    assert third.carried == third.read
    assert unchanged.crawl.bytes < 0.25 * whole.crawl.bytes
    for one in first.findings:
        pages = services.database.read_here(
            lambda tx, one=one: service.list_finding_pages(tx, alice, whole.id, one.number, page=1, per_page=100)  # type: ignore[misc]
        )
        assert pages.total >= one.pages
        assert {place.url for place in one.places[:100]} <= {
            each for shown in pages.items for each in (shown.url, shown.target)
        } or pages.total > 100


def test_reports_of_others_start_while_crawls_run(services: Services, alice: Caller) -> None:
    """Crawls have places of their own."""

    async def script(origin: str, page: str) -> str:
        make_audit(services.database, alice, f"{origin}/", rate=0.5)
        async with working(services):
            await wait_for(lambda: bool(addresses_of_all(services)), "a crawl that has begun", within_s=SOON_S)
            queue = Queue(services.database, add_owner(services.database, "Bob")[0].id)
            report_id = queue.add(page).report_id
            services.wake()
            await wait_for(lambda: queue.report(report_id).state == "completed", "a report", within_s=SOON_S)
            audit = services.database.read_here(lambda tx: load_audit(tx, alice.account.id, 1))
            assert audit is not None
            return audit.crawl.state

    with serving(world()) as site, serve_site() as other:
        state = asyncio.run(script(site.origin, f"{other.http}/about"))

    assert state == "crawling"


def addresses_of_all(services: Services) -> int:
    """URLs that are known to any crawl."""
    return services.database.read_here(
        lambda tx: int(tx.execute(select(func.count()).select_from(crawl_urls)).scalar_one())
    )


def test_nothing_is_left_of_an_audit_that_is_deleted_in_a_slice(
    services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker finds no row, and goes on with others."""
    monkeypatch.setattr(slice_module, "BEAT_S", 0.1)

    async def script(origin: str) -> int:
        audit = make_audit(services.database, alice, f"{origin}/", rate=1.0)
        async with working(services):
            await wait_for(lambda: bool(addresses_of_all(services)), "a crawl that has begun", within_s=SOON_S)
            services.database.write_here(lambda tx: delete_audit(tx, audit.id))
            other = make_audit(services.database, alice, f"{origin}/", max_pages=1)
            await until_ended(services, other)
            services.database.write_here(lambda tx: delete_audit(tx, other.id))
        return addresses_of_all(services) + services.database.read_here(
            lambda tx: int(tx.execute(select(func.count()).select_from(crawl_segments)).scalar_one())
        )

    with serving(world()) as site:
        assert asyncio.run(script(site.origin)) == 0


def test_a_crawl_that_ends_its_workers_ends(services: Services, alice: Caller) -> None:
    """After three of them, with the reason; and without the library that evaluates, it says so."""
    audit = make_audit(services.database, alice)
    subscribe(services, alice)
    for _ in range(3):
        assert claim_and_die(services) is not None

    async def script() -> Audit:
        async with working(services):
            return await until_ended(services, audit)

    ended = asyncio.run(script())

    assert (ended.crawl.state, ended.crawl.error, ended.graded) == ("failed", "internal", None)
    assert announced(services) == [("audit.failed", "internal")]


def test_a_database_that_goes_away_does_not_end_a_crawl(
    services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it does, even in the moment in which the crawl is released: no worker has ended."""
    refusals: list[Unavailable] = []
    begun = 0

    async def analyze(folder: Path) -> tuple[AuditResult, dict[int, bytes], dict[int, bytes]]:
        nonlocal begun
        begun += 1
        if begun <= MAX_TRIES + 1:
            refusals.append(Unavailable())
            raise Unavailable
        return await analyze_ids(folder)

    def release(tx: Transaction, crawl: Crawl, at_ms: int) -> None:
        if refusals:
            raise refusals.pop()
        release_crawl(tx, crawl, at_ms)

    monkeypatch.setattr("pagegrade.worker.slice.analyze_ids", analyze)
    monkeypatch.setattr("pagegrade.worker.slice.release_crawl", release)
    monkeypatch.setattr("pagegrade.worker.slice.AGAIN_S", 0.01)

    async def script(origin: str) -> Audit:
        audit = make_audit(services.database, alice, f"{origin}/", max_pages=3)
        async with working(services):
            return await until_ended(services, audit)

    with serving(world()) as site:
        ended = asyncio.run(script(site.origin))

    assert (begun, refusals) == (MAX_TRIES + 2, [])
    assert (ended.crawl.state, ended.crawl.error, ended.graded) == ("completed", None, 1)


@pytest.mark.parametrize(("lease_ms", "is_released"), [(2_000, True), (100, False)])
def test_a_crawl_is_released_for_as_long_as_it_is_held(
    services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch, lease_ms: int, *, is_released: bool
) -> None:
    """A database that is away for longer than the lease does not keep the place of a crawl for good."""
    make_audit(services.database, alice)
    crawl = claim(services.database)

    assert crawl is not None
    back_at = time.monotonic() + 0.5
    released = False

    def release(tx: Transaction, crawl: Crawl, at_ms: int) -> None:
        nonlocal released
        if time.monotonic() < back_at:
            raise Unavailable
        released = True
        release_crawl(tx, crawl, at_ms)

    monkeypatch.setattr("pagegrade.worker.slice.release_crawl", release)
    monkeypatch.setattr("pagegrade.worker.slice.AGAIN_S", 0.01)
    monkeypatch.setattr("pagegrade.worker.slice.LEASE_MS", lease_ms)
    asyncio.run(slice_module._release(services, crawl, patiently=True))

    assert released == is_released


def test_what_is_not_evaluated_says_so(services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is not installed; all that was crawled is kept."""
    monkeypatch.setattr("pagegrade.service.audits.analysis.is_installed", lambda: False)

    async def script(origin: str) -> Audit:
        audit = make_audit(services.database, alice, f"{origin}/", max_pages=3)
        subscribe(services, alice)
        async with working(services):
            return await until_ended(services, audit)

    with serving(world()) as site:
        ended = asyncio.run(script(site.origin))

    assert (ended.crawl.state, ended.crawl.error) == ("completed", "analysis_not_installed")
    assert (ended.crawl.fetched, ended.graded, ended.summary) == (3, None, None)
    assert announced(services) == [("audit.failed", "analysis_not_installed")]


def test_a_site_that_does_not_answer_is_announced(services: Services, alice: Caller) -> None:
    """With the reason, as soon as the crawl has ended."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{closed.getsockname()[1]}"
    audit = make_audit(services.database, alice, f"{origin}/", sitemap=False)
    subscribe(services, alice)
    services.database.write_here(
        lambda tx: tx.execute(update(crawls).values(created_at_ms=now_ms() - GIVE_UP_AFTER_MS - 1_000))
    )

    async def script() -> Audit:
        async with working(services):
            return await until_ended(services, audit)

    ended = asyncio.run(script())

    assert ended.crawl.state == "failed"
    assert announced(services) == [("audit.failed", ended.crawl.stop_reason)]


def test_a_site_that_turns_a_crawl_away_for_a_while_is_announced(services: Services, alice: Caller) -> None:
    """When it pauses, not only when it is given up."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{closed.getsockname()[1]}"
    audit = make_audit(services.database, alice, f"{origin}/", sitemap=False)
    subscribe(services, alice)

    def now() -> Crawl | None:
        found = services.database.read_here(lambda tx: load_audit(tx, audit.account_id, audit.id))
        return found.crawl if found is not None and found.crawl.state == "paused" else None

    async def script() -> Crawl:
        async with working(services):
            return await wait_for(now, "the pause of a crawl", within_s=SOON_S)

    paused = asyncio.run(script())

    assert (paused.stop_reason, paused.resume_at_ms is not None) == ("robots_unreachable", True)
    assert announced(services) == [("audit.paused", None)]


def test_no_crawls_are_done_where_there_is_no_place_for_them(services: Services, alice: Caller) -> None:
    """A process may be for reports alone."""
    services.options = replace(services.options, crawls=0)
    make_audit(services.database, alice)

    async def script() -> None:
        async with working(services):
            services.wake_crawls()

    asyncio.run(script())
    audit = services.database.read_here(lambda tx: load_audit(tx, alice.account.id, 1))

    assert audit is not None
    assert audit.crawl.state == "queued"
    assert ServiceOptions().crawls == 2


@pytest.mark.parametrize("access", [None, NO_ACCESS, "Staging", "Deleted"])
def test_a_crawl_uses_the_access_profile_of_its_site(
    services: Services, alice: Caller, access: int | str | None
) -> None:
    """That of the origin unless none is wanted, another where it was deleted, and the result says so."""
    services.vault = Vault(keys=("k" * 32,))

    async def go() -> str:
        audit = make_audit(services.database, alice, f"{site.origin}/", access=access)
        if access == "Deleted":
            services.database.write_here(lambda tx: delete_profile(tx, alice.account.id, 2))
        async with working(services):
            services.wake_crawls()
            facts = (await until_ended(services, audit)).crawl.facts
        return "" if facts is None or facts.access is None else facts.access.name

    with serving(make_world(45, pages=4)) as site:
        wanted = AccessFields(name="Staging", origins=[site.origin], user="reader", password="n0t-Shown-1")
        services.database.write_here(lambda tx: create_profile(tx, alice, wanted, services.vault, now_ms()))
        other = replace(wanted, name="Deleted", user="nobody")
        services.database.write_here(lambda tx: create_profile(tx, alice, other, services.vault, now_ms()))
        used = asyncio.run(go())
    sent = {one.path for one in site.starts if one.authorization}

    assert used == ("" if access == NO_ACCESS else "Staging")
    assert ("/" in sent) is (access != NO_ACCESS)


class Names:
    """Every name is this machine; one has a text."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.known = texts

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        """The address of this machine."""
        return Answer(host=host, addresses=("127.0.0.1",))

    async def texts(self, name: str) -> tuple[str, ...]:
        """The text of a name."""
        return (self.known[name],) if name in self.known else ()


@pytest.mark.parametrize("place", ["", "other", "dns", "file", "meta", "network"])
def test_a_crawl_gets_what_the_proof_of_its_site_allows(
    services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Nothing secret is sent before, and the proof of another account is none."""
    services.vault = Vault(keys=("k" * 32,))
    services.options = replace(services.options, crawl_pages=3, analyze=replace(services.options.analyze, own_key=b"k"))
    monkeypatch.setattr(consent, "UNPROVED_RATE", 10.0)
    if place != "network":
        monkeypatch.setattr(Guard, "is_inside", lambda _self, _url: False)

    async def crawled(access: str | int) -> Audit:
        audit = make_audit(
            services.database, alice, f"{site.origin}/", rate=20, max_pages=6, access=access, external=True
        )
        async with Children(1) as children:
            work = asyncio.get_running_loop().create_task(do_crawls(services, children, resolver=Names(texts)))
            ended = await until_ended(services, audit)
            work.cancel()
        return ended

    with serving(make_world(46, pages=8)) as site:
        site.host = "shop.example"
        proof = proof_of(f"{site.origin}/", alice.account.id + (place == "other"), b"k")
        texts = {proof.record: proof.token} if place == "dns" else {}
        site.files = {PROOF_PATH: f"# ours\n{proof.token}\n"} if place in {"file", "other"} else {}
        site.head = proof.meta if place == "meta" else ""
        open_one = asyncio.run(crawled(NO_ACCESS)).crawl
        wanted = AccessFields(name="Staging", origins=[site.origin], user="reader", password="n0t-Shown-1")
        services.database.write_here(lambda tx: create_profile(tx, alice, wanted, services.vault, now_ms()))
        begun = len(site.starts)
        closed = asyncio.run(crawled("Staging")).crawl
        sent = [one.path for one in site.starts[begun:] if one.authorization]
    is_proved = place not in {"", "other"}

    assert open_one.facts is not None
    assert open_one.facts.proof == (place if is_proved else None)
    assert open_one.settings.rate_per_s == (20.0 if is_proved else 10.0)
    assert open_one.settings.external is is_proved
    assert open_one.fetched == (6 if is_proved else 3)
    assert (closed.state, closed.stop_reason) == (
        ("completed", "max_pages") if is_proved else ("failed", "site_not_proved")
    )
    assert bool(sent) is is_proved
    assert "/robots.txt" not in sent


def test_a_sample_is_drawn_and_other_sites_are_asked(services: Services, alice: Caller, program: Path) -> None:
    """By a worker with a browser; the findings are those of the site."""
    analyze = replace(services.options.analyze, render_loads=1)
    services.options = replace(services.options, browser=program, browsers=1, analyze=analyze)

    async def script(origin: str) -> Audit:
        async with working(services):
            audit = make_audit(services.database, alice, f"{origin}/", render=True, external=True)
            services.wake_crawls()
            return await until_ended(services, audit)

    with serving(make_world(49, pages=2)) as other, serving(make_world(48, pages=8, templates=1)) as site:
        start = site.world.pages["/"]
        start.links.append(Link(f"{other.origin}/gone", "A page that was there"))
        start.markup["main"] = '<p class="note" style="color:#ccc;background:#fff">Ask for the price of delivery</p>'
        audit = asyncio.run(script(site.origin))
    result = result_of(services, audit)
    said = {one.check: {place.url for place in one.places} for one in result.findings}

    assert said["template-contrast"] == {f"{site.origin}/"}
    assert said["broken-external-links"] == {f"{other.origin}/gone"}
    assert {"template-speed", "changed-by-scripts"}.isdisjoint(one.check for one in result.not_evaluated)
    assert services.crawls_that_draw == 0


def test_a_site_is_asked_for_so_many_pages_a_day_by_all_accounts(
    services: Services, alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl that reaches the limit gets what is left; the next one of anybody does not begin."""
    monkeypatch.setattr(Guard, "is_inside", lambda _self, _url: False)
    monkeypatch.setattr(consent, "UNPROVED_RATE", 10.0)
    services.options = replace(services.options, target_pages_per_day=4)
    bob = Caller(account=add_owner(services.database, "Bob")[0])

    async def crawled(caller: Caller) -> Crawl:
        audit = make_audit(services.database, caller, f"{site.origin}/", max_pages=3, rate=10)
        async with Children(1) as children:
            work = asyncio.get_running_loop().create_task(do_crawls(services, children, resolver=Names({})))
            ended = await until_ended(services, audit)
            work.cancel()
        return ended.crawl

    with serving(make_world(47, pages=6)) as site:
        site.host = "shop.example"
        ended = [asyncio.run(crawled(caller)) for caller in (alice, bob, alice)]

    assert [(one.fetched, one.stop_reason) for one in ended] == [
        (3, "max_pages"),
        (1, "max_pages"),
        (0, "target_limit"),
    ]


def test_a_monitored_site_is_crawled_when_it_is_due_and_what_it_breaks_is_told_once(
    services: Services, alice: Caller
) -> None:
    """A fault comes, stays and goes; the crawls that a monitor begins are like those that people begin."""
    sound, broken = (make_world(7, pages=12, faults=faults) for faults in ((), ("broken-link",)))
    subscribe(services, alice)

    async def script(site: SiteServer) -> list[int]:
        audit = make_audit(services.database, alice, f"{site.origin}/")
        change = MonitorChange(budgets=("check.broken-internal-links",))
        monitor = services.database.write_here(
            lambda tx: create_monitor(tx, alice, change, services.options, now_ms(), audit_id=audit.id)
        )
        numbers = []
        async with working(services):
            for week, pages in enumerate((sound.pages, broken.pages, broken.pages, dict(sound.pages))):
                site.world.pages.clear()
                site.world.pages.update(pages)
                if week:
                    due = update(monitors).where(monitors.c.id == monitor.id).values(due_at_ms=0)
                    services.database.write_here(lambda tx, due=due: tx.execute(due))  # type: ignore[misc]
                    assert await queue_due_monitors(services) == 1
                services.wake_crawls()
                numbers.append((await until_ended(services, audit)).crawl.number)
        return numbers

    with serving(make_world(7, pages=12)) as site:
        numbers = asyncio.run(script(site))
    rows = services.database.read_here(lambda tx: tx.execute(select(events).order_by(events.c.id)).all())
    told = [row.type for row in rows if row.monitor_id is not None]

    assert numbers == [1, 2, 3, 4]
    assert told == ["audit.regressed", "audit.recovered"]
    assert [row.type for row in rows].count("audit.completed") == 4
