from __future__ import annotations

from tests.site_builders import hits

CHECK = "https-downgrade"


def test_only_the_way_down_counts() -> None:
    """From HTTP to HTTP nothing is lost, and to HTTPS something is won."""
    safe = {1: "https://example.com/1", 2: "https://example.com/2"}
    pages = [{"page_id": number, "url": url} for number, url in safe.items()] + [{"page_id": 3}, {"page_id": 4}]
    links = [{"from_id": one, "to_id": other} for one in range(1, 5) for other in range(1, 5)]
    found = hits(CHECK, pages=pages, links=links)

    assert found == {(one, "downgraded", other) for one in (1, 2) for other in (3, 4)}
