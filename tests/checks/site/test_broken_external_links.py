from __future__ import annotations

from tests.site_builders import hits

CHECK = "broken-external-links"


def test_refusals_are_not_broken() -> None:
    """Answers that refuse a program say nothing about the page."""
    answers: tuple[tuple[int | None, str | None], ...] = (
        (200, None),
        (403, None),
        (404, None),
        (410, None),
        (429, None),
        (500, None),
        (503, None),
        (999, None),
        (None, "dns_nxdomain"),
        (None, "connect_refused"),
        (None, "robots"),
        (None, None),
    )
    outside = [
        {"target_id": 90 + at, "url": f"http://example.org/{at}", "status": status, "error": error}
        for at, (status, error) in enumerate(answers)
    ]
    links = [{"from_id": 1, "to_id": one["target_id"]} for one in outside]
    found = hits(CHECK, pages=[{"page_id": 1}], links=links, outside=outside)

    assert {target for _, _, target in found} == {92, 93, 95, 98}
