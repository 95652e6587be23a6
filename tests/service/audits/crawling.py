"""Crawls of generated sites, on a database of the test."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagegrade.model.audit import AuditSettings, Crawl
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.crawl import begin_crawl, run_crawl
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.relations import write_relations
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database
from tests.site_world.server import SiteServer

OPTIONS = AnalyzeOptions(allow_typed_private=True)
FAST = AuditSettings(rate_per_s=None)


def crawl_site(
    database: Database,
    site: SiteServer,
    settings: AuditSettings = FAST,
    *,
    slice_s: float = 20.0,
    watch: Callable[[Frontier], None] = lambda _: None,
    options: AnalyzeOptions = OPTIONS,
) -> Crawl:
    """Begin a crawl and work on it until it ends."""
    begun = database.write_here(lambda tx: begin_crawl(tx, f"{site.origin}/", settings, options=options))

    async def work() -> Crawl:
        async with Children(1) as children:
            return await run_crawl(database, begun.id, options=options, children=children, slice_s=slice_s, watch=watch)

    return asyncio.run(work())


def relations(database: Database, crawl: Crawl, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every relation."""
    database.read_here(lambda tx: write_relations(tx, crawl, folder))
    plain = {path.stem: path.read_bytes() for path in folder.glob("*.jsonl")}
    packed = {path.name.partition(".")[0]: gzip.decompress(path.read_bytes()) for path in folder.glob("*.jsonl.gz")}
    return {name: [json.loads(line) for line in data.splitlines()] for name, data in (plain | packed).items()}


def by_path(rows: list[dict[str, Any]], site: SiteServer) -> dict[str, dict[str, Any]]:
    """Rows of pages by path and query."""
    return {row["url"].removeprefix(site.origin): row for row in rows}
