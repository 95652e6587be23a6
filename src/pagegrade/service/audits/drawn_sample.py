"""The start page and a page of each template in a browser, when there are no more pages to fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Final

from msgspec.structs import replace

from pagegrade.gather.browser.options import RenderingFailed, RenderOptions
from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.gather.gatherers.document import is_html
from pagegrade.gather.http import HTTPClient
from pagegrade.model.audit import Crawl
from pagegrade.report.masking import without_secrets
from pagegrade.sandbox.pool import TaskRunner
from pagegrade.service.audits.consent import is_proved
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.slice import Slice
from pagegrade.service.runs.analysis import EVALUATION_SECONDS
from pagegrade.service.runs.crawl_page import read_drawn_page
from pagegrade.store.analysis.derive import MAX_SHAPES, cluster_shapes
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawl_segments import DrawnRow, PageRow, each_segment
from pagegrade.store.repositories.crawl_urls import urls_of

MAX_DRAWN: Final = 20
MAX_UNPROVED: Final = 5
"""Pages of a site that is not proved to be that of the account."""
_LIMITS: Final = GatherLimits()

BrowserPlace = Callable[[], AbstractAsyncContextManager[None]]
"""The right to run one browser, which may have to be waited for."""


async def draw_sample(
    frontier: Frontier,
    work: Slice,
    children: TaskRunner,
    seconds: float,
    *,
    options: RenderOptions,
    place: BrowserPlace,
) -> bool:
    """Draw pages of the sample, one after the other, for some seconds; each of them once, whatever becomes of it.

    Args:
        frontier: Of the crawl, which has fetched its pages.
        work: Asks for the pages.
        children: Where pages are evaluated.
        seconds: After which no further page begins.
        options: Of the browser.
        place: Taken for each page.

    Returns:
        Whether all of them have been drawn.

    Raises:
        CrawlTakenOver: Another process works on the crawl.
        Unavailable: The database cannot be used.
    """
    now = asyncio.get_running_loop().time
    began_at = at = now()
    waiting = await frontier.read(lambda tx: choose_sample(tx, frontier.crawl))
    for page_id, url in waiting:
        if now() - began_at >= seconds:
            return False
        async with place():
            row = await _draw(work, children, page_id, url, options)
        at, since = now(), at
        await frontier.note((), (row,), worked_ms=round((at - since) * 1_000))
    return True


def choose_sample(tx: Transaction, crawl: Crawl) -> list[tuple[int, str]]:
    """Id and URL of the pages of the sample that are still to be drawn."""
    rows = (row for rows in each_segment(tx, crawl.id, PageRow, crawl.segments) for row in rows)
    found = sample_of(rows, sample_size(crawl))
    drawn = {row.page_id for rows in each_segment(tx, crawl.id, DrawnRow, crawl.segments) for row in rows}
    urls = urls_of(tx, crawl.id, found)
    return [(page_id, urls[page_id]) for page_id in found if page_id not in drawn]


def sample_size(crawl: Crawl) -> int:
    """The most pages that may be drawn."""
    return MAX_DRAWN if crawl.account_id is None or is_proved(crawl, crawl.start_url) else MAX_UNPROVED


def sample_of(rows: Iterable[PageRow], most: int) -> list[int]:
    """Ids of the start page, and of one page of each other template: the largest first, and its first page."""
    shapes: dict[tuple[int, ...], tuple[int, int]] = {}
    """Structure -> pages that have it, and the first of them."""
    for row in rows:
        # What is no page of the site, such as a wall, has no score.
        if row.score is not None and row.template and (row.template in shapes or len(shapes) < MAX_SHAPES):
            pages, first = shapes.get(row.template, (0, row.page_id))
            shapes[row.template] = pages + 1, min(first, row.page_id)
    templates: dict[int, tuple[int, int]] = {}
    for shape, number in cluster_shapes(iter(sorted(shapes, key=lambda one: (-shapes[one][0], one)))):
        pages, first = shapes[shape]
        before, earliest = templates.get(number, (0, first))
        templates[number] = before + pages, min(earliest, first)
    # Of all pages, the first is the one where the crawl began, or was led to.
    start = min((first for _, first in templates.values()), default=0)
    ordered = sorted(templates.values(), key=lambda one: (one[1] != start, -one[0], one[1]))
    return [first for _, first in ordered[:most]]


async def _draw(work: Slice, children: TaskRunner, page_id: int, url: str, options: RenderOptions) -> DrawnRow:
    """Draw one page; its failure costs no other page."""
    # Most crawls draw nothing, and need not load what starts a browser.
    from pagegrade.gather.browser.render import render

    response = await work.fetch_file(work.host_of(url), url, _LIMITS.document_decoded_bytes, "document")
    if response is None or not 200 <= response.status < 300 or not is_html(response):  # noqa: PLR2004 - a page
        return DrawnRow(page_id, error="navigation")
    try:
        async with HTTPClient(guard=work.client.guard, resolver=work.resolver, access=work.client.access) as client:
            rendering = await render(response.url, options, client=client)
        # What a page repeats of an access has no use behind this point; no check looks at pictures.
        shown = without_secrets(replace(rendering, pictures=()), work.secrets)
        artifacts = work.artifacts_of(response, {"rendering": shown})
        return DrawnRow(page_id, await children.run(read_drawn_page, artifacts, timeout_s=EVALUATION_SECONDS))
    except RenderingFailed as error:
        return DrawnRow(page_id, error=error.code)
    except OffloadFailed as error:
        return DrawnRow(page_id, error=error.code)
