"""The way between processes and their database breaks in every way a network can, for some of them and for a while."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.fault.cluster import DURABLE, LEASE_S, Cluster
from tests.fault.relay import Relay
from tests.fault.test_cluster_crashes import new_url
from tests.postgres import Postgres, execute
from tests.server import Reply, Server
from tests.site.serve import Site, serve_site
from tests.waiting import pause

SLOW_S = 6
"""Budget for pages that take 2 s for every answer."""
PATIENCE_S = 20.0
"""By then every client has got an answer, whatever became of the network."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running:
        yield running


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A database that keeps what was committed, without a worker yet."""
    server = Postgres(DURABLE)
    try:
        server.start()
        with Cluster(tmp_path_factory.mktemp("cluster"), server) as cluster:
            yield cluster
            cluster.end()
    finally:
        server.close()


@dataclass(frozen=True, slots=True)
class Split:
    """Two that answer and two that work: one of each kind next to the database, one behind a cable."""

    cluster: Cluster
    cable: Relay
    api: Server
    far_api: Server
    worker: Server
    far_worker: Server

    def begin_far(self, url: str) -> int:
        """Ask for a page that the far worker takes, while the near one stands still; the report."""
        self.cluster.pause(self.worker)
        number = self.cluster.post(self.api, url)
        if number is None or self.cluster.holder(number) is not self.far_worker:
            raise AssertionError("the far worker did not take it")
        return number


@pytest.fixture(scope="module")
def split(cluster: Cluster) -> Split:
    """All of them, well."""
    cable = cluster.relay()
    return Split(
        cluster,
        cable,
        cluster.serve(),
        cluster.serve(relay=cable),
        cluster.work(RUN_BUDGET_SECONDS=SLOW_S),
        cluster.work(relay=cable, RUN_BUDGET_SECONDS=SLOW_S),
    )


@pytest.fixture(autouse=True)
def promises(split: Split, site: Site) -> Iterator[None]:
    """Whatever a test did, every promise is kept once the network is whole again."""
    yield
    split.cable.heal()
    split.cluster.resume(split.worker, split.far_worker)
    split.cluster.check(split.api, site.asked, site.http)


def ask(server: Server, secret: str) -> Reply:
    """A list of reports."""
    return server.call("GET", "/api/v1/reports", key=secret, timeout_s=PATIENCE_S)


def is_well(server: Server, secret: str) -> bool:
    """Return whether it answers as it should."""
    return ask(server, secret).status == 200


@pytest.mark.parametrize("how", ["stall", "reset", "stall_answers"])
def test_an_api_without_its_database_says_so(split: Split, how: str) -> None:
    """503 with the time to wait, soon and to every client, not ready for a balancer; and well again by itself."""
    getattr(split.cable, how)()
    with ThreadPoolExecutor(8) as threads:
        started_s = time.monotonic()
        answers = list(threads.map(lambda _: ask(split.far_api, split.cluster.alice), range(8)))
        took_s = time.monotonic() - started_s
    ready = split.far_api.call("GET", "/readyz", key=None, timeout_s=PATIENCE_S)
    live = split.far_api.call("GET", "/healthz", key=None, timeout_s=PATIENCE_S)
    beside = ask(split.api, split.cluster.alice)
    split.cable.heal()
    split.cluster.wait_for(lambda: is_well(split.far_api, split.cluster.alice), "well again", within_s=PATIENCE_S)

    assert {answer.status for answer in answers} == {503}
    assert {answer.json["code"] for answer in answers} == {"unavailable"}
    assert all(int(answer.need("Retry-After")) >= 1 for answer in answers)
    assert took_s < PATIENCE_S
    assert (ready.status, live.status, beside.status) == (503, 200, 200)


def test_an_answer_that_is_lost_is_not_a_second_report(split: Split, site: Site) -> None:
    """The commit arrived, its answer did not: 503, and the same key finds the one report wherever it is asked."""
    url = new_url(site)
    split.cluster.post(split.far_api, new_url(site))
    split.cable.stall_answers()
    lost = split.cluster.post(split.far_api, url, key="lost")
    split.cable.heal()
    split.cluster.wait_for(
        lambda: split.cluster.post(split.api, url, key="lost") is not None, "answered", within_s=6 * LEASE_S
    )

    assert lost is None
    assert execute(split.cluster.url, "SELECT COUNT(*) FROM reports WHERE url = %s", url) == [(1,)]


@pytest.mark.parametrize("how", ["stall", "reset"])
def test_a_worker_that_is_cut_off_loses_its_run_and_nothing_else(split: Split, site: Site, how: str) -> None:
    """Longer than its lease: another worker finishes; its late result is dropped, and then it works again."""
    url = new_url(site, "/slow")
    number = split.begin_far(url)
    getattr(split.cable, how)()
    split.cluster.resume(split.worker)
    split.cluster.wait_for(
        lambda: split.cluster.ledger.look(split.api, number) in {"completed", "failed"}, "finished by the other"
    )
    seen = split.api.call("GET", f"/api/v1/reports/{number}", key=split.cluster.alice).body
    split.cable.heal()
    split.cluster.pause(split.worker)
    again = split.cluster.post(split.api, new_url(site))
    split.cluster.ledger.settle(split.api)

    assert again is not None
    assert split.cluster.ledger.attempts(split.cluster.url)[url] == 2
    assert split.api.call("GET", f"/api/v1/reports/{number}", key=split.cluster.alice).body == seen


def test_a_short_outage_costs_no_run(split: Split, site: Site) -> None:
    """Shorter than the lease: the worker keeps its run and brings it home."""
    url = new_url(site, "/slow")
    split.begin_far(url)
    split.cable.reset()
    pause(LEASE_S / 4, "a break that is shorter than the lease")
    split.cable.heal()
    split.cluster.ledger.settle(split.api)

    assert split.cluster.ledger.attempts(split.cluster.url)[url] == 1


def test_a_far_database_is_slow_and_nothing_worse(split: Split, site: Site) -> None:
    """With 30 ms in each direction everything works, and nothing is taken for dead."""
    split.cluster.pause(split.worker)
    split.cable.delay(0.03)
    urls = [new_url(site) for _ in range(3)]
    numbers = [split.cluster.post(split.far_api, url) for url in urls]
    split.cluster.ledger.settle(split.far_api)
    attempts = split.cluster.ledger.attempts(split.cluster.url)

    assert None not in numbers
    assert {attempts[url] for url in urls} == {1}
