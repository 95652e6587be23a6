from __future__ import annotations

from tests.site_builders import hits

CHECK = "title-pattern-outliers"


def test_nine_of_ten_make_a_pattern() -> None:
    """Below nine of ten, and below ten pages, there is none."""

    def of(usual: int, other: int) -> set[tuple[object, ...]]:
        pages = [{"page_id": 1, "repeat": usual, "title": "Tea | Garden"}]
        return hits(CHECK, pages=[*pages, {"page_id": 50, "repeat": other, "title": "Tea | Shop"}])

    found = of(9, 1), of(8, 1), of(17, 2)

    assert found == ({(50, "other")}, set(), set())
