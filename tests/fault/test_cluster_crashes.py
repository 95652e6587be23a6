"""Processes of an installation of several are killed where they could lose something, and the others go on.

Rows O01 to O15 as ``test_crashes`` has them for one process; here no process is restarted, another one takes over.
Afterwards the clients' ledger is held against the API, the database and the site that was visited.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tests.fault.cluster import DURABLE, LEASE_S, Cluster, died, kill
from tests.fault.crashing import POISON
from tests.postgres import Postgres, execute
from tests.server import Server
from tests.site.serve import Site, serve_site
from tests.waiting import pause

SLOW_S = 6
"""For pages that take 2 s for every answer."""


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


@pytest.fixture(scope="module")
def api(cluster: Cluster) -> Server:
    """A process that answers, and lives."""
    return cluster.serve()


@pytest.fixture(scope="module")
def workers(cluster: Cluster) -> tuple[Server, Server]:
    """Two that work, and live."""
    return cluster.work(RUN_BUDGET_SECONDS=SLOW_S), cluster.work(RUN_BUDGET_SECONDS=SLOW_S)


@pytest.fixture(autouse=True)
def promises(cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site) -> Iterator[None]:
    """Whatever a test did, every promise is kept after it."""
    yield
    cluster.only(api, *workers)
    cluster.check(api, site.asked, site.http)


def new_url(site: Site, path: str = "/") -> str:
    """An address that was never asked for."""
    return f"{site.http}{path}?{time.monotonic_ns()}"


@pytest.mark.parametrize("point", ["O01", "O03"])
def test_an_api_that_dies_before_the_commit_leaves_no_trace(
    cluster: Cluster, api: Server, site: Site, point: str
) -> None:
    """O01, O03: nothing was promised, nothing is there, and the same request to another process makes one report."""
    deadly = cluster.serve(point, "1")
    url = new_url(site)

    assert cluster.post(deadly, url, key=point) is None
    died(deadly)
    number = cluster.post(api, url, key=point)
    cluster.ledger.settle(api)

    assert number is not None
    assert execute(cluster.url, "SELECT COUNT(*) FROM reports WHERE url = %s", url) == [(1,)]


def test_an_api_that_dies_before_its_answer_keeps_the_report(cluster: Cluster, api: Server, site: Site) -> None:
    """O02: the same key at another machine finds what was committed, once the dead process can no longer answer."""
    deadly = cluster.serve("O02", "1")
    url = new_url(site)

    assert cluster.post(deadly, url, key="same") is None
    died(deadly)
    cluster.wait_for(lambda: cluster.post(api, url, key="same") is not None, "answered", within_s=6 * LEASE_S)
    numbers = {cluster.post(api, url, key="same") for _ in range(3)}

    assert len(numbers) == 1
    assert execute(cluster.url, "SELECT COUNT(*) FROM reports WHERE url = %s", url) == [(1,)]


@pytest.mark.parametrize(
    "death",
    [("O04-job", 1), ("O05", 2), ("O09", 2), ("O10-detail", 2), ("O10-next", 2), ("O11", 1)],
    ids=lambda death: death[0],
)
def test_the_run_of_a_dead_worker_is_taken_by_another(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site, death: tuple[str, int]
) -> None:
    """O04 to O11: whatever it was doing, the report ends once, and is started at most once more."""
    point, started = death
    cluster.pause(*workers)
    deadly = cluster.work(point, "1")
    url = new_url(site)
    cluster.post(api, url)
    died(deadly)
    cluster.resume(*workers)
    cluster.ledger.settle(api)

    assert cluster.ledger.attempts(cluster.url)[url] == started


def test_a_reaper_that_dies_takes_back_nothing_twice(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site
) -> None:
    """O14: the sweep that was cut off in the middle is undone, and made whole by another."""
    cluster.pause(*workers)
    urls = [new_url(site, "/slow") for _ in range(3)]
    for url in urls:
        cluster.post(api, url)
    cluster.work_to_die("O05", "3", WORKERS=3, RUN_BUDGET_SECONDS=SLOW_S)
    # It takes back runs as well, and would be the first half of the time.
    cluster.pause(api)
    cluster.work_to_die("O14", "2", RUN_BUDGET_SECONDS=SLOW_S)
    cluster.resume(api, *workers)
    cluster.ledger.settle(api)
    attempts = cluster.ledger.attempts(cluster.url)

    assert {attempts[url] for url in urls} <= {1, 2}


def test_a_page_that_kills_every_worker_fails(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site
) -> None:
    """O15: after three deaths it is given up with a reason, and nothing that runs beside it is harmed."""
    cluster.pause(*workers)
    deadly = [cluster.work("O15", "1") for _ in range(3)]
    poison, fine = f"{new_url(site)}{POISON}", new_url(site)
    number = cluster.post(api, poison)
    other = cluster.post(api, fine)
    for each in deadly:
        died(each)
    cluster.resume(*workers)
    cluster.ledger.settle(api)
    report = api.call("GET", f"/api/v1/reports/{number}", key=cluster.alice).data
    kept = api.call("GET", f"/api/v1/reports/{other}", key=cluster.alice).data

    assert (report["state"], report["error"]["reason"]) == ("failed", "retries_exhausted")
    assert kept["state"] == "completed"


def test_a_worker_that_wakes_up_too_late_changes_nothing(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site
) -> None:
    """A process that stood still for longer than its lease finds its run with another, and its outcome is dropped."""
    url = new_url(site, "/slow")
    number = cluster.post(api, url)

    assert number is not None
    zombie = cluster.holder(number)
    cluster.pause(zombie)
    cluster.wait_for(lambda: cluster.ledger.look(api, number) in {"completed", "failed"}, "finished by the other")
    seen = api.call("GET", f"/api/v1/reports/{number}", key=cluster.alice).body
    cluster.resume(zombie)
    after = cluster.post(api, new_url(site))
    cluster.ledger.settle(api)
    pause(LEASE_S / 2, "the time in which a late outcome would arrive")

    assert after is not None
    assert cluster.ledger.attempts(cluster.url)[url] == 2
    assert api.call("GET", f"/api/v1/reports/{number}", key=cluster.alice).body == seen


def test_a_worker_that_stops_gives_everything_back(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site
) -> None:
    """O12: the run it had begun counts as never started, and another worker takes it at once."""
    cluster.pause(*workers)
    leaving = cluster.work(GRACE_SECONDS=0.1, RUN_BUDGET_SECONDS=SLOW_S)
    urls = [new_url(site, "/slow") for _ in range(2)]
    for url in urls:
        cluster.post(api, url)
    cluster.wait_for(lambda: cluster.states()["running"] == 2, "running")
    cluster.ledger.stops += 1
    code = leaving.stop()
    given_back = {url: count for url, count in cluster.ledger.attempts(cluster.url).items() if url in urls}
    cluster.resume(*workers)
    cluster.ledger.settle(api)
    attempts = cluster.ledger.attempts(cluster.url)

    assert code == 0
    assert given_back == dict.fromkeys(urls, 0)
    assert {attempts[url] for url in urls} == {1}


def test_a_database_that_is_restarted_under_load_keeps_every_promise(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site
) -> None:
    """As after a power failure, twice: requests are refused meanwhile, none for long, and everything goes on."""
    over = threading.Event()
    slowest_s = [0.0]

    def post() -> None:
        while not over.is_set():
            started_s = time.monotonic()
            if cluster.post(api, new_url(site)) is None:
                pause(0.02, "a client's patience")
            slowest_s[0] = max(slowest_s[0], time.monotonic() - started_s)

    clients = [threading.Thread(target=post) for _ in range(2)]
    for client in clients:
        client.start()
    try:
        for _ in range(2):
            _wait_for_promises(cluster)
            cluster.postgres.stop("immediate")
            pause(0.7, "the outage")
            cluster.postgres.start()
        _wait_for_promises(cluster)
    finally:
        over.set()
        for client in clients:
            client.join()
    cluster.ledger.settle(api)

    assert cluster.ledger.refused["unavailable"] > 0
    assert slowest_s[0] < 15


def _wait_for_promises(cluster: Cluster) -> None:
    before = len(cluster.ledger.accepted)
    cluster.wait_for(lambda: len(cluster.ledger.accepted) > before + 5, "accepted")


@pytest.mark.parametrize("seconds", ["3600", "-3600"])
def test_a_clock_that_is_wrong_changes_nothing(
    cluster: Cluster, api: Server, workers: tuple[Server, Server], site: Site, seconds: str
) -> None:
    """A worker whose clock is an hour off takes no run from others, and loses none of its own."""
    off = cluster.work("clock", seconds, RUN_BUDGET_SECONDS=SLOW_S)
    urls = [new_url(site, "/slow") for _ in range(6)]
    for url in urls:
        cluster.post(api, url)
    cluster.ledger.settle(api)
    attempts = cluster.ledger.attempts(cluster.url)

    assert {attempts[url] for url in urls} == {1}
    assert '"state":"completed"' in off.log
    kill(off)
