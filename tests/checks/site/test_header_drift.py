from __future__ import annotations

from tests.site_builders import hits

CHECK = "header-drift"


def test_nine_of_ten_are_nearly_all() -> None:
    """Below nine of ten, and below ten pages, a header is no rule."""

    def of(with_it: int, without: int) -> int:
        pages = [{"page_id": 1, "repeat": with_it, "headers": '{"x-frame-options": "DENY"}'}]
        return len(hits(CHECK, pages=[*pages, {"page_id": 50, "repeat": without, "headers": "{}"}]))

    found = of(9, 1), of(10, 1), of(10, 2), of(18, 2)

    assert found == (0, 1, 0, 2)
