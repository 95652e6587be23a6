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


def test_a_neighbor_may_be_named_in_another_spelling() -> None:
    """The start page and its index file are one; a redirect leads there as well."""
    pages: list[dict[str, object]] = [
        {"page_id": 1, "url": "http://example.com/", "digest": 5, "simhash": 5, "next_id": 3},
        {"page_id": 2, "url": "http://example.com/index.html", "digest": 5, "simhash": 5, "next_id": 3},
        {"page_id": 3, "prev_id": 2, "next_id": 4},
        {"page_id": 4, "prev_id": 5},
        {"page_id": 5, "status": 301, "redirect_id": 3},
    ]

    assert hits(CHECK, pages=pages) == set()
