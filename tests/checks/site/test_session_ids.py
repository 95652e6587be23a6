from __future__ import annotations

from tests.site_builders import hits

CHECK = "session-ids"


def test_only_pages_with_such_links_are_named() -> None:
    """The crawl says which they are."""
    found = hits(CHECK, pages=[{"page_id": 1, "session_id": True}, {"page_id": 2, "session_id": False}, {"page_id": 3}])

    assert found == {(1, "session")}
