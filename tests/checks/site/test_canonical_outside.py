from __future__ import annotations

from tests.site_builders import hits

CHECK = "canonical-outside"


def test_only_other_sites_are_outside() -> None:
    """Pages without a canonical URL, and errors, say nothing."""
    there = {"canonical_url": "http://example.org/"}
    pages = [
        {"page_id": 1, **there},
        {"page_id": 2, **there, "canonical_id": 90},
        {"page_id": 3, **there, "status": 404},
    ]
    pages += [{"page_id": 4}, {"page_id": 5, "canonical_id": 4, "canonical_url": "http://example.com/4"}]
    found = hits(CHECK, pages=pages)

    assert {page for page, _ in found} == {1, 2}
