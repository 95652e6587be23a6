from __future__ import annotations

from tests.site_builders import hits

CHECK = "anchor-text"


def test_ten_targets_are_many() -> None:
    """Nine targets of one text may be right; unknown texts are not empty ones."""

    def of(targets: int, place: str = "main") -> set[tuple[object, ...]]:
        links = [
            {"from_id": 1, "to_id": number, "anchor": "Read more", "place": place} for number in range(2, 2 + targets)
        ]
        unknown = {"from_id": 3, "to_id": 4}
        return hits(CHECK, pages=[{"page_id": 1, "repeat": 20}], links=[*links, unknown])

    found = of(9), of(10), of(10, "nav")

    assert found == (set(), {(1, "ambiguous")}, set())
