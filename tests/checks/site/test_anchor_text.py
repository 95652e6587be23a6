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


def test_neighbors_of_a_list_may_be_called_the_same() -> None:
    """A link to the next page says where it leads; what else is called so is counted."""
    pages: list[dict[str, object]] = [
        {"page_id": number, "next_id": number + 1, "prev_id": number - 1} for number in range(1, 30)
    ]
    links = [{"from_id": number, "to_id": number + 1, "anchor": "Next"} for number in range(1, 29)]
    others = [{"from_id": number, "to_id": number + 5, "anchor": "Next"} for number in range(1, 11)]

    assert hits(CHECK, pages=pages, links=links) == set()
    assert hits(CHECK, pages=pages, links=[*links, *others]) == {(number, "ambiguous") for number in range(1, 11)}


def test_a_link_inside_its_page_may_be_called_as_on_all_pages() -> None:
    """Such as the one that skips the menu: it leads to no other page."""
    pages: list[dict[str, object]] = [{"page_id": number} for number in range(1, 21)]
    links = [{"from_id": number, "to_id": number, "anchor": "Skip to content"} for number in range(1, 21)]

    assert hits(CHECK, pages=pages, links=[*links, {"from_id": 1, "to_id": 2, "anchor": "Tea"}]) == set()
