from __future__ import annotations

from tests.site_builders import hits

CHECK = "broken-external-links"


def test_refusals_are_not_broken() -> None:
    """Answers that refuse a program say nothing about the page."""
    statuses = (200, 403, 404, 410, 429, 500, None)
    outside = [
        {"target_id": 90 + at, "url": f"http://example.org/{at}", "status": status}
        for at, status in enumerate(statuses)
    ]
    links = [{"from_id": 1, "to_id": one["target_id"]} for one in outside]
    found = hits(CHECK, pages=[{"page_id": 1}], links=links, outside=outside)

    assert {target for _, _, target in found} == {92, 93, 95}
