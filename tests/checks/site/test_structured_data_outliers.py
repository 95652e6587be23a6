from __future__ import annotations

from tests.site_builders import hits

CHECK = "structured-data-outliers"


def test_nine_of_ten_are_nearly_all() -> None:
    """Below nine of ten, and below ten pages, a type is no rule."""

    def of(with_it: int, without: int) -> set[tuple[object, ...]]:
        pages = [{"page_id": 1, "repeat": with_it, "types": ["Offer", "Product"]}]
        return hits(CHECK, pages=[*pages, {"page_id": 50, "repeat": without, "types": ["Offer"]}])

    found = of(9, 1), of(8, 1), of(17, 2), of(18, 2)

    assert found == ({(50, "missing")}, set(), set(), {(50, "missing"), (51, "missing")})
