from __future__ import annotations

from tests.site_builders import hits

CHECK = "weakly-linked"


def test_two_pages_are_enough_and_copies_are_one() -> None:
    """A second link counts where another page has it."""
    links = [
        {"from_id": 1, "to_id": 2},
        {"from_id": 3, "to_id": 2},
        {"from_id": 1, "to_id": 4},
        {"from_id": 5, "to_id": 6},
    ]
    links += [{"from_id": 7, "to_id": 6}, {"from_id": 2, "to_id": 1}, {"from_id": 8, "to_id": 4, "nofollow": True}]
    copies = [{"page_id": number, "digest": 2, "simhash": 2} for number in (5, 7)]
    pages = [{"page_id": number} for number in (1, 2, 3, 4, 6, 8, 9, 10, 11)]
    found = hits(CHECK, pages=[*pages, *copies], links=links)
    small = hits(CHECK, pages=pages, links=links)

    assert found == {(4, "weak"), (6, "weak")}
    assert small == set()
