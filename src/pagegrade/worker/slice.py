"""Do the crawls of audits beside the runs: a few slices at a time in each process, each of one crawl."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.resolver import Resolver
from pagegrade.gather.temporary import own_folder
from pagegrade.model.audit import Crawl
from pagegrade.model.errors import Unavailable
from pagegrade.parse.url import host, is_nearby, registrable_domain
from pagegrade.sandbox.pool import Children
from pagegrade.service.access.operations import profile_in_use, unseal
from pagegrade.service.audits.analysis import analyze_ids
from pagegrade.service.audits.compare import change_since_last
from pagegrade.service.audits.consent import DAY_MS, Consent, allowed_access, proof_of
from pagegrade.service.audits.crawl import run_slice
from pagegrade.service.audits.frontier import open_frontier
from pagegrade.service.audits.relations import write_relations
from pagegrade.service.container import Services
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.analysis.relations import AnalysisNotInstalled
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.repositories.audits import announce_end, hold_owner, save_result
from pagegrade.store.repositories.crawl_urls import found_nearer
from pagegrade.store.repositories.crawls import (
    CrawlTakenOver,
    claim_crawl,
    end_crawl,
    extend_crawl,
    has_due_crawl,
    pages_of_target,
    release_crawl,
)
from pagegrade.store.schema.migrate import is_current

logger = logging.getLogger(__name__)

LOOK_S: Final = 5.0
"""Interval in which a process looks for crawls that another one queued or gave up."""
LEASE_MS: Final = 60_000
"""Time after which the crawl of a worker that has been silent goes to another one."""
BEAT_S: Final = 15.0
AGAIN_S: Final = 1.0
"""Between two tries to release a crawl."""
MAX_TRIES: Final = 3
"""Workers that may end in the middle of a crawl without having stored anything."""


async def do_crawls(services: Services, children: Children, *, resolver: Resolver | None = None) -> None:
    """Do slices of crawls until cancelled, as many at a time as the options say."""
    loop = asyncio.get_running_loop()
    events = [asyncio.Event() for _ in range(services.options.crawls)]

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # The loop is closed.
            for event in events:
                loop.call_soon_threadsafe(event.set)

    services.wake_crawls = wake
    async with asyncio.TaskGroup() as group:
        for event in events:
            group.create_task(_do_slices(services, children, resolver, event), name="crawls")


async def _do_slices(services: Services, children: Children, resolver: Resolver | None, woken: asyncio.Event) -> None:
    while True:
        woken.clear()
        crawl = await _claim(services)
        if crawl is not None:
            await _hold(services, crawl, children, resolver)
            continue
        with contextlib.suppress(TimeoutError):
            # With jitter, so that the processes of an installation do not look at the same moment.
            async with asyncio.timeout(LOOK_S * random.uniform(0.8, 1.2)):  # noqa: S311 - no secret
                await woken.wait()


async def _claim(services: Services) -> Crawl | None:
    limit = services.options.account_crawls

    def claim(tx: Transaction) -> Crawl | None:
        # A later version that changed the schema may use columns that this one ignores.
        if is_shared(tx) and not is_current(tx):
            return None
        return claim_crawl(tx, now_ms=now_ms(), lease_ms=LEASE_MS, account_crawls=limit)

    try:
        if await services.database.read(lambda tx: has_due_crawl(tx, now_ms=now_ms(), account_crawls=limit)):
            return await services.database.write(claim)
    except Unavailable:
        logger.warning("crawls_put_off")
    except Exception:
        # A row that causes an error must not stop the others; it is logged with every look.
        logger.exception("crawl_claim_failed")
        await asyncio.sleep(LOOK_S)
    return None


async def _hold(services: Services, crawl: Crawl, children: Children, resolver: Resolver | None) -> None:
    """Do one slice of a crawl, and keep it from others meanwhile."""
    loop = asyncio.get_running_loop()
    work = loop.create_task(_work(services, crawl, children, resolver), name=f"crawl-{crawl.id}")
    lease = loop.create_task(_keep(services, crawl), name=f"lease-{crawl.id}")
    is_ours, is_away = True, False
    try:
        await asyncio.wait((work, lease), return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
    except CrawlTakenOver:
        is_ours = False
    except Unavailable:
        logger.warning("crawl_put_off", extra={"crawl": crawl.id})
        is_away = True
    except Exception:
        # The lease expires, and the crawl is tried again, within its number of tries.
        logger.exception("crawl_slice_failed", extra={"crawl": crawl.id})
        is_ours = False
    finally:
        for task in (work, lease):
            task.cancel()
        await asyncio.gather(work, lease, return_exceptions=True)
        if is_ours:
            await _release(services, crawl, patiently=is_away)


async def _release(services: Services, crawl: Crawl, *, patiently: bool) -> None:
    """Let others go on with a crawl.

    Args:
        services: Of this process.
        crawl: As it was claimed.
        patiently: Try again for as long as it is held anyway. A crawl that is not released counts as one that ended its
            worker, of which it bears few, and a database that is away for a moment must not.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LEASE_MS / 1_000):
            while True:
                with contextlib.suppress(Unavailable):
                    await services.database.write(lambda tx: release_crawl(tx, crawl, now_ms()))
                    return
                if not patiently:
                    return
                await asyncio.sleep(AGAIN_S)


