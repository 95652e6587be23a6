"""Files that are no pages are asked for politely."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.model.artifacts import Response
from pagegrade.model.audit import AuditSettings
from pagegrade.service.audits.asking import ask
from pagegrade.store.engine.database import Database
from tests.service.audits.crawling import crawl_site
from tests.site_world.server import serving
from tests.site_world.world import Page, World, make_world
from tests.store_builders import make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


def asked(world: World, path: str) -> tuple[list[str], int, list[int]]:
    """Methods of the requests for a file, the status, and those before which it was waited."""
    waited: list[int] = []

    async def between(response: Response) -> None:
        waited.append(response.status)

    with serving(world) as site:

        async def work() -> int:
            client = HTTPClient(guard=Guard(Policy(typed_private=frozenset({("127.0.0.1", site.port)}))))
            try:
                await client.permit(f"{site.origin}/")
                followed = await ask(client, f"{site.origin}{path}", between=between)
                followed.release()
                return followed.response.status
            finally:
                await client.aclose()

        status = asyncio.run(work())
    return [start.method for start in site.starts], status, waited


def test_a_file_that_is_not_there_is_asked_for_with_get_as_well() -> None:
    """Servers exist that know only GET; before the second request it is waited."""
    world = make_world(7, pages=4)
    world.add(Page("/there.png"))

    assert asked(world, "/there.png") == (["HEAD"], 200, [])
    assert asked(world, "/gone.png") == (["HEAD", "GET"], 404, [404])


def test_a_host_that_asks_for_fewer_requests_is_not_asked_again_at_once() -> None:
    """Its answer to the first request is what is known."""
    world = make_world(7, pages=4)
    world.add(Page("/busy.png", refusals=1))

    assert asked(world, "/busy.png") == (["HEAD"], 503, [])


@pytest.mark.parametrize("status", [403, 405, 500, 501])
def test_a_site_that_answers_only_get_is_crawled_to_its_end(database: Database, status: int) -> None:
    """Its answers to HEAD are not those of a site that sends us away."""
    world = make_world(43, pages=6)
    files = [f"/price-{number}.pdf" for number in range(12)]
    for path in files:
        world.add(Page(path, head_status=status))
    world.pages["/"].markup["main"] = "".join(f"<a href={path}>Prices {path}</a>" for path in files)
    with serving(world) as site:
        crawl = crawl_site(database, site)

    assert (crawl.stop_reason, crawl.complete) == ("done", True)
    assert Counter(one.method for one in site.starts if one.path in files) == {"HEAD": 12, "GET": 12}


def test_files_keep_the_pace_of_the_site(database: Database) -> None:
    """That of both requests for a file that is not there."""
    world = make_world(41, pages=6)
    lost = [f"/lost-{number}.png" for number in range(5)]
    tags = (f"<img src={path} alt=a><a href={path.replace('png', 'pdf')}>a</a>" for path in lost)
    world.pages["/"].markup["main"] = "".join(tags)
    with serving(world) as site:
        crawl_site(database, site, AuditSettings(rate_per_s=10))
    times = sorted(start.at_s for start in site.starts)

    assert Counter(start.method for start in site.starts if "lost" in start.path) == {"HEAD": 10, "GET": 10}
    # The network may deliver two requests a little closer together than they were sent.
    assert min(later - sooner for sooner, later in pairwise(times)) > 0.05
