from __future__ import annotations

from tests.site_builders import hits

CHECK = "dead-ends"


def test_a_link_to_itself_is_no_way_on() -> None:
    """One link to another page is enough."""
    links = [{"from_id": 1, "to_id": 1}, {"from_id": 2, "to_id": 1}]
    found = hits(CHECK, pages=[{"page_id": 1}, {"page_id": 2}, {"page_id": 3, "noindex": True}], links=links)

    assert found == {(1, "dead_end")}
