from __future__ import annotations

from tests.site_builders import hits

CHECK = "nofollow-between-pages"


def test_one_link_without_it_is_enough() -> None:
    """Links to pages that are not meant to be found do not count."""
    pages = [{"page_id": 1}, {"page_id": 2}, {"page_id": 3, "noindex": True}, {"page_id": 4}]
    links = [{"from_id": 1, "to_id": number, "nofollow": True} for number in (2, 3, 4)]
    found = hits(CHECK, pages=pages, links=[*links, {"from_id": 1, "to_id": 4}])

    assert found == {(1, "nofollow", 2)}
