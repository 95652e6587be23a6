from __future__ import annotations

from tests.site_builders import hits

CHECK = "server-errors"


def test_five_hundred_to_599_are_errors_of_the_server() -> None:
    """A site that asked for fewer requests has none."""
    statuses = {1: 499, 2: 500, 3: 599, 4: 600, 5: None}
    pages = [{"page_id": number, "status": status} for number, status in statuses.items()]
    found = hits(CHECK, pages=[*pages, {"page_id": 6, "status": 503, "state": "throttled"}])

    assert found == {(2, "errors"), (3, "errors")}
