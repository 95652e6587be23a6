from __future__ import annotations

from tests.site_builders import hits

CHECK = "canonical-chain"


def test_only_such_targets_are_named() -> None:
    """Sound targets and other faults are not meant."""
    targets: dict[int, dict[str, object]] = {
        1: {},
        2: {"canonical_id": 2, "canonical_url": "http://example.com/2"},
        3: {"canonical_id": 1, "canonical_url": "http://example.com/1"},
        4: {"status": 404},
        5: {"canonical_url": "http://example.org/"},
    }
    pages = [
        {"page_id": number + 10, "canonical_id": number, "canonical_url": f"http://example.com/{number}"}
        for number in targets
    ]
    found = hits(CHECK, pages=[*pages, *({"page_id": number, **row} for number, row in targets.items())])

    assert {target for _, _, target in found} == {3, 5}
