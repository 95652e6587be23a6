from __future__ import annotations

from tests.site_builders import hits

CHECK = "hreflang-to-non-canonical"


def test_redirects_noindex_and_other_canonical_urls() -> None:
    """A page that names itself as canonical is right, and errors are another finding."""
    rows: dict[int, dict[str, object]] = {
        2: {"canonical_id": 2, "canonical_url": "http://example.com/2"},
        3: {"noindex": True},
        4: {"status": 404},
    }
    rows |= {5: {"status": 301, "redirect_id": 2}, 6: {"canonical_id": 2, "canonical_url": "http://example.com/2"}}
    links = [{"from_id": 1, "to_id": number, "kind": "hreflang", "hreflang": "de"} for number in rows]
    found = hits(
        CHECK, pages=[{"page_id": 1}, *({"page_id": number, **row} for number, row in rows.items())], links=links
    )

    assert {target for _, _, target in found} == {3, 5, 6}