async def _keep(services: Services, crawl: Crawl) -> None:
    """Extend the lease of a crawl; end where it is no longer ours."""
    while True:
        await asyncio.sleep(BEAT_S)
        with contextlib.suppress(Unavailable):
            if not await services.database.write(
                lambda tx: extend_crawl(tx, crawl, now_ms=now_ms(), lease_ms=LEASE_MS)
            ):
                return


async def _work(services: Services, crawl: Crawl, children: Children, resolver: Resolver | None) -> None:
    database = services.database
    if crawl.tries > MAX_TRIES:
        await database.write(lambda tx: _give_up(tx, crawl))
    elif crawl.state == "analyzing":
        await _analyze(services, crawl)
    else:
        options, consent = await database.read(lambda tx: _options(tx, services, crawl))
        frontier = await open_frontier(database, crawl)
        ended = await run_slice(
            database,
            frontier,
            options=options,
            children=children.for_account(crawl.account_id),
            resolver=resolver,
            consent=consent,
            browser_place=partial(browser_place, services),
        )
        if ended is not None:
            logger.info("crawl_fetched", extra={"crawl": crawl.id, "pages": ended.fetched, "state": ended.state})


def _options(tx: Transaction, services: Services, crawl: Crawl) -> tuple[AnalyzeOptions, Consent | None]:
    """The options of a crawl, with the access of its profile for what is proved; and its limits while nothing is.

    Raises:
        Locked: The profile cannot be decrypted.
    """
    profile, chosen = None, crawl.settings.access
    if crawl.account_id is not None:
        profile = profile_in_use(tx, crawl.account_id, crawl.start_url, chosen)
    access = None if profile is None else unseal(profile, services.vault)
    consent = _consent(tx, services, crawl, wants_access=access is not None and access.note.lets_in)
    if access is not None:
        access = replace(access, origins=allowed_access(crawl, access))
    return replace(services.options.analyze, access=access, render=_render_options(services, crawl)), consent


def _render_options(services: Services, crawl: Crawl) -> RenderOptions | None:
    """The browser of a crawl; ``None``: it draws nothing, or this process has none."""
    options = services.options
    if options.browser is None or not crawl.settings.render:
        return None
    return RenderOptions(program=options.browser, loads=options.analyze.render_loads)


@contextlib.asynccontextmanager
async def browser_place(services: Services) -> AsyncIterator[None]:
    """The place of one of the browsers of this process: the next that is free, before runs that wait for one."""
    async with services.crawl_draws:
        services.crawls_that_draw = 1
        try:
            while services.runs_that_draw() >= services.options.browsers:
                services.browser_freed.clear()
                await services.browser_freed.wait()
            yield
        finally:
            services.crawls_that_draw = 0
            services.wake()


def _consent(tx: Transaction, services: Services, crawl: Crawl, *, wants_access: bool) -> Consent | None:
    """Limits of a crawl that has no proof yet; ``None``: it was looked for, or the host is one of the own network."""
    name = host(crawl.start_url)
    if crawl.account_id is None or crawl.facts is not None or is_nearby(name):
        return None
    options = services.options
    asked = pages_of_target(tx, crawl, registrable_domain(name), moment(tx, now_ms()) - DAY_MS)
    return Consent(
        proof=proof_of(crawl.start_url, crawl.account_id, options.analyze.own_key),
        pages=max(0, min(options.crawl_pages, options.target_pages_per_day - asked)),
        wants_access=wants_access,
    )


async def _analyze(services: Services, crawl: Crawl) -> None:
    with own_folder("audit") as folder:
        nearer = await services.database.read(lambda tx: write_relations(tx, crawl, folder))
        try:
            result, pages, standings = await analyze_ids(folder)
        except AnalysisNotInstalled:
            await services.database.write(lambda tx: _end_ungraded(tx, crawl, "analysis_not_installed"))
            return
    change = await services.database.read(lambda tx: change_since_last(tx, crawl, result, pages))

    def save(tx: Transaction) -> None:
        save_result(tx, crawl, result, pages, now_ms(), standings=standings, change=change)
        found_nearer(tx, crawl.id, nearer, {})

    await services.database.write(save)


def _give_up(tx: Transaction, crawl: Crawl) -> None:
    """End a crawl that ended several workers, or its own analysis."""
    hold_owner(tx, crawl)
    if crawl.state == "analyzing":
        _end_ungraded(tx, crawl, "analysis_failed")
    else:
        ended = end_crawl(tx, crawl, "failed", reason=None, complete=False, now_ms=now_ms(), error="internal")
        announce_end(tx, ended)


def _end_ungraded(tx: Transaction, crawl: Crawl, error: str) -> None:
    hold_owner(tx, crawl)
    reason, complete = crawl.stop_reason, crawl.complete
    ended = end_crawl(tx, crawl, "completed", reason=reason, complete=complete, now_ms=now_ms(), error=error)
    announce_end(tx, ended)
