from __future__ import annotations

from tests.site_builders import hits

CHECK = "crawl-traps"


def test_limits_of_the_crawl_are_no_traps() -> None:
    """Only growing paths and equal content are."""
    reasons = ("limit", "depth", "nofollow", "growing", "sampled_out")
    pages = [
        {"page_id": at, "state": "not_fetched", "status": None, "trap": trap} for at, trap in enumerate(reasons, 1)
    ]
    found = hits(CHECK, pages=pages)

    assert found == {(4, "growing"), (5, "repeating")}
