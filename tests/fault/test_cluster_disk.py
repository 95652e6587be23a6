"""Hostile row P01 on PostgreSQL: the disk of the database is full, a real one, and then it is not any more."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import psycopg
import pytest

from tests.fault.cluster import DURABLE, Cluster
from tests.postgres import Postgres, connect
from tests.server import Server
from tests.site.serve import Site, serve_site
from tests.waiting import pause

DISK_MB = 48


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running:
        yield running


@pytest.fixture
def cluster(lab: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A database on a disk of its own, which is small."""
    server = Postgres(DURABLE, small_disk_mb=DISK_MB)
    try:
        server.start()
        with Cluster(tmp_path_factory.mktemp("cluster"), server, tablespace="small") as cluster:
            yield cluster
    finally:
        server.close()


@pytest.fixture
def administrator(cluster: Cluster) -> Iterator[psycopg.Connection]:
    """A connection that is there before the disk is full: a new one may have to write a file of the server's cache."""
    with connect(cluster.admin_url) as connection:
        yield connection


def fill(administrator: psycopg.Connection) -> None:
    """Leave no room for one more page."""
    administrator.execute("CREATE TABLE ballast (words text) WITH (autovacuum_enabled = off)")
    for rows in (200_000, 1_000, 100, 10):
        # Undone work keeps its pages until a vacuum.
        with contextlib.suppress(psycopg.errors.DiskFull):
            administrator.execute("INSERT INTO ballast SELECT repeat('x', 1900) FROM generate_series(1, %s)", [rows])


def refusals(cluster: Cluster, api: Server, site: Site) -> list[str]:
    """The answers to new requests, until one is a refusal."""
    for number in range(400):
        url = f"{site.http}/?{number}-{'x' * 1_500}"
        reply = api.call(
            "POST", "/api/v1/reports", key=cluster.alice, form={"url": url}, headers={"Prefer": "respond-async"}
        )
        if reply.status != 201:
            assert int(reply.need("Retry-After")) >= 1
            return [str(reply.status), str(reply.json["code"])]
        cluster.ledger.accepted[reply.data["id"]] = (url, cluster.alice)
    raise AssertionError("everything was taken")


def test_a_full_disk_is_reported_and_survived(cluster: Cluster, administrator: psycopg.Connection, site: Site) -> None:
    """503 to who wants to write, lists to who wants to read; and with room again everything goes on by itself."""
    api = cluster.serve()
    cluster.post(api, f"{site.http}/slow?before")
    worker = cluster.work(RUN_BUDGET_SECONDS=6)
    cluster.wait_for(lambda: cluster.states()["running"] == 1, "running")
    fill(administrator)
    refused = refusals(cluster, api, site)
    listed = api.call("GET", "/api/v1/reports", key=cluster.alice)
    pause(3, "a disk that stays full while a run ends")
    administrator.execute("DROP TABLE ballast")
    cluster.wait_for(lambda: cluster.post(api, f"{site.http}/?after") is not None, "taken again")
    cluster.check(api, site.asked, site.http)
    cluster.end()

    assert refused == ["503", "unavailable"]
    assert listed.status == 200
    assert worker.process.returncode == 0
    assert "DiskFull" not in listed.body.decode()
