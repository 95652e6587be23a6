from __future__ import annotations

from tests.site_builders import hits

CHECK = "slow-sections"


def test_a_quarter_above_a_second_is_slow() -> None:
    """Below ten pages, up to a second, and below a quarter nothing is said."""

    def of(slow: int, fast: int, time_ms: int = 1_001) -> int:
        pages = [{"page_id": 1, "repeat": slow, "pattern": "/a", "time_ms": time_ms}]
        return len(hits(CHECK, pages=[*pages, {"page_id": 50, "repeat": fast, "pattern": "/a", "time_ms": 10}]))

    found = of(9, 0), of(10, 0), of(10, 0, 1_000), of(4, 8), of(2, 8)

    assert found == (0, 10, 0, 4, 0)
