"""Crawls of generated sites without requests: the frontier, its tables and the relations are real, the answers made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from pagegrade.model import audit
from pagegrade.model.audit import AuditSettings, Crawl, PageRecord, Probe, SiteFacts, SitemapRead, URLState, WaitingURL
from pagegrade.service.audits.crawl import begin_crawl, finish_crawl
from pagegrade.service.audits.frontier import Frontier, open_frontier
from pagegrade.service.audits.visits import Visit
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_urls import ASSET_LANE
from pagegrade.store.repositories.crawls import take_crawl
from tests.site_builders import number_of
from tests.site_world.relations import ORIGIN, shape_of, simhash_of
from tests.site_world.world import GONE, Page, World

BATCH: Final = 64
SITEMAP_PIECE: Final = 2_000
Found = Mapping[str, tuple[audit.FoundSignature, ...]]


def crawl_world(
    database: Database,
    world: World,
    settings: AuditSettings,
    *,
    watch: Callable[[Frontier], None] = lambda _: None,
) -> Crawl:
    """Crawl a site to its end, or to a limit of the settings.

    Args:
        database: Of an audit.
        world: The site.
        settings: Of the crawl.
        watch: Told of the progress.
    """
    options = AnalyzeOptions()
    begun = database.write_here(lambda tx: begin_crawl(tx, f"{ORIGIN}/", settings, options=options))

    async def work() -> Crawl:
        crawl = await database.write(lambda tx: take_crawl(tx, begun.id, 1))
        frontier = await open_frontier(database, crawl)
        await frontier.add_seeds([crawl.start_url], 0)
        await _read_site(frontier, world)
        while rows := await _next(frontier):
            spelled = await frontier.find_spelled(rows, ())
            await frontier.commit(
                [
                    Visit(row=row, state=URLState.VARIANT)
                    if row.url_id in spelled.shown
                    else visit_of(world, row, {}, {})
                    for row in rows
                    if row.url_id not in spelled.under_way
                ]
            )
            watch(frontier)
        reached = frontier.crawl.fetched >= settings.max_pages
        return await finish_crawl(database, frontier, "max_pages" if reached else "done")

    return asyncio.run(work())


async def _next(frontier: Frontier) -> list[WaitingURL]:
    left = frontier.crawl.settings.max_pages - frontier.crawl.fetched
    rows = await frontier.take(min(BATCH, left), set()) if left > 0 else []
    return rows or await frontier.take(BATCH, set(), assets=True)


async def _read_site(frontier: Frontier, world: World) -> None:
    listed = world.sitemap()
    for at in range(0, len(listed), SITEMAP_PIECE):
        some = listed[at : at + SITEMAP_PIECE]
        urls, dates = [ORIGIN + page.path for page in some], [page.lastmod or "" for page in some]
        await frontier.add_sitemap(urls, dates, f"{ORIGIN}/sitemap.xml")
    probe = Probe(url=f"{ORIGIN}/0", status=404)
    if world.soft_404:
        probe = Probe(url=f"{ORIGIN}/0", status=200, simhash=simhash_of(GONE), words=len(GONE.split()))
    file = SitemapRead(url=f"{ORIGIN}/sitemap.xml", status=200, urls=len(listed))
    frontier.host(0).robots_status = 200
    facts = SiteFacts(probes=(probe,), sitemaps=(file,))
    await frontier.save(replace(frontier.crawl, facts=facts, seeded=True))


def visit_of(world: World, row: WaitingURL, scores: Mapping[str, int], found: Found) -> Visit:
    """The outcome of a request for a URL."""
    path = row.url.removeprefix(ORIGIN)
    if world.is_blocked(path):
        return Visit(row=row, state=URLState.BLOCKED)
    page = world.at(path)
    if page is None:
        return Visit(row=row, state=URLState.FETCHED, status=404, content_type="text/html", time_ms=80)
    visit = Visit(
        row=row, state=URLState.FETCHED, status=page.status, content_type="text/html", time_ms=80, bytes=1_000
    )
    if page.redirect is not None:
        visit.redirect = _absolute(page.redirect)
    elif page.status == 200 and row.lane < ASSET_LANE:
        visit.record = record_of(page, score=scores.get(page.template, 90), found=found.get(path, ()))
    return visit


def record_of(page: Page, *, score: int, found: tuple[audit.FoundSignature, ...]) -> PageRecord:
    """The facts that a crawl keeps of a page."""
    links = [
        audit.Link(_absolute(link.path), "a", link.place, link.nofollow, link.text, session=link.session)
        for link in page.links
    ]
    links += [audit.Link(_absolute(path), "hreflang", hreflang=language) for language, path in page.alternates]
    links += [audit.Link(_absolute(path), "canonical") for path in (page.canonical,) if path is not None]
    if page.asset is not None:
        links.append(audit.Link(_absolute(page.asset), "asset", anchor="stylesheet"))
    return PageRecord(
        title=page.title,
        h1=page.h1,
        description=page.description,
        noindex=page.noindex,
        canonical="" if page.canonical is None else _absolute(page.canonical),
        lang=page.lang,
        words=len(page.text.split()),
        digest=number_of(page.text),
        simhash=simhash_of(page.text),
        template=shape_of(page),
        types=page.types,
        kind=page.seen_as,
        score=None if page.seen_as else score,
        links=tuple(links),
        found=found,
    )


def _absolute(path: str) -> str:
    return ORIGIN + path if path.startswith("/") else path
