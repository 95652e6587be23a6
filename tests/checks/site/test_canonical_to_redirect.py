from __future__ import annotations

from tests.site_builders import hits

CHECK = "canonical-to-redirect"


def test_only_such_targets_are_named() -> None:
    """Sound targets and other faults are not meant."""
    targets: dict[int, dict[str, object]] = {
        1: {},
        2: {"status": 301, "redirect_id": 1},
        3: {"status": 302, "redirect_url": "http://example.org/"},
        4: {"status": 404},
    }
    pages = [
        {"page_id": number + 10, "canonical_id": number, "canonical_url": f"http://example.com/{number}"}
        for number in targets
    ]
    found = hits(CHECK, pages=[*pages, *({"page_id": number, **row} for number, row in targets.items())])

    assert {target for _, _, target in found} == {2, 3}
