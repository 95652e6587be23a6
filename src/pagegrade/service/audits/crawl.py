"""Use cases of a crawl: begin one, work on it a slice at a time, and end it in a named state."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.guard import Guard
from pagegrade.gather.resolver import Resolver
from pagegrade.model.audit import (
    REACHED_ITS_END,
    UNKNOWN_DEPTH,
    AuditSettings,
    Crawl,
    CrawlState,
    SiteFacts,
    StopReason,
    URLState,
)
from pagegrade.model.errors import URLNotAllowed
from pagegrade.parse.url import host, registrable_domain
from pagegrade.parse.urls.identity import identity
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.audits.consent import Consent
from pagegrade.service.audits.drawn_sample import BrowserPlace, draw_sample
from pagegrade.service.audits.earlier import Earlier, open_earlier
from pagegrade.service.audits.frontier import Frontier, open_frontier
from pagegrade.service.audits.outside import ask_outside
from pagegrade.service.audits.site_facts import prove_site, read_site
from pagegrade.service.audits.slice import SLICE_S, Slice
from pagegrade.service.runs.options import AnalyzeOptions, policy_of
from pagegrade.store.engine.database import Database, Transaction, moment
from pagegrade.store.repositories.audits import announce_end, announce_pause, hold_owner
from pagegrade.store.repositories.crawl_urls import count_states, statuses_of
from pagegrade.store.repositories.crawls import add_crawl, end_crawl, take_crawl
from pagegrade.store.repositories.installation import age_ms

SECRET_BYTES: Final = 16
FAILED_SHARE: Final = 0.01
"""Share of URLs without an answer from which a crawl is not complete."""
_RESUME_AFTER_MS: Final = {"site_refuses": 900_000, "robots_unreachable": 3_600_000}
"""Reason of a pause -> its length; a site that sends us away is asked again later."""
GIVE_UP_AFTER_MS: Final = 8 * 3_600_000
"""Age of an audit's crawl from which it no longer waits for a site that sends us away."""

_REFUSED: Final[frozenset[StopReason]] = frozenset({"site_not_proved", "target_limit"})
"""Reasons for which a crawl never begins."""

Watch = Callable[[Frontier], None]
"""Called after each transaction of a crawl."""


def read_start(url: str) -> tuple[str, str | None]:
    """Return the start page of a crawl, and the sitemap where one was given in its place.

    A URL that ends as sitemaps do is one: the start page is then that of its folder, which is what it may list
    (https://www.sitemaps.org/protocol.html#location).
    """
    place = url.partition("?")[0]
    if not place.lower().endswith((".xml", ".xml.gz")):
        return url, None
    return f"{place.rpartition('/')[0]}/", url


def begin_crawl(
    tx: Transaction,
    start_url: str,
    settings: AuditSettings,
    *,
    options: AnalyzeOptions,
    account_id: int | None = None,
    audit_id: int | None = None,
) -> Crawl:
    """Begin a crawl of a site.

    Args:
        tx: A write transaction.
        start_url: Canonical URL of the start page.
        settings: Of the crawl.
        options: What may be contacted.
        account_id: Whose it is; ``None``: of the command line.
        audit_id: Of the audit that workers do; ``None``: the caller does it.

    Raises:
        URLNotAllowed: The start page must not be contacted.
    """
    refusal = Guard(policy_of(start_url, options)).check_url(start_url)
    if refusal is not None:
        raise URLNotAllowed(refusal.detail, reason=f"{refusal.reason}_not_allowed")
    start = identity(start_url, settings.drop_parameters)
    return add_crawl(
        tx,
        start,
        settings,
        secret=secrets.token_bytes(SECRET_BYTES),
        now_ms=now_ms(),
        account_id=account_id,
        audit_id=audit_id,
        target=None if audit_id is None else registrable_domain(host(start)),
    )


async def run_crawl(
    database: Database,
    crawl_id: int,
    *,
    options: AnalyzeOptions,
    children: TaskRunner,
    watch: Watch = lambda _: None,
    slice_s: float = SLICE_S,
) -> Crawl:
    """Work on a crawl until it ends or has to pause.

    Args:
        database: Where it is kept.
        crawl_id: Of the crawl; a process that works on it until now is shut out.
        options: What may be contacted.
        children: Where pages are read.
        watch: Told of the progress.
        slice_s: Seconds of one slice.

    Returns:
        The crawl as it has ended: ``completed``, ``failed``, or ``paused`` with the time to go on.

    Raises:
        CrawlTakenOver: Another process took it meanwhile, or it was deleted.
        Unavailable: The database cannot be used; what was stored stays.
    """
    crawl = await database.write(lambda tx: take_crawl(tx, crawl_id, now_ms()))
    frontier = await open_frontier(database, crawl)
    while True:
        ended = await run_slice(database, frontier, options=options, children=children, watch=watch, slice_s=slice_s)
        if ended is not None:
            return ended


