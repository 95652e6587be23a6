from __future__ import annotations

from tests.site_builders import hits

CHECK = "orphan-pages"


def test_links_through_redirects_and_to_copies_count() -> None:
    """One link is enough, whatever way it takes; a link of the page itself is none."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1},
            {"page_id": 2},
            {"page_id": 3, "status": 301, "redirect_id": 2},
            {"page_id": 4, "digest": 7, "simhash": 7},
            {"page_id": 5, "digest": 7, "simhash": 7},
            {"page_id": 6},
        ],
        links=[{"from_id": 1, "to_id": 3}, {"from_id": 1, "to_id": 5}, {"from_id": 6, "to_id": 6}],
    )

    assert found == {(6, "orphaned")}
