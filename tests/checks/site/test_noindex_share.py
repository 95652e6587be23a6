from __future__ import annotations

from tests.site_builders import hits

CHECK = "noindex-share"


def test_more_than_half_of_ten_are_the_majority() -> None:
    """Half is no majority, and nine pages are too few."""

    def of(shown: int, hidden: int) -> int:
        pages = [{"page_id": 1, "repeat": shown}, {"page_id": 50, "repeat": hidden, "noindex": True}]
        return len(hits(CHECK, pages=pages))

    found = of(5, 5), of(4, 5), of(4, 6)

    assert found == (0, 0, 6)
