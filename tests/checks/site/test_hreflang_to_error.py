from __future__ import annotations

from tests.site_builders import hits

CHECK = "hreflang-to-error"


def test_four_hundred_is_an_error() -> None:
    """A redirect to an error is one, a redirect to a page is not."""
    rows: dict[int, dict[str, object]] = {
        2: {"status": 399},
        3: {"status": 400},
        4: {"state": "failed", "status": None},
    }
    rows |= {5: {"status": 301, "redirect_id": 3}, 6: {"status": 301, "redirect_id": 1}}
    links = [{"from_id": 1, "to_id": number, "kind": "hreflang", "hreflang": "de"} for number in rows]
    found = hits(
        CHECK, pages=[{"page_id": 1}, *({"page_id": number, **row} for number, row in rows.items())], links=links
    )

    assert {target for _, _, target in found} == {3, 4, 5}
