"""An agency and three sites, which are audited every week for two months while their faults come and go.

The clock is set forward by making the monitors due. Every fault must be found in the week in which it came, on exactly
its pages; whoever gets its link must see them without an account; and the comparison must say when it is repaired.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import select, update

from pagegrade.model.webhooks import EVENT_TYPES
from pagegrade.store.schema.tables import events, monitors
from pagegrade.worker.housekeeping import queue_due_monitors
from pagegrade.worker.worker import Worker
from tests.audit_builders import OPTIONS
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import World, make_world
from tests.web.calling import BASE_URL, Instance, make_instance

AUDITS: Final = "/api/v1/audits"
SOON_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class Client:
    """A site of the agency."""

    seed: int
    pages: int
    faults: tuple[tuple[str, ...], ...]
    """Of each week."""

    def world(self, week: int) -> World:
        """The site as it is in a week."""
        return make_world(self.seed, pages=self.pages, faults=self.faults[week])


CLIENTS: Final = (
    Client(
        21,
        12,
        ((), ("broken-link",), ("broken-link",), (), ("duplicate-title",), (), ("redirect-chain",), ()),
    ),
    Client(
        22,
        24,
        (("broken-link",), (), ("orphan",), ("orphan",), (), ("noindex-in-sitemap",), (), ()),
    ),
    Client(
        23,
        40,
        ((), ("duplicate-title", "redirect-chain"), ("redirect-chain",), (), (), ("broken-link", "orphan"), (), ()),
    ),
)
WEEKS: Final = 8


class Agency:
    """The work for one site, which knows nothing but the interface, and the truth about the site."""

    def __init__(self, instance: Instance, client: Client, site: SiteServer) -> None:
        self._instance = instance
        self._client = client
        self.faults = client.faults
        self._site = site
        self.audit = 0
        self._share = ""
        self.scores: list[int] = []
        self.checks = {check for week in range(WEEKS) for check in client.world(week).expected}
        """Those that have a finding in some week."""

    async def begin(self) -> None:
        """Audit the site for the first time, for everyone with the link, and again every week."""
        fields = {"url": f"{self._site.origin}/", "privacy": 0}
        made = await self._ask("POST", AUDITS, json=fields)
        self.audit, self._share = made["id"], made["share_url"].removeprefix(BASE_URL)
        budgets = ["check.broken-internal-links", "check.duplicate-title"]
        await self._ask(
            "POST", "/api/v1/monitors", json={"audit_id": self.audit, "schedule": "weekly", "budgets": budgets}
        )

    async def _ask(self, method: str, path: str, **more: Any) -> Any:
        answer = await self._instance.call(method, path, **more)
        assert answer.status_code in {200, 201}, (method, path, answer.text)
        return answer.json()["data"]

    def become(self, week: int) -> None:
        """Bring the site to the state of a week."""
        world = self._client.world(week)
        self._site.world.pages.clear()
        self._site.world.pages.update(world.pages)

    async def wait(self, week: int) -> None:
        """Until the crawl of a week was evaluated."""
        shown: Any = None
        for _ in range(5):
            shown = await self._ask("GET", f"{AUDITS}/{self.audit}", headers={"Prefer": "wait=50"})
            if shown["graded_crawl"] == week + 1:
                return
        raise AssertionError(shown)

    async def check(self, week: int) -> None:
        """The findings are the faults; they can be handed on; what was repaired is said to be."""
        truth = {
            check: {f"{self._site.origin}{path}" for path in paths}
            for check, paths in self._client.world(week).expected.items()
        }
        listed = await self._ask("GET", f"{AUDITS}/{self.audit}/findings?per_page=100")
        found: dict[str, set[str]] = {}
        for one in listed:
            if one["check"] not in self.checks:
                continue
            pages = await self._ask("GET", f"{AUDITS}/{self.audit}/findings/{one['id']}/pages?per_page=100")
            assert len(pages) == one["pages"]
            found.setdefault(one["check"], set()).update(page["url"] for page in pages)
            # Whoever repairs it has no account.
            handed_on = await self._instance.call("GET", f"{self._share}/findings/{one['id']}", key=None)
            assert handed_on.status_code == 200
            assert all(f">{page['url']}<" in handed_on.text for page in pages)
        assert found == truth, (self._client.seed, week)
        self.scores.append((await self._ask("GET", f"{AUDITS}/{self.audit}"))["score"])
        if week:
            await self._compare(week, set(truth))

    async def _compare(self, week: int, now: set[str]) -> None:
        before = set(self._client.world(week - 1).expected)
        compared = await self._ask("GET", f"{AUDITS}/{self.audit}/compare")
        assert (compared["from"], compared["to"]) == (week, week + 1)
        kinds: dict[str, set[str]] = {}
        for one in compared["findings"]:
            if one["check"] in self.checks:
                kinds.setdefault(one["kind"], set()).add(one["check"])
        told = {"new": now - before, "fixed": before - now, "still": now & before}
        assert kinds == {kind: checks for kind, checks in told.items() if checks}, (self._client.seed, week)


async def _two_months(folder: Path) -> tuple[list[Agency], list[tuple[str, bytes]]]:
    options: dict[str, Any] = {
        "analyze": OPTIONS.analyze,
        "crawls": 3,
        "account_crawls": 3,
        "parsers": 1,
        "grace_s": SOON_S,
        "requests_per_minute": 100_000,
    }
    async with contextlib.AsyncExitStack() as stack:
        instance = await stack.enter_async_context(make_instance(folder, **options))
        hook = {"url": "https://hook.example/", "events": list(EVENT_TYPES)}
        assert (await instance.call("POST", "/api/v1/webhooks", json=hook)).status_code == 201
        agencies = [Agency(instance, client, stack.enter_context(serving(client.world(0)))) for client in CLIENTS]
        services = instance.services
        worker = Worker(services, slots=1)
        running = asyncio.get_running_loop().create_task(worker.run())
        try:
            for week in range(WEEKS):
                for agency in agencies:
                    agency.become(week)
                if week:
                    services.database.write_here(lambda tx: tx.execute(update(monitors).values(due_at_ms=0)))
                    assert await queue_due_monitors(services) == len(agencies)
                else:
                    for agency in agencies:
                        await agency.begin()
                services.wake_crawls()
                for agency in agencies:
                    await agency.wait(week)
                    await agency.check(week)
        finally:
            worker.stop()
            await running
        query = select(events.c.type, events.c.data).where(events.c.monitor_id.is_not(None)).order_by(events.c.id)
        rows = services.database.read_here(lambda tx: tx.execute(query).all())
    return agencies, [(row.type, row.data) for row in rows]


def _events(faults: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Events of the monitor of a site: of each week in which a budget is newly breached, or no longer is."""
    breached: set[str] = set()
    for week in faults:
        now = {"broken-link", "duplicate-title"}.intersection(week)
        if now - breached:
            yield "audit.regressed"
        elif breached - now:
            yield "audit.recovered"
        breached = now


def test_an_agency_keeps_three_sites_for_two_months(tmp_path: Path) -> None:
    """Faults are found and told, repairs are known as such, and at the end the sites are as they were."""
    agencies, told = asyncio.run(_two_months(tmp_path))

    kinds: dict[int, list[str]] = {}
    for kind, data in told:
        kinds.setdefault(msgspec.json.decode(data)["audit"]["id"], []).append(kind)

    for one in agencies:
        assert len(one.scores) == WEEKS
        assert kinds[one.audit] == list(_events(one.faults))
        sound = {score for score, faults in zip(one.scores, one.faults, strict=True) if not faults}
        assert len(sound) == 1
        assert all(score <= max(sound) for score in one.scores)
