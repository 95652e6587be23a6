from __future__ import annotations

from tests.site_builders import hits

CHECK = "broken-assets"


def test_errors_are_broken_and_refusals_are_not() -> None:
    """A file that is refused or was not asked for may be there."""
    statuses = {80: 200, 81: 399, 82: 400, 83: 403, 84: 404, 85: 429, 86: 503, 87: None}
    assets = [
        {"asset_id": number, "url": f"http://example.com/{number}.js", "kind": "script", "status": status}
        for number, status in statuses.items()
    ]
    links = [{"from_id": 1, "to_id": number, "kind": "asset"} for number in statuses]
    found = hits(CHECK, pages=[{"page_id": 1}], links=links, assets=assets)

    assert {target for _, _, target in found} == {82, 84, 86}
