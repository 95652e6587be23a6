"""Workers of an installation of several processes are killed while they crawl a site (points A01 to A04)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault.cluster import DURABLE, Cluster, died, kill
from tests.fault.test_audit_crashes import KILLS, MAX_REFETCHED, create, outcome
from tests.postgres import Postgres, execute
from tests.site_world.server import serving
from tests.site_world.world import make_world


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A database that keeps what was committed, without a process yet."""
    server = Postgres(DURABLE)
    try:
        server.start()
        with Cluster(tmp_path, server) as cluster:
            yield cluster
            cluster.end()
    finally:
        server.close()


def test_killed_workers_change_nothing_of_an_audit(cluster: Cluster) -> None:
    """Others go on with the crawl to the same URLs, findings and score, and few pages are asked for twice."""
    world = make_world(5, pages=60, faults=("duplicate-title", "broken-link", "redirect-chain", "orphan"))
    with serving(world) as site:
        apis = (cluster.serve(), cluster.serve())
        worker = cluster.work()
        undisturbed = outcome(apis[0], create(apis[0], site, cluster.alice), cluster.alice)
        asked = Counter(site.fetched())
        kill(worker)
        disturbed = create(apis[1], site, cluster.alice)
        for point in KILLS:
            died(cluster.work(point, "2" if point == KILLS[0] else "1"))
            # A minute later.
            execute(cluster.admin_url, "UPDATE crawls SET lease_until_ms = 0 WHERE lease_until_ms IS NOT NULL")
        for _ in range(2):
            cluster.work()
        found = outcome(apis[0], disturbed, cluster.alice)
        again = Counter(site.fetched()) - asked

    assert undisturbed["state"] == ("completed", "done", True)
    assert undisturbed["findings"]
    assert found == undisturbed
    assert sum((again - asked).values()) <= MAX_REFETCHED * len(KILLS)
