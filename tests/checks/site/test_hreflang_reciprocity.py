from __future__ import annotations

from tests.site_builders import hits

CHECK = "hreflang-reciprocity"


def test_errors_defaults_and_oneself_need_no_return() -> None:
    """Only a version that search engines may show can agree."""

    def named(one: int, other: int, language: str = "de") -> dict[str, object]:
        return {"from_id": one, "to_id": other, "kind": "hreflang", "hreflang": language}

    pages = [{"page_id": number} for number in range(1, 5)] + [{"page_id": 5, "status": 404}]
    links = [named(1, 1), named(1, 2), named(2, 1), named(1, 3), named(1, 4, "x-default"), named(1, 5)]
    found = hits(CHECK, pages=pages, links=links)

    assert found == {(1, "one_way", 3)}
