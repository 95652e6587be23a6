from __future__ import annotations

from tests.site_builders import hits

CHECK = "deep-pages"


def test_the_sixth_click_is_one_too_many() -> None:
    """Pages without a known way are no deep pages."""
    depths = {1: 0, 2: 5, 3: 6, 4: 254, 5: None}
    found = hits(CHECK, pages=[{"page_id": number, "depth": depth} for number, depth in depths.items()])

    assert found == {(3, "deep")}
