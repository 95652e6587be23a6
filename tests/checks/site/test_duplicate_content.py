from __future__ import annotations

from tests.site_builders import hits

CHECK = "duplicate-content"


def test_only_indexable_canonical_pages_are_copies() -> None:
    """Empty pages, other spellings, parameters and pages with another canonical URL are none."""
    same = {"digest": 5, "simhash": 5}
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, **same},
            {"page_id": 2, **same, "noindex": True},
            {"page_id": 3, **same, "canonical_id": 1, "canonical_url": "http://example.com/1"},
            {"page_id": 4, **same, "url": "http://example.com/1/"},
            {"page_id": 5, **same, "url": "http://example.com/1?sort=name"},
            {"page_id": 6, "digest": 6, "words": 0},
            {"page_id": 7, "digest": 6, "words": 0},
            {"page_id": 8, "digest": 9, "words": 1},
            {"page_id": 9, "digest": 9, "words": 1},
        ],
    )

    assert found == {(8, "copied"), (9, "copied")}
