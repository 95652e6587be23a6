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


def test_a_page_may_be_called_as_the_site() -> None:
    """A start page has the name that stands at the end of all other titles."""
    pages = [{"page_id": 1, "repeat": 20, "title": "Tea | Garden"}]

    assert hits(CHECK, pages=[*pages, {"page_id": 50, "title": "Garden"}]) == set()
    assert hits(CHECK, pages=[*pages, {"page_id": 50, "title": "Shop"}]) == {(50, "other")}
