from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import text

from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import Unavailable
from pagegrade.model.monitors import PageSet
from pagegrade.service.container import SITEMAPS_AT_ONCE, SITEMAPS_WAITING, Services
from pagegrade.service.monitors.due_runs import PUT_OFF_MS, find_due, queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.service.sitemaps import FoundURLs, read_sitemap_urls
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import disable_account, mark_erasing
from pagegrade.store.repositories.monitors import list_of_parent, load_monitor, save_monitor
from pagegrade.worker import housekeeping as module
from pagegrade.worker.housekeeping import queue_due_monitors, schedule_monitors
from pagegrade.worker.jitter import repeat
from tests.gather.sites import Asked, Reply, Site, typed
from tests.queue_builders import Queue, completed
from tests.store_builders import add_owner, make_database

SOON_S = 20.0
Routes = Mapping[str, Reply | Callable[[Asked], Reply]]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of one process."""
    made = Services(database=make_database(tmp_path))
    yield made
    made.database.close()


def make_due(services: Services, count: int = 1) -> Account:
    """Reports with a monitor each that is due."""
    alice = add_owner(services.database)[0]
    queue = Queue(services.database, alice.id)
    for place in range(count):
        report_id = queue.add(f"https://example.com/{place}").report_id
        (run,) = queue.claim()
        queue.finish(run, completed())
        services.database.write_here(
            lambda tx, report_id=report_id: create_monitor(  # type: ignore[misc]
                tx, Caller(account=alice), MonitorChange(), services.options, 0, report_id=report_id
            )
        )
    return alice


def waiting(services: Services) -> int:
    """Runs that wait."""
    statement = text("SELECT COUNT(*) FROM runs WHERE state = 'queued'")
    return int(services.database.read_here(lambda tx: tx.execute(statement).scalar_one()))


def test_due_monitors_are_queued_until_none_is(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bad moment of the database, or one mistake, does not end it; workers are woken."""
    make_due(services, 3)
    woken: list[None] = []
    everything = asyncio.Event()
    failures: list[Exception] = [Unavailable("not now"), RuntimeError("a mistake")]

    def sometimes(*arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return find_due(*arguments)

    def wake() -> None:
        woken.append(None)
        if len(woken) == 3:
            everything.set()

    monkeypatch.setattr(module, "find_due", sometimes)
    services.wake = wake

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            scheduling = group.create_task(repeat(services, schedule_monitors, every_s=0.01))
            async with asyncio.timeout(SOON_S):
                await everything.wait()
            scheduling.cancel()

    asyncio.run(run())

    assert waiting(services) == 3


def test_one_strange_row_keeps_no_other_waiting(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again with the next look."""
    make_due(services, 3)

    def stumble(tx: Any, monitor: Any, **more: Any) -> Any:
        if monitor.id == 2:
            raise RuntimeError("a strange row")
        return queue_due(tx, monitor, **more)

    monkeypatch.setattr(module, "queue_due", stumble)

    assert asyncio.run(queue_due_monitors(services)) == 2
    assert waiting(services) == 2


def test_outcomes_are_counted(services: Services) -> None:
    """As metrics."""
    make_due(services, 2)
    asyncio.run(queue_due_monitors(services))

    assert services.observation.registry.get_sample_value("pagegrade_monitor_runs_total", {"outcome": "queued"}) == 2


class Sets(msgspec.Struct):
    """Monitors of sitemaps that one site has, all of one account."""

    services: Services
    site: Site
    caller: Caller

    def add(self, *paths: str, routes: Routes = MappingProxyType({})) -> list[int]:
        """Monitors that are due; paths without a route have sitemaps of one page each."""
        self.site.routes = {
            **{each: listed(self.site, "page") for each in paths},
            **routes,
        }
        return [self._add(f"{self.site.origin}{each}" if each.startswith("/") else each) for each in paths]

    def _add(self, url: str) -> int:
        pages = PageSet(kind="sitemap", value=url)
        return self.services.database.write_here(
            lambda tx: create_monitor(tx, self.caller, MonitorChange(), self.services.options, 0, pages=pages)
        ).id

    def make_due(self, number: int) -> None:
        """Let it be due now."""

        def work(tx: Transaction) -> None:
            monitor = load_monitor(tx, self.caller.account.id, number)
            assert monitor is not None
            save_monitor(tx, replace(monitor, due_at_ms=now_ms()))

        self.services.database.write_here(work)

    def make_all_due(self) -> None:
        """Let those that were put off be due now, in the same order."""
        statement = text("UPDATE monitors SET due_at_ms = due_at_ms - :ms WHERE last_run_at_ms IS NULL")
        self.services.database.write_here(lambda tx: tx.execute(statement, {"ms": PUT_OFF_MS}))

    def found(self, *numbers: int) -> list[tuple[int | None, bool, bool]]:
        """(Pages, is unreachable, is put off) of each monitor."""
        database = self.services.database
        monitors = [
            database.read_here(partial(load_monitor, account_id=self.caller.account.id, monitor_id=number))
            for number in numbers
        ]
        soon_ms = now_ms() + PUT_OFF_MS
        return [
            (each.pages_found, each.unreachable_since_ms is not None, now_ms() < each.due_at_ms <= soon_ms)
            for each in monitors
            if each is not None
        ]


def listed(site: Site, name: str) -> Reply:
    """A sitemap of one page."""
    return typed(f"<urlset><url><loc>{site.origin}/{name}</loc></url></urlset>", "application/xml")


def with_sets(tmp_path: Path, script: Callable[[Sets], Awaitable[None]]) -> None:
    """Run a script with monitors of sitemaps of a site of our own."""

    async def go() -> None:
        options = ServiceOptions(analyze=AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"])))
        services = Services(database=make_database(tmp_path), options=options)
        try:
            async with Site({}) as site:
                await script(Sets(services, site, Caller(account=add_owner(services.database)[0])))
        finally:
            services.database.close()
            services.passwords.close()

    asyncio.run(go())


def test_pages_of_sitemaps_are_read_before_they_are_queued(tmp_path: Path) -> None:
    """One that cannot be read, or that we must not ask for any more, is said to be unreachable."""

    async def script(sets: Sets) -> None:
        two = "<urlset><url><loc>https://a.example/a</loc></url><url><loc>https://a.example/b</loc></url></urlset>"
        numbers = sets.add(
            "/sitemap.xml",
            "/none.xml",
            "http://10.0.0.1/sitemap.xml",
            routes={"/sitemap.xml": typed(two, "application/xml"), "/none.xml": Reply(status=404)},
        )

        assert await queue_due_monitors(sets.services) == 3
        assert sets.found(*numbers) == [(2, False, False), (None, True, False), (None, True, False)]
        assert waiting(sets.services) == 2

    with_sets(tmp_path, script)


def test_all_sitemaps_of_one_account_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than may wait in its line for a person's form."""
    monkeypatch.setattr(module, "SITEMAP_WAIT_S", 10 * SOON_S)
    count = SITEMAPS_AT_ONCE + SITEMAPS_WAITING + 1

    async def script(sets: Sets) -> None:
        numbers = sets.add(*(f"/{number}.xml" for number in range(count)))

        assert await queue_due_monitors(sets.services) == count
        assert sets.found(*numbers) == [(1, False, False)] * count

    with_sets(tmp_path, script)


def test_a_sitemap_whose_turn_did_not_come_is_put_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not said to be unreachable; the first of the account is read however long it takes."""
    monkeypatch.setattr(module, "SITEMAP_WAIT_S", 0.5)
    monkeypatch.setattr("pagegrade.service.sitemaps.WHOLE_S", 1.0)

    async def script(sets: Sets) -> None:
        numbers = sets.add("/slow.xml", "/1.xml", "/2.xml", routes={"/slow.xml": Reply(hangs=True)})

        assert await queue_due_monitors(sets.services) == 3
        assert sets.found(*numbers) == [(None, True, False), (None, False, True), (None, False, True)]

    with_sets(tmp_path, script)


def test_accounts_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One does not wait until all of the others, which hang, have been read."""
    monkeypatch.setattr(module, "SITEMAP_WAIT_S", 0.5)
    monkeypatch.setattr("pagegrade.service.sitemaps.WHOLE_S", 1.0)
    looks = 12

    async def script(sets: Sets) -> None:
        hanging = {f"/{number}.xml": Reply(hangs=True) for number in range(looks)}
        for _ in range(SITEMAPS_AT_ONCE):
            sets.add(*hanging)
            sets.caller = Caller(account=add_owner(sets.services.database, f"After {sets.caller.account.id}")[0])
        (last,) = sets.add("/last.xml", routes=hanging)
        for _ in range(looks):
            await queue_due_monitors(sets.services)
            ((_, _, is_put_off),) = sets.found(last)
            if not is_put_off:
                return
            sets.make_all_due()
        pytest.fail("its turn did not come")

    with_sets(tmp_path, script)


def test_a_person_reads_a_sitemap_beside_those_that_are_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same account, all of whose own hang."""
    monkeypatch.setattr("pagegrade.service.sitemaps.WHOLE_S", 2 * SOON_S)

    async def script(sets: Sets) -> None:
        asked = asyncio.Event()

        def hang(_: Asked) -> Reply:
            asked.set()
            return Reply(hangs=True)

        hanging = dict.fromkeys([f"/{number}.xml" for number in range(SITEMAPS_AT_ONCE + SITEMAPS_WAITING)], hang)
        sets.add("/person.xml", *hanging, routes=hanging)
        async with asyncio.TaskGroup() as group:
            look = group.create_task(queue_due_monitors(sets.services))
            async with asyncio.timeout(SOON_S):
                await asked.wait()
            typed_url = f"{sets.site.origin}/person.xml"
            found = await read_sitemap_urls(sets.services, typed_url, account_id=sets.caller.account.id)
            look.cancel()

        assert found.urls == (f"{sets.site.origin}/page",)

    with_sets(tmp_path, script)


def test_limits_of_ours_make_no_sitemap_unreachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a site in a minute: it is put off."""
    monkeypatch.setattr("pagegrade.service.sitemaps.SITE_FILES_PER_MINUTE", 0)

    async def script(sets: Sets) -> None:
        numbers = sets.add("https://far.example/sitemap.xml", "/near.xml")

        assert await queue_due_monitors(sets.services) == 2
        assert sets.found(*numbers) == [(None, False, True), (1, False, False)]

    with_sets(tmp_path, script)


@pytest.mark.parametrize("failure", [OSError("no process left"), RuntimeError("a mistake"), Unavailable("not now")])
def test_a_sitemap_that_we_cannot_read_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """The failure is ours, so it is put off, and not said to be unreachable."""

    async def stumble(services: Services, url: str, *, account_id: int) -> FoundURLs:
        if url.endswith("/1.xml"):
            raise failure
        return await read_sitemap_urls(services, url, account_id=account_id)

    monkeypatch.setattr(module, "read_sitemap_urls", stumble)

    async def script(sets: Sets) -> None:
        numbers = sets.add("/1.xml", "/2.xml")

        assert await queue_due_monitors(sets.services) == 2
        assert sets.found(*numbers) == [(None, False, True), (1, False, False)]

    with_sets(tmp_path, script)


def test_a_part_that_could_not_be_read_takes_no_page_away(tmp_path: Path) -> None:
    """The pages that its files named before keep their monitors, by their numbers, until it is gone for good."""

    async def script(sets: Sets) -> None:
        (number,) = sets.add("/index.xml")
        parts = "".join(f"<sitemap><loc>{sets.site.origin}/{name}.xml</loc></sitemap>" for name in "ab")
        others: Routes = {
            "/index.xml": typed(f"<sitemapindex>{parts}</sitemapindex>", "application/xml"),
            "/a.xml": listed(sets.site, "a"),
        }
        seen = []
        first, new = listed(sets.site, "b"), listed(sets.site, "new")
        for second in (first, Reply(status=503), new, Reply(status=429), Reply(status=404)):
            sets.site.routes = {**others, "/b.xml": second}
            sets.make_due(number)
            await queue_due_monitors(sets.services)
            pages = sets.services.database.read_here(lambda tx: list_of_parent(tx, number))
            seen.append([each.id for each in pages])

        assert seen == [[2, 3], [2, 3], [2, 4], [2, 4], [2]]

    with_sets(tmp_path, script)


def test_a_site_that_limits_us_loses_no_page(tmp_path: Path) -> None:
    """Its robots.txt names another sitemap than the old one at the usual place."""

    async def script(sets: Sets) -> None:
        (number,) = sets.add("/", routes={"/named.xml": listed(sets.site, "a"), "/sitemap.xml": listed(sets.site, "b")})
        named = typed(f"Sitemap: {sets.site.origin}/named.xml", "text/plain")
        seen = []
        for robots in (named, Reply(status=429), named):
            sets.site.routes = {**sets.site.routes, "/robots.txt": robots}
            sets.make_due(number)
            await queue_due_monitors(sets.services)
            pages = sets.services.database.read_here(lambda tx: list_of_parent(tx, number))
            seen.append([each.id for each in pages])

        assert seen == [[2], [2, 3], [2]]

    with_sets(tmp_path, script)


@pytest.mark.parametrize("end", [disable_account, mark_erasing])
def test_sitemaps_of_accounts_that_do_not_work_are_not_read(tmp_path: Path, end: Callable[..., object]) -> None:
    """Their due times are skipped as those of all their monitors."""

    async def script(sets: Sets) -> None:
        (number,) = sets.add("/sitemap.xml")
        sets.services.database.write_here(lambda tx: end(tx, sets.caller.account.id, now_ms()))

        assert await queue_due_monitors(sets.services) == 1
        assert sets.site.paths() == []
        assert sets.found(number) == [(None, False, False)]
        assert await queue_due_monitors(sets.services) == 0

    with_sets(tmp_path, script)
