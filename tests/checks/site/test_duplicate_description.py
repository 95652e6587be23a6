from __future__ import annotations

from tests.site_builders import hits

CHECK = "duplicate-description"


def test_case_and_spaces_make_no_difference_and_languages_do() -> None:
    """A second page of the same language is enough; none has no description."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "description": "Tea"},
            {"page_id": 2, "description": " TEA"},
            {"page_id": 3, "description": "Tea", "lang": "de"},
            {"page_id": 4, "description": ""},
            {"page_id": 5, "description": ""},
            {"page_id": 6, "description": "Tea", "noindex": True},
        ],
    )

    assert found == {(1, "shared"), (2, "shared")}


def test_copies_are_one_page() -> None:
    """Pages of equal content are found as copies, not by what else is equal."""
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 2, "digest": 3, "simhash": 3, "description": "Tea"}])

    assert found == set()
