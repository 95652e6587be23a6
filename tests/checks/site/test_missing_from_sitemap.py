from __future__ import annotations

from tests.site_builders import hits

CHECK = "missing-from-sitemap"


def test_only_what_may_be_shown_is_missed() -> None:
    """Pages with noindex, another canonical URL or a copy in the sitemap need no entry."""
    other = {"in_sitemap": False}
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "digest": 5, "simhash": 5},
            {"page_id": 2, **other},
            {"page_id": 3, **other, "noindex": True},
            {"page_id": 4, **other, "canonical_id": 1, "canonical_url": "http://example.com/1"},
            {"page_id": 5, **other, "status": 404},
            {"page_id": 6, **other, "digest": 5, "simhash": 5},
        ],
    )

    assert found == {(2, "missing")}
