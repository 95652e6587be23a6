from __future__ import annotations

from tests.site_builders import hits

CHECK = "links-to-redirects"


def test_only_redirects_that_end_at_a_page_count() -> None:
    """Loops and redirects to errors are other findings."""
    pages = [
        {"page_id": 1},
        {"page_id": 2, "status": 302, "redirect_id": 1},
        {"page_id": 3, "status": 301, "redirect_id": 4},
        {"page_id": 4, "status": 404},
        {"page_id": 5, "status": 301, "redirect_id": 6},
        {"page_id": 6, "status": 301, "redirect_id": 5},
        {"page_id": 7},
    ]
    found = hits(CHECK, pages=pages, links=[{"from_id": 7, "to_id": number} for number in range(1, 7)])

    assert found == {(7, "redirected", 2)}
