from __future__ import annotations

from tests.site_builders import hits

CHECK = "pagination-chain"


def test_the_next_page_must_lead_back() -> None:
    """Errors and other neighbors break a chain; pages that were not read do not."""
    pages: list[dict[str, object]] = [
        {"page_id": 1, "next_id": 2},
        {"page_id": 2, "prev_id": 1, "next_id": 3},
        {"page_id": 3, "prev_id": 1},
    ]
    pages += [{"page_id": 4, "next_id": 5}, {"page_id": 5, "status": 404}]
    pages += [{"page_id": 6, "next_id": 7}, {"page_id": 7, "state": "blocked", "status": None}]
    found = hits(CHECK, pages=pages)

    assert found == {(2, "broken", 3), (4, "broken", 5)}