async def run_slice(
    database: Database,
    frontier: Frontier,
    *,
    options: AnalyzeOptions,
    children: TaskRunner,
    watch: Watch = lambda _: None,
    slice_s: float = SLICE_S,
    resolver: Resolver | None = None,
    consent: Consent | None = None,
    browser_place: BrowserPlace = nullcontext,
) -> Crawl | None:
    """Work for some seconds on a crawl that was taken.

    Args:
        database: Where it is kept.
        frontier: Of the crawl.
        options: What may be contacted.
        children: Where pages are read.
        watch: Told of the progress.
        slice_s: Seconds.
        resolver: Where addresses come from; ``None`` for DNS.
        consent: Limits of a crawl that has no proof yet; ``None``: it needs none, or it was looked for.
        browser_place: The right to run a browser; the crawl draws pages where the options have one.

    Returns:
        The crawl as it has ended, or has to pause; ``None``: another slice goes on.

    Raises:
        CrawlTakenOver: Another process took it meanwhile, or it was deleted.
        Unavailable: The database cannot be used; what was stored stays.
    """
    crawl = frontier.crawl
    if not crawl.urls:
        await frontier.add_seeds((crawl.start_url,), 0)
        await frontier.add_seeds(crawl.settings.urls, 0)
    earlier = await open_earlier(database, crawl)
    async with Slice(
        frontier,
        options=options,
        children=children,
        committed=lambda: watch(frontier),
        resolver=resolver,
        earlier=earlier,
    ) as work:
        if consent is not None and not consent.is_enough(crawl.settings):
            # The next slice goes on with the rate and the access that this one found to be allowed.
            reason = await _look_for_proof(frontier, work, consent)
        else:
            reason = await _work(frontier, work, children, earlier, slice_s, render=options.render, place=browser_place)
    watch(frontier)
    if reason is not None and crawl.settings.exclude:
        await frontier.leave_out()
    return None if reason is None else await finish_crawl(database, frontier, reason)


async def _look_for_proof(frontier: Frontier, work: Slice, consent: Consent) -> StopReason | None:
    start, proof = frontier.crawl.start_url, consent.proof
    allowed = await work.permitted_urls(frontier.host(0), (start, proof.file) if proof.file else (start,))
    if allowed is None:
        return "robots_unreachable"
    method = await prove_site(work, start, proof, allowed)
    settings = frontier.crawl.settings
    if method is None:
        if consent.wants_access:
            return "site_not_proved"
        if consent.pages <= 0:
            return "target_limit"
        settings = consent.limited(settings)
    await frontier.limit(settings, SiteFacts(proof=method))
    return None


async def _work(
    frontier: Frontier,
    work: Slice,
    children: TaskRunner,
    earlier: Earlier | None,
    slice_s: float,
    *,
    render: RenderOptions | None,
    place: BrowserPlace,
) -> StopReason | None:
    if not frontier.crawl.seeded:
        facts = await read_site(frontier, work, children)
        if facts is None:
            return "robots_unreachable"
        if earlier is not None and frontier.crawl.settings.follows:
            async for urls in earlier.seeds():
                await frontier.add_seeds(urls, UNKNOWN_DEPTH)
        proof = None if frontier.crawl.facts is None else frontier.crawl.facts.proof
        await frontier.save(replace(frontier.crawl, facts=replace(facts, proof=proof), seeded=True))
    reason = await work.run(slice_s)
    settings = frontier.crawl.settings
    if reason not in REACHED_ITS_END or frontier.crawl.worked_ms >= settings.max_minutes * 60_000:
        return reason
    if settings.external and not await ask_outside(frontier, work.visitor, children, slice_s):
        return None
    if (
        settings.render
        and render is not None
        and not await draw_sample(frontier, work, children, slice_s, options=render, place=place)
    ):
        return None
    return reason


async def finish_crawl(database: Database, frontier: Frontier, reason: StopReason) -> Crawl:
    """End a crawl, or let it pause, for a reason.

    Raises:
        CrawlTakenOver: Another process took it meanwhile, or it was deleted.
        Unavailable: The database cannot be used.
    """
    crawl = frontier.crawl

    def end(tx: Transaction) -> Crawl:
        hold_owner(tx, crawl)
        counts = count_states(tx, crawl.id)
        pause_ms = _RESUME_AFTER_MS.get(reason)
        start_status = next((status for _, status, _ in statuses_of(tx, crawl.id, (1,))), None)
        now = moment(tx, now_ms())
        is_hopeless = crawl.audit_id is not None and age_ms(tx, now) - crawl.created_at_ms > GIVE_UP_AFTER_MS
        if pause_ms is not None and not is_hopeless:
            paused = end_crawl(
                tx, crawl, "paused", reason=reason, complete=False, now_ms=now, resume_at_ms=now + pause_ms
            )
            announce_pause(tx, paused, now)
            return paused
        state: CrawlState = "completed" if crawl.audit_id is None else "analyzing"
        said: StopReason = reason
        if reason == "done" and counts.get(URLState.TOO_DEEP):
            said = "max_depth"
        if reason in _REFUSED:
            state = "failed"
        elif start_status is None and not counts.get(URLState.FETCHED):
            state, said = "failed", "robots_unreachable" if reason == "robots_unreachable" else "start_unreachable"
        unanswered = counts.get(URLState.FAILED, 0) + counts.get(URLState.THROTTLED, 0)
        is_complete = said == "done" and unanswered <= FAILED_SHARE * max(1, crawl.fetched)
        ended = end_crawl(tx, crawl, state, reason=said, complete=is_complete, now_ms=now)
        if state == "failed":
            announce_end(tx, ended)
        return ended

    return await database.write(end)
