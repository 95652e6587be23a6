from __future__ import annotations

from tests.site_builders import hits

CHECK = "sitemap-lastmod-churn"


def test_nine_of_ten_and_at_least_twenty_are_one_date() -> None:
    """Below 20, or below nine of ten, dates may be true."""
    one, other = {"lastmod": "2026-01-01"}, {"lastmod": "2026-03-01"}
    pages = [{"page_id": 1, "repeat": 40}]
    few = hits(CHECK, pages=pages, sitemap=[{"page_id": 1, "repeat": 19, **one}])
    mixed = hits(
        CHECK, pages=pages, sitemap=[{"page_id": 1, "repeat": 20, **one}, {"page_id": 21, "repeat": 3, **other}]
    )
    same = hits(
        CHECK, pages=pages, sitemap=[{"page_id": 1, "repeat": 20, **one}, {"page_id": 21, "repeat": 2, **other}]
    )

    assert (few, mixed) == (set(), set())
    assert same == {(number, "same") for number in range(1, 21)}
