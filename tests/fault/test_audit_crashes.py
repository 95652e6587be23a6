"""The real server is killed while it crawls a site and evaluates its pages (points A01 to A04)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fault.instance import KEY, Instance, died
from tests.server import Server
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import make_world
from tests.waiting import wait_until

pytestmark = pytest.mark.backend("sqlite", reason="a server takes up at its start what the one before it left")
AUDITS: Final = "/api/v1/audits"
SETTLE_S: Final = 240.0
MAX_REFETCHED: Final = 64
"""Pages that one kill may cost: what was fetched and not stored yet."""
KILLS: Final = ("A01", "A02", "A03", "A04")
"""Points: in the transaction of a batch, first and last; and before and after a result is stored in one."""


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An empty one."""
    made = Instance(tmp_path)
    yield made
    made.close()


def create(server: Server, site: SiteServer, key: str = KEY, *, pages: int = 500, rate: int | None = None) -> int:
    """The id of a new audit of the site; ``rate`` ``None``: as fast as it answers."""
    form = {"url": f"{site.origin}/", "max_pages": str(pages)} | ({} if rate is None else {"rate": str(rate)})
    made: int = server.call("POST", AUDITS, key=key, form=form).data["id"]
    return made


def outcome(server: Server, audit: int, key: str = KEY) -> dict[str, Any]:
    """Everything that an audit came to, once its crawl has ended.

    Without the evidence of places: of the pages of one template, those answered first have it, and undisturbed crawls
    differ in which these are.
    """

    def show(path: str = "") -> Any:
        return server.call("GET", f"{AUDITS}/{audit}{path}", key=key).data

    wait_until(lambda: show()["state"] in {"completed", "failed"}, "the crawl has ended", within_s=SETTLE_S)
    shown, findings = show(), show("/findings?per_page=100")
    of_findings = {
        (one["fingerprint"], one["pages"], one["lost"]): sorted(
            (place["url"], place["target"] or "") for place in show(f"/findings/{one['id']}/pages?per_page=100")
        )
        for one in findings
    }
    return {
        "state": (shown["state"], shown["crawl"]["stop_reason"], shown["crawl"]["complete"]),
        "score": (shown["score"], shown["counts"]),
        "findings": of_findings,
        "pages": {one["url"]: (one["state"], one["status"], one["score"]) for one in show("/pages?per_page=100")},
    }


def test_a_killed_process_changes_nothing_of_an_audit(instance: Instance) -> None:
    """The same URLs, findings and score as undisturbed, and few pages are asked for twice."""
    world = make_world(5, pages=60, faults=("duplicate-title", "broken-link", "redirect-chain", "orphan"))
    with serving(world) as site:
        server = instance.start()
        undisturbed = outcome(server, create(server, site))
        asked = Counter(site.fetched())
        assert server.stop() == 0
        # One batch is stored, and each of the first two dies in the next one, however fast the machine is.
        server = instance.start(KILLS[0], "2")
        disturbed = create(server, site)
        died(server)
        for point in KILLS[1:]:
            died(instance.start(point, "1"))
        server = instance.start()
        found = outcome(server, disturbed)
        again = Counter(site.fetched()) - asked
        assert server.stop() == 0

    assert undisturbed["state"] == ("completed", "done", True)
    assert undisturbed["findings"]
    assert found == undisturbed
    assert sum((again - asked).values()) <= MAX_REFETCHED * len(KILLS)
