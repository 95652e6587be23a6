from __future__ import annotations

from typing import Any

from tests.site_builders import hits

CHECK = "soft-404"


def test_three_bits_are_alike_and_four_are_not() -> None:
    """The text of a page may differ in three of 64 bits, and in few words."""
    probes = [{"key": "probes", "value": [{"status": 200, "simhash": 0, "words": 20}]}]
    pages = [
        {"page_id": 1},
        {"page_id": 2, "words": 20, "simhash": 0b111},
        {"page_id": 3, "words": 20, "simhash": 0b1111},
        {"page_id": 4, "words": 30, "simhash": 0},
        {"page_id": 5, "words": 20, "simhash": 0, "status": 404},
    ]
    found = hits(CHECK, pages=pages, site=probes)
    honest = hits(CHECK, pages=pages, site=[{"key": "probes", "value": [{"status": 404, "simhash": 0, "words": 20}]}])
    shell = hits(CHECK, pages=[{"page_id": 1, "words": 20, "simhash": 0}, *pages[1:]], site=probes)

    assert found == {(2, "soft")}
    assert honest == shell == set()


def test_a_page_that_says_of_itself_that_it_does_not_exist_is_one() -> None:
    """Whatever the site says of other URLs; but not where the start page says it."""
    honest = [{"key": "probes", "value": [{"status": 404, "simhash": 9, "words": 20}]}]
    pages: list[dict[str, Any]] = [
        {"page_id": 1},
        {"page_id": 2, "words": 9, "page_kind": "soft_404"},
        {"page_id": 3, "words": 9, "page_kind": "maintenance"},
        {"page_id": 4, "words": 9, "page_kind": "soft_404", "status": 404},
    ]

    assert hits(CHECK, pages=pages, site=honest) == {(2, "soft")}
    assert hits(CHECK, pages=[{"page_id": 1, "page_kind": "soft_404"}, *pages[1:]], site=honest) == set()
