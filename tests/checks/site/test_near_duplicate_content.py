from __future__ import annotations

from tests.site_builders import hits

CHECK = "near-duplicate-content"


def test_three_bits_are_alike_and_four_are_not() -> None:
    """Short pages differ too much by one word to be compared."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "simhash": 0, "words": 50},
            {"page_id": 2, "simhash": 0b111, "words": 50},
            {"page_id": 3, "simhash": 0xF000_0000, "words": 50},
            {"page_id": 4, "simhash": 1, "words": 49},
        ],
    )

    assert found == {(1, "alike"), (2, "alike")}


def test_pages_are_alike_through_others() -> None:
    """A page that is like one of a group belongs to it."""
    found = hits(
        CHECK, pages=[{"page_id": 1, "simhash": 0}, {"page_id": 2, "simhash": 7}, {"page_id": 3, "simhash": 63}]
    )

    assert {page for page, _ in found} == {1, 2, 3}


def test_equal_pages_are_no_near_duplicates() -> None:
    """Pages that are equal word by word are found by another check."""
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 2, "digest": 4, "simhash": 4}])

    assert found == set()
