from __future__ import annotations

from tests.site_builders import hits

CHECK = "duplicate-title"


def test_case_and_spaces_make_no_difference_and_languages_do() -> None:
    """A second page of the same language is enough; none has no title."""
    found = hits(
        CHECK,
        pages=[
            {"page_id": 1, "title": "Tea"},
            {"page_id": 2, "title": " TEA"},
            {"page_id": 3, "title": "Tea", "lang": "de"},
            {"page_id": 4, "title": ""},
            {"page_id": 5, "title": ""},
            {"page_id": 6, "title": "Tea", "noindex": True},
        ],
    )

    assert found == {(1, "shared"), (2, "shared")}


def test_copies_are_one_page() -> None:
    """Pages of equal content are found as copies, not by what else is equal."""
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 2, "digest": 3, "simhash": 3, "title": "Tea"}])

    assert found == set()
