from __future__ import annotations

from tests.site_builders import hits

CHECK = "thin-for-its-template"


def test_a_quarter_of_the_siblings_is_enough() -> None:
    """One word less is thin, where there are ten pages, and where it is little by itself."""

    def of(words: int, siblings: int = 9, usual: int = 200) -> bool:
        pages = [{"page_id": 1, "repeat": siblings, "words": usual}, {"page_id": 50, "words": words}]
        return bool(hits(CHECK, pages=pages))

    found = of(50), of(49), of(49, siblings=8), of(149, usual=2_000), of(150, usual=2_000)

    assert found == (False, True, False, True, False)
