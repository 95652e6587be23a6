from __future__ import annotations

from tests.site_builders import hits

CHECK = "broken-internal-links"


def test_errors_are_broken_and_refusals_are_not() -> None:
    """Status 400 and above, but not those that refuse a stranger; a redirect to an error counts."""
    statuses = {2: 399, 3: 400, 4: 401, 5: 403, 6: 404, 7: 429, 8: 500, 9: 200}
    pages: list[dict[str, object]] = [{"page_id": at, "status": status} for at, status in statuses.items()]
    pages += [
        {"page_id": 1},
        {"page_id": 10, "status": 301, "redirect_id": 6},
        {"page_id": 11, "state": "failed", "status": None},
        {"page_id": 12, "state": "blocked", "status": None},
    ]
    found = hits(CHECK, pages=pages, links=[{"from_id": 1, "to_id": number} for number in range(2, 13)])

    assert found == {(1, "broken", target) for target in (3, 6, 8, 10, 11)}
