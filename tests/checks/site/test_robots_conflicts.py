from __future__ import annotations

from tests.site_builders import hits

CHECK = "robots-conflicts"


def test_only_targets_that_are_blocked_conflict() -> None:
    """A link to a blocked page is no conflict; a canonical URL and a redirect are."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "canonical_id": 9, "canonical_url": "http://example.com/9"},
            {"page_id": 2, "status": 301, "redirect_id": 9},
            {"page_id": 3, "status": 301, "redirect_id": 4},
            {"page_id": 4},
            {"page_id": 9, "state": "blocked", "status": None},
        ],
        links=[{"from_id": 4, "to_id": 9}],
    )

    assert found == {(1, "canonical", 9), (2, "redirects", 9)}
