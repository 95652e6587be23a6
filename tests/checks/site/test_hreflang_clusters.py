from __future__ import annotations

from tests.site_builders import hits

CHECK = "hreflang-clusters"


def test_regions_are_other_languages() -> None:
    """Two languages may have one URL, one language may not have two."""

    def named(one: int, other: int, language: str) -> dict[str, object]:
        return {"from_id": one, "to_id": other, "kind": "hreflang", "hreflang": language}

    links = [named(1, 1, "en"), named(1, 2, "de"), named(1, 3, "de-AT"), named(1, 2, "de-CH"), named(2, 1, "en")]
    links += [named(3, 3, "de"), named(3, 1, "en"), named(3, 2, "EN")]
    found = hits(CHECK, pages=[{"page_id": 1, "repeat": 3}], links=links)

    assert found == {(2, "no_self"), (3, "twice")}
