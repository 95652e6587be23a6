from __future__ import annotations

from tests.site_builders import hits

CHECK = "non-canonical-in-sitemap"


def test_an_entry_of_that_kind_is_named() -> None:
    """Only the entries of the sitemap that have the fault are named."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"},
            {"page_id": 2, "canonical_id": 2, "canonical_url": "http://example.com/2"},
            {"page_id": 3},
        ],
    )

    assert found == {(1, "listed")}


def test_a_page_outside_the_sitemap_is_no_entry() -> None:
    """The same page without an entry is not named."""
    one = {"page_id": 1, "canonical_id": 2, "canonical_url": "http://example.com/2"}
    found = hits(CHECK, pages=[{**one, "in_sitemap": False}, {"page_id": 2}])

    assert found == set()
